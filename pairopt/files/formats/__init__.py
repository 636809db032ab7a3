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
    __name__, Format, "pairopt.formats", pick=lambda module, _: module.FORMAT
)


def list_writers(names: Iterable[str] = FORMATS) -> dict[str, Format[Any]]:
    """Return the formats that can be written and read again, by `Format.name`.

    `names` are names in `FORMATS`, by default all; other formats are left out.
    """
    format_by_name = list_outputs(names)
    return {
        format_name: file_format
        for format_name, file_format in format_by_name.items()
        if not file_format.written_only
    }


def list_outputs(names: Iterable[str] = FORMATS) -> dict[str, Format[Any]]:
    """Return the formats that can be written, by `Format.name`.

    `names` are names in `FORMATS`, by default all. Formats that are only read are left
    out; those that are only written are among the result.
    """
    chosen_formats = map(FORMATS.__getitem__, names)
    return {
        file_format.name: file_format
        for file_format in chosen_formats
        if file_format.write is not None
    }


def list_suffixes() -> tuple[str, ...]:
    """Return the suffixes of files to read, such as .csv, each once.

    They are in the order of the formats; the usual suffix of a format comes before its
    others.
    """
    return tuple(
        dict.fromkeys(
            suffix
            for file_format in _readable_formats()
            for suffix in file_format.suffixes
        )
    )


def _readable_formats() -> list[Format[Any]]:
    """Return all formats but those that are only written."""
    return [
        file_format for file_format in FORMATS.values() if not file_format.written_only
    ]


def format_usual_suffixes(forms: Iterable[Format[Any]] | None = None) -> str:
    """Format the first suffix of each format for a message: .csv, .json or .trf.

    `forms` None stands for all formats to read. Formats without suffixes are skipped;
    one must have a suffix.
    """
    chosen_forms = _readable_formats() if forms is None else forms
    usual_suffixes = dict.fromkeys(
        file_format.suffixes[0] for file_format in chosen_forms if file_format.suffixes
    )
    *leading_suffixes, last_suffix = usual_suffixes
    if not leading_suffixes:
        return last_suffix
    return f"{', '.join(leading_suffixes)} or {last_suffix}"


def find_writer(name: str | None, suffix: str) -> Format[Any]:
    """Return the format to write: the one called `name`, or the one of the suffix.

    `suffix` is that of the file, with the dot and in small letters. With a name, the
    suffix does not matter; None stands for no name. Formats that are only written
    count, too. Raises UsageError if no such format can be written.
    """
    writers = list_outputs()
    for file_format in writers.values():
        is_suffix_of_format = suffix in file_format.suffixes + file_format.doubtful
        if file_format.name == name or (name is None and is_suffix_of_format):
            return file_format
    expected_suffixes = format_usual_suffixes(writers.values())
    raise UsageError(
        "output.format", expected=expected_suffixes, formats="|".join(writers)
    )


def decode_content(name: str, raw: bytes) -> TextSource | TextTable:
    """Decode the bytes of a file: as text, or as the table in a workbook.

    `raw` are the bytes, which alone decide which it is. `name` is the name of the file
    in messages, and may name a sheet as FILE.xlsx#SHEET. Otherwise the sheet of a
    workbook is chosen that some format recognises. Raises InputError if the bytes are
    no text or the workbook cannot be read, and UsageError if the package that reads
    workbooks is not installed.
    """
    if not raw.startswith(WORKBOOK):
        return decode_text(name, raw)
    table_recognisers = (
        file_format.recognises
        for file_format in FORMATS.values()
        if file_format.of is TextTable
    )
    return read_table(
        name,
        raw,
        *(
            lambda table, recognises_table=recognises_table: recognises_table(
                as_player_list(table)
            )
            for recognises_table in table_recognisers
        ),
    )


def as_player_list(table: TextTable) -> TextTable:
    """Return a table with pairopt's own columns if it is a list of players.

    Cross tables, match lists, standings of other sites, and tables that are no list of
    players are returned unchanged. Raises InputError for faults of the list, such as
    formulas, dates in place of names, and names that differ only in case.
    """
    # Reading an event folder does not need these formats, and starts faster so.
    from pairopt.files.formats import crosstable, match_list, other_standings

    earlier_formats = (other_standings, crosstable, match_list)
    if any(earlier_format.recognises(table) for earlier_format in earlier_formats):
        return table
    return with_pairopt_columns(table)


