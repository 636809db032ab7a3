"""Proofs: what a pairing costs, and how far that is proven, before it is published; and the kept
proof of a round for download, by the digest that is printed.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from pairopt.folder.open_folder import OpenFolder
from pairopt.folder.pair_round import Preview
from pairopt.folder.proofs import read_kept, round_proof
from pairopt.folder.stored_proofs import proof_file_name
from pairopt.messages import message
from pairopt.messages.formatting import amount_text
from pairopt.messages.interfaces import PAGE
from pairopt.problem.levels import notable_levels
from pairopt.report.views import LevelsView, levels_of
from pairopt.round.explain import ExplainedMatch
from pairopt.round.result import Result
from pairopt.web.site import AnswerCache, EventSite

PATH = "/proofs/{digest}.json"
SHOWN = AnswerCache(8)  # what proofs show of their rounds, by the state of the event


@dataclass(frozen=True, slots=True)
class ProofDownload:
    """A proof to be downloaded: what it shows of the round, in words; file, digest and address."""

    words: str
    now: bool
    name: str
    digest: str
    address: str

    def coded(self, site: EventSite) -> str:
        """The text of the QR code for paper: where phones load it; without these its digest."""
        if site.share is not None:
            return f"{site.share.address}{(site.root + self.address)[1:]}"
        return f"pairopt-proof sha256:{self.digest}"


def proof_download(desk: OpenFolder, number: int) -> ProofDownload | None:
    """The proof of a round, None where none is kept that holds, now or when it was paired."""
    content = read_kept(desk, number)
    if content is None:
        return None
    place = desk.journal.folder, desk.state, number, sha256(content).digest()
    found = SHOWN.answer(place, lambda: round_proof(desk, number))
    if not found.holds or found.digest is None:
        return None
    name, address = (
        proof_file_name(number).split("/")[-1],
        PATH.format(digest=found.digest),
    )
    return ProofDownload(
        found.stated.words, found.step is None, name, found.digest, address
    )


def kept_as(site: EventSite, asked: str) -> tuple[str, bytes] | None:
    """The proof with the digest in the address, by name and content."""
    if site.founded:
        desk = site.desk()
        for number in range(1, desk.rounds() + 1):
            content = read_kept(desk, number)
            if content is not None and f"{sha256(content).hexdigest()}.json" == asked:
                return proof_file_name(number).split("/")[-1], content
    return None


MOST_BARS, LOW, STEP, HIGH = 60, 2, 4, 24
"""How many levels are drawn, and how high: nothing, each doubling, and the most."""
UNPROVEN = {"feasible": "proof.best_found", "heuristic": "proof.by_procedure"}


@dataclass(frozen=True, slots=True)
class PairingCost:
    """A pairing in a line: whether it is "proven", what to say of that, and a bar for each level. A
    bar is its height and whether no pairing has less; `more` are sentences on how it was found.
    """

    kind: str
    words: str
    more: tuple[str, ...]
    bars: tuple[tuple[int, bool], ...]
    levels: LevelsView


def cost_of(
    result: Result, without: Collection[str] = (), worse: bool = False
) -> PairingCost | None:
    """What a pairing costs, None where there is none. Options that make no difference are left out
    (`without`); it may be `worse` than the best.
    """
    if result.arcs is None:
        return None
    more = (
        []
        if result.choice is None
        else [*map(PAGE.format_message, result.choice.words())]
    )
    if len(result.proven_by) > 1:
        more = [*more, PAGE.format_message(message("solving.found_twice"))]
    shown = notable_levels(result.problem, result.level_values)[0][:MOST_BARS]
    heights = (
        min(HIGH, LOW + STEP * (level.value or 0).bit_length()) for level in shown
    )
    bars = tuple(
        zip(heights, (level.proven is not False for level in shown), strict=True)
    )
    stated = result.stated(without)
    said = stated.said
    if stated.kind == "not" and result.status in UNPROVEN:
        said = message(UNPROVEN[result.status])
    elif worse and stated.kind == "by hand":
        said = message("proof.by_hand_worse")
    kind = "proven" if result.proven else "unproven"
    return PairingCost(
        kind, PAGE.format_message(said), tuple(more), bars, levels_of(result)
    )


def beside(
    made: Preview, matches: Sequence[ExplainedMatch]
) -> Iterator[tuple[bool, list[str]]]:
    """For each match whether the best pairing has another, and what gets worse by it there. Of a
    system, whose brackets follow from each other, no match alone makes anything worse.
    """
    best = {frozenset(pair) for pair in made.best.pairs}
    known = {
        (level.place, level.level): level.value or 0 for level in made.best.level_values
    }
    alone = made.result.problem.system is None
    now = {
        (level.place, level.level): level.value or 0
        for level in made.result.level_values
    }
    higher = {
        level for level, value in now.items() if alone and value > known.get(level, 0)
    }
    for pair, match in zip(made.result.pairs, matches, strict=True):
        changed = bool(best) and frozenset(pair) not in best
        there = (
            share
            for share in match.shares
            if changed and (share.level.place, share.level.label) in higher
        )
        yield (
            changed,
            [
                f"+{amount_text(each.value, each.level.scale)} {each.level.words}"
                for each in there
            ],
        )
