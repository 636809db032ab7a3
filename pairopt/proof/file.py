"""The file of a proof, a claim and its witness; docs/proof.md has the format."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pairopt.messages import Message, message
from pairopt.proof.verify import format_json
from pairopt.version import __version__

FORMAT = "pairopt-proof"
VERSION = 3
PROGRAM = f"pairopt {__version__}"


@dataclass(frozen=True)
class Proof:
    """A proof that no pairing of a round is better, or that the round has no pairing.

    Anybody can verify the proof, for example with `pairopt check --proof` or with the
    program verify.py. A `Proof` object has the text of the proof file, its digest
    (checksum) and the number of certified levels.

    Attributes
    ----------
    content : Mapping[str, Any]
        The keys and values of the proof file. The module `pairopt.proof.verify`
        describes them.
    """

    content: Mapping[str, Any]

    @property
    def open(self) -> int:
        """Number of levels at the end for which nothing is proven; often 0.

        It is 0 for a proof that there is no pairing.
        """
        level_count = len(self.content["claim"]["levels"])
        return level_count - int(self.content["witness"].get("shown", level_count))

    @property
    def certified(self) -> int:
        """Number of levels, from the first on, that are proven to be optimal."""
        return len(self.content["claim"]["levels"]) - self.open

    @property
    def said(self) -> Message:
        """Message on what the proof certifies.

        It says if no pairing exists; otherwise in how many levels no pairing is better,
        and how many levels the proof only claims.
        """
        if self.content["claim"]["pairing"] is None:
            return message("proof.certified_none")
        if not self.open:
            return message("proof.certified")
        lacks_components = self.content["witness"]["components"] is None
        message_kind = (
            "proof.certified_first_alone"
            if lacks_components
            else "proof.certified_first"
        )
        return message(message_kind, shown=self.certified, open=self.open)

    @property
    def digest(self) -> str:
        """SHA-256 of the file's bytes, in hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return the proof's numbers for JSON, without the proof itself.

        The keys are `certified` and `open`, numbers of levels, and `sha256`, the digest
        of the file. The proof itself is in `content` and `text`.
        """
        return {"certified": self.certified, "open": self.open, "sha256": self.digest}

    @cached_property
    def text(self) -> str:
        """Text of the proof's file, JSON with a line break at the end."""
        return format_proof(self.content)


def format_proof(content: Mapping[str, Any]) -> str:
    """Format a proof file: JSON without blanks, with a line break at the end.

    `content` has the keys and values of the file. Each key and each step has one line.
    """
    return format_json({**content}) + "\n"
