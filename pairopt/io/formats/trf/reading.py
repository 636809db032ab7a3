"""TRF, read.

Fixed columns, counted from 1: starting number 5-8, name 15-47, rating 49-52, federation
54-56, then from column 92 every ten columns a round: opponent, side, result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from pairopt.errors import Fault, InputError, Line
from pairopt.event.event import Event
from pairopt.io.build import build_event
from pairopt.io.formats.base import Reading
from pairopt.io.schema import MOST_ROUNDS, MatchRow, PlayerRow, number_in, row_of, whole_number
from pairopt.io.source import Source
from pairopt.wording import quoted

FIRST_ROUND, ROUND_WIDTH, MOST_NUMBER = 91, 10, 9999
WORD = re.compile(r"\S+")
SIDES = {"w": "white", "b": "black"}
UNREAD = {"sex and title": slice(9, 13), "FIDE numbers": slice(57, 68),
          "dates of birth": slice(69, 79)}  # fmt: skip
"""What player lines say besides."""
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

    place: Line
    opponent: int
    side: str
    result: str


_Words = list[tuple[str, Line]]
"""The words of an XX line after its code, each with its place."""


@dataclass(frozen=True)
class _Player:
    line: int
    row: PlayerRow
    federation: str
    cells: Mapping[int, _Cell]


def recognises(source: Source) -> bool:
    """Whether the first line that is no comment starts with a code of three characters."""
    lines = (line for line in source.text.splitlines() if line.strip() and line[0] != "#")
    return re.match(r"([0-9]{3}|XX[A-Z])( |$)", next(lines, "")) is not None


def read(source: Source, how: Reading) -> Event:
    """The event; players go by their starting numbers."""
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
        [place for place, _ in matches],
        [player.row for player in players.values()],
        columns={"federation": [player.federation for player in players.values()]},
        round=how.round,
    ).with_sides(("white", "black"))
    notes = ("not read: accelerations (XXA)",) if extra.get("XXA") else ()
    unread = tuple(what for what, at in UNREAD.items() if _has(source, at))
    return replace(event, forbidden=forbidden, notes=(*event.notes, *notes), unread=unread)


def _has(source: Source, at: slice) -> bool:
    """Whether a player line has anything in these columns."""
    return any(line[at].strip() for line in source.text.splitlines() if line[:3] == "001")


def _lines(
    source: Source, faults: list[Fault]
) -> tuple[dict[int, _Player], dict[str, list[_Words]]]:
    """The players by starting number, and the words of the XX lines by code."""
    players: dict[int, _Player] = {}
    extra: dict[str, list[_Words]] = {}
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
                faults.append(Fault(message, Line(number, "5-8")))
            players[start] = player
        elif code.startswith("XX"):
            words = [
                (word[0], Line(number, f"{word.start() + 1}-{word.end()}"))
                for word in WORD.finditer(line, 3)
            ]
            extra.setdefault(code, []).append(words)
        elif whole_number(code, 999) is None or (code[2:] != "2" and code not in OTHER_CODES):
            message = f"found {code!r}, expected a code of a TRF file"
            faults.append(Fault(message, Line(number, "1-3")))
    return players, extra


def _player(line: str, number: int, faults: list[Fault]) -> _Player | None:
    start, rating = whole_number(line[4:8].strip(), MOST_NUMBER), line[48:52].strip()
    if not start:
        message = f"found {line[4:8].strip()!r}, expected a starting number"
        faults.append(Fault(message, Line(number, "5-8")))
        return None
    if rating and whole_number(rating, MOST_NUMBER) is None:
        faults.append(Fault(f"found {rating!r}, expected a rating", Line(number, "49-52")))
        return None
    cells = {}
    body = line.rstrip()
    for turn, at in enumerate(range(FIRST_ROUND, len(body), ROUND_WIDTH), 1):
        text = body[at : at + ROUND_WIDTH - 2]
        if text.strip() and turn <= MOST_ROUNDS:
            cell = _cell(text, Line(number, f"{at + 1}-{at + 8}"), faults)
            if cell is not None:
                cells[turn] = cell
    row = row_of(PlayerRow, {"player": str(start), "name": line[14:47].strip(), "rating": rating})
    return _Player(number, row, line[53:56].strip(), cells)


def _cell(text: str, place: Line, faults: list[Fault]) -> _Cell | None:
    text = text.ljust(8)
    number, side, result = text[:4].strip() or "0", text[5], text[7]
    opponent = whole_number(number, MOST_NUMBER)
    if opponent is None:
        faults.append(Fault(f"found {number!r}, expected an opponent's number", place))
    elif side not in "wb- ":
        faults.append(Fault(f"found {side!r}, expected w, b or -", place))
    elif opponent and result not in PLAYED + "+- ":
        faults.append(Fault(f"found {result!r}, expected the result of a game", place))
    elif not opponent and result not in "HFZU+- ":
        faults.append(Fault(f"found {result!r}, expected the result of a bye", place))
    else:
        return _Cell(place, opponent, side, result.strip())
    return None


def _points(extra: Mapping[str, list[_Words]], faults: list[Fault]) -> dict[str, str]:
    """Points of each result: 1, 0.5 and 0, or as an XXS line says."""
    points = dict(POINTS)
    for words in extra.get("XXS", []):
        for word, place in words:
            name, _, value = word.partition("=")
            name = {"WW": "W", "BW": "W", "WD": "D", "BD": "D", "WL": "L", "BL": "L"}.get(
                name, name
            )
            try:
                if name not in points or number_in(value) is None:
                    raise ValueError("expected a result and its points")
            except ValueError as error:
                faults.append(Fault(f"found {quoted(word)}, {error}", place))
            else:
                points[name] = value
    return points


def _matches(
    players: Mapping[int, _Player], points: Mapping[str, str], faults: list[Fault]
) -> Iterator[tuple[Line, MatchRow]]:
    """The rows of the rounds, each with its place; both players' entries must agree."""
    for start, player in players.items():
        for turn, cell in player.cells.items():
            if not cell.opponent:
                if cell.result:
                    bye = cell.result == "U"
                    worth = points["PAB" if bye else REQUESTED[cell.result]]
                    status = "bye" if bye else "requested"
                    yield cell.place, _row(turn, start, None, "", worth, "", status)
                continue
            other = players.get(cell.opponent)
            back = other.cells.get(turn) if other else None
            if back is None or back.opponent != start or cell.opponent == start:
                message = f"opponent {cell.opponent} does not have {start} in round {turn}"
                faults.append(Fault(message, cell.place))
            elif start < cell.opponent:
                if fault := _clash(turn, cell, back):
                    faults.append(fault)
                    continue
                side = SIDES.get(cell.side) or SIDES.get(
                    {"w": "b", "b": "w"}.get(back.side, ""), ""
                )
                score1, score2 = (points[KINDS[c.result]] if c.result else "" for c in (cell, back))
                status = "forfeit" if {cell.result, back.result} & {"+", "-"} else ""
                yield cell.place, _row(turn, start, cell.opponent, side, score1, score2, status)


