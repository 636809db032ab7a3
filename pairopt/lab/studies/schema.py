"""The keys of a study.toml, their types and what is there without them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from pairopt.files.event_toml import Amount
from pairopt.problem.options import Choose

Claimed = Literal["less", "more", "different", "near"]
UNRATED: Final = "unrated"


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ValueError("expected a number")
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not isfinite(number):
        raise ValueError("expected a finite number")
    return number


def _rating_error(value: object) -> float | None:
    return None if value == UNRATED else _number(value)


def _other(value: object) -> str | float:
    return value if isinstance(value, str) else _number(value)


def _positive(number: float) -> float:
    if not number > 0:
        raise ValueError("expected a number above 0")
    return number


Number = Annotated[float, BeforeValidator(_number)]
Positive = Annotated[Number, AfterValidator(_positive)]
Filled = Annotated[str, Field(min_length=1, max_length=200, strict=True)]
Whole = Annotated[int, Field(ge=1, le=1_000_000, strict=True)]
Sha = Annotated[str, Field(pattern="^[0-9a-f]{64}$", strict=True)]


class Table(BaseModel):
    """A table whose keys are all known."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True, frozen=True)


class WorldTable(Table):
    """Settings of a `World`; those that are not there are its own.

    `base` names a world of `pairopt.lab.fitted`, whose settings those that are not there are then.
    `results` names how results arise, `strengths` a file and `column` its column; `draw_rate` is
    solved for instead of `draws`.
    """

    base: Filled | None = None
    players: Whole | None = None
    rounds: Whole | None = None
    level: Number | None = None
    spread: Number | None = None
    shape: Literal["normal", "uniform"] | None = None
    rating_error: Annotated[float | None, BeforeValidator(_rating_error)] = None
    first_side: Number | None = None
    draws: Number | None = None
    draw_rate: Number | None = None
    drops: Number | None = None
    drops_by_score: Number | None = None
    late: Number | None = None
    absent: Number | None = None
    forfeits: Number | None = None
    win: Amount | None = None
    draw: Amount | None = None
    sides: Annotated[list[Filled], AfterValidator(tuple)] | None = None
    results: Filled | None = None
    strengths: Filled | None = None
    column: Filled = "rating"
    drift: Number | None = None
    games: Literal[1, 2] | None = None
    acceleration: Literal["none", "baku"] | None = None
    cut: Annotated[int, Field(ge=0, strict=True)] | None = None
    double_cut: Annotated[bool, Field(strict=True)] | None = None


class Claim(Table):
    """What is said of a difference between two models in a metric, or of a model to a number.

    That it is `less` or `more` than nothing, by more than the margin if there is one; that the
    models are `different`; or that they are `near`, nearer to each other than the margin. `effect`
    is the difference that a plan reckons with. `where` chooses worlds of the grid.
    """

    model: Filled
    than: Annotated[str | float | None, BeforeValidator(_other)] = None
    metric: Filled
    claim: Claimed
    margin: Annotated[Number, Field(ge=0)] = 0.0
    effect: Positive | None = None
    where: Mapping[str, Any] = {}

    @property
    def planned(self) -> bool:
        """Whether a plan knows which difference to reckon with: none for `near`."""
        return self.claim == "near" or self.effect is not None


class StudyFile(Table):
    """The content of a study.toml."""

    title: Annotated[str, Field(max_length=1000, strict=True)] = ""
    models: Annotated[list[Filled], Field(min_length=1, max_length=1000)]
    permute: list[Filled] | None = None
    sample: Whole | None = None
    baseline: Filled | None = None
    replicates: Whole = 100
    precision: Mapping[str, Positive] = {}
    most: Whole = 10_000
    seed: Annotated[int, Field(ge=0, strict=True)] = 0
    choose: Choose = "any"
    metrics: list[Filled] = []
    rankings: list[Filled] = []
    plugins: list[Filled] = []
    world: WorldTable = WorldTable()
    grid: Mapping[str, Annotated[list[Any], Field(min_length=1, max_length=1000)]] = {}
    hypotheses: list[Claim] = []
    exploratory: list[Claim] = []
    versions: Mapping[str, Filled] = {}
    digests: Mapping[str, Sha] = {}


TABLES: Final[Mapping[str, type[Table]]] = {
    "world": WorldTable, "hypotheses": Claim, "exploratory": Claim,
}  # fmt: skip
