"""Formats: a module each, with one object `FORMAT`; content decides, not names."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pairopt.errors import CellLocation, Fault, InputError, UsageError
from pairopt.event.event import Event
from pairopt.files.build_event import ReadOptions
from pairopt.files.column_headings import (
    MOST_TITLES,
    count_known_headings,
    has_pairopt_headings,
    is_player_heading,
)
from pairopt.files.formats.base import EventText, Format
from pairopt.files.formats.players_csv import read_players
from pairopt.files.named_columns import with_named_columns
from pairopt.files.player_lists import with_pairopt_columns
from pairopt.files.text_source import WORKBOOK, TextSource, decode_text
from pairopt.files.text_tables import SEPARATORS, TextTable, format_columns, parse_table
from pairopt.files.workbook import read_table
from pairopt.files.write import write_all
from pairopt.messages import Note, message, with_heading
from pairopt.registry import ExtensionRegistry

QUOTED_CELL = re.compile(r'"(?:[^"]|"")*[,;\t](?:[^"]|"")*"')
"""A line that is one cell of CSV, in quotes because a separator is part of it."""

FORMATS: ExtensionRegistry[Format[Any]] = ExtensionRegistry(
    __name__, Format, "pairopt.formats", pick=lambda found, _: found.FORMAT
)


def list_writers(names: Iterable[str] = FORMATS) -> dict[str, Format[Any]]:
    """The formats that are written, by the names that are chosen."""
    found = map(FORMATS.__getitem__, names)
    return {form.name: form for form in found if form.write is not None}


def list_suffixes() -> tuple[str, ...]:
    """The suffixes that event files have, each format's usual one first."""
    return tuple(
        dict.fromkeys(suffix for form in FORMATS.values() for suffix in form.suffixes)
    )


def format_usual_suffixes(forms: Iterable[Format[Any]] | None = None) -> str:
    """The usual suffixes, by default of all, as messages list them: .csv, .json or .trf."""
    given = FORMATS.values() if forms is None else forms
    *most, last = dict.fromkeys(form.suffixes[0] for form in given if form.suffixes)
    return f"{', '.join(most)} or {last}" if most else last


def find_writer(name: str | None, suffix: str) -> Format[Any]:
    """The format of that name, else the one that has the suffix. Raises UsageError for none."""
    for form in list_writers().values():
        if form.name == name or (
            name is None and suffix in form.suffixes + form.doubtful
        ):
            return form
    expected = format_usual_suffixes(list_writers().values())
    raise UsageError(
        "output.format", expected=expected, formats="|".join(list_writers())
    )


def decode_content(name: str, raw: bytes) -> TextSource | TextTable:
    """The text in a file, or the table in a workbook. Raises InputError, see `table_in`."""
    if not raw.startswith(WORKBOOK):
        return decode_text(name, raw)
    of_tables = (form.recognises for form in FORMATS.values() if form.of is TextTable)
    return read_table(
        name,
        raw,
        *(lambda table, own=own: own(as_player_list(table)) for own in of_tables),
    )


def as_player_list(table: TextTable) -> TextTable:
    """A table as formats recognise it: a list of players in the words of players.csv."""
    # An event folder is read without these formats.
    from pairopt.files.formats import crosstable, match_list, other_standings

    others = (other_standings, crosstable, match_list)
    return (
        table
        if any(own.recognises(table) for own in others)
        else with_pairopt_columns(table)
    )


def read_as_event(
    given: TextSource | TextTable, how: ReadOptions
) -> tuple[Event, Format[Any]]:
    """Read by the format that recognises it, with notes on how, and with the layout of the file.
    Raises InputError if none does.
    """
    if how.columns:
        named = parse_table(given) if isinstance(given, TextSource) else given
        given = with_named_columns(named, how.columns)
    found = _recognise_format(given)
    if found is None:
        *_, table = _iterate_shapes(given)
        assert isinstance(table, TextTable)
        expected = [*dict.fromkeys(form.expected for form in FORMATS.values())]
        said = message(
            "input.no_format", columns=format_columns(table), expected=expected
        )
        raise InputError(given.name, [Fault(said, CellLocation(1))])
    form, given = found
    if how.roster is not None and not form.joins_players:
        raise InputError(given.name, "roster.of_file")
    event = form.read(given, how)
    notes = (*given.notes, *(how.roster.notes if how.roster else ()), *event.notes)
    layout = given.layout if isinstance(given, TextTable) else event.origin.layout
    if "player1" not in map(str.lower, layout.columns):  # no list of matches
        layout = replace(layout, columns=())
    return replace(
        event, notes=notes, origin=replace(event.origin, layout=layout)
    ), form


def _recognise_format(
    given: TextSource | TextTable,
) -> tuple[Format[Any], TextSource | TextTable] | None:
    """The format that recognises it: a loose one if no other does, also if it holds no table.
    Raises InputError.
    """
    loose = [name for name in FORMATS.shipped if FORMATS[name].loose]
    if _is_column_of_names(given) and (found := _detect_format(as_text(given), loose)):
        return found
    fault: InputError | None = None
    for names in (
        FORMATS.shipped,
        FORMATS,
    ):  # those of other packages take longer to find
        try:
            if found := _detect_format(
                given, [name for name in names if name not in loose]
            ):
                return found
        except InputError as error:  # no table: another format may know the text
            fault = error
    text = as_text(given)
    found = None if _has_headings(text) else _detect_format(text, loose)
    if found is None and fault is not None:
        raise fault
    return found


