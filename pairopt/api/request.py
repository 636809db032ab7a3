"""Read requests of other programs to the JSON API. No path in a request is looked at.

Requests have the forms of the files: a player or match has the columns of players.csv
or matches.csv, an event has the keys of event.toml, and a model is as in its file.
Options are those of `pairopt.solve`.
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
"""The keys of event.toml in a request: those that matter to a round, without files."""
OF_MATCH = tuple(
    column.name for column in fields(MatchRow) if column.name not in ("round", "place")
)
"""The columns of a match in a request, whose round is its place in the list."""
LISTS = ("virtual", "adjusted")
"""The columns whose value may be a list."""
OPTIONS = {
    name: declared
    for name, declared in declared_options(SolveOptions).items()
    if name not in ("round", "workers", "sides")
}
"""The options of `solve` that a request may have."""
NAMING = [
    name
    for name, declared in OPTIONS.items()
    if declared.reading in ("name", "names", "pairs") and name != "relax"
]
"""The options whose values are names of players."""
ALSO = ("reasons", "costs", "proof")
"""What an answer holds only if the request asks for it."""


def _parse_name(value: object) -> str:
    """Return a player's name without blanks around it; an integer becomes its digits.

    Raise InvalidValueError for any other type, an empty name, or one above 1000
    characters or with characters that no text can have.
    """
    stripped_name = str(value).strip() if isinstance(value, str | int) else ""
    if (
        isinstance(value, bool)
        or not 0 < len(stripped_name) <= 1000
        or not is_text(stripped_name)
    ):
        raise InvalidValueError("request.no_name")
    return stripped_name


def _parse_model_value(value: object) -> Model:
    """Return a shipped model by its name, or a model from the content of its file.

    The content is an object. Raise InvalidValueError for an unknown name or any other
    type.
    """
    if isinstance(value, dict):
        return parse_model(value)
    if not isinstance(value, str) or value not in model_names():
        raise InvalidValueError("model.unknown", name=str(value), models=model_names())
    return load_model(value)


def _make_limited_reader(read: KeyReader, most: int, least: int = 0) -> KeyReader:
    """Return a reader that checks the length of a list before it reads the values.

    The list may have `least` to `most` values; `read` reads it. A value that is no list
    is not checked here.
    """

    def read_bounded(value: Any, key: str, faults: list[Fault]) -> Any:
        """Read a value with `read`; a list of another length raises InvalidValueError.

        `key` is the value's path in the request. `read` appends to `faults` what is
        wrong.
        """
        if isinstance(value, list) and not least <= len(value) <= most:
            raise InvalidValueError("request.many", least=least, most=most)
        return read(value, key, faults)

    return value_parser(lambda values: values, read_bounded)


NAME = value_parser(_parse_name)
FLAG = value_parser(keys.parse_bool)
TEXT = value_parser(keys.parse_text)
ROWS = _make_limited_reader(
    list_parser(value_parser(keys.parse_table_as_json)), PLAYERS
)
PAIR = _make_limited_reader(value_parser(tuple, list_parser(NAME)), 2, 2)
READINGS: Mapping[str, KeyReader] = {
    "names": _make_limited_reader(list_parser(NAME), PLAYERS),
    "pairs": _make_limited_reader(list_parser(PAIR), PLAYERS),
    "name": NAME,
    "flag": FLAG,
    "switch": FLAG,
    "engine": TEXT,
    "text": TEXT,
    "seconds": value_parser(keys.integer_parser(range(1, SECONDS + 1))),
}
"""Readers of options in a request, by how an option is read from a text."""


def _make_option_reader(declared: OptionDeclaration) -> KeyReader:
    """Return the reader of a declared option's value in a request.

    It takes integers in the range that the declaration allows, or one of its choices.
    Without either, the declaration says what it takes: a name, lists of names or of
    pairs, a Boolean, a text, or whole seconds up to SECONDS.
    """
    if declared.allowed is not None:
        return value_parser(keys.integer_parser(declared.allowed))
    if declared.choices:
        return value_parser(keys.choice_parser(declared.choices))
    return READINGS[declared.reading]


def _make_table_reader(readers: Mapping[str, KeyReader]) -> KeyReader:
    """Return a reader of an object with these keys, each with its own reader.

    It gives a dict of the values. No key is needed, and an unknown one is a fault.
    """
    return value_parser(dict, keys.table_parser(readers))


def _make_question_reader(kind: str) -> KeyReader:
    """Return the reader of a list of at most QUESTIONS questions of a kind.

    A question "why" or "why_not" is a pair of names, any other one is a name.
    """
    subject_reader = PAIR if kind in ("why", "why_not") else NAME
    return _make_limited_reader(list_parser(subject_reader), QUESTIONS)


REQUEST: Mapping[str, KeyReader] = {
    "version": value_parser(keys.integer_parser(range(1, 2))),
    "players": _make_limited_reader(ROWS, PLAYERS, 1),
    "rounds": _make_limited_reader(list_parser(ROWS), ROUNDS),
    "event": _make_table_reader(
        {key: _make_limited_reader(keys.FILE[key], PLAYERS) for key in OF_EVENT}
    ),
    "model": value_parser(_parse_model_value),
    "options": _make_table_reader(
        {name: _make_option_reader(declared) for name, declared in OPTIONS.items()}
    ),
    "ask": _make_table_reader(
        {
            kind: _make_question_reader(kind)
            for kind in ("why", "why_not", "why_bye", "why_float")
        }
    ),
    "also": _make_limited_reader(
        list_parser(value_parser(keys.choice_parser(ALSO))), len(ALSO)
    ),
}
"""Readers of a request's keys."""