def read_as_event(
    source: TextSource | TextTable, options: ReadOptions
) -> tuple[Event, Format[Any]]:
    """Read an event, and return it with the format that recognised the source.

    Columns that the user named in `options.columns` are renamed first. The event has
    notes on how it was read, and the layout of the file. Raises InputError if no format
    recognises the source, for its faults, or if players.csv is given for a format that
    cannot have one.
    """
    if options.columns:
        named_table = parse_table(source) if isinstance(source, TextSource) else source
        source = with_named_columns(named_table, options.columns)
    format_and_source = _recognise_format(source)
    if format_and_source is None:
        *_, unrecognised_table = _iterate_shapes(source)
        assert isinstance(unrecognised_table, TextTable)
        expected_formats = [
            *dict.fromkeys(
                readable_format.expected for readable_format in _readable_formats()
            )
        ]
        no_format_reason = message(
            "input.no_format",
            columns=format_columns(unrecognised_table),
            expected=expected_formats,
        )
        raise InputError(source.name, [Fault(no_format_reason, CellLocation(1))])
    recognised_format, source = format_and_source
    if options.roster is not None and not recognised_format.joins_players:
        raise InputError(source.name, "roster.of_file")
    event = recognised_format.read(source, options)
    notes_of_all = (
        *source.notes,
        *(options.roster.notes if options.roster else ()),
        *event.notes,
    )
    layout = source.layout if isinstance(source, TextTable) else event.origin.layout
    if "player1" not in map(str.lower, layout.columns):  # no list of matches
        layout = replace(layout, columns=())
    return replace(
        event, notes=notes_of_all, origin=replace(event.origin, layout=layout)
    ), recognised_format


def is_event_text(source: TextSource | TextTable) -> bool:
    """Return whether a text is an event of a format that is no table, such as TRF.

    Lists of names do not count, and neither does a source that no format can read.
    """
    try:
        format_and_source = _recognise_format(source)
    except InputError:
        return False
    return (
        format_and_source is not None
        and not format_and_source[0].loose
        and format_and_source[0].of is not TextTable
    )


def _recognise_format(
    source: TextSource | TextTable,
) -> tuple[Format[Any], TextSource | TextTable] | None:
    """Return the format that recognises a source, and the text or table it reads.

    Loose formats are tried last, but first if the source is one column of names.
    Returns None if the source is a table that no format recognises. Raises InputError
    if it is neither a table nor of any format.
    """
    loose_format_names = [
        format_name for format_name in FORMATS.shipped if FORMATS[format_name].loose
    ]
    if _is_column_of_names(source) and (
        format_and_source := _detect_format(as_text(source), loose_format_names)
    ):
        return format_and_source
    table_error: InputError | None = None
    for format_names in (
        FORMATS.shipped,
        FORMATS,
    ):  # those of other packages take longer to find
        try:
            if format_and_source := _detect_format(
                source,
                [
                    format_name
                    for format_name in format_names
                    if format_name not in loose_format_names
                ],
            ):
                return format_and_source
        except InputError as error:  # no table: another format may know the text
            table_error = error
    text_source = as_text(source)
    format_and_source = (
        None
        if _has_headings(text_source)
        else _detect_format(text_source, loose_format_names)
    )
    if format_and_source is None and table_error is not None:
        raise table_error
    return format_and_source


def _has_headings(source: TextSource) -> bool:
    """Return whether one of the first lines has headings that pairopt knows.

    `source` is a text. At most MOST_TITLES lines that are not empty are tried, with
    each separator. A single cell is not a heading here.
    """
    first_lines = [
        first_line for first_line in source.text.splitlines() if first_line.strip()
    ][:MOST_TITLES]
    split_lines = [
        [*map(str.strip, first_line.split(separator))]
        for first_line in first_lines
        for separator in SEPARATORS
    ]
    return any(
        len(row_cells) > 1
        and (has_pairopt_headings(row_cells) or count_known_headings(row_cells) > 0)
        for row_cells in split_lines
    )


def _is_column_of_names(source: TextSource | TextTable) -> bool:
    """Return whether a source is a heading such as Name above lines that are names.

    These lines may have separators, although the heading has none: in "Last, First",
    after a number, or before a rating. A source is no column of names if a line is one
    cell in quotes, because then it is CSV. It is none under pairopt's own heading
    `player` either, unless a line has a semicolon or a tab. Whether the lines are names
    is not checked.
    """
    filled_lines = [
        filled_line.strip()
        for filled_line in as_text(source).text.splitlines()
        if filled_line.strip()
    ]
    if (
        not filled_lines
        or re.search("[,;\t]", filled_lines[0])
        or not is_player_heading(filled_lines[0])
    ):
        return False
    if any(QUOTED_CELL.fullmatch(filled_line) for filled_line in filled_lines):
        return False
    text_below_heading = "\n".join(filled_lines[1:])
    return re.search(
        "[;\t]", text_below_heading
    ) is not None or not has_pairopt_headings([filled_lines[0].lower()])


def as_text(source: TextSource | TextTable) -> TextSource:
    """Return a source as text; a table becomes a line of headings and one per row.

    Tabs join the cells, and empty cells are left out. A text is returned unchanged.
    Only loose formats, such as lists of names, read such a text.
    """
    if isinstance(source, TextSource):
        return source
    heading_and_cell_rows = [
        source.layout.columns,
        *zip(*source.cells.values(), strict=True),
    ]
    joined_text = "\n".join(
        "\t".join(filter(None, row_cells)) for row_cells in heading_and_cell_rows
    )
    return TextSource(source.name, joined_text, source.notes)


def _iterate_shapes(source: TextSource | TextTable) -> Iterator[TextSource | TextTable]:
    """Yield what formats may read: the text of a source, then the table in it.

    A source that is a table yields only that. The table has pairopt's columns if it
    lists players. Raises InputError, after the text, if the text is not a table.
    """
    if isinstance(source, TextSource):
        yield source
        source = parse_table(source)
    yield as_player_list(source)


