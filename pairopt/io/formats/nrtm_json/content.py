"""What a file of NRTM JSON holds; its numbers come as texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pairopt.errors import Fault, InputError, JsonPath
from pairopt.io.schema import LARGEST_SCORE, WORDS, number_in
from pairopt.io.source import is_text
from pairopt.shapes import Misfit, MisfitError, fitted


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | dict | list) or not is_text(str(value)):
        raise ValueError("expected a text or a number")
    return str(value).strip()


def _id(value: Any) -> str:
    if not (text := _text(value)):
        raise ValueError("expected a value")
    return text


def _score(value: Any) -> Decimal | None:
    return number_in(_text(value))


def _count(value: Any) -> int | None:
    number = _score(value)
    if number is not None and (number < 0 or number % 1):
        raise ValueError(f"expected a whole number from 0 to {LARGEST_SCORE}")
    return None if number is None else int(number)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool) and str(value).lower() not in WORDS:
        raise ValueError("expected true or false")
    return WORDS[str(value).lower()]


Id = Annotated[Any, _id]
Text = Annotated[Any, _text]
Score = Annotated[Any, _score]
Count = Annotated[Any, _count]
Truth = Annotated[Any, _truth]


@dataclass(frozen=True, slots=True)
class Seat:
    """One player of a table; the scores of a game not played are null."""

    OPEN: ClassVar[bool] = True

    id: Text
    role: Literal["corp", "runner"] | None = None
    corp: Score = field(default=None, metadata={"key": "corpScore"})
    runner: Score = field(default=None, metadata={"key": "runnerScore"})
    combined: Score = field(default=None, metadata={"key": "combinedScore"})

    @property
    def score(self) -> Decimal | None:
        """Points in the match. Old files hold them only in combinedScore."""
        games = (self.corp, self.runner) if self.combined is None else (self.combined,)
        played = [score for score in games if score is not None]
        return sum(played, Decimal(0)) if played else None

    @property
    def side(self) -> str:
        """The side played, "" where both were or nothing says."""
        if self.role is not None:
            return self.role
        if (self.corp is None) == (self.runner is None):
            return ""
        return "runner" if self.corp is None else "corp"


@dataclass(frozen=True, slots=True)
class Match:
    """A table of a round."""

    OPEN: ClassVar[bool] = True

    player1: Seat
    player2: Seat
    table: Count = None
    number: Count = field(default=None, metadata={"key": "tableNumber"})
    elimination: Truth = field(default=False, metadata={"key": "eliminationGame"})


@dataclass(frozen=True, slots=True)
class Player:
    """A player, by the identifier that seats have."""

    OPEN: ClassVar[bool] = True

    id: Id
    name: Text = ""
    corp: Any = field(default=None, metadata={"key": "corpIdentity"})
    runner: Any = field(default=None, metadata={"key": "runnerIdentity"})


@dataclass(frozen=True, slots=True)
class File:
    """Players, and rounds of tables; `swiss` rounds come before the cut."""

    OPEN: ClassVar[bool] = True

    players: list[Player]
    rounds: list[list[Match]]
    swiss: Count = field(default=None, metadata={"key": "preliminaryRounds"})


def parsed(raw: object, source: str) -> File:
    """The content of a file. Raises InputError naming every fault by its key."""
    try:
        file: File = fitted(File, raw)
    except MisfitError as error:
        raise InputError(source, map(_fault, error.misfits)) from None
    return file


def _fault(misfit: Misfit) -> Fault:
    found = "" if misfit.found is None else f"found {misfit.found}, "
    return Fault(f"{found}{misfit.why}", JsonPath(misfit.place()))
