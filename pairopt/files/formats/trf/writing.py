"""TRF, written: the same fixed columns as are read, points other than 1, 0.5, 0 in XXS and 162."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pairopt.bounds import whole_number
from pairopt.errors import InputError, UsageError
from pairopt.event.event import BYE_ROW, FORFEIT, REQUESTED, Event
from pairopt.event.points import Points
from pairopt.event.prohibited import Prohibited
from pairopt.event.scores import shown_points
from pairopt.event.standings import Standing, ranked, tie_breaks_of
from pairopt.event.tie_breaks import known, tie_break_of
from pairopt.files.build import Reading
from pairopt.files.formats.base import Text, numbers_of
from pairopt.files.formats.trf import records as trf
from pairopt.files.formats.trf.reading import read
from pairopt.files.losses import FACTS, SEXES
from pairopt.files.source import Source
from pairopt.wording import decimal_text

NAME_WIDTH, MOST_RATING = 33, 9999
LETTERS = {"W": "1", "D": "=", "L": "0", "FW": "+", "FL": "-",
           "HPB": "H", "FPB": "F", "ZPB": "Z", "PAB": "U"}  # fmt: skip

UNRATED = LETTERS | {"W": "W", "D": "D", "L": "L"}
WIDTHS = {"federation": 3, "sex": 1, "title": 3, "fide_id": 11, "birth": 10}
"""Of the columns of players.csv that player lines have room for."""
ASSIGNED = "299"
"""The code of points that no result explains."""
CODES = {name: (f"W{name}", f"B{name}") for name in "WDL"}
"""Points with either side: W alone would be those of forfeits and byes too."""
SYMBOLS_WRITTEN, SYMBOL_WIDTH = {"W": "W", "D": "D", "L": "L", "P": "PAB"}, 5
"""Of 162, in this order: what comes later overrides. Each has a column, its points four."""


@dataclass(frozen=True)
class _Entry:
    """A player's round: what happened, the points, against whom (-1: nobody), which side."""

    player: int
    round: int
    kind: str
    points: Fraction
    opponent: int
    side: int
    rated: bool = True


def write(event: Event) -> Text:
    """The event as a TRF. Raises UsageError for results TRF has no word for."""
    if len(event.players) > trf.MOST_NUMBER:
        raise UsageError("trf.too_many_players", most=trf.MOST_NUMBER, players=len(event.players))
    numbers = starting_numbers(event)
    entries = list(_entries(event))
    points = _points(event, entries)
    cells: dict[int, dict[int, str]] = {}
    for entry in entries:
        opponent = numbers[entry.opponent] if entry.opponent >= 0 else 0
        shown = f"{opponent:>4}" if opponent else "0000"
        letter = (LETTERS if entry.rated else UNRATED).get(entry.kind, " ")
        side = "-" if entry.side < 0 else "wb"[entry.side]
        cells.setdefault(entry.player, {})[entry.round] = f"{shown} {side} {letter}"
    rank = {line.player: line for line in _ranked(event)}
    own, ratings = {name: _cells(event, name) for name in WIDTHS}, event.columns.get("rating")
    kept = _kept(event, numbers)
    lines = [f"012 {_one_line(event.settings.title)}"]
    lines += [line for line in kept if not trf.after_players(line)]
    named = any(_records_of([line]).system for line in kept)
    model = event.settings.model
    if not named and model in trf.CODE_OF and model != trf.DUTCH:  # the one of who names none
        lines.append(f"192 {trf.CODE_OF[model]}")
    for k, player in enumerate(event.players):
        shown = str(int(event.rating[k])) if ratings is None else ratings[k].strip()
        shown = "" if whole_number(shown, MOST_RATING) is None else shown
        total = _tenths(rank[player].points)
        total = total if len(total) <= 4 else ""  # read from the rounds anyway
        name = _one_line(event.names[k])[:NAME_WIDTH]
        said = {column: fitting[k] for column, fitting in own.items()}
        head = (f"001 {numbers[k]:>4} {said['sex']:1}{said['title']:>3} {name:<33} {shown:>4} "
                f"{said['federation']:<3} {said['fide_id']:>11} {said['birth']:<10} "
                f"{total:>4} {rank[player].rank:>4}")  # fmt: skip
        mine = cells.get(k, {})
        turns = [mine.get(turn, " " * 8) for turn in range(1, max(mine, default=0) + 1)]
        lines.append(f"{head:<89}" + "".join(f"  {cell}" for cell in turns))
    scores = [f"{code}={_decimal(value)}" for name, value in points.items()
              if trf.POINTS[name] != value for code in CODES.get(name, (name,))]  # fmt: skip
    later = len(lines)
    lines += [line for line in kept if trf.after_players(line) and line[:3] != ASSIGNED]
    lines.append(f"XXR {event.settings.rounds or event.round}")
    if event.settings.tie_breaks and not _breaks_ties_by(kept, event.settings.tie_breaks):
        lines.append(f"212 {','.join(['PTS', *map(_code, event.settings.tie_breaks)])}")
    if event.initial_side is not None:
        lines.append(f"XXC {('white1', 'black1')[event.initial_side]}")
    if scores:
        lines += [f"XXS {' '.join(scores)}", *_symbols(points)]
    lines += [" ".join([f"XXA {numbers[k]:>4}", *(f"{_tenths(Fraction(int(v), event.scale)):>4}"
                                                  for v in row)])
              for k, row in enumerate(event.acceleration) if row.any()]  # fmt: skip
    there = {each for line in kept for each in _prohibited(line)}
    lines += [
        "260 {:>3} {:>3} {:>4} {:>4}".format(*each.rounds, each.one, each.two)
        if each.rounds else f"XXP {each.one} {each.two}"
        for each in _numbered(event, numbers) if each not in there
    ]  # fmt: skip
    besides = [line for line in kept if line[:3] == ASSIGNED]
    if not _assigns(besides, lines, event):
        besides = _assigned(event, numbers)
        besides = besides if _assigns(besides, lines, event) else []
    lines[later:later] = besides
    return Text("\n".join([*lines, ""]))