def _has_headings(given: TextSource) -> bool:
    """Whether one of the first lines has the headings of a table, as far as pairopt knows them."""
    lines = [line for line in given.text.splitlines() if line.strip()][:MOST_TITLES]
    rows = [
        [*map(str.strip, line.split(each))] for line in lines for each in SEPARATORS
    ]
    return any(
        len(row) > 1 and (has_pairopt_headings(row) or count_known_headings(row) > 0)
        for row in rows
    )


def _is_column_of_names(given: TextSource | TextTable) -> bool:
    """Whether it is one column under a heading such as Name, but not pairopt's own `player`.

    Lines below the heading may have separators that it has not: in "Last, First", after a number,
    or before a rating. A separator inside quotes belongs to a cell, so the text is CSV.
    """
    lines = [line.strip() for line in as_text(given).text.splitlines() if line.strip()]
    if not lines or re.search("[,;\t]", lines[0]) or not is_player_heading(lines[0]):
        return False
    if any(QUOTED_CELL.fullmatch(line) for line in lines):
        return False
    below = "\n".join(lines[1:])
    return re.search("[;\t]", below) is not None or not has_pairopt_headings(
        [lines[0].lower()]
    )


def as_text(given: TextSource | TextTable) -> TextSource:
    """A text, or a sheet as the text that somebody would paste of it."""
    if isinstance(given, TextSource):
        return given
    rows = [given.layout.columns, *zip(*given.cells.values(), strict=True)]
    text = "\n".join("\t".join(filter(None, row)) for row in rows)
    return TextSource(given.name, text, given.notes)


def _iterate_shapes(given: TextSource | TextTable) -> Iterator[TextSource | TextTable]:
    """What a format may read: the text, then the table in it. Raises InputError for none."""
    if isinstance(given, TextSource):
        yield given
        given = parse_table(given)
    yield as_player_list(given)


def _detect_format(
    given: TextSource | TextTable, names: Iterable[str]
) -> tuple[Format[Any], TextSource | TextTable] | None:
    """The format of these names that knows it, and what that reads. Raises InputError."""
    for source in _iterate_shapes(given):
        for form in map(FORMATS.__getitem__, names):
            if isinstance(source, form.of) and form.recognises(source):
                return form, source
    return None


def convert_event(form: Format[Any], event: Event) -> EventText:
    """The event in a format, with what is lost in it: what it does not say when it is read again.
    Raises UsageError for an event that it cannot hold.
    """
    assert form.write is not None
    made = form.write(event)
    try:
        again = _read_back(form, made, event)
    except InputError as error:
        return replace(made, lost=(with_heading(message("lost.unread"), error.reason),))

    # Only what is written can lose anything.
    from pairopt.files.conversion_losses import find_losses

    return replace(made, lost=find_losses(event, again))


def _read_back(form: Format[Any], made: EventText, event: Event) -> Event:
    def table(text: str) -> TextTable:
        return as_player_list(parse_table(TextSource(form.name, text)))

    given = (
        TextSource(form.name, made.text) if form.of is TextSource else table(made.text)
    )
    roster = (
        read_players(table(made.players))
        if made.players and form.joins_players
        else None
    )
    how = ReadOptions(roster, sides=event.sides if form.of is TextTable else None)
    try:  # it may be seen as before an earlier round than its last one
        return form.read(given, replace(how, round=event.round))
    except UsageError:
        return form.read(given, how)


@dataclass(frozen=True, slots=True)
class ExportedFiles:
    """The files written, and notes on what they cannot hold."""

    files: tuple[Path, ...]
    notes: tuple[Note, ...]


def write_event(
    event: Event,
    path: str | Path,
    *,
    players: str | Path | None = None,
    form: str | None = None,
) -> ExportedFiles:
    """Write an event to a file of another format: `form` is its name, else the suffix says which.

    `players` is where players.csv goes, which matches.csv needs for names, ratings and the like; by
    default beside it, under its name with -players, if that is not there yet. Raises UsageError for
    an unknown format, a file that is in the way, or an event that the format cannot hold at all.
    """
    path = Path(path)
    chosen = find_writer(form, path.suffix.lower())
    if not event.complete_history and len(event.matches):
        raise UsageError("standing.no_results")
    made = convert_event(chosen, event)
    texts = {path: made.text}
    if made.players is None and players is not None:
        raise UsageError("output.own_players", format=chosen.name)
    if made.players is not None and (players is not None or made.needs_players):
        beside = path.with_name(f"{path.stem}-players.csv")
        if players is None and beside.exists():
            raise UsageError("output.players_there", path=str(beside))
        beside = beside if players is None else Path(players)
        if beside.resolve() == path.resolve():
            raise UsageError("output.one_file", path=str(beside))
        texts[beside] = made.players
    write_all(texts)
    return ExportedFiles(tuple(texts), made.lost)
