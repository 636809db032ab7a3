"""TRF: FIDE's Tournament Report File (TRF16, and the XX lines of TRFx).

Fixed columns, counted from 1: starting number 5-8, name 15-47, rating 49-52, federation
54-56, then from column 92 every ten columns a round: opponent, side, result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from itertools import combinations

from pairopt.errors import Fault, InputError
from pairopt.event.event import Event
from pairopt.io.build import build_event
from pairopt.io.formats.players_csv import Roster
from pairopt.io.schema import MOST_ROUNDS, MatchRow, PlayerRow
from pairopt.io.source import Source

EXPECTED = "a FIDE tournament report file (TRF)"
FIRST_ROUND, ROUND_WIDTH = 91, 10
SIDES = {"w": "white", "b": "black"}
OTHER_CODES = {"013", "240", "250", "260", "299", "300", "310", "320", "330", "801", "802"}
PLAYED = "10=WLD"
REQUESTED = {"H": "HPB", "F": "FPB", "Z": "ZPB", "+": "FW", "-": "FL"}
POINTS = {
    "W": "1", "D": "0.5", "L": "0", "FW": "1", "FL": "0",
    "HPB": "0.5", "FPB": "1", "ZPB": "0", "PAB": "1",
}  # fmt: skip
"""Points of each result, as XXS names them (there WW and BW for a win with either side)."""
KINDS = {"1": "W", "W": "W", "=": "D", "D": "D", "0": "L", "L": "L", "+": "FW", "-": "FL"}


@dataclass(frozen=True)
class _Cell:
    """A player's round: opponent's number (0 for none), side letter, result letter."""

    line: int
    column: int
    opponent: int
    side: str
    result: str


@dataclass(frozen=True)
class _Player:
    line: int
    row: PlayerRow
    federation: str
    cells: Mapping[int, _Cell]


def recognises(source: Source) -> bool:
    """Whether the first line that is no comment starts with a code of three characters."""
    lines = (line for line in source.text.splitlines() if line.strip() and line[0] != "#")
    return re.match(r"(\d{3}|XX[A-Z])( |$)", next(lines, "")) is not None


def read(
    source: Source,
    roster: Roster | None,
    *,
    round: int | None,
    sides: tuple[str, str] | None,  # noqa: ARG001 - TRF has white and black
    history: bool,  # noqa: ARG001 - rounds are the history
) -> Event:
    """The event; players go by their starting numbers."""
    if roster is not None:
        raise InputError(source.name, "holds its players itself: leave out --players")
    faults: list[Fault] = []
    players, extra = _lines(source, faults)
    points = _points(extra, faults)
    if not faults and not players:
        faults.append(Fault("no player lines (001)"))
    matches = [] if faults else list(_matches(players, points, faults))
    if not faults:
        matches += _absent(extra, players, [row for _, row in matches], faults)
    forbidden = _forbidden(extra, list(players), faults)
    if faults:
        raise InputError(source.name, faults)
    event = build_event(
        source.name,
        [row for _, row in matches],
        [line for line, _ in matches],
        [player.row for player in players.values()],
        columns={"federation": [player.federation for player in players.values()]},
        round=round,
    ).with_sides(("white", "black"))
    notes = ("not read: accelerations (XXA)",) if extra.get("XXA") else ()
    return replace(event, forbidden=forbidden, notes=(*event.notes, *notes))


def _lines(
    source: Source, faults: list[Fault]
) -> tuple[dict[int, _Player], dict[str, list[tuple[int, str]]]]:
    """The players by starting number, and the XX lines by code with their line numbers."""
    players: dict[int, _Player] = {}
    extra: dict[str, list[tuple[int, str]]] = {}
    for number, line in enumerate(source.text.splitlines(), 1):
        code = line[:3]
        if not line.strip() or line.startswith("#"):
            continue
        if code == "001":
            player = _player(line, number, faults)
            if player is None:
                continue
            start = int(player.row.player)
            if start in players:
                message = f"starting number {start} is already in line {players[start].line}"
                faults.append(Fault(message, number, "5-8"))
            players[start] = player
        elif code.startswith("XX"):
            extra.setdefault(code, []).append((number, line[3:].strip()))
        elif not (code.isdigit() and (code.endswith("2") or code in OTHER_CODES)):
            faults.append(Fault(f"found {code!r}, expected a code of a TRF file", number, "1-3"))
    return players, extra


def _player(line: str, number: int, faults: list[Fault]) -> _Player | None:
    start, rating = line[4:8].strip(), line[48:52].strip()
    if not (start.isascii() and start.isdigit() and int(start) > 0):
        faults.append(Fault(f"found {start!r}, expected a starting number", number, "5-8"))
        return None
    if rating and not (rating.isascii() and rating.isdigit()):
        faults.append(Fault(f"found {rating!r}, expected a rating", number, "49-52"))
        return None
    cells = {}
    body = line.rstrip()
    for turn, at in enumerate(range(FIRST_ROUND, len(body), ROUND_WIDTH), 1):
        text = body[at : at + ROUND_WIDTH - 2]
        if text.strip() and turn <= MOST_ROUNDS:
            cell = _cell(text, number, at + 1, faults)
            if cell is not None:
                cells[turn] = cell
    row = PlayerRow(
        player=str(int(start)), name=line[14:47].strip(), rating=Decimal(rating) if rating else None
    )
    return _Player(number, row, line[53:56].strip(), cells)


def _cell(text: str, line: int, column: int, faults: list[Fault]) -> _Cell | None:
    text = text.ljust(8)
    opponent, side, result = text[:4].strip() or "0", text[5], text[7]
    place = f"{column}-{column + 7}"
    if not (opponent.isascii() and opponent.isdigit()):
        faults.append(Fault(f"found {opponent!r}, expected an opponent's number", line, place))
    elif side not in "wb- ":
        faults.append(Fault(f"found {side!r}, expected w, b or -", line, place))
    elif int(opponent) and result not in PLAYED + "+- ":
        faults.append(Fault(f"found {result!r}, expected the result of a game", line, place))
    elif not int(opponent) and result not in "HFZU+- ":
        faults.append(Fault(f"found {result!r}, expected the result of a bye", line, place))
    else:
        return _Cell(line, column, int(opponent), side, result.strip())
    return None


def _points(extra: Mapping[str, list[tuple[int, str]]], faults: list[Fault]) -> dict[str, str]:
    """Points of each result: 1, 0.5 and 0, or as an XXS line says."""
    points = dict(POINTS)
    for line, text in extra.get("XXS", []):
        for word in text.split():
            name, _, value = word.partition("=")
            name = {"WW": "W", "BW": "W", "WD": "D", "BD": "D", "WL": "L", "BL": "L"}.get(
                name, name
            )
            try:
                if name in points and Decimal(value).is_finite():
                    points[name] = value
                    continue
            except InvalidOperation:
                pass
            faults.append(Fault(f"found {word!r}, expected a result and its points", line))
    return points


def _matches(
    players: Mapping[int, _Player], points: Mapping[str, str], faults: list[Fault]
) -> Iterator[tuple[int, MatchRow]]:
    """The rows of the rounds, each with its line; both players' entries must agree."""
    for start, player in players.items():
        for turn, cell in player.cells.items():
            if not cell.opponent:
                if cell.result:
                    bye = cell.result == "U"
                    worth = points["PAB" if bye else REQUESTED[cell.result]]
                    status = "bye" if bye else "requested"
                    yield cell.line, _row(turn, start, None, "", worth, "", status)
                continue
            other = players.get(cell.opponent)
            back = other.cells.get(turn) if other else None
            if back is None or back.opponent != start or cell.opponent == start:
                message = f"opponent {cell.opponent} does not have {start} in round {turn}"
                faults.append(Fault(message, cell.line, _place(cell)))
            elif start < cell.opponent:
                if fault := _clash(turn, cell, back):
                    faults.append(fault)
                    continue
                side = SIDES.get(cell.side) or SIDES.get(
                    {"w": "b", "b": "w"}.get(back.side, ""), ""
                )
                score1, score2 = (points[KINDS[c.result]] if c.result else "" for c in (cell, back))
                status = "forfeit" if {cell.result, back.result} & {"+", "-"} else ""
                yield cell.line, _row(turn, start, cell.opponent, side, score1, score2, status)


