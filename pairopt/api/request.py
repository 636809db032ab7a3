"""Request: what the bytes of another program ask for. No path in it is looked at.

Its forms are those of the files: a player or match has the columns of players.csv and matches.csv,
an event the keys of event.toml, a model is as in its file; options are those of `solve`.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from typing import Any, NamedTuple

from pairopt.common.limits import IN_REQUESTS, LARGEST_BODY
from pairopt.errors import (
    Fault,
    InputError,
    InvalidValueError,
    JsonLocation,
    UsageError,
)
from pairopt.event.event import Event, require_finished
from pairopt.files import event_toml as keys
from pairopt.files.csv_schema import MatchRow
from pairopt.files.event_folder import build_folder_event
from pairopt.files.event_toml import KeyReader, list_parser, value_parser
from pairopt.files.formats.matches_csv import NEEDED
from pairopt.files.formats.players_csv import read_players
from pairopt.files.text_source import TextSource, is_text, parse_json
from pairopt.files.text_tables import TextTable
from pairopt.messages import message
from pairopt.problem.model import Model, load_model, model_names, parse_model
from pairopt.problem.option_declaration import OptionDeclaration
from pairopt.problem.options import SolveOptions, declared_options

PLAYERS, ROUNDS, COLUMNS, QUESTIONS, SECONDS = IN_REQUESTS.values()
OF_EVENT = (
    "rounds",
    "sides",
    "initial_side",
    "points",
    "best_of",
    "seed",
    "first_round",
    "lookahead",
    "conflicts",
    "first_table",
    "forbid",
    "byes",
)
"""The keys of event.toml that a request has; others say nothing of a round, or name files."""
OF_MATCH = tuple(
    each.name for each in fields(MatchRow) if each.name not in ("round", "place")
)
LISTS = ("virtual", "adjusted")  # columns of a list
OPTIONS = {
    name: declared
    for name, declared in declared_options(SolveOptions).items()
    if name not in ("round", "workers", "sides")
}
NAMING = [
    name
    for name, declared in OPTIONS.items()
    if declared.reading in ("name", "names", "pairs") and name != "relax"
]
ALSO = ("reasons", "costs", "proof")


def _name(value: object) -> str:
    name = str(value).strip() if isinstance(value, str | int) else ""
    if isinstance(value, bool) or not 0 < len(name) <= 1000 or not is_text(name):
        raise InvalidValueError("request.no_name")
    return name


def _model(value: object) -> Model:
    """A shipped model by its name, or one as its file says it."""
    if isinstance(value, dict):
        return parse_model(value)
    if not isinstance(value, str) or value not in model_names():
        raise InvalidValueError("model.unknown", name=str(value), models=model_names())
    return load_model(value)


def _limited_list(read: KeyReader, most: int, least: int = 0) -> KeyReader:
    """A reader of lists that are not longer, which is seen first."""

    def bounded(value: Any, key: str, faults: list[Fault]) -> Any:
        if isinstance(value, list) and not least <= len(value) <= most:
            raise InvalidValueError("request.many", least=least, most=most)
        return read(value, key, faults)

    return value_parser(lambda made: made, bounded)


NAME, FLAG, TEXT = (
    value_parser(_name),
    value_parser(keys.parse_bool),
    value_parser(keys.parse_text),
)
ROWS = _limited_list(list_parser(value_parser(keys.parse_table_as_json)), PLAYERS)
PAIR = _limited_list(value_parser(tuple, list_parser(NAME)), 2, 2)
READINGS: Mapping[str, KeyReader] = {
    "names": _limited_list(list_parser(NAME), PLAYERS),
    "pairs": _limited_list(list_parser(PAIR), PLAYERS),
    "name": NAME,
    "flag": FLAG,
    "switch": FLAG,
    "engine": TEXT,
    "text": TEXT,
    "seconds": value_parser(keys.integer_parser(range(1, SECONDS + 1))),
}
"""How an option is read, by how its text is."""


def _option(declared: OptionDeclaration) -> KeyReader:
    """Return what reads an option's value in a request."""
    if declared.allowed is not None:
        return value_parser(keys.integer_parser(declared.allowed))
    if declared.choices:
        return value_parser(keys.choice_parser(declared.choices))
    return READINGS[declared.reading]


def _table(given: Mapping[str, KeyReader]) -> KeyReader:
    return value_parser(dict, keys.table_parser(given))


REQUEST: Mapping[str, KeyReader] = {
    "version": value_parser(keys.integer_parser(range(1, 2))),
    "players": _limited_list(ROWS, PLAYERS, 1),
    "rounds": _limited_list(list_parser(ROWS), ROUNDS),
    "event": _table({key: _limited_list(keys.FILE[key], PLAYERS) for key in OF_EVENT}),
    "model": value_parser(_model),
    "options": _table({name: _option(declared) for name, declared in OPTIONS.items()}),
    "ask": _table(
        {
            kind: _limited_list(
                list_parser(PAIR if kind in ("why", "why_not") else NAME), QUESTIONS
            )
            for kind in ("why", "why_not", "why_bye", "why_float")
        }
    ),
    "also": _limited_list(
        list_parser(value_parser(keys.choice_parser(ALSO))), len(ALSO)
    ),
}


