"""Overwrite guard: refuse outputs that would replace inputs, results or players."""

import json
from collections.abc import Iterable
from pathlib import Path

from pairopt.errors import InputError, UsageError
from pairopt.files.event_folder import FILES, LOG, PROVEN, is_folder
from pairopt.files.formats import FORMATS, as_player_list
from pairopt.files.text_source import WORKBOOK, TextSource, decode_text, read_bytes
from pairopt.files.text_tables import TextTable, parse_table

FileName = str | Path
PARQUET = b"PAR1"  # what a Parquet file begins with


def require_free(
    outputs: Iterable[FileName],
    reads: Iterable[FileName | None] = (),
    overwrite: bool = False,
) -> None:
    """Raise UsageError if an output may not be written.

    Two outputs must never be the same file. Unless `overwrite` is true, an output must
    not be one of the files that the command `reads`, a file of an event folder or a
    proof in it, or a file that holds results or players. Files that exist are read to
    find out. A pairing without results may be replaced, and None among `reads` is
    skipped.
    """
    output_paths = [Path(output_path) for output_path in outputs]
    if len({output_path.resolve() for output_path in output_paths}) < len(output_paths):
        raise UsageError("output.twice", path=str(output_paths[0]))
    if overwrite:
        return
    read_paths = {
        Path(input_path).resolve() for input_path in reads if input_path is not None
    }
    for output_path in output_paths:
        if output_path.resolve() in read_paths:
            raise UsageError("output.read", path=str(output_path))
        is_event_file = output_path.name in (*FILES, LOG) and is_folder(
            output_path.parent
        )
        if is_event_file or (
            output_path.parent.name == PROVEN and is_folder(output_path.parent.parent)
        ):
            raise UsageError("output.of_event", path=str(output_path))
        if output_path.is_file() and (
            message_kind := _find_reason_to_keep(output_path)
        ):
            raise UsageError(message_kind, path=str(output_path))


def _find_reason_to_keep(path: Path) -> str | None:
    """Return the id of the message that says why a file must not be replaced.

    The file is read. Workbooks, Parquet files, events, studies, and tables with results
    or players must not. Returns None for other files, for pairings without results, for
    JSON that pairopt wrote as output, for tables of an analysis, and for files that
    cannot be read as text.
    """
    try:
        file_bytes = read_bytes(path)
        if file_bytes.startswith(WORKBOOK):
            return "output.workbook"
        if file_bytes.startswith(PARQUET):
            return "output.table"
        text_source = decode_text(str(path), file_bytes)
        if _is_recognised(text_source, loose=False):
            return None if _is_pairopt_output(text_source) else "output.event"
        player_list = as_player_list(parse_table(text_source))
    except InputError:
        return None
    column_names = {*player_list.columns}
    opponent_and_score_cells = (
        player_list.cells.get(column_name, [""] * len(player_list.rows))
        for column_name in ("player2", "score1")
    )
    if "player1" in column_names and not any(
        map(all, zip(*opponent_and_score_cells, strict=True))
    ):
        return None
    if {
        "event",
        "round",
        "model",
    } <= column_names:  # of an instrument: made again any time
        return None
    if {"model", "replicate"} <= column_names:
        return "output.study"
    if any(
        file_format.of is TextTable and file_format.recognises(player_list)
        for file_format in FORMATS.values()
    ):
        return "output.results" if "player1" in column_names else "output.players"
    return "output.event" if _is_recognised(text_source, loose=True) else None


def _is_recognised(source: TextSource, loose: bool) -> bool:
    """Return whether a text format recognises a source.

    With `loose`, only loose formats are tried, which recognise many texts; otherwise
    only the others.
    """
    text_formats = (
        text_format
        for text_format in FORMATS.values()
        if text_format.of is TextSource and text_format.loose == loose
    )
    return any(text_format.recognises(source) for text_format in text_formats)


def _is_pairopt_output(source: TextSource) -> bool:
    """Return whether a text is JSON of pairopt: a pairing, a proof or an analysis.

    `source` is the text of a file. The keys of the JSON object decide; other texts are
    none.
    """
    try:
        json_content = json.loads(source.text)
    except (ValueError, RecursionError):
        return False
    proof_keys = (
        {"steps", "rules", "format"},
        {"claim", "witness", "format"},
    )  # until version 2; now
    keys_of_outputs = ({"levels", "pairings", "status"}, *proof_keys, {"instrument"})
    return isinstance(json_content, dict) and any(
        required_keys <= json_content.keys() for required_keys in keys_of_outputs
    )