def _clash(turn: int, cell: _Cell, back: _Cell) -> Fault | None:
    """What is wrong between the entries of two opponents."""
    if cell.side == back.side and cell.side in SIDES:
        return Fault(
            f"both players of round {turn} have {SIDES[cell.side]}", cell.line, _place(cell)
        )
    if bool(cell.result) != bool(back.result):
        missing = cell if not cell.result else back
        return Fault(f"the result of round {turn} is missing", missing.line, _place(missing))
    pair = {KINDS.get(cell.result, ""), KINDS.get(back.result, "")}
    if pair in ({"W"}, {"FW"}, {"W", "D"}, {"W", "FW"}):
        message = f"results {cell.result} and {back.result} of round {turn} do not fit"
        return Fault(message, cell.line, _place(cell))
    return None


def _absent(
    extra: Mapping[str, list[tuple[int, str]]],
    players: Mapping[int, _Player],
    rows: list[MatchRow],
    faults: list[Fault],
) -> list[tuple[int, MatchRow]]:
    """Rows for players whom an XXZ line takes out of the next round."""
    following = max((row.round for row in rows if row.status != "requested"), default=0) + 1
    made = []
    for line, text in extra.get("XXZ", []):
        for word in text.split():
            if not word.isdigit() or int(word) not in players:
                faults.append(Fault(f"found {word!r}, expected a starting number", line))
            elif following not in players[int(word)].cells:
                made.append((line, _row(following, int(word), None, "", "0", "", "requested")))
    return made


def _forbidden(
    extra: Mapping[str, list[tuple[int, str]]], starts: Sequence[int], faults: list[Fault]
) -> tuple[tuple[int, int], ...]:
    """The pairs of positions that XXP lines forbid: all pairs of the players in one line."""
    position = {str(start): p for p, start in enumerate(starts)}
    pairs = set()
    for line, text in extra.get("XXP", []):
        words = [word.lstrip("0") for word in text.split()]
        if unknown := [word for word in words if word not in position]:
            faults.append(Fault(f"found {unknown[0]!r}, expected a starting number", line))
        elif len(set(words)) < 2:
            faults.append(Fault(f"found {text!r}, expected two starting numbers", line))
        else:
            pairs |= set(combinations(sorted({position[word] for word in words}), 2))
    return tuple(sorted(pairs))


def _row(
    turn: int, one: int, two: int | None, side: str, score1: str, score2: str, status: str
) -> MatchRow:
    return MatchRow.model_validate(
        {"round": str(turn), "player1": str(one), "player2": str(two or ""), "side1": side,
         "score1": score1, "score2": score2, "status": status}
    )  # fmt: skip


def _place(cell: _Cell) -> str:
    return f"{cell.column}-{cell.column + 7}"
