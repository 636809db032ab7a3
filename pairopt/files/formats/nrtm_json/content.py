"""What a file of NRTM JSON holds; `nrtm_json` loads it, and pydantic, only where there is one."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from pairopt.errors import Fault, InputError, JsonPath
from pairopt.files.schema import number_in
from pairopt.files.source import is_text
from pairopt.wording import quoted


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | dict | list) or not is_text(str(value)):
        raise ValueError("expected a text or a number")
    return str(value).strip()


Id = Annotated[str, BeforeValidator(_text)]
SeatScore = Annotated[Decimal | None, BeforeValidator(lambda value: number_in(_text(value)))]


class SeatEntry(BaseModel):
    """One player of a table; the scores of a game not played are null."""

    model_config = ConfigDict(extra="ignore")

    id: Id
    role: Literal["corp", "runner"] | None = None
    corp: SeatScore = Field(None, alias="corpScore")
    runner: SeatScore = Field(None, alias="runnerScore")
    combined: SeatScore = Field(None, alias="combinedScore")

    @property
    def score(self) -> Decimal | None:
        """Points in the match. Old files hold them only in combinedScore."""
        if self.combined is not None:
            return self.combined
        games = [score for score in (self.corp, self.runner) if score is not None]
        return sum(games, Decimal(0)) if games else None

    @property
    def side(self) -> str:
        """The side played, "" where both were or nothing says."""
        if self.role is not None:
            return self.role
        if (self.corp is None) == (self.runner is None):
            return ""
        return "runner" if self.corp is None else "corp"


class TableEntry(BaseModel):
    """A table of a round."""

    model_config = ConfigDict(extra="ignore")

    table: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    number: Annotated[int, Field(ge=0, le=1_000_000)] | None = Field(None, alias="tableNumber")
    player1: SeatEntry
    player2: SeatEntry
    elimination: bool = Field(False, alias="eliminationGame")


class PlayerEntry(BaseModel):
    """A player, by the identifier that seats have."""

    model_config = ConfigDict(extra="ignore")

    id: Annotated[Id, Field(min_length=1)]
    name: Annotated[str, BeforeValidator(_text)] = ""
    corp: object = Field(None, alias="corpIdentity")
    runner: object = Field(None, alias="runnerIdentity")


class NrtmFile(BaseModel):
    """Players, and rounds of tables; `swiss` rounds come before the cut."""

    model_config = ConfigDict(extra="ignore")

    players: list[PlayerEntry]
    rounds: list[list[TableEntry]]
    swiss: int | None = Field(None, alias="preliminaryRounds", ge=0)


def nrtm_file(raw: object, source: str) -> NrtmFile:
    """The content of a file. Raises InputError naming every fault by its key."""
    try:
        return NrtmFile.model_validate(raw)
    except ValidationError as error:
        raise InputError(source, [_fault(each) for each in error.errors()]) from None


def _fault(error: Any) -> Fault:
    keys = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error["loc"]).lstrip(".")
    if error["type"] == "missing":
        return Fault("missing", JsonPath(keys))
    why = str(error["msg"]).removeprefix("Value error, ")
    return Fault(f"found {quoted(error['input'])}, {why}", JsonPath(keys))