def _assigned(event: Event, numbers: list[int]) -> list[str]:
    """The lines of points that no result explains: those of all rounds, then round by round."""
    given = np.column_stack([event.brought, event.adjusted])
    return [
        f"{ASSIGNED}{'':9}{_decimal(event.points_text(int(given[k, turn]))):>5}  {turn:>3} "
        f"{numbers[k]:>4}"
        for k, turn in zip(*map(np.ndarray.tolist, given.nonzero()), strict=True)
    ]


def _assigns(said: list[str], lines: list[str], event: Event) -> bool:
    """Whether a file with these lines has the points of the event that no result explains."""
    if not said:
        return not event.brought.any() and not event.adjusted.any()
    try:
        again = read(Source(event.source, "\n".join([*lines, *said])), Reading())
    except InputError:
        return False
    kinds = ("lost.brought", "lost.adjusted")
    return all(FACTS[kind](again) == FACTS[kind](event) for kind in kinds)


def _numbered(event: Event, numbers: list[int]) -> list[Prohibited]:
    pairs = ((numbers[each.one], numbers[each.two], each.rounds) for each in event.prohibited)
    return [Prohibited(min(one, two), max(one, two), rounds) for one, two, rounds in pairs]


def _by_place(event: Event) -> bool:
    """Whether the file of the event says that places rank players, and they still do."""
    placed = (event.start_numbers == np.arange(1, len(event.players) + 1)).all()
    return bool(placed) and any(map(trf.ranks_by_place, event.origin.facts.get("trf", [])))


def _kept(event: Event, numbers: list[int]) -> list[str]:
    """The lines of the file that the event was made from which are true still."""
    same, apart = [*map(str, numbers)] == [*event.players], {*_numbered(event, numbers)}
    lines = (" ".join(line.splitlines()).rstrip() for line in event.origin.facts.get("trf", []))
    made = [_counting(line, len(event.players)) for line in lines]
    return [
        line for line in made
        if (same or not trf.OF_PLAYERS.match(line))
        and _prohibited(line) <= apart
        and (not trf.ranks_by_place(line) or _by_place(event))
        and (line[:3] not in ("192", "092") or _means(line, event.settings.model))
        and (line[:3] != "212" or _breaks_ties_by(made, event.settings.tie_breaks))
    ]  # fmt: skip


def _records_of(lines: Iterable[str], starts: Collection[int] = ()) -> trf.Records:
    records = trf.Records(starts, [])
    for number, line in enumerate(lines, 1):
        records.add(line, number)
    return records


def _counting(line: str, players: int) -> str:
    """A line, with this number of players where it says another one."""
    said = line[3:].split()[:1]
    other = line[:3] == "062" and said and said[0].isdecimal() and said[0] != str(players)
    return f"062 {players}" if other else line


def _prohibited(line: str) -> set[Prohibited]:
    if line[:3] != "260":
        return set()
    return {*_records_of([line], range(1, trf.MOST_NUMBER + 1)).prohibited()}


def _breaks_ties_by(lines: list[str], tie_breaks: tuple[str, ...] | None) -> bool:
    """Whether lines name these tie-breaks, as far as they are known."""
    return (tuple(filter(known, _records_of(lines).tie_breaks)) or None) == tie_breaks


def _means(line: str, model: str | None) -> bool:
    record = _records_of([line])
    return not record.system or record.model == model


def _ranked(event: Event) -> tuple[Standing, ...]:
    """The standings by the event's tie-breaks; by the usual ones where it cannot tell these."""
    try:
        return ranked(event, tie_breaks_of(event))
    except UsageError:
        return ranked(event)


def _code(name: str) -> str:
    """The code of a tie-break; FIDE has none but its own."""
    code = tie_break_of(name).code
    return code if code.isupper() else f"OTHER_{code.upper()}"