class ApiRequest(NamedTuple):
    """A request: the event, the model, options of `solve`, questions of `explain`, what else."""

    event: Event
    model: Model | None
    options: Mapping[str, Any]
    ask: Mapping[str, Any]
    also: Collection[str]


def parse_request(raw: bytes) -> ApiRequest:
    """What the bytes of a request ask for. Raises InputError with every fault, by its path."""
    if len(raw) > LARGEST_BODY:
        raise InputError("", "request.too_large", most=LARGEST_BODY)
    try:
        source, faults = TextSource("", raw.decode("utf-8-sig")), list[Fault]()
        content = parse_json(
            source,
            parse_float=Decimal,
            parse_constant=_no_number,
            object_pairs_hook=_once,
        )
        read = value_parser(dict, keys.table_parser(REQUEST, "version", "players"))
        if (form := read(content, "", faults)) is None or faults:
            raise InputError("", faults)
        event = _event(form)
    except UnicodeDecodeError:
        raise InputError("", "request.no_utf8") from None
    except RecursionError:
        raise InputError("", "json.too_deep") from None
    options, ask = form.get("options", {}), form.get("ask", {})
    named = {f"options.{name}": options[name] for name in NAMING if name in options}
    named |= {f"ask.{kind}": given for kind, given in ask.items()}
    if faults := [
        each
        for path, some in named.items()
        for each in _unknown_name_faults(event, some, path)
    ]:
        raise InputError("", faults)
    limit = {"time_limit": SECONDS}
    return ApiRequest(
        event, form.get("model"), limit | options, ask, form.get("also", ())
    )


def _no_number(text: str) -> None:
    raise InputError("", "request.no_number", found=text)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object without what is null, which is as if it were not there."""
    if len(dict(pairs)) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise InputError("", "request.twice", key=twice)
    return {name: value for name, value in pairs if value is not None}


def _event(form: Mapping[str, Any]) -> Event:
    rounds = form.get("rounds", [])
    players = {
        f"players[{k}]": {"active": True, **each}
        for k, each in enumerate(form["players"])
    }
    matches = {
        f"rounds[{n}][{k}]": {"round": n + 1, **match}
        for n, each in enumerate(rounds)
        for k, match in enumerate(each)
    }
    roster, table = (
        read_players(_rows(players, ["player"])),
        _rows(matches, NEEDED, OF_MATCH),
    )
    said = keys.parse_event_toml(form.get("event", {}), "event")
    event = build_folder_event(
        said, roster, table, "event", "", len(rounds) + 1 if rounds else None
    )
    require_finished(event)
    return event


def _rows(
    given: Mapping[str, Mapping[str, Any]],
    needed: Sequence[str],
    known: Collection[str] = (),
) -> TextTable:
    """Rows by their paths. Raises InputError for what no text of a file can be."""
    paths, every = [*given], (key for row in given.values() for key in row)
    names = {name: name.strip().lower() for name in (*needed, *every)}
    if len(names) > COLUMNS:
        raise InputError("", "cell.columns", columns=len(names), most=COLUMNS)
    cells = {
        name: [_cell(name, row.get(name, "")) for row in given.values()]
        for name in names
    }
    faults = [
        Fault(message("cell.no_text", found=cell), JsonLocation(paths[k]).at(name))
        for name, column in cells.items()
        for k, cell in enumerate(column)
        if not is_text(cell)
    ]
    strange = [name for name in names if known and name not in (*known, "round")]
    twice = [name for name, many in Counter(names.values()).items() if many > 1]
    for kind, which in (("key.unknown", strange), ("cell.column_twice", twice)):
        faults += [
            Fault(
                message(kind, key=name, column=name, known=[*known]),
                JsonLocation(paths[0]),
            )
            for name in which
        ]
    if faults:
        raise InputError("", faults)
    plain = {names[name]: column for name, column in cells.items()}
    return TextTable("", plain, range(len(paths)), paths=paths)


def _cell(name: str, value: Any) -> str:
    """A value as a cell's text, one that is none for what cannot stand there."""
    if isinstance(value, list) and name in LISTS:
        return " ".join(map(str, value))
    if isinstance(value, list | dict) or (isinstance(value, bool) and name in OF_MATCH):
        return "\0"
    return str(value).lower() if isinstance(value, bool) else str(value).strip()


def _unknown_name_faults(event: Event, given: Any, path: str) -> Iterator[Fault]:
    """A fault for each name in a value that is nobody's, or may be several people's."""
    if not isinstance(given, str):
        for k, each in enumerate(given):
            yield from _unknown_name_faults(event, each, f"{path}[{k}]")
        return
    try:
        event.position(given)
    except UsageError as error:
        yield Fault(error.reason, JsonLocation(path))
