"""Request: what the bytes of another program ask for. No path in it is looked at.

Its forms are those of the files: a player or match has the columns of players.csv and matches.csv,
an event the keys of event.toml, a model is as in its file; options are those of `solve`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any

from pairopt.bounds import IN_REQUESTS, LARGEST_BODY
from pairopt.errors import Fault, InputError, JsonPath, UnfitError, UsageError
from pairopt.event.event import Event, require_finished
from pairopt.files.event_toml import (
    FILE,
    Read,
    each_of,
    event_file_of,
    json_of,
    keys_of,
    one_of,
    text,
    truth,
    value_of,
    whole_in,
)
from pairopt.files.folder import together
from pairopt.files.formats.matches_csv import NEEDED
from pairopt.files.formats.players_csv import read_players
from pairopt.files.schema import MatchRow
from pairopt.files.source import Source, is_text, values_in
from pairopt.files.tables import Table
from pairopt.problem.model import Model, load_model, model_names, parse_model
from pairopt.problem.options import SolveOptions
from pairopt.words import tell

PLAYERS, ROUNDS, COLUMNS, QUESTIONS, SECONDS = IN_REQUESTS.values()
LONGEST_NAME = 1000
OF_EVENT = ("rounds", "sides", "initial_side", "points", "best_of", "seed", "first_round",
            "lookahead", "conflicts", "first_table", "forbid", "byes")  # fmt: skip
"""The keys of event.toml that a request has; others say nothing of a round, or name files."""
OF_MATCH = tuple(each.name for each in fields(MatchRow) if each.name not in ("round", "place"))
BY_ROUND = ("virtual", "adjusted")  # columns of a list
ELSEWHERE = ("round", "workers", "sides")  # options of this machine, or of the event
ALSO = ("reasons", "costs", "proof")
Row = Mapping[str, Any]


def _name(value: object) -> str:
    given = (
        str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    )
    if not 0 < len(given) <= LONGEST_NAME or not is_text(given):
        raise UnfitError("request.no_name")
    return given


def _bounded(read: Read, most: int, least: int = 0) -> Read:
    """A reader of lists that are not longer, which is seen first."""

    def bounded(value: Any, key: str, faults: list[Fault]) -> Any:
        if isinstance(value, list) and not least <= len(value) <= most:
            raise UnfitError("request.many", least=least, most=most)
        return read(value, key, faults)

    return value_of(lambda made: made, bounded)


def _model(value: object) -> Model:
    """A shipped model by its name, or one as its file says it."""
    if isinstance(value, str) and value in model_names():
        return load_model(value)
    if not isinstance(value, dict):
        raise UnfitError("model.unknown", name=value, models=model_names())
    return parse_model(value)


NAME, ROW, TEXT, FLAG = map(value_of, (_name, json_of, text, truth))
PAIR = _bounded(value_of(tuple, each_of(NAME)), 2, 2)
READINGS: Mapping[str, Read] = {
    "names": _bounded(each_of(NAME), PLAYERS), "pairs": _bounded(each_of(PAIR), PLAYERS),
    "name": NAME, "flag": FLAG,
    "switch": FLAG, "engine": TEXT, "text": TEXT,
    "seconds": value_of(whole_in(range(1, SECONDS + 1))),
}  # fmt: skip
"""How an option is read, by how its text is."""


def _option(known: Mapping[str, Any]) -> Read:
    if known["reading"] == "choice":
        return value_of(one_of(tuple(known["choices"])))
    if known["reading"] == "number":
        return value_of(whole_in(range(known["least"], known["most"] + 1)))
    return READINGS[known["reading"]]


REQUEST: Mapping[str, Read] = {
    "version": value_of(whole_in(range(1, 2))),
    "players": _bounded(each_of(ROW), PLAYERS, 1),
    "rounds": _bounded(each_of(_bounded(each_of(ROW), PLAYERS)), ROUNDS),
    "event": value_of(dict, keys_of({key: _bounded(FILE[key], PLAYERS) for key in OF_EVENT})),
    "model": value_of(_model),
    "options": value_of(dict, keys_of({each.name: _option(each.metadata)
                                       for each in fields(SolveOptions)
                                       if each.name not in ELSEWHERE})),
    "ask": value_of(dict, keys_of({
        kind: _bounded(each_of(PAIR if kind in ("why", "why_not") else NAME), QUESTIONS)
        for kind in ("why", "why_not", "why_bye", "why_float")
    })),
    "also": _bounded(each_of(value_of(one_of(ALSO))), len(ALSO)),
}  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """A request as pairopt has it: the event, the model, options of `solve`, questions of
    `explain`, and what else the answer is to have."""

    event: Event
    model: Model | None
    options: Mapping[str, Any]
    ask: Mapping[str, Any]
    also: Collection[str]


def asked(raw: bytes) -> Asked:
    """What the bytes of a request ask for. Raises InputError with every fault, by its path."""
    if len(raw) > LARGEST_BODY:
        raise InputError("", "request.too_large", most=LARGEST_BODY)
    try:
        source, faults = Source("", raw.decode("utf-8-sig")), list[Fault]()
        content = values_in(source, parse_float=Decimal, parse_constant=_no_number,
                         object_pairs_hook=_once)  # fmt: skip
        form = value_of(dict, keys_of(REQUEST, "version", "players"))(content, "", faults)
        if faults:
            raise InputError("", faults)
        return _asked(form)
    except UnicodeError:
        raise InputError("", "request.no_utf8") from None
    except RecursionError:
        raise InputError("", "nrtm.too_deep") from None


def _no_number(text: str) -> None:
    raise InputError("", "request.no_number", found=text)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object without what is null, which is as if it were not there."""
    if len({*dict(pairs)}) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise InputError("", "request.twice", key=twice)
    return {name: value for name, value in pairs if value is not None}


