"""event.toml: what an event folder says of its event, and what is wrong in it, by its keys."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal, Self, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    create_model,
    model_validator,
)

from pairopt.bounds import LARGEST_SCORE, MOST_DECIMALS, MOST_NUMBER, MOST_ROUNDS
from pairopt.errors import Fault, InputError, JsonPath, UnfitError, UsageError
from pairopt.event.points import Points, doubled
from pairopt.event.prohibited import Rounds
from pairopt.event.settings import KEYS, SETTINGS, Apart, Form, Setting, Settings
from pairopt.event.tie_breaks import tie_break_of
from pairopt.files.schema import rounds_in
from pairopt.files.source import Source, decoded, encoded
from pairopt.wording import nearest
from pairopt.words import Said, tell

NAME = "event.toml"


def _points(value: object) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise UnfitError("key.no_number")
    number = Decimal(value)
    if not number.is_finite() or not 0 <= number <= LARGEST_SCORE:
        raise UnfitError("key.too_large", most=LARGEST_SCORE)
    if -int(number.as_tuple().exponent) > MOST_DECIMALS:
        raise UnfitError("key.too_fine", most=MOST_DECIMALS)
    return Fraction(number)


def _whole(allowed: range) -> Any:
    return Annotated[int, Field(ge=allowed[0], le=allowed[-1], strict=True)]


Amount = Annotated[Fraction, BeforeValidator(_points)]
Text = Annotated[str, Field(strict=True)]
Filled = Annotated[str, Field(min_length=1, strict=True)]
Forbidden = tuple[str, str, Rounds | None]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


def _two_labels(sides: list[str]) -> tuple[str, ...]:
    if len(sides) == 1 or len({*sides}) < len(sides):
        raise UnfitError("key.no_two_labels")
    return tuple(map(str.lower, sides))


def _tie_break(name: str) -> str:
    try:
        return tie_break_of(name).name
    except UsageError as error:
        raise UnfitError(error.said[0]) from None


def _kept_apart(said: object) -> Forbidden:
    """Two players, and their rounds where these are said."""
    table = said if isinstance(said, Mapping) else {"players": said}
    pair, rounds = table.get("players"), table.get("rounds")
    if not isinstance(pair, list) or len(pair) != 2 or not all(
        isinstance(player, str) and player for player in pair
    ) or pair[0] == pair[1]:  # fmt: skip
        raise UnfitError("key.no_two_players")
    if table.keys() - {"players", "rounds"} or not isinstance(rounds, str | None):
        raise UnfitError("key.no_pair_with_rounds")
    return pair[0], pair[1], None if rounds is None else rounds_in(rounds)


def _plain(value: Any) -> Any:
    """A value as JSON has it too: without dates, and numbers that are exact."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value if isinstance(value, str | int) else str(value)


class _Points(_Table):
    win: Amount
    draw: Amount
    loss: Amount = Fraction(0)
    bye: Amount | None = None
    requested_bye: Amount = Fraction(0)
    absent: Amount = Fraction(0)
    games: Literal[1, 2] = 1

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.win > self.loss or not self.win >= self.draw >= self.loss:
            raise UnfitError("points.out_of_order")
        return self


def _made(table: _Points) -> Points:
    """The points of a match; those of a game are given where it has two."""
    given = dict(table)
    if given.pop("games") == 1:
        return Points(**given)
    match = doubled(Points(table.win, table.draw, table.loss))
    more = {name: given[name] for name in ("bye", "requested_bye", "absent")}
    return replace(match, **more)


class Bye(_Table):
    """A bye known in advance; without points it gives the event's for a requested one."""

    player: Filled
    round: _whole(range(1, MOST_ROUNDS + 1))  # type: ignore[valid-type]
    points: Amount | None = None


class _Conflict(_Table):
    column: Filled
    place: _whole(range(1, MOST_NUMBER + 1)) | None = None  # type: ignore[valid-type]


class _Source(_Table):
    trf: list[str] = []
    from_json: Annotated[dict[str, Any], AfterValidator(_plain)] = Field(default={}, alias="json")


TYPES: Mapping[Form, Callable[[Setting], Any]] = {
    "text": lambda _: Text,
    "model": lambda _: Filled,
    "label": lambda _: Annotated[Filled, AfterValidator(str.lower)],
    "number": lambda one: _whole(one.allowed),
    "ahead": lambda one: _whole(one.allowed) | Literal["all"],
    "choice": lambda one: Literal[tuple(name for name, _ in one.choices if name)],
    "truth": lambda _: Annotated[bool, Field(strict=True)],
    "labels": lambda _: Annotated[list[Filled], Field(max_length=2), AfterValidator(_two_labels)],
    "tie-breaks": lambda _: Annotated[
        list[Annotated[Filled, AfterValidator(_tie_break)]], AfterValidator(tuple)],
    "columns": lambda _: list[_Conflict],
    "points": lambda _: Annotated[_Points, AfterValidator(_made)],
}  # fmt: skip
"""What event.toml may say, by the forms of settings; "amount" is a key of `_Points`."""
OTHERS = {KEYS[each.name]: each.default for each in fields(Settings) if each.default is not None}
"""What is said by who says nothing, where that is something."""


