"""Request: what another program asks for, in forms that follow from the declarations of files and
options, and the event in it. Nothing is read or written but what it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field as Declared
from dataclasses import dataclass, fields
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, create_model

from pairopt.bounds import IN_REQUESTS, LARGEST_BODY
from pairopt.errors import Fault, InputError, JsonPath, Place, UsageError
from pairopt.event.event import Event, require_finished
from pairopt.files.build import Reading
from pairopt.files.formats import matches_csv
from pairopt.files.formats.players_csv import read_players
from pairopt.files.json_text import fault_of, loaded
from pairopt.files.schema import MatchRow, PlayerRow
from pairopt.files.source import Source, is_text
from pairopt.files.tables import Table
from pairopt.problem.model import Model, load_model, model_names, parse_model
from pairopt.problem.options import SolveOptions
from pairopt.words import Said, tell

VERSION = 1
PLAYERS, ROUNDS, QUESTIONS, SECONDS = (
    IN_REQUESTS[name] for name in ("players", "rounds", "questions", "seconds")
)
Name = Annotated[Annotated[str, Field(max_length=1000)] | int, AfterValidator(str)]
Number = int | Decimal | Annotated[str, Field(max_length=40)]
CELLS: Mapping[type, Any] = {
    str: Name, int: int, bool: bool, Decimal: Number,
    tuple: Annotated[list[Number], Field(max_length=ROUNDS)],
}  # fmt: skip
"""What JSON has for a cell, by what its text is read as."""
Names = Annotated[list[Name], Field(max_length=PLAYERS)]
Pair = Annotated[list[Name], Field(min_length=2, max_length=2)]
Pairs = Annotated[list[Pair], Field(max_length=PLAYERS)]
READINGS: Mapping[str, Any] = {
    "names": Names, "pairs": Pairs, "name": Name, "labels": Pair, "flag": bool, "switch": bool,
    "engine": str, "text": Annotated[str, Field(max_length=40)],
}  # fmt: skip
"""The same of an option, by how its text is read."""
OF_THIS_MACHINE = ("round", "workers")  # options that a request does not have
Also = Literal["reasons", "costs", "proof"]
Form = TypeVar("Form", bound=BaseModel)
Cost = tuple[str, tuple[str, ...], str]
"""A question: its kind, its players, and where in the request it is asked."""


class Known(BaseModel):
    """A form with no other keys, whose values have their types."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Further(BaseModel):
    """A form with further keys of one value each."""

    model_config = ConfigDict(extra="allow", strict=True)
    __pydantic_extra__: dict[str, Name | bool | Decimal | None]


def _form(name: str, base: type[Form], given: Mapping[str, tuple[Any, Any]]) -> type[Form]:
    return create_model(name, __base__=base, **given)  # type: ignore[call-overload,no-any-return]


def _row(name: str, base: type[Form], kind: type, needed: Sequence[str]) -> type[Form]:
    """The form of a row, its keys the columns of a file."""
    hints, made = get_type_hints(kind), dict[str, tuple[Any, Any]]()
    for each in fields(kind):
        some = [part for part in get_args(hints[each.name]) if part is not type(None)]
        known = get_origin(hints[each.name]) or (some or [hints[each.name]])[0]
        cell = CELLS.get(known) or CELLS.get(some[0] if some else known)
        if each.name not in ("place", "round"):
            made[each.name] = (cell, ...) if each.name in needed else (cell | None, None)
    return _form(name, base, made)


def _option(each: Declared[Any]) -> tuple[Any, Any]:
    """The form of an option; see `pairopt.problem.options`."""
    known = each.metadata
    kind = READINGS.get(known["reading"])
    if known["reading"] == "choice":
        kind = Literal[*known["choices"]]
    elif known["reading"] == "number":
        kind = Annotated[int, Field(ge=known["least"], le=known["most"])]
    elif known["reading"] == "seconds":
        kind = Annotated[int | Decimal, Field(gt=0, le=SECONDS)]
    return kind | None, Field(None, description=known["help"].removesuffix(" Repeatable."))


Player = _row("Player", Further, PlayerRow, ("player",))
Match = _row("Match", Known, MatchRow, ("player1",))
Options = _form("Options", Known, {
    each.name: _option(each) for each in fields(SolveOptions) if each.name not in OF_THIS_MACHINE
})  # fmt: skip


class Questions(Known):
    why: Annotated[list[Pair], Field(max_length=QUESTIONS)] = []
    why_not: Annotated[list[Pair], Field(max_length=QUESTIONS)] = []
    why_bye: Annotated[list[Name], Field(max_length=QUESTIONS)] = []
    why_float: Annotated[list[Name], Field(max_length=QUESTIONS)] = []


class Request(Known):
    version: Literal[1]
    players: Annotated[list[Player], Field(min_length=1, max_length=PLAYERS)]  # type: ignore[valid-type]
    rounds: Annotated[
        list[Annotated[list[Match], Field(max_length=PLAYERS)]], Field(max_length=ROUNDS)  # type: ignore[valid-type]
    ] = []
    model: str | dict[str, Any] | None = None
    options: Options | None = None  # type: ignore[valid-type]
    ask: Questions = Questions()
    also: Annotated[list[Also], Field(max_length=3)] = []


