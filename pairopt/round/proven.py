"""Proven: what is proven of a round, and its words, which are the same at all doors."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

from pairopt.event.event import Event
from pairopt.problem.options import RoundOptions
from pairopt.proof.claim import asked
from pairopt.proof.verify import asked as among
from pairopt.records import record
from pairopt.words import Said, tell

Kind = Literal["now", "then", "tables stay", "by hand", "not"]
STAY = ("fixed", "published")
"""Options by which a round that was published is paired again."""


@dataclass(frozen=True, slots=True)
class Proven:
    """What is proven of a round. Its `kind`: that no pairing is better ("now"), or was when it was
    paired, by the event after `step` ("then"), or is with the "tables that stay"; that somebody has
    made it "by hand"; or "not" even that. `asked` says among which pairings; of so many levels, the
    last ones, nothing is known (`open`)."""

    kind: Kind
    asked: str = ""
    step: int | None = None
    open: int = 0

    @property
    def said(self) -> Said:
        """It as everybody reads it."""
        if self.kind in ("by hand", "not"):
            return tell("proof.by_hand" if self.kind == "by hand" else "proof.not_proven")
        if self.kind == "then":
            kind = "proof.held_but" if self.open else "proof.held"
        else:
            kind = "proof.holds_but" if self.open else "proof.holds"
        return tell(kind, asked=self.asked, open=self.open, step=self.step)

    @property
    def words(self) -> str:
        return str(self.said)

    def to_dict(self) -> dict[str, Any]:
        return record(self, "kind", "step", "open", "words")


def tables_stay(options: RoundOptions) -> bool:
    """Whether tables that were published stay."""
    return any(getattr(options, name) for name in STAY)


def asked_for(event: Event, options: RoundOptions, without: Collection[str] = ()) -> str:
    """Among which pairings none is better, in words: all but for what was asked."""
    content = asked(event, options)
    rest = {name: value for name, value in content.items() if name not in (*STAY, *without)}
    stay = " with the tables that stay" * tables_stay(options)
    return stay + among({"options": rest}, dict(zip(event.players, event.shown, strict=True)))
