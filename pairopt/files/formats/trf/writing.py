"""TRF, written: the same fixed columns as are read, points other than 1, 0.5, 0 in XXS and 162."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.columns import OWN
from pairopt.event.event import BYE_ROW, FORFEIT, NO_RATING, PLAYED, REQUESTED, Event
from pairopt.event.standings import Standing, ranked, tie_breaks_of
from pairopt.event.tie_breaks import tie_break_of
from pairopt.files.formats.base import Text, numbers_of
from pairopt.files.formats.trf.records import MOST_NUMBER, POINTS, SYMBOLS
from pairopt.files.schema import whole_number
from pairopt.wording import decimal_text

NAME_WIDTH, MOST_RATING = 33, 9999
LETTERS = {"W": "1", "D": "=", "L": "0", "FW": "+", "FL": "-",
           "HPB": "H", "FPB": "F", "ZPB": "Z", "PAB": "U"}  # fmt: skip

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


def write(event: Event) -> Text:
    """The event as a TRF, and what is lost. Raises UsageError for results TRF has no word for."""
    if len(event.players) > MOST_NUMBER:
        found = len(event.players)
        raise UsageError(
            f"a TRF holds at most {MOST_NUMBER:,} players, and this event has {found:,}"
        )
    numbers, notes = starting_numbers(event)
    entries = list(_entries(event))
    points = _points(entries)
    cells: dict[int, dict[int, str]] = {}
    for entry in entries:
        opponent = numbers[entry.opponent] if entry.opponent >= 0 else 0
        shown = f"{opponent:>4}" if opponent else "0000"
        letter = LETTERS.get(entry.kind, " ")
        side = "-" if entry.side < 0 else "wb"[entry.side]
        cells.setdefault(entry.player, {})[entry.round] = f"{shown} {side} {letter}"
    rank = {line.player: line for line in _ranked(event)}
    federation = event.columns.get("federation", ("",) * len(event.players))
    lines = [f"012 {_one_line(event.settings.title)}"]
    for k, player in enumerate(event.players):
        shown = _rating(event, k)
        total = _tenths(rank[player].points)
        total = total if len(total) <= 4 else ""  # read from the rounds anyway
        name = _one_line(event.names[k])[:NAME_WIDTH]
        head = (
            f"001 {numbers[k]:>4}      {name:<33} {shown:>4} "
            f"{federation[k][:3]:<3} {'':<11} {'':<10} {total:>4} {rank[player].rank:>4}"
        )
        own = cells.get(k, {})
        turns = [own.get(turn, " " * 8) for turn in range(1, max(own, default=0) + 1)]
        lines.append(f"{head:<89}" + "".join(f"  {cell}" for cell in turns))
    scores = [
        f"{code}={_decimal(value)}"
        for name, value in points.items()
        if POINTS[name] != value
        for code in CODES.get(name, (name,))
    ]
    lines.append(f"XXR {_rounds(event)}")
    if event.settings.tie_breaks:
        lines.append(f"212 {','.join(['PTS', *map(_code, event.settings.tie_breaks)])}")
    if event.initial_side is not None:
        lines.append(f"XXC {('white1', 'black1')[event.initial_side]}")
    if scores:
        lines += [f"XXS {' '.join(scores)}", *_symbols(points)]
    lines += [
        f"XXA {numbers[k]:>4} "
        + " ".join(f"{_tenths(Fraction(int(v), event.scale)):>4}" for v in row)
        for k, row in enumerate(event.acceleration)
        if row.any()
    ]
    lines += [f"XXP {numbers[one]} {numbers[two]}" for one, two in event.forbidden]
    return Text("\n".join([*lines, ""]), [*notes, *_lost(event)])


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


def starting_numbers(event: Event) -> tuple[list[int], list[str]]:
    """Starting numbers, by which other programs rank; players' own numbers if they rank so too."""
    own, notes = numbers_of(event, MOST_NUMBER)
    start = event.start_numbers
    if (np.argsort(own) == np.argsort(start)).all() and len(set(own)) == len(own):
        return own, notes
    numbers = start if start.max() <= MOST_NUMBER else np.argsort(np.argsort(start)) + 1
    return numbers.tolist(), ["players go by their starting numbers; their names are kept"]


def _entries(event: Event) -> Iterable[_Entry]:
    """An entry for each player of each row, and for those who are away in the round to come."""
    rows = event.matches
    if event.declared_active is not None:
        seen = set(rows.first[rows.round == event.round].tolist())
        seen |= set(rows.second[rows.round == event.round].tolist())
        for k in np.flatnonzero(~event.declared_active).tolist():
            if k not in seen:
                yield _Entry(k, event.round, "ZPB", Fraction(0), -1, -1)
    for k in range(len(rows)):
        one, two, turn = int(rows.first[k]), int(rows.second[k]), int(rows.round[k])
        status, side = int(rows.status[k]), int(rows.side[k])
        mine, theirs = (Fraction(int(s[k]), event.scale) for s in (rows.score1, rows.score2))
        if two < 0:
            kind = {BYE_ROW: "PAB", REQUESTED: "asked"}[status]
            yield _Entry(one, turn, kind, mine, -1, -1)
            continue
        kinds = _kinds(status, bool(rows.scored[k]), mine, theirs)
        yield _Entry(one, turn, kinds[0], mine, two, side)
        yield _Entry(two, turn, kinds[1], theirs, one, 1 - side if side >= 0 else -1)