class ApiRequest(NamedTuple):
    """A request to pair a round.

    `event` is as before that round, and `model` is None for the event's own one.
    `options` are keyword arguments for solving the round, with a time limit. `ask` has
    lists of questions by kind, such as "why_bye", and `also` names the further parts of
    the answer: "proof", "reasons" and "costs".
    """

    event: Event
    model: Model | None
    options: Mapping[str, Any]
    ask: Mapping[str, Any]
    also: Collection[str]


def parse_request(raw: bytes) -> ApiRequest:
    """Parse the JSON of a request, given as bytes, and build its event.

    Without a time limit in the options, the largest one holds. Raise InputError with
    the faults that were found, each located by its path in the request; also for more
    than LARGEST_BODY bytes, bytes that are no UTF-8, and JSON that is nested too
    deeply. Names of players in options and questions are checked once all else is
    right.
    """
    if len(raw) > LARGEST_BODY:
        raise InputError("", "request.too_large", most=LARGEST_BODY)

    try:
        request_values = _parse_form(raw)
        event = _parse_event(request_values)
    except UnicodeDecodeError:
        raise InputError("", "request.no_utf8") from None
    except RecursionError:
        raise InputError("", "nrtm.too_deep") from None

    given_options = request_values.get("options", {})
    questions_by_kind = request_values.get("ask", {})
    named_values = {
        f"options.{option_name}": given_options[option_name]
        for option_name in NAMING
        if option_name in given_options
    }
    named_values |= {
        f"ask.{question_kind}": asked_names
        for question_kind, asked_names in questions_by_kind.items()
    }
    faults = [
        fault
        for value_path, value_with_player_names in named_values.items()
        for fault in _find_unknown_names(event, value_with_player_names, value_path)
    ]
    if faults:
        raise InputError("", faults)

    default_options = {"time_limit": SECONDS}
    return ApiRequest(
        event,
        request_values.get("model"),
        default_options | given_options,
        questions_by_kind,
        request_values.get("also", ()),
    )


def _parse_form(raw: bytes) -> Mapping[str, Any]:
    """Return the parsed values of a request's keys; keys that are null are left out.

    Raise InputError for faults, UnicodeDecodeError for bytes that are no UTF-8, and
    RecursionError for JSON that is nested too deeply.
    """
    json_source = TextSource("", raw.decode("utf-8-sig"))
    faults = list[Fault]()
    json_content = parse_json(
        json_source,
        parse_float=Decimal,
        parse_constant=_reject_constant,
        object_pairs_hook=_object_without_nulls,
    )
    form_reader = value_parser(dict, keys.table_parser(REQUEST, "version", "players"))
    parsed_form: Mapping[str, Any] | None = form_reader(json_content, "", faults)
    if parsed_form is None or faults:
        raise InputError("", faults)
    return parsed_form


def _reject_constant(text: str) -> None:
    """Raise InputError for NaN and Infinity, which are not allowed in JSON.

    Python's JSON reader calls this with the text of the constant.
    """
    raise InputError("", "request.no_number", found=text)


