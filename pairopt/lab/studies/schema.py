"""The keys of a study.toml, with their types and defaults."""

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


def _parse_finite_number(value: object) -> float:
    """Convert a number of the file to a finite float.

    Raises ValueError for true and false, for infinite numbers, and for anything that is
    no number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ValueError("expected a number")
    try:
        finite_number = float(value)
    except OverflowError:
        finite_number = float("inf")
    if not isfinite(finite_number):
        raise ValueError("expected a finite number")
    return finite_number


def _parse_rating_error(value: object) -> float | None:
    """Convert the rating error; "unrated" becomes None.

    Raises ValueError for any other text, and for a number that is not finite.
    """
    return None if value == UNRATED else _parse_finite_number(value)


def _parse_compared(value: object) -> str | float:
    """Convert what a claim compares with: a model's name, or a number.

    Raises ValueError for anything else.
    """
    return value if isinstance(value, str) else _parse_finite_number(value)


def _parse_day(value: object) -> str:
    """Convert a date, or a text such as "2026-01-31", to the text in ISO format.

    Raises ValueError for anything else.
    """
    if type(value) is date:
        return value.isoformat()
    if not isinstance(value, str) or date.fromisoformat(value).isoformat() != value:
        raise ValueError("expected a day, 2026-01-31")
    return value


def _require_positive(number: float) -> float:
    """Return the number if it is above 0; otherwise raise ValueError."""
    if not number > 0:
        raise ValueError("expected a number above 0")
    return number


Day = Annotated[str, BeforeValidator(_parse_day)]
Number = Annotated[float, BeforeValidator(_parse_finite_number)]
Positive = Annotated[Number, AfterValidator(_require_positive)]
Elo = Annotated[Number, Field(ge=-MOST_ELO, le=MOST_ELO)]
Deviation = Annotated[Number, Field(ge=0, le=MOST_ELO)]
Probability = Annotated[Number, Field(ge=0, le=1)]
Filled = Annotated[str, Field(min_length=1, max_length=200, strict=True)]
Tries = Annotated[int, Field(ge=1, le=MOST_TRIES, strict=True)]
Reason = Annotated[str, Field(min_length=1, max_length=1000, strict=True)]
Sha = Annotated[str, Field(pattern="^[0-9a-f]{64}$", strict=True)]


def _declare_option(name: str, default: Any = None) -> Any:
    """Declare a key of a study.toml that is also an option of commands.

    The entry `name` of schema.toml has the option's help, and how its text is read.
    Returns the pydantic field, with the default.
    """
    option_entry = read_package_toml("pairopt.lab.studies", "schema.toml")[name]
    option_format = option_entry.get("reading", "number")
    schema_extra: Any = {"metavar": option_entry["metavar"], "reading": option_format}
    return Field(
        default, description=option_entry["words"], json_schema_extra=schema_extra
    )


class StrictTable(BaseModel):
    """The base class of tables in a TOML file: unknown keys are errors.

    Instances are immutable.
    """

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True, frozen=True)


class WorldTable(StrictTable):
    """The settings of a `World` in a study.toml; None for those that are missing.

    Missing settings are those of the fitted world `base`, or the defaults. `results`
    names a law of results, `strengths` a file, and `column` its column of strengths.
    `draw_rate` is the wanted share of drawn games, instead of `draws`. Keys with a
    description are also options of the commands.
    """

    base: Filled | None = None
    players: Annotated[int, Field(ge=2, le=MOST_PLAYERS, strict=True)] | None = None
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS, strict=True)] | None = (
        _declare_option("rounds")
    )
    level: Elo | None = _declare_option("level")
    spread: Deviation | None = _declare_option("spread")
    shape: Literal["normal", "uniform"] | None = _declare_option("shape")
    rating_error: Annotated[Deviation | None, BeforeValidator(_parse_rating_error)] = (
        _declare_option("rating_error")
    )
    first_side: Elo | None = _declare_option("first_side")
    draws: Probability | None = _declare_option("draws")
    draw_rate: Annotated[Number, Field(ge=0, lt=1)] | None = _declare_option(
        "draw_rate"
    )
    drops: Probability | None = _declare_option("drops")
    drops_by_score: Annotated[Number, Field(ge=-MOST_SLOPE, le=MOST_SLOPE)] | None = (
        _declare_option("drops_by_score")
    )
    late: Probability | None = _declare_option("late")
    absent: Probability | None = _declare_option("absent")
    forfeits: Probability | None = _declare_option("forfeits")
    win: Amount | None = None
    draw: Amount | None = None
    sides: Annotated[list[Filled], AfterValidator(tuple)] | None = None
    results: Filled | None = None
    strengths: Filled | None = _declare_option("strengths")
    column: Filled = _declare_option("column", "rating")
    drift: Deviation | None = _declare_option("drift")
    games: Literal[1, 2, 3] | None = None
    acceleration: Literal["none", "baku"] | None = _declare_option("acceleration")
    cut: Annotated[int, Field(ge=0, le=MOST_CUT, strict=True)] | None = _declare_option(
        "cut"
    )
    double_cut: Annotated[bool, Field(strict=True)] | None = _declare_option(
        "double_cut"
    )
    strategy: Filled | None = None


class StudyClaim(StrictTable):
    """A claim about the difference of a model to another one, in a metric.

    `than` is the other model or a number, None for the study's baseline. The difference
    is `less` or `more` than 0, by more than the margin if there is one, or `different`
    from 0, or `near` 0, within the margin. `effect` is the true difference that a
    sample size plan assumes. `where` selects worlds of the grid by their settings. With
    `than_metric` the difference is that of two metrics of the model, in the same
    tournaments. `margin_reason` says why a margin of `near` may be more than a third of
    the effect of the study's negative control.
    """

    model: Filled
    than: Annotated[str | float | None, BeforeValidator(_parse_compared)] = None
    metric: Filled
    than_metric: Filled | None = None
    claim: Claimed
    margin: Annotated[Number, Field(ge=0)] = 0.0
    effect: Positive | None = None
    where: Mapping[str, Any] = {}
    margin_reason: Reason | None = None

    @property
    def planned(self) -> bool:
        """True if a plan has a difference to assume: the `effect`, or 0 for `near`."""
        return self.claim == "near" or self.effect is not None


class PreviousRun(StrictTable):
    """The earlier run that a study repeats: its date, seed and registration.

    `name` is the earlier study, and `changed` says what differs from it besides the seed.
    """

    name: Filled
    date: Day
    seed: Annotated[int, Field(ge=0, le=MOST_SEED, strict=True)]
    sha256: Sha | None = None
    changed: Reason


class Registration(StrictTable):
    """The preregistration of a study: where and when its question was published.

    `sha256` is the digest of everything that is fixed before the study is played. `doi` and `osf`
    are the places of the registration. `timestamp` is the address of a timestamp by a third party,
    for example of a copy of the study.toml in a web archive. `previous` is the run that the study
    repeats.
    """

    date: Day | None = None
    sha256: Sha | None = None
    doi: Annotated[str, Field(pattern=r"^10\.\d{4,9}/\S+$", strict=True)] | None = None
    osf: Annotated[str, Field(pattern="^[a-z0-9]{5}$", strict=True)] | None = None
    timestamp: (
        Annotated[str, Field(pattern=r"^https?://\S+$", max_length=1000, strict=True)]
        | None
    ) = None
    previous: PreviousRun | None = None


Drawn = Literal[
    "claims", "sweep", "heat_map", "side_balance", "tau_by_round", "trade_off"
]


class FolderTable(StrictTable):
    """What a study's folder has besides its tables.

    `games` is the number of tournaments per model and world whose games are stored, by default as
    many as fit. `figures` are the kinds of figures to draw, by default all of one world; with
    several worlds "claims" and "sweep".
    """

    games: Tries | None = None
    figures: list[Drawn] | None = None


class StudyFile(StrictTable):
    """The content of a study.toml, checked key by key.

    Missing keys have their defaults. Whether the values fit each other is not checked.
    """

    title: Annotated[str, Field(max_length=1000, strict=True)] = ""
    events: Filled | None = None
    models: Annotated[list[Filled], Field(min_length=1, max_length=1000)]
    permute: list[Filled] | None = None
    orders: Mapping[str, list[Filled]] = {}
    sample: Tries | None = _declare_option("sample")
    baseline: Filled | None = _declare_option("baseline")
    control: Filled | None = _declare_option("control")
    replicates: Tries = _declare_option("replicates", 100)
    precision: Mapping[str, Positive] = {}
    most: Tries = _declare_option("most", 10000)
    seed: Annotated[int, Field(ge=0, le=MOST_SEED, strict=True)] = _declare_option(
        "seed", 0
    )
    choose: Choose = _declare_option("choose", "uniform")
    metrics: list[Filled] = _declare_option("metrics", [])
    rankings: list[Filled] = _declare_option("rankings", [])
    plugins: list[Filled] = []
    world: WorldTable = WorldTable()
    grid: Mapping[str, Annotated[list[Any], Field(min_length=1, max_length=1000)]] = {}
    hypotheses: list[StudyClaim] = []
    exploratory: list[StudyClaim] = []
    folder: FolderTable = FolderTable()
    registration: Registration = Registration()
    versions: Mapping[str, Filled] = {}
    digests: Mapping[str, Sha] = {}


TABLES: Final[Mapping[str, type[StrictTable]]] = {
    "world": WorldTable,
    "hypotheses": StudyClaim,
    "exploratory": StudyClaim,
    "registration": Registration,
    "previous": PreviousRun,
    "folder": FolderTable,
}