@dataclass(frozen=True)
class Rows(Table):
    """Rows of a request; their places are paths in it."""

    paths: Sequence[str] = ()

    @cached_property
    def places(self) -> tuple[Place, ...]:
        return tuple(map(JsonPath, self.paths))


@dataclass(frozen=True)
class Asked:
    """A request as pairopt has it: the event, the model, the options of `solve`, and what besides
    the pairing is asked for."""

    event: Event
    model: Model | None
    options: Mapping[str, Any]
    questions: Sequence[Cost]
    also: Sequence[Also]


def asked(raw: bytes) -> Asked:
    """What the bytes of a request ask for. Raises InputError with every fault, by its path."""
    if len(raw) > LARGEST_BODY:
        raise InputError("", "request.too_large", most=LARGEST_BODY)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("", "request.no_utf8") from None
    content = loaded(Source("", text), Decimal, object_pairs_hook=_once)
    try:
        form = Request.model_validate(content)
        return _asked(form, content)
    except ValidationError as error:
        raise InputError("", map(fault_of, error.errors(include_url=False))) from None
    except RecursionError:
        raise InputError("", "nrtm.too_deep") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError("", "request.twice", key=twice)
    return made


def _asked(form: Request, content: Mapping[str, Any]) -> Asked:
    given: dict[str, Any] = {} if form.options is None else form.options.model_dump()  # type: ignore[attr-defined]
    options = {name: value for name, value in given.items() if value is not None}
    for name in ("force", "forbid", "allow", "fixed", "published"):
        options[name] = [(one, two) for one, two in options.get(name, ())]
    options["time_limit"] = float(options.get("time_limit", SECONDS))
    sides = options.get("sides")
    if sides is not None and (sides[0] == sides[1] or not all(sides)):
        raise InputError("", [Fault("row.two_labels", JsonPath("options.sides"))])
    event = _event(content, None if sides is None else (sides[0], sides[1]))
    if faults := [*_strangers(event, options)]:
        raise InputError("", faults)
    questions = [
        (kind, (each,) if isinstance(each, str) else tuple(each), f"ask.{kind}[{k}]")
        for kind, every in form.ask.model_dump().items() for k, each in enumerate(every)
    ]  # fmt: skip
    return Asked(event, _model(form.model), options, questions, form.also)


def _event(content: Mapping[str, Any], sides: tuple[str, str] | None) -> Event:
    players, rounds = content["players"], content.get("rounds", [])
    roster = _rows({f"players[{k}]": {"active": True, **each} for k, each in enumerate(players)})
    matches = {f"rounds[{n}][{k}]": {"round": n + 1, **match}
               for n, each in enumerate(rounds) for k, match in enumerate(each)}  # fmt: skip
    table = _rows(matches, matches_csv.NEEDED)
    number = len(rounds) + 1 if rounds else None
    event = matches_csv.read(table, Reading(read_players(roster), number, sides))
    require_finished(event)
    return event if sides is None else event.with_sides(sides)


def _rows(given: Mapping[str, Mapping[str, Any]], needed: Sequence[str] = ()) -> Rows:
    """Rows by their paths. Raises InputError for what no text of a file can be."""
    names = dict.fromkeys([*needed, *(name for row in given.values() for name in row)])
    cells = {name: [_cell(row.get(name)) for row in given.values()] for name in names}
    paths = [*given]
    faults = [Fault(tell("cell.no_text", found=cell), JsonPath(paths[k]).at(name))
              for name, column in cells.items() for k, cell in enumerate([*column])
              if not is_text(cell)]  # fmt: skip
    low = [name.strip().lower() for name in names]
    faults += [Fault(tell("cell.column_twice", column=name), JsonPath(paths[0]).at(name))
               for name, plain in zip(names, low, strict=True)
               if low.count(plain) > 1 or not is_text(name)]  # fmt: skip
    if faults:
        raise InputError("", faults)
    return Rows("", dict(zip(low, cells.values(), strict=True)), range(len(paths)), paths=paths)


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(_cell, value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value).strip()


def _model(given: str | dict[str, Any] | None) -> Model | None:
    """A shipped model by its name, or one as its file says it; no path is looked at."""
    if isinstance(given, str) and given not in model_names():
        raise InputError("", [Fault(tell("model.unknown", name=given, models=model_names()),
                                    JsonPath("model"))])  # fmt: skip
    if not isinstance(given, dict):
        return None if given is None else load_model(given)
    try:
        return parse_model(given)
    except InputError as error:
        raise InputError("", [Fault(each.said, JsonPath("model")) for each in error.faults]) from None


def _strangers(event: Event, options: Mapping[str, Any]) -> Iterator[Fault]:
    """A fault for each player that options name, and the event does not have."""
    for each in fields(SolveOptions):
        given = options.get(each.name) or ()
        if each.metadata["reading"] == "name" and given:
            yield from named(event, given, f"options.{each.name}")
        elif each.metadata["reading"] in ("names", "pairs") and each.name != "relax":
            yield from named(event, given, f"options.{each.name}")


def named(event: Event, given: Any, path: str) -> Iterator[Fault]:
    """A fault for each name in a value that is nobody's, or may be several people's."""
    if not isinstance(given, str):
        for k, each in enumerate(given):
            yield from named(event, each, f"{path}[{k}]")
        return
    try:
        event.position(given)
    except UsageError as error:
        yield Fault(Said(error.kind, error.said[0].fields), JsonPath(path))