def _clash(turn: int, cell: _Cell, back: _Cell) -> Fault | None:
    """What is wrong between the entries of two opponents."""
    if cell.side == back.side and cell.side in SIDES:
        return Fault(f"both players of round {turn} have {SIDES[cell.side]}", cell.place)
    if bool(cell.result) != bool(back.result):
        missing = cell if not cell.result else back
        return Fault(f"the result of round {turn} is missing", missing.place)
    pair = {KINDS.get(cell.result, ""), KINDS.get(back.result, "")}
    if pair in ({"W"}, {"FW"}, {"W", "D"}, {"W", "FW"}):
        message = f"results {cell.result} and {back.result} of round {turn} do not fit"
        return Fault(message, cell.place)
    return None


def _absent(
    extra: Mapping[str, list[_Words]],
    players: Mapping[int, _Player],
    rows: list[MatchRow],
    faults: list[Fault],
) -> list[tuple[Line, MatchRow]]:
    """Rows for players whom an XXZ line takes out of the next round."""
    following = max((row.round for row in rows if row.status != "requested"), default=0) + 1
    made = []
    for words in extra.get("XXZ", []):
        for word, place in words:
            start = whole_number(word, MOST_NUMBER)
            if start is None or start not in players:
                message = f"found {quoted(word)}, expected a starting number"
                faults.append(Fault(message, place))
            elif following not in players[start].cells:
                row = _row(following, start, None, "", "0", "", "requested")
                made.append((place, row))
    return made


def _forbidden(
    extra: Mapping[str, list[_Words]], starts: Sequence[int], faults: list[Fault]
) -> tuple[tuple[int, int], ...]:
    """The pairs of positions that XXP lines forbid: all pairs of the players in one line."""
    position = {start: p for p, start in enumerate(starts)}
    pairs: set[tuple[int, int]] = set()
    for words in extra.get("XXP", []):
        found = [position.get(whole_number(word, MOST_NUMBER) or 0) for word, _ in words]
        listed = sorted({at for at in found if at is not None})
        unknown = [entry for entry, at in zip(words, found, strict=True) if at is None]
        for word, place in unknown:
            message = f"found {quoted(word)}, expected a starting number"
            faults.append(Fault(message, place))
        if len(listed) < 2 and words and not unknown:
            faults.append(Fault("expected two starting numbers", words[0][1]))
        pairs |= set(combinations(listed, 2))
    return tuple(sorted(pairs))


def _row(
    turn: int, one: int, two: int | None, side: str, score1: str, score2: str, status: str
) -> MatchRow:
    return row_of(
        MatchRow,
        {"round": str(turn), "player1": str(one), "player2": str(two or ""), "side1": side,
         "score1": score1, "score2": score2, "status": status}
    )  # fmt: skip
