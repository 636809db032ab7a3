"""Salvage: the files of an event with all that is whole, in the folder and in the journal."""

from __future__ import annotations

import csv
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pairopt.errors import Cell, Fault, InputError, TextPlace
from pairopt.event.layout import records
from pairopt.files.bracket import read_bracket
from pairopt.files.event_toml import read_event_file
from pairopt.files.folder import BRACKET, EVENT, FILES, MATCHES, PLAYERS, PROOFS, Files, event_of
from pairopt.files.formats.matches_csv import NEEDED
from pairopt.files.formats.players_csv import read_players
from pairopt.files.schema import MatchRow, validated
from pairopt.files.source import Source, decoded
from pairopt.files.tables import Table, parse_table
from pairopt.folder.kept import index_of, kept_in
from pairopt.wording import quoted

MOST_TURNS = 100
"""So often lines with faults are left out, each time all that are named."""
Row = Mapping[str, str]


@dataclass(frozen=True)
class Known:
    """What the journal has: the files after its last whole step, and what that is called."""

    files: Files
    step: str


def salvaged(folder: Path, now: Files, known: Known, said: list[str]) -> Files:
    """Files that make an event, with nothing left out that the journal has; adds what was done.

    Raises InputError where too little is whole.
    """
    files = _put_back(now, known, said)
    with suppress(InputError):
        return _whole(folder, files, known, said)
    files = _fitting(folder, EVENT, files, known, read_event_file, said)
    listed = _united(folder, PLAYERS, files, known, said)
    if PLAYERS not in known.files:
        listed = _of_matches(folder, listed, said)
    cleared = _faultless(folder, listed, known, said)
    return _whole(folder, _united(folder, MATCHES, cleared, known, said), known, said)


def _put_back(now: Files, known: Known, said: list[str]) -> Files:
    """With the files that are not there, or were cut off, as the journal has them."""
    files = {**now}
    for name in FILES:
        here, then = now.get(name), known.files.get(name)
        if then is not None and here != then and then.startswith(here or b""):
            why = "was not there" if here is None else "was cut off"
            files = _as_known(name, files, known, why, said)
    return files


def _as_known(name: str, files: Files, known: Known, why: str, said: list[str]) -> dict[str, bytes]:
    said.append(f"{name} {why}: it is as after {known.step}")
    return {**files, name: known.files[name]}


def _whole(folder: Path, files: Files, known: Known, said: list[str]) -> Files:
    """Files that make an event, with its bracket and its list of proofs. Raises InputError."""
    event = event_of(files, folder)

    def bracket(source: Source) -> object:
        return read_bracket(parse_table(source), event.players)

    files = _fitting(folder, BRACKET, files, known, bracket, said)
    if BRACKET in files:
        bracket(_source(folder, BRACKET, files))
    files = _fitting(folder, PROOFS, files, known, lambda _: kept_in(files, folder), said)
    try:
        kept_in(files, folder)
    except InputError:
        said.append(f"{PROOFS} is damaged: it lists no proofs now")
        return {**files, PROOFS: index_of({})}
    return files


def _source(folder: Path, name: str, files: Files) -> Source:
    return decoded(str(folder / name), files[name])


def _fitting(
    folder: Path,
    name: str,
    files: Files,
    known: Known,
    read: Callable[[Source], object],
    said: list[str],
) -> Files:
    """With a file as the journal has it where it cannot be read."""
    if name not in files or files[name] == known.files.get(name, files[name]):
        return files
    try:
        read(_source(folder, name, files))
    except InputError:
        return _as_known(name, files, known, "is damaged", said)
    return files


def _faultless(folder: Path, files: Files, known: Known, said: list[str]) -> Files:
    """Without the lines that keep the files from being an event, as far as that helps."""
    for _ in range(MOST_TURNS):
        try:
            event_of(files, folder)
        except InputError as error:
            name = Path(error.source).name
            if name not in files:
                return files
            content, gone = _cleared(files[name], error.faults)
            said += [f"{name}: left out, {quoted(line)}" for line in gone]
            if gone:
                files = {**files, name: content}
            elif files[name] != known.files.get(name, files[name]):
                files = _as_known(name, files, known, "is damaged", said)
            else:
                return files
        else:
            return files
    return files


def _united(folder: Path, name: str, files: Files, known: Known, said: list[str]) -> Files:
    """With the rows of a table that the journal has, where they do not contradict those here."""
    then = known.files.get(name)
    table = _table(folder, name, files[name], said) if name in files else None
    if then is None:
        return files if table is None else {**files, name: table.content()}
    if table is None:
        return _as_known(name, files, known, "is damaged", said)
    made = _joined(name, table, parse_table(decoded(name, then)), known.step, said)
    return {**files, name: made.content()}