class EventFile(_Table):
    """The content of an event.toml: what names players, beside the settings (`SCHEMA`).

    `source` is what the file it was made from says besides, to be written again; see
    `Origin.facts`. `id` is the event's own, by which its steps are known: see `identity`."""

    id: Text = ""
    forbid: list[Annotated[Forbidden, PlainValidator(_kept_apart)]] = []
    byes: list[Bye] = []
    source: _Source = _Source()

    @property
    def facts(self) -> dict[str, Any]:
        """What it says of its source."""
        return {name: said for name, said in self.source.model_dump(by_alias=True).items() if said}

    @property
    def settings(self) -> Settings:
        """What it says of all rounds."""
        said = dict(self)
        own = {name: said[key] for name, key in KEYS.items()}
        return Settings(**{**own, "apart": tuple(Apart(**dict(each)) for each in own["apart"])})

    @property
    def side(self) -> str | None:
        """The side drawn for the first player of round 1, as the event calls it."""
        side: str | None = dict(self)["initial_side"]
        return side


_KEYS: dict[str, Any] = {
    key: (TYPES[one.form](one) if key in OTHERS else TYPES[one.form](one) | None, OTHERS.get(key))
    for key, one in SETTINGS.items() if one.form in TYPES
}  # fmt: skip
SCHEMA: type[EventFile] = create_model("EventFile", __base__=EventFile, **_KEYS)
"""The content with the settings."""


def identity(content: bytes) -> str:
    """The id in an event.toml, "" where it has none or cannot be read."""
    with suppress(InputError, ValueError, RecursionError):
        said = tomllib.loads(decoded(NAME, content).text).get("id")
        return said if isinstance(said, str) else ""
    return ""


def identified(content: bytes, own: str) -> bytes:
    """The same event.toml with an id in its first line; one that has one, or is none, as it is."""
    with suppress(InputError):
        source = decoded(NAME, content)
        new = encoded(f'id = "{own}"{source.newline}{source.text}', source.marked)
        if own and identity(new) == own:
            return new
    return content


def read_event_file(source: Source) -> EventFile:
    """The content of an event.toml. Raises InputError naming every fault by its key."""
    try:
        raw = tomllib.loads(source.text, parse_float=Decimal)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise InputError(source.name, "key.not_toml", error=error) from None
    try:
        file = SCHEMA.model_validate(raw)
    except ValidationError as error:
        tables: Tables = {"points": _Points, "byes": Bye, "conflicts": _Conflict, "source": _Source}
        raise InputError(source.name, faults_of(error, SCHEMA, tables)) from None
    if file.settings.best_of and file.settings.points and file.settings.points.game:
        raise InputError(source.name, [Fault("key.best_of_two", JsonPath("best_of"))])
    if file.settings.lookahead == "all" and file.settings.rounds is None:
        raise InputError(source.name, [Fault("key.all_of_what", JsonPath("lookahead"))])
    return file


Tables = Mapping[str, type[BaseModel]]
"""The tables of a file by the key that they stand under."""


def faults_of(error: ValidationError, file: type[BaseModel], tables: Tables) -> list[Fault]:
    """The faults of pydantic's error in a TOML file, each with its key."""
    own = {key for table in (file, *tables.values()) for key in _names(table)}
    return [_fault(each, file, tables, own) for each in error.errors()]


def _fault(error: Any, file: type[BaseModel], tables: Tables, own: set[str]) -> Fault:
    loc = error["loc"]
    first = file.model_fields.get(str(loc[0])) if loc else None
    any_key = first is not None and get_origin(first.annotation) is Mapping
    key = ""
    for part in loc:
        if isinstance(part, int):
            key += f"[{part}]"
        elif part in own or any_key or not key:  # others are the types of a union
            key += f".{part}" if key else str(part)
    if error["type"] == "extra_forbidden":
        known = _names(tables.get(str(loc[0]), file) if len(loc) > 1 else file)
        near = nearest(str(loc[-1]), known)
        kind = "key.unknown" if near is None else "key.mistyped"
        return Fault(tell(kind, key=loc[-1], near=near, known=known), JsonPath(key))
    if error["type"] == "missing":
        return Fault("key.missing", JsonPath(key))
    unfit = error.get("ctx", {}).get("error")
    message = str(error["msg"]).removeprefix("Value error, ")
    said = unfit.said if isinstance(unfit, UnfitError) else f"{message[:1].lower()}{message[1:]}"
    return Fault(Said("key.unfit", {"said": said, "found": shown(error["input"])}), JsonPath(key))


def _names(table: type[BaseModel]) -> list[str]:
    """The keys of a table."""
    return [field.alias or name for name, field in table.model_fields.items()]


def shown(found: object) -> str:
    """A value of a file as an error quotes it."""
    text = str(found) if isinstance(found, Decimal) else repr(found)
    return text if len(text) <= 60 else f"{text[:57]}..."
