"""Settings: the rules that an event keeps for all its rounds, as its event.toml says them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pairopt.event.points import Points

FirstRound = Literal["random", "slide", "fold"]


@dataclass(frozen=True, slots=True)
class Apart:
    """Players who share a value of a players.csv column are kept apart, by the criterion
    `conflicts` at this place among the model's, from 1; None: they never meet."""

    column: str
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """What an event says of itself; None where it says nothing.

    `model` is a shipped one or the path of a file; in capitals, a system that no model pairs by.
    The last of `rounds` is paired by last-round rules; `sides` () means a game without; `lookahead`
    "all" keeps room for all rounds that are left; `first_round` says how players meet in it, by
    rating; `apart` who is kept apart; `proofs` whether the proof of each round is kept; `seed`
    chooses among equally good pairings."""

    title: str = ""
    model: str | None = None
    rounds: int | None = None
    sides: tuple[str, ...] | None = None
    lookahead: int | Literal["all"] | None = None
    tie_breaks: tuple[str, ...] | None = None
    first_round: FirstRound | None = None
    apart: tuple[Apart, ...] = ()
    points: Points | None = None
    proofs: bool | None = None
    seed: int | None = None

    def seeded(self, asked: int | None) -> int:
        return (self.seed or 0) if asked is None else asked
