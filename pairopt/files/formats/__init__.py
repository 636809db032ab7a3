"""Formats of event files: one module each, with an object `FORMAT`.

The content of a file decides which format it has, not its name.
"""

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
    """Return the formats that can be written, by name."""
    found = map(FORMATS.__getitem__, names)
    return {form.name: form for form in found if form.write is not None}


def list_suffixes() -> tuple[str, ...]:
    """Return the suffixes of event files, the usual one of each format first."""
    return tuple(
        dict.fromkeys(suffix for form in FORMATS.values() for suffix in form.suffixes)
    )


def format_usual_suffixes(forms: Iterable[Format[Any]] | None = None) -> str:
    """Format the usual suffixes for a message, for example .csv, .json or .trf."""
    given = FORMATS.values() if forms is None else forms
    *most, last = dict.fromkeys(form.suffixes[0] for form in given if form.suffixes)
    return f"{', '.join(most)} or {last}" if most else last


def find_writer(name: str | None, suffix: str) -> Format[Any]:
    """Return the format with this name, or without a name the format with this suffix.

    Raises UsageError if there is none that can be written.
    """
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
    """Decode a file: its text, or the table in a workbook.

    Raises InputError, see `read_table`.
    """
    if not raw.startswith(WORKBOOK):
        return decode_text(name, raw)
    of_tables = (form.recognises for form in FORMATS.values() if form.of is TextTable)
    return read_table(
        name,
        raw,
        *(lambda table, own=own: own(as_player_list(table)) for own in of_tables),
    )


def as_player_list(table: TextTable) -> TextTable:
    """Return the table that formats recognise: lists of players with pairopt's columns.

    Tables of other formats are returned unchanged.
    """
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
    """Read an event with the format that recognises it.

    Return the event and the format.

    The event has notes on how it was read, and the layout of the file. Raises
    InputError if no format recognises the source.
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
    """Return the format that recognises a source, and what that format reads.

    Or None.

    Loose formats come last, also if the text is no table. Raises InputError if the text
    is neither a table nor of any format.
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
    """Return whether one of the first lines has headings that pairopt knows."""
    lines = [line for line in given.text.splitlines() if line.strip()][:MOST_TITLES]
    rows = [
        [*map(str.strip, line.split(each))] for line in lines for each in SEPARATORS
    ]
    return any(
        len(row) > 1 and (has_pairopt_headings(row) or count_known_headings(row) > 0)
        for row in rows
    )


def _is_column_of_names(given: TextSource | TextTable) -> bool:
    """Return whether a source is one column under a heading such as Name.

    It is not if the heading is pairopt's own `player`. Lines below the heading may have
    separators that it has not: in "Last, First", after a number, or before a rating. A
    separator inside quotes belongs to a cell, so the text is CSV.
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
    """Return a text; for a sheet, the text that somebody would paste of it."""
    if isinstance(given, TextSource):
        return given
    rows = [given.layout.columns, *zip(*given.cells.values(), strict=True)]
    text = "\n".join("\t".join(filter(None, row)) for row in rows)
    return TextSource(given.name, text, given.notes)


def _iterate_shapes(given: TextSource | TextTable) -> Iterator[TextSource | TextTable]:
    """Yield what a format may read: the text, then the table in it.

    Raises InputError if the text is not a table.
    """
    if isinstance(given, TextSource):
        yield given
        given = parse_table(given)
    yield as_player_list(given)


def _detect_format(
    given: TextSource | TextTable, names: Iterable[str]
) -> tuple[Format[Any], TextSource | TextTable] | None:
    """Return the first of these formats that recognises a source, and its input.

    Raises InputError if no format of texts does and the text is not a table.
    """
    for source in _iterate_shapes(given):
        for form in map(FORMATS.__getitem__, names):
            if isinstance(source, form.of) and form.recognises(source):
                return form, source
    return None


def convert_event(form: Format[Any], event: Event) -> EventText:
    """Write an event in a format, and find out what is lost when it is read again.

    Raises UsageError if the format cannot hold the event.
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
    """Read the text that a format wrote. Raises InputError if it cannot be read."""

    def table(text: str) -> TextTable:
        """Parse a text as a table of players or matches."""
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
    """The files that were written, and notes on what they cannot hold."""

    files: tuple[Path, ...]
    notes: tuple[Note, ...]


def write_event(
    event: Event,
    path: str | Path,
    *,
    players: str | Path | None = None,
    form: str | None = None,
) -> ExportedFiles:
    """Write an event to a file in another format.

    Parameters
    ----------
    event : Event
        The event.
    path : str or Path
        The file to write.
    players : str or Path, optional
        Where players.csv goes, which matches.csv needs for names, ratings and the like. By default
        beside `path`, under its name with -players, if that file does not exist.
    form : str, optional
        The name of the format. By default the suffix of `path` decides.

    Returns
    -------
    ExportedFiles
        The files, and notes on what they cannot hold.

    Raises
    ------
    UsageError
        The format is unknown, a file is in the way, or the format cannot hold the event at all.

    Examples
    --------
    >>> from pairopt import read_event, write_event
    >>> write_event(read_event("matches.csv"), "report.trf")  # doctest: +SKIP
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