def _kinds(status: int, scored: bool, mine: Fraction, theirs: Fraction) -> tuple[str, str]:
    """What a match was for its two players; empty where it is not played yet."""
    if not scored:
        return "", ""
    if status == FORFEIT:
        if mine == theirs:
            return "FL", "FL"
        return ("FW", "FL") if mine > theirs else ("FL", "FW")
    assert status == PLAYED
    if mine == theirs:
        return ("L", "L") if mine == 0 else ("D", "D")
    return ("W", "L") if mine > theirs else ("L", "W")


def _points(entries: list[_Entry]) -> dict[str, str]:
    """Points of each kind of result; byes asked for become H, F or Z by their points."""
    found: dict[str, Fraction] = {}
    for entry in entries:
        if entry.kind in ("", "asked"):
            continue
        if found.setdefault(entry.kind, entry.points) != entry.points:
            first, second = sorted((found[entry.kind], entry.points))
            raise UsageError(
                f"a TRF has one number of points for each result: {decimal_text(first)} and "
                f"{decimal_text(second)} are both in the event"
            )
    win = found.get("W", Fraction(POINTS["W"]))
    for k, entry in enumerate(entries):
        if entry.kind == "asked":
            kind = {Fraction(0): "ZPB", win: "FPB"}.get(entry.points, "HPB")
            if found.setdefault(kind, entry.points) != entry.points:
                raise UsageError("a TRF has no more than one half-point bye")
            entries[k] = _Entry(entry.player, entry.round, kind, entry.points, -1, -1)
    return {name: decimal_text(value) for name, value in found.items()}


def _symbols(points: dict[str, str]) -> list[str]:
    """The line of 162, which other programs read; none where it cannot say these points."""
    said = {symbol: name for symbol, name in SYMBOLS_WRITTEN.items() if name in points}
    meant = POINTS | {name: points[own] for symbol, own in said.items() for name in SYMBOLS[symbol]}
    cells = [f"{symbol}{_decimal(points[name]):>4}" for symbol, name in said.items()]
    fits = all(len(cell) == SYMBOL_WIDTH for cell in cells)
    if not fits or any(meant[name] != value for name, value in points.items()):
        return []
    return ["162  " + "    ".join(cells)]


def _decimal(value: str) -> str:
    return value if "." in value else f"{value}.0"


def _rating(event: Event, k: int) -> str:
    """A rating of up to four digits as it was given (decimals have a scale of their own)."""
    given = event.columns.get("rating")
    text = str(int(event.rating[k])) if given is None else given[k].strip()
    return "" if whole_number(text, MOST_RATING) is None else text


def _rounds(event: Event) -> int:
    """The number of rounds, as far as it is known: one that is not over yet is the last."""
    return max(event.settings.rounds or 0, event.round)


def _tenths(points: Fraction) -> str:
    """Points with one decimal, as programs expect them; they count from the rounds anyway."""
    return f"{float(points):.1f}"


def _one_line(name: str) -> str:
    return " ".join(name.split())


def _lost(event: Event) -> list[str]:
    """What a TRF cannot hold of an event."""
    rated = np.flatnonzero(event.rating != NO_RATING)
    wide = not all(_rating(event, int(k)) for k in rated)
    known = {*event.columns}.difference(OWN) - {"federation"}
    lost = {
        f"names are cut to {NAME_WIDTH} characters": any(len(n) > NAME_WIDTH for n in event.names),
        "lost: ratings that are no whole numbers of four digits": wide,
        "lost: tables": event.matches.table.any(),
        f"the number of rounds is not known: {event.round} are written": not event.settings.rounds,
        "lost: points brought in": event.brought.any(),
        "totals are rounded to tenths": any(
            (10 * line.points).denominator > 1 for line in ranked(event)
        ),
        "lost: fixed tables": event.fixed_table.any(),
        "lost: first-round byes": event.first_round_bye.any(),
        f"who has left is marked as absent in round {event.round}":
            event.declared_active is not None and not event.declared_active.all(),
        f"sides are written as white ({(event.sides or ('', ''))[0]}) and black":
            event.sides not in (None, ("white", "black")),
        f"lost: the columns {', '.join(sorted(known))}": known,
    }  # fmt: skip
    return [what for what, there in lost.items() if there]
