"""Proofs: the kept proof of a round for download, by the digest that is printed."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from pairopt.folder.desk import Desk
from pairopt.folder.kept import file_of
from pairopt.folder.proofs import read_kept, round_proof
from pairopt.show.web.site import Remembered, Site

PATH = "/proofs/{digest}.json"
SHOWN = Remembered(8)
"""What proofs show of their rounds, by the state of the event."""


@dataclass(frozen=True, slots=True)
class Offered:
    """A proof to be downloaded: what it shows of the round, in words; file, digest and address."""

    words: str
    now: bool
    name: str
    digest: str
    address: str

    def coded(self, site: Site) -> str:
        """The text of the QR code for paper: where phones load it; without these its digest."""
        if site.share is not None:
            return f"{site.share.address}{(site.root + self.address)[1:]}"
        return f"pairopt-proof sha256:{self.digest}"


def offered(desk: Desk, number: int) -> Offered | None:
    """The proof of a round, None where none is kept that holds, now or when it was paired."""
    content = read_kept(desk, number)
    if content is None:
        return None
    place = desk.journal.folder, desk.state, number, sha256(content).digest()
    found = SHOWN.answer(place, lambda: round_proof(desk, number))
    if not found.holds or found.digest is None:
        return None
    name, address = file_of(number).split("/")[-1], PATH.format(digest=found.digest)
    return Offered(found.stated.words, found.step is None, name, found.digest, address)


def kept_as(site: Site, asked: str) -> tuple[str, bytes] | None:
    """The proof with the digest in the address, by name and content."""
    if site.founded:
        desk = site.desk()
        for number in range(1, desk.rounds() + 1):
            content = read_kept(desk, number)
            if content is not None and f"{sha256(content).hexdigest()}.json" == asked:
                return file_of(number).split("/")[-1], content
    return None