def starting_numbers(event: Event) -> list[int]:
    """Starting numbers, by which other programs rank; players' own numbers if they rank so too."""
    own, start = numbers_of(event, trf.MOST_NUMBER), event.start_numbers
    ranked = (np.argsort(own) == np.argsort(start)).all() or _by_place(event)
    if ranked and len(set(own)) == len(own):
        return own
    numbers = start if start.max() <= trf.MOST_NUMBER else np.argsort(np.argsort(start)) + 1
    return [*map(int, numbers)]


def _entries(event: Event) -> Iterable[_Entry]:
    """An entry for each player of each row, and for those who are away in the round to come."""
    rows, usual = event.matches, event.settings.points or shown_points(event)[0]
    if event.declared_active is not None:
        seen = rows.take(rows.round == event.round).seen(len(event.players))
        for k in np.flatnonzero(~event.declared_active & ~seen).tolist():
            yield _Entry(k, event.round, "ZPB", Fraction(0), -1, -1)
    for k in range(len(rows)):
        one, two, turn = int(rows.first[k]), int(rows.second[k]), int(rows.round[k])
        status, side = int(rows.status[k]), int(rows.side[k])
        mine, theirs = (Fraction(int(s[k]), event.scale) for s in (rows.score1, rows.score2))
        if two < 0:
            kind = {BYE_ROW: "PAB", REQUESTED: "asked"}[status]
            yield _Entry(one, turn, kind, mine, -1, -1)
            continue
        kinds = _kinds(status, bool(rows.scored[k]), mine, theirs, usual)
        rated = event.origin.cell(trf.RATED, int(rows.row[k])) != "false"
        yield _Entry(one, turn, kinds[0], mine, two, side, rated)
        yield _Entry(two, turn, kinds[1], theirs, one, 1 - side if side >= 0 else -1, rated)


def _kinds(
    status: int, scored: bool, mine: Fraction, theirs: Fraction, usual: Points | None
) -> tuple[str, str]:
    """What a match was for its two players; empty where it is not played yet."""
    if not scored:
        return "", ""
    if status == FORFEIT:
        return ("FW" if mine > theirs else "FL"), ("FW" if theirs > mine else "FL")
    if usual and not usual.game and (mine, theirs) in usual.decided:  # an arbiter's decision
        return ("L" if mine == usual.loss else "D"), ("L" if theirs == usual.loss else "D")
    if mine == theirs:
        return ("L", "L") if mine == 0 else ("D", "D")
    return ("W", "L") if mine > theirs else ("L", "W")


def _points(event: Event, entries: list[_Entry]) -> dict[str, str]:
    """Points of each kind of result; byes asked for become H, F or Z by their points."""
    said = event.settings.points
    found: dict[str, Fraction] = {}
    for entry in entries:
        if entry.kind in ("", "asked"):
            continue
        if found.setdefault(entry.kind, entry.points) != entry.points:
            first, second = sorted((found[entry.kind], entry.points))
            raise UsageError("trf.two_points", one=first, two=second)
    win = found.get("W", Fraction(trf.POINTS["W"]) if said is None else said.win)
    for k, entry in enumerate(entries):
        if entry.kind == "asked":
            kind = {Fraction(0): "ZPB", win: "FPB"}.get(entry.points, "HPB")
            if found.setdefault(kind, entry.points) != entry.points:
                raise UsageError("trf.two_byes")
            entries[k] = _Entry(entry.player, entry.round, kind, entry.points, -1, -1)
    if said is not None:
        each = {"W": said.win, "D": said.draw, "L": said.loss, "PAB": said.allocated_bye}
        found = {**each, **found}
    return {name: decimal_text(value) for name, value in found.items()}


def _symbols(points: dict[str, str]) -> list[str]:
    """The line of 162, which other programs read; none where it cannot say these points."""
    said = {symbol: name for symbol, name in SYMBOLS_WRITTEN.items() if name in points}
    own = ((points[name], trf.SYMBOLS[symbol]) for symbol, name in said.items())
    meant = trf.POINTS | {name: value for value, names in own for name in names}
    cells = [f"{symbol}{_decimal(points[name]):>4}" for symbol, name in said.items()]
    fits = all(len(cell) == SYMBOL_WIDTH for cell in cells)
    if not fits or any(meant[name] != value for name, value in points.items()):
        return []
    return ["162  " + "    ".join(cells)]


def _decimal(value: str) -> str:
    return value if "." in value else f"{value}.0"


def _tenths(points: Fraction) -> str:
    """Points with one decimal, as programs expect them; they count from the rounds anyway."""
    return f"{float(points):.1f}"


def _cells(event: Event, name: str) -> list[str]:
    """The cells of a column of players.csv as a TRF has them, those that it can hold."""
    made = [*map(_one_line, event.columns.get(name, ("",) * len(event.players)))]
    if name == "sex":
        made = [SEXES.get(cell.casefold(), "") for cell in made]
    if name == "birth":
        made = [cell.replace("-", "/") for cell in made]
    return [cell if len(cell) <= WIDTHS[name] else "" for cell in made]


def _one_line(name: str) -> str:
    return " ".join(name.split())
