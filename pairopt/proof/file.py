"""Document: the file of a proof, a claim and its witness; docs/proof.md has the format."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pairopt.messages import Message, message
from pairopt.proof.verify import text_of
from pairopt.version import __version__

FORMAT, VERSION, PROGRAM = "pairopt-proof", 3, f"pairopt {__version__}"


@dataclass(frozen=True)
class Proof:
    """Why no pairing of a round is better, or why there is none, for anybody to verify. `content`
    is what the file holds, see `pairopt.proof.verify`.
    """

    content: Mapping[str, Any]

    @property
    def open(self) -> int:
        """Of how many levels, the last ones, it shows nothing."""
        levels = len(self.content["claim"]["levels"])
        return levels - int(self.content["witness"].get("shown", levels))

    @property
    def certified(self) -> int:
        """Of how many levels it shows that none can be better."""
        return len(self.content["claim"]["levels"]) - self.open

    @property
    def said(self) -> Message:
        """What it certifies, and what is only claimed."""
        if self.content["claim"]["pairing"] is None:
            return message("proof.certified_none")
        if not self.open:
            return message("proof.certified")
        alone = self.content["witness"]["components"] is None
        kind = "proof.certified_first_alone" if alone else "proof.certified_first"
        return message(kind, shown=self.certified, open=self.open)

    @property
    def digest(self) -> str:
        """SHA-256 of the file's bytes, in hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        return {"certified": self.certified, "open": self.open, "sha256": self.digest}

    @cached_property
    def text(self) -> str:
        return format_proof(self.content)


def format_proof(content: Mapping[str, Any]) -> str:
    """The file of a content: JSON without blanks, a key and a step a line."""
    return text_of({**content}) + "\n"