def _asked(form: Mapping[str, Any]) -> Asked:
    event = _event(form)
    options, ask = ({**form.get(key, {})} for key in ("options", "ask"))
    by_name = {
        f"options.{each.name}": options.get(each.name)
        for each in fields(SolveOptions)
        if each.metadata["reading"] in ("name", "names", "pairs") and each.name != "relax"
    }
    by_name |= {f"ask.{kind}": given for kind, given in ask.items()}
    if faults := [
        fault for path, given in by_name.items() for fault in _strangers(event, given, path)
    ]:
        raise InputError("", faults)
    return Asked(event, form.get("model"), {"time_limit": float(SECONDS), **options}, ask,
                 form.get("also", ()))  # fmt: skip


def _event(form: Mapping[str, Any]) -> Event:
    rounds = form.get("rounds", [])
    players = {f"players[{k}]": {"active": True, **each} for k, each in enumerate(form["players"])}
    matches = {f"rounds[{n}][{k}]": {"round": n + 1, **match}
               for n, each in enumerate(rounds) for k, match in enumerate(each)}  # fmt: skip
    roster, table = read_players(_rows(players, ["player"])), _rows(matches, NEEDED, OF_MATCH)
    said = event_file_of(form.get("event", {}), "event")
    event = together(said, roster, table, "event", "", len(rounds) + 1 if rounds else None)
    require_finished(event)
    return event


def _rows(given: Mapping[str, Row], needed: Sequence[str], known: Collection[str] = ()) -> Table:
    """Rows by their paths. Raises InputError for what no text of a file can be."""
    paths, keys = [*given], (key for row in given.values() for key in row)
    names = dict.fromkeys([*needed, *keys])
    if len(names) > COLUMNS:
        raise InputError("", "cell.columns", columns=len(names), most=COLUMNS)
    cells = {name: [_cell(name, row.get(name, "")) for row in given.values()] for name in names}
    faults = [Fault(tell("cell.no_text", found=cell), JsonPath(paths[k]).at(name))
              for name, column in cells.items() for k, cell in enumerate(column)
              if not is_text(cell)]  # fmt: skip
    strange = [name for name in names if known and name not in (*known, "round")]
    twice = [name for name, many in Counter(map(_plain, names)).items() if many > 1]
    for kind, which in (("key.unknown", strange), ("cell.column_twice", twice)):
        faults += [Fault(tell(kind, key=name, column=name, known=known), JsonPath(paths[0]))
                   for name in which]  # fmt: skip
    if faults:
        raise InputError("", faults)
    return Table("", {_plain(name): column for name, column in cells.items()}, range(len(paths)),
                paths=paths)  # fmt: skip


def _plain(name: str) -> str:
    return name.strip().lower()


def _cell(name: str, value: Any) -> str:
    """A value as a cell's text, one that is none for what cannot stand there."""
    if isinstance(value, list) and name in BY_ROUND:
        return " ".join(map(str, value))
    if isinstance(value, list | dict) or (isinstance(value, bool) and name in OF_MATCH):
        return "\0"
    return str(value).lower() if isinstance(value, bool) else f"{value}".strip()


def _strangers(event: Event, given: Any, path: str) -> Iterator[Fault]:
    """A fault for each name in a value that is nobody's, or may be several people's."""
    if not isinstance(given, str):
        for k, each in enumerate(given or ()):
            yield from _strangers(event, each, f"{path}[{k}]")
        return
    try:
        event.position(given)
    except UsageError as error:
        yield Fault(error.said[0], JsonPath(path))