def _object_without_nulls(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the dict of a JSON object's pairs, without keys whose value is null.

    Raise InputError for a key that comes twice.
    """
    if len(dict(pairs)) < len(pairs):
        key_counts = Counter(key_name for key_name, _ in pairs)
        ((repeated_key, _),) = key_counts.most_common(1)
        raise InputError("", "request.twice", key=repeated_key)
    return {
        key_name: key_value for key_name, key_value in pairs if key_value is not None
    }


def _parse_event(form: Mapping[str, Any]) -> Event:
    """Build the event of a request.

    `form` has the parsed values of the request's keys. If rounds are given, the event's
    round is the one after them. Players are active unless the request says otherwise.
    Raise InputError for faults in the event, or if an earlier round is not finished.
    """
    match_lists = form.get("rounds", [])
    player_values = {
        f"players[{row_index}]": {"active": True, **player_cells}
        for row_index, player_cells in enumerate(form["players"])
    }
    match_values = {
        f"rounds[{round_index}][{row_index}]": {"round": round_index + 1, **match_cells}
        for round_index, round_matches in enumerate(match_lists)
        for row_index, match_cells in enumerate(round_matches)
    }
    player_table = read_players(_build_text_table(player_values, ["player"]))
    match_table = _build_text_table(match_values, NEEDED, OF_MATCH)
    event_settings = keys.parse_event_toml(form.get("event", {}), "event")
    round_number = len(match_lists) + 1 if match_lists else None
    event = build_folder_event(
        event_settings, player_table, match_table, "event", "", round_number
    )
    require_finished(event)
    return event


def _build_text_table(
    rows: Mapping[str, Mapping[str, Any]],
    needed: Sequence[str],
    known_columns: Collection[str] = (),
) -> TextTable:
    """Return the rows of a request as a table of texts.

    `rows` are mappings of columns to values, by their path in the request. Columns that
    a row lacks are "". `needed` columns exist in any case. If `known_columns` is not
    empty, other columns are faults, except "round". Raise InputError for too many,
    unknown or repeated columns, and for values that are no cells.
    """
    row_paths = [*rows]
    row_columns = (
        row_column for row_values in rows.values() for row_column in row_values
    )
    plain_name_by_column = {
        column_name: column_name.strip().lower()
        for column_name in (*needed, *row_columns)
    }
    if len(plain_name_by_column) > COLUMNS:
        raise InputError(
            "", "cell.columns", columns=len(plain_name_by_column), most=COLUMNS
        )

    cells_by_column = {
        column_name: [
            _format_cell(column_name, row_values.get(column_name, ""))
            for row_values in rows.values()
        ]
        for column_name in plain_name_by_column
    }
    faults = []
    for column_name, column_cells in cells_by_column.items():
        for row_path, cell_text in zip(row_paths, column_cells, strict=True):
            if not is_text(cell_text):
                fault_note = message("cell.no_text", found=cell_text)
                faults.append(Fault(fault_note, JsonLocation(row_path).at(column_name)))
    unknown_columns = [
        column_name
        for column_name in plain_name_by_column
        if known_columns and column_name not in (*known_columns, "round")
    ]
    name_counts = Counter(plain_name_by_column.values())
    repeated_columns = [
        column_name for column_name, name_count in name_counts.items() if name_count > 1
    ]
    for fault_kind, faulty_columns in (
        ("key.unknown", unknown_columns),
        ("cell.column_twice", repeated_columns),
    ):
        for column_name in faulty_columns:
            fault_note = message(
                fault_kind, key=column_name, column=column_name, known=[*known_columns]
            )
            faults.append(Fault(fault_note, JsonLocation(row_paths[0])))
    if faults:
        raise InputError("", faults)

    cells_by_plain_name = {
        plain_name_by_column[column_name]: column_cells
        for column_name, column_cells in cells_by_column.items()
    }
    return TextTable("", cells_by_plain_name, range(len(row_paths)), paths=row_paths)


def _format_cell(name: str, value: Any) -> str:
    """Return a value as the text of a cell in the column `name`.

    A list in a column of `LISTS` becomes words, a Boolean "true" or "false". A value
    that cannot be in this column becomes a text that no cell can have, so that it is
    found as a fault.
    """
    if isinstance(value, list) and name in LISTS:
        return " ".join(map(str, value))
    if isinstance(value, list | dict) or (isinstance(value, bool) and name in OF_MATCH):
        return "\0"
    return str(value).lower() if isinstance(value, bool) else str(value).strip()


def _find_unknown_names(event: Event, value: Any, path: str) -> Iterator[Fault]:
    """Yield a fault for each name in a value that fits no player or several.

    `value` is a name or nested lists of names, `path` its place in the request. A name
    fits the player of the event with this identifier or name.
    """
    if not isinstance(value, str):
        for name_index, inner_value in enumerate(value):
            yield from _find_unknown_names(event, inner_value, f"{path}[{name_index}]")
        return

    try:
        event.position(value)
    except UsageError as error:
        yield Fault(error.reason, JsonLocation(path))
