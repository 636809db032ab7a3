"""The keys of a study.toml, their types and what is there without them."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from pairopt.common.limits import MOST_ROUNDS, MOST_SEED, MOST_TRIES
from pairopt.common.serialization import read_package_toml
from pairopt.files.event_toml import parse_points
from pairopt.lab.grid import UNRATED
from pairopt.lab.world import MOST_CUT, MOST_ELO, MOST_PLAYERS, MOST_SLOPE
from pairopt.problem.options import Choose

Amount = Annotated[Fraction, BeforeValidator(parse_points)]
Claimed = Literal["less", "more", "different", "near"]


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


def _day(value: object) -> str:
    if type(value) is date:
        return value.isoformat()
    if not isinstance(value, str) or date.fromisoformat(value).isoformat() != value:
        raise ValueError("expected a day, 2026-01-31")
    return value


def _positive(number: float) -> float:
    if not number > 0:
        raise ValueError("expected a number above 0")
    return number


Day = Annotated[str, BeforeValidator(_day)]
Number = Annotated[float, BeforeValidator(_number)]
Positive = Annotated[Number, AfterValidator(_positive)]
Elo = Annotated[Number, Field(ge=-MOST_ELO, le=MOST_ELO)]
Deviation = Annotated[Number, Field(ge=0, le=MOST_ELO)]
Probability = Annotated[Number, Field(ge=0, le=1)]
Filled = Annotated[str, Field(min_length=1, max_length=200, strict=True)]
Tries = Annotated[int, Field(ge=1, le=MOST_TRIES, strict=True)]
Sha = Annotated[str, Field(pattern="^[0-9a-f]{64}$", strict=True)]


def _key(name: str, default: Any = None) -> Any:
    """A key that is an option too; what it says there and how it is read stand in schema.toml."""
    said = read_package_toml("pairopt.lab.studies", "schema.toml")[name]
    extra: Any = {"metavar": said["metavar"], "reading": said.get("reading", "number")}
    return Field(default, description=said["words"], json_schema_extra=extra)


class StrictTable(BaseModel):
    """A table whose keys are all known."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True, frozen=True)


class WorldTable(StrictTable):
    """Settings of a `World`, by default its own or those of `base`, a fitted one. `results` names
    how results arise, `strengths` a file. What is described is an option of the commands too.
    """

    base: Filled | None = None
    players: Annotated[int, Field(ge=2, le=MOST_PLAYERS, strict=True)] | None = None
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS, strict=True)] | None = _key(
        "rounds"
    )
    level: Elo | None = _key("level")
    spread: Deviation | None = _key("spread")
    shape: Literal["normal", "uniform"] | None = _key("shape")
    rating_error: Annotated[Deviation | None, BeforeValidator(_rating_error)] = _key(
        "rating_error"
    )
    first_side: Elo | None = _key("first_side")
    draws: Probability | None = _key("draws")
    draw_rate: Annotated[Number, Field(ge=0, lt=1)] | None = _key("draw_rate")
    drops: Probability | None = _key("drops")
    drops_by_score: Annotated[Number, Field(ge=-MOST_SLOPE, le=MOST_SLOPE)] | None = (
        _key("drops_by_score")
    )
    late: Probability | None = _key("late")
    absent: Probability | None = _key("absent")
    forfeits: Probability | None = _key("forfeits")
    win: Amount | None = None
    draw: Amount | None = None
    sides: Annotated[list[Filled], AfterValidator(tuple)] | None = None
    results: Filled | None = None
    strengths: Filled | None = _key("strengths")
    column: Filled = _key("column", "rating")
    drift: Deviation | None = _key("drift")
    games: Literal[1, 2] | None = None
    acceleration: Literal["none", "baku"] | None = _key("acceleration")
    cut: Annotated[int, Field(ge=0, le=MOST_CUT, strict=True)] | None = _key("cut")
    double_cut: Annotated[bool, Field(strict=True)] | None = _key("double_cut")


class StudyClaim(StrictTable):
    """What is said of a difference between two models in a metric, or of a model to a number.

    It is `less` or `more` than nothing, by more than the margin if there is one, `different`, or
    `near`, nearer to 0 than the margin. `effect` is the difference that a plan reckons with.
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


class Registration(StrictTable):
    """Where and when the question was put down, before it was played: `sha256` is that of all that
    is fixed, `date` a day, the others say where others find it.
    """

    date: Day | None = None
    sha256: Sha | None = None
    doi: Annotated[str, Field(pattern=r"^10\.\d{4,9}/\S+$", strict=True)] | None = None
    osf: Annotated[str, Field(pattern="^[a-z0-9]{5}$", strict=True)] | None = None


class StudyFile(StrictTable):
    """The content of a study.toml."""

    title: Annotated[str, Field(max_length=1000, strict=True)] = ""
    events: Filled | None = None
    models: Annotated[list[Filled], Field(min_length=1, max_length=1000)]
    permute: list[Filled] | None = None
    orders: Mapping[str, list[Filled]] = {}
    sample: Tries | None = _key("sample")
    baseline: Filled | None = _key("baseline")
    replicates: Tries = _key("replicates", 100)
    precision: Mapping[str, Positive] = {}
    most: Tries = _key("most", 10000)
    seed: Annotated[int, Field(ge=0, le=MOST_SEED, strict=True)] = _key("seed", 0)
    choose: Choose = _key("choose", "uniform")
    metrics: list[Filled] = _key("metrics", [])
    rankings: list[Filled] = _key("rankings", [])
    plugins: list[Filled] = []
    world: WorldTable = WorldTable()
    grid: Mapping[str, Annotated[list[Any], Field(min_length=1, max_length=1000)]] = {}
    hypotheses: list[StudyClaim] = []
    exploratory: list[StudyClaim] = []
    registration: Registration = Registration()
    versions: Mapping[str, Filled] = {}
    digests: Mapping[str, Sha] = {}


TABLES: Final[Mapping[str, type[StrictTable]]] = {
    "world": WorldTable,
    "hypotheses": StudyClaim,
    "exploratory": StudyClaim,
    "registration": Registration,
}