def _of_matches(folder: Path, files: Files, said: list[str]) -> Files:
    """With the players of matches.csv, where nothing else says who they were."""
    content = files.get(MATCHES, b"")
    rows = _table(folder, MATCHES, content[: content.rfind(b"\n") + 1], [])  # no line cut off
    if rows is None:
        return files
    table = _table(folder, PLAYERS, files.get(PLAYERS) or b"player\n", [])
    if table is None:
        said.append(f"{PLAYERS} is damaged: nothing of it is whole")
        table = parse_table(decoded(PLAYERS, b"player\n"))
    here = {_player(row) for row in records(table.cells)}
    seen = dict.fromkeys(player for pair in zip(rows.cells["player1"], rows.cells["player2"],
                                                strict=True) for player in pair)  # fmt: skip
    new = [player for player in seen if player and player not in here]
    if not new:
        return files
    said += [f"{PLAYERS}: {quoted(player)} is listed again, who is in {MATCHES}" for player in new]
    key = "player" if "player" in table.columns else "name"
    active = {"active": "true"} if "active" in table.columns else {}
    made = table.appended({key: player, **active} for player in new)
    return {**files, PLAYERS: made.content()}


def _table(folder: Path, name: str, content: bytes, said: list[str]) -> Table | None:
    """The rows of a table that can be read by themselves; None where none can."""
    for _ in range(MOST_TURNS):
        try:
            table = parse_table(decoded(str(folder / name), content))
            _ = read_players(table) if name == PLAYERS else validated(table, MatchRow, NEEDED)
        except InputError as error:
            content, gone = _cleared(content, error.faults)
            if not gone:
                return None
            said += [f"{name}: left out, {quoted(line)}" for line in gone]
        else:
            return table
    return None


def _cleared(content: bytes, faults: Sequence[Fault]) -> tuple[bytes, list[str]]:
    """A file with the lines of these faults empty, but for the first, and what was in them."""
    with suppress(InputError):
        content = decoded("", content).text.encode()
    lines = content.splitlines(keepends=True)
    texts = [line.decode(errors="replace") for line in lines]
    separator = max(",;\t", key="".join(texts[:1]).count)
    reader, begins = csv.reader(texts, delimiter=separator), [0]
    with suppress(csv.Error):
        begins += [reader.line_num for _ in reader]
    gone = []
    for fault in faults:
        place = fault.place
        if isinstance(place, Cell):
            at = begins[place.row - 1] if place.row <= len(begins) else 0
        else:
            at = place.line - 1 if isinstance(place, TextPlace) else 0
        if 0 < at < len(lines) and lines[at].strip():
            gone.append(texts[at].rstrip("\r\n"))
            lines[at] = b"\n"
    return b"".join(lines), gone


def _joined(name: str, now: Table, then: Table, step: str, said: list[str]) -> Table:
    """The rows of both tables, in the order of the older one."""
    key = _player if name == PLAYERS else _match
    here = {key(row): k for k, row in enumerate(records(now.cells))}
    busy = {seat for row in records(now.cells) for seat in _seats(name, row)}
    old, new = records(then.cells), []
    for row in old:
        at = here.get(key(row))
        if at is None and busy.isdisjoint(_seats(name, row)):
            new.append(row)
        elif at is not None and name == MATCHES:
            mine = {column: cells[at] for column, cells in now.cells.items()}
            if row["score1"] and not (mine["score1"] or mine["score2"]):
                now = now.changed(at, _score(row, mine))
                said.append(f"{name}: the score as after {step}, {_shown(row)}")
    said += [f"{name}: again as after {step}, {_shown(row)}" for row in new]
    made = now.appended(new)
    places = {key(row): k for k, row in enumerate(old)}
    rows = records(made.cells)
    order = sorted(range(len(rows)), key=lambda k: places.get(key(rows[k]), len(old)))
    return replace(made, cells={column: [cells[k] for k in order]
                                for column, cells in made.cells.items()})  # fmt: skip


def _player(row: Row) -> Hashable:
    return row.get("player") or row.get("name")


def _match(row: Row) -> Hashable:
    return row["round"], frozenset((row["player1"], row["player2"]))


def _seats(name: str, row: Row) -> list[Hashable]:
    """What no two rows of a table can have."""
    if name == PLAYERS:
        return [_player(row)]
    return [(row["round"], row[side]) for side in ("player1", "player2") if row[side]]


def _score(row: Row, mine: Row) -> Row:
    """The score of a row, as it is in another of the same match."""
    one, two = row["score1"], row["score2"]
    if row["player1"] != mine["player1"]:
        one, two = two, one
    status = {"status": row["status"]} if "status" in row else {}
    return {"score1": one, "score2": two, **status}


def _shown(row: Row) -> str:
    return quoted(",".join(row.values()))