def _detect_format(
    source: TextSource | TextTable, names: Iterable[str]
) -> tuple[Format[Any], TextSource | TextTable] | None:
    """Return the first of the formats `names` that recognises a source, and its input.

    `names` are names in `FORMATS`. The input is the text or table that the format
    reads. Formats of texts are tried before formats of tables. Returns None if no
    format recognises the source. Raises InputError if it is not a table, and no format
    of texts recognises it.
    """
    for text_or_table in _iterate_shapes(source):
        for file_format in map(FORMATS.__getitem__, names):
            if isinstance(text_or_table, file_format.of) and file_format.recognises(
                text_or_table
            ):
                return file_format, text_or_table
    return None


def convert_event(form: Format[Any], event: Event) -> EventText:
    """Convert an event to the text of a format, with messages on what is lost by that.

    `form` is the format, whose `write` must not be None. No file is written: the text
    is read again and compared with the event, unless the format is only written. The
    messages are in `lost` of the result. If the text cannot be read again, the only
    message says so. Raises UsageError if the event has no players, or the format cannot
    hold the event at all.
    """
    assert form.write is not None
    if not event.players:
        raise UsageError("roster.nobody")
    event_text = form.write(event)
    if form.written_only:
        return event_text
    try:
        event_again = _read_back(form, event_text, event)
    except InputError as error:
        return replace(
            event_text, lost=(with_heading(message("lost.unread"), error.reason),)
        )

    # Only writing needs this import.
    from pairopt.files.conversion_losses import find_losses

    return replace(event_text, lost=find_losses(event, event_again))


def _read_back(form: Format[Any], event_text: EventText, event: Event) -> Event:
    """Read the event in a text that a format wrote, as before the round of `event`.

    `form` is the format, and `event_text` may have a players.csv, too. If the text has
    fewer rounds, it is seen as before the round after its last one. Raises InputError
    if the text cannot be read.
    """

    def table(text: str) -> TextTable:
        """Parse a text as a table, with pairopt's columns if it lists players."""
        return as_player_list(parse_table(TextSource(form.name, text)))

    text_or_table = (
        TextSource(form.name, event_text.text)
        if form.of is TextSource
        else table(event_text.text)
    )
    player_table = (
        read_players(table(event_text.players))
        if event_text.players and form.joins_players
        else None
    )
    read_options = ReadOptions(
        player_table,
        sides=event.sides if form.of is TextTable else None,
        all_rounds_open=event.origin.all_rounds_open,
    )
    # The text may have fewer rounds than the event.
    try:
        return form.read(text_or_table, replace(read_options, round=event.round))
    except UsageError:
        return form.read(text_or_table, read_options)


@dataclass(frozen=True, slots=True)
class ExportedFiles:
    """The files that were written, and notes on what they cannot hold.

    `missing` are notes on what a report to FIDE needs, and the event does not have. It
    is empty for other formats.
    """

    files: tuple[Path, ...]
    notes: tuple[Note, ...]
    missing: tuple[Note, ...] = ()


def write_event(
    event: Event,
    path: str | Path,
    *,
    players: str | Path | None = None,
    form: str | None = None,
) -> ExportedFiles:
    """Write an event to a file, for example as TRF, NRTM JSON or CSV.

    Parameters
    ----------
    event : Event
        The event.
    path : str or Path
        The file to write. An existing file is replaced.
    players : str or Path, optional
        The file for the list of players, because matches.csv contains no names and
        ratings. An existing file is replaced. By default the name of `path` with
        ``-players`` added, if that file does not exist; it is written only if the event
        needs it.
    form : str, optional
        The name of the format. By default the suffix of `path` decides.

    Returns
    -------
    ExportedFiles
        The files that were written, and notes on data that the format can't hold.

    Raises
    ------
    UsageError
        If the format is unknown or can't hold the event, if the event has standings but no
        results, if the default file for the list of players already exists, if `players`
        is given for a format that contains the players or is the file `path`, or if a file
        can't be written.

    Examples
    --------
    >>> from pairopt import read_event, write_event
    >>> write_event(read_event("matches.csv"), "report.trf")  # doctest: +SKIP
    """
    path = Path(path)
    writer = find_writer(form, path.suffix.lower())
    if not event.complete_history and len(event.matches):
        raise UsageError("standing.no_results")
    event_text = convert_event(writer, event)
    text_by_path = {path: event_text.text}
    if event_text.players is None and players is not None:
        raise UsageError("output.own_players", format=writer.name)
    if event_text.players is not None and (
        players is not None or event_text.needs_players
    ):
        players_path = path.with_name(f"{path.stem}-players.csv")
        if players is None and players_path.exists():
            raise UsageError("output.players_there", path=str(players_path))
        players_path = players_path if players is None else Path(players)
        if players_path.resolve() == path.resolve():
            raise UsageError("output.one_file", path=str(players_path))
        text_by_path[players_path] = event_text.players
    write_all(text_by_path)
    return ExportedFiles(tuple(text_by_path), event_text.lost, event_text.missing)
