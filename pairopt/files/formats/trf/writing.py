"""Write TRF26 (FIDE Handbook C.02.03), or on request TRF16 with the XX lines of JaVaFo.

TRF16 has no word for some things: rounds in which a pair may not meet, tie-breaks,
points that no result explains, comments.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

import numpy as np

from pairopt.common.limits import parse_digits
from pairopt.errors import InputError, UsageError
from pairopt.event.event import BYE_ROW, FORFEIT, REQUESTED, Event
from pairopt.event.fide_data import COLUMNS as FIDE_COLUMNS
from pairopt.event.fide_data import find_fide_data_faults, ratings_of
from pairopt.event.forbidden_pairs import pairs_forbidden_in
from pairopt.event.points import Points
from pairopt.event.score_checks import points_shown_by_results
from pairopt.event.standings import rank_players, tie_breaks_of
from pairopt.event.tie_breaks import is_known, tie_break_of
from pairopt.files.build_event import ReadOptions
from pairopt.files.conversion_losses import FACTS, SEXES
from pairopt.files.formats.base import EventText, choose_player_numbers
from pairopt.files.formats.trf import records as trf
from pairopt.files.formats.trf.reading import read
from pairopt.files.formats.trf.records import parse_records
from pairopt.files.text_source import TextSource
from pairopt.messages import message, with_heading
from pairopt.messages.formatting import decimal_text

NAME_WIDTH, MOST_RATING = 33, 9999
LETTERS, SYMBOLS_WRITTEN = trf.TABLES["LETTER_OF"], trf.TABLES["WRITTEN"]
UNRATED = LETTERS | {"W": "W", "D": "D", "L": "L"}
WIDTHS = {name: end - begin for name, (begin, end) in trf.TABLES["COLUMNS"].items()}
"""Of the columns of players.csv that player lines have room for."""
ASSIGNED, ASKED = "299", "asked"
"""The code of points that no result explains, and a bye asked for, whatever its points."""
CODES = {name: (f"W{name}", f"B{name}") for name in "WDL"}
"""Points with either side: W alone would be those of forfeits and byes too."""
OF_TRF16 = re.compile(r"0[0-9]2|1[0-3]2|013|[A-Z]{3}")
"""Codes of lines that programs for TRF16 know, or pass over."""


class _RoundEntry(NamedTuple):
    """A player's round: result, points, opponent (-1 for none), side (-1 for none)."""

    player: int
    round: int
    kind: str
    points: Fraction
    opponent: int
    side: int
    rated: bool = True


def write(event: Event) -> EventText:
    """Write an event as a TRF26.

    Raises UsageError for results that TRF cannot express.
    """
    sheet = _TrfContent(event)
    plain, own = (
        [line for line in sheet.kept if line[:3] != ASSIGNED],
        [*sheet.records()],
    )
    for kept in (sheet.kept, [*plain, *sheet.assigned()], plain):
        text = sheet.text(kept, own, sheet.paired)
        if _has_same_assigned_points(text, event):
            break
    return EventText(text)


def write16(event: Event) -> EventText:
    """Write an event as a TRF16.

    Raises UsageError for results that TRF cannot express.
    """
    sheet = _TrfContent(event)
    kept = [*filter(OF_TRF16.match, sheet.kept)]
    return EventText(sheet.text(kept, [], trf.MOST_NUMBER, [*sheet.lines16()]))


def require_right_fide_data(event: Event) -> None:
    """Raise UsageError with every cell of FIDE data that cannot be right."""
    columns = {name: _format_column(event, name) for name in FIDE_COLUMNS}
    wrong = [
        with_heading(message("fide_data.of_player", player=event.shown[player]), said)
        for player, _, said in find_fide_data_faults(columns, ratings_of(event))
    ]
    if wrong:
        raise UsageError("fide_data.wrong", *wrong)


class _TrfContent:
    """The parts of a TRF: numbers and cells of players, points, kept lines.

    `points` are those of results by the names of XXS. `paired` is the last round that
    is paired or over. `kept` are lines of the event's source file that are still true.
    """

    def __init__(self, event: Event) -> None:
        most, rows = trf.MOST_NUMBER, event.matches
        if len(event.players) > most:
            raise UsageError(
                "trf.too_many_players", most=most, players=len(event.players)
            )
        if open_ := len(event.adjourned):
            raise UsageError("trf.adjourned", count=open_)
        require_right_fide_data(event)
        self.event, self.numbers = event, choose_starting_numbers(event)
        self.rounds = event.settings.rounds or event.round
        paired = int(rows.round[rows.status != REQUESTED].max(initial=0))
        self.paired = max(paired, event.origin.rounds_over)
        kept, remarks = (
            _keep_lines(event, self.numbers),
            (one.line for one in event.origin.breaches),
        )
        self.kept = [
            *kept,
            *(one for one in dict.fromkeys(remarks) if one and one not in kept),
        ]
        self.points, entries = _find_points(event)
        self.cells: list[dict[int, str]] = [{} for _ in self.numbers]
        for entry in entries:
            shown = (
                f"{self.numbers[entry.opponent]:>4}" if entry.opponent >= 0 else "0000"
            )
            letter = (LETTERS if entry.rated else UNRATED).get(entry.kind, " ")
            side = "-" if entry.side < 0 else "wb"[entry.side]
            self.cells[entry.player][entry.round] = f"{shown} {side} {letter}"

    def text(
        self, kept: list[str], own: list[str], last: int, end: Sequence[str] = ()
    ) -> str:
        """Join the lines of the file.

        `own` lines and comments go before those of the players, which have rounds up to
        `last`; `end` lines go last.
        """
        parts: list[list[str]] = [[], [], []]
        for line in kept:
            parts[
                2 if trf.belongs_after_players(line) else line.startswith("###")
            ].append(line)
        head, comments, after = parts
        head = [
            f"012 {_join_lines(self.event.settings.title)}",
            *head,
            f"062 {len(self.numbers)}",
        ]
        return "\n".join(
            [*head, *own, *comments, *self.players(last), *after, *end, ""]
        )

    def players(self, last: int) -> Iterator[str]:
        """Yield the lines of the players, with rounds up to `last`.

        Points have one decimal, as programs expect, and are left out if they need more
        than four columns.
        """
        event = self.event
        try:
            lines = rank_players(event, tie_breaks_of(event))
        except UsageError:  # it cannot tell these
            lines = rank_players(event)
        rank = {line.player: line for line in lines}
        own, ratings = (
            {name: _format_column(event, name) for name in WIDTHS},
            event.columns.get("rating"),
        )
        for k, player in enumerate(event.players):
            rating = (
                str(int(event.rating[k])) if ratings is None else ratings[k].strip()
            )
            rating = "" if parse_digits(rating, MOST_RATING) is None else rating
            total = f"{float(rank[player].points):.1f}"
            said = {column: fitting[k] for column, fitting in own.items()}
            head = (
                f"001 {self.numbers[k]:>4} {said['sex']:1}{said['title']:>3} "
                f"{_join_lines(event.names[k])[:NAME_WIDTH]:<33} {rating:>4} "
                f"{said['federation']:<3} {said['fide_id']:>11} {said['birth']:<10} "
                f"{total if len(total) <= 4 else '':>4} {rank[player].rank:>4}"
            )
            cells = self.cells[k]
            turns = range(
                1, max((turn for turn in cells if turn <= last), default=0) + 1
            )
            yield f"{head:<89}" + "".join(
                f"  {cells.get(turn, ''):8}" for turn in turns
            )

    def records(self) -> Iterator[str]:
        """Yield the records of TRF26, but for points that no result explains."""
        event, breaks = self.event, self.event.settings.tie_breaks
        yield f"142 {self.rounds}"
        if event.initial_side is not None:
            yield f"152 {'WB'[event.initial_side]}"
        points = format_points_records(self.points)
        yield from points[:1]
        system = trf.CODE_OF.get(event.settings.model or "")
        if system and not any(parse_records([line]).system for line in self.kept):
            yield f"192 {system}"
        if breaks and not _has_same_tie_breaks(self.kept, breaks):
            codes = [tie_break_of(name).code for name in breaks]
            codes = [
                code if code.isupper() else f"OTHER_{code.upper()}" for code in codes
            ]
            yield from (f"202 {','.join(codes)}", f"212 {','.join(['PTS', *codes])}")
        byes: dict[tuple[int, str], list[str]] = {}
        for number, cells in zip(self.numbers, self.cells, strict=True):
            for turn in (turn for turn in cells if turn > self.paired):
                byes.setdefault((turn, cells[turn][-1]), []).append(f" {number:>4}")
        yield from (
            f"240 {letter} {turn:>3}{''.join(each)}"
            for (turn, letter), each in sorted(byes.items())
        )
        order = np.argsort(self.numbers)
        for turn, amounts in enumerate(event.acceleration.T[:, order].tolist(), 1):
            for amount, group in groupby(
                zip(amounts, order, strict=True), lambda of: of[0]
            ):
                same = [self.numbers[k] for _, k in group]
                if (
                    amount
                    and len(shown := _format_decimal(Fraction(amount, event.scale)))
                    <= 4
                ):
                    yield f"250 {'':4} {shown:>4} {turn:>3} {turn:>3} {same[0]:>4} {same[-1]:>4}"
        for pair in event.prohibited:
            one, two = sorted((self.numbers[pair.one], self.numbers[pair.two]))
            first, last = pair.rounds or (1, self.rounds)
            last = min(last, max(first, self.rounds))
            yield f"260 {first:>3} {last:>3} {one:>4} {two:>4}"
        yield from points[1:]

    def assigned(self) -> Iterator[str]:
        """Yield assigned points as records 299: of all rounds, then by round."""
        event = self.event
        given = np.column_stack([event.brought, event.adjusted])
        for k, turn in np.argwhere(given).tolist():
            amount = _format_decimal(Fraction(int(given[k, turn]), event.scale))
            yield f"{ASSIGNED}{'':9}{amount:>5}  {turn:>3} {self.numbers[k]:>4}"

    def lines16(self) -> Iterator[str]:
        """Yield the XX lines of TRF16."""
        event = self.event
        yield f"XXR {self.rounds}"
        if event.initial_side is not None:
            yield f"XXC {('white1', 'black1')[event.initial_side]}"
        if scores := _format_xxs(self.points):
            first, *more = format_points_records(self.points)
            yield from [scores] if more or first == scores else [scores, first]
        for number, line in zip(self.numbers, event.acceleration.tolist(), strict=True):
            if any(line):
                shown = (_format_decimal(Fraction(each, event.scale)) for each in line)
                yield " ".join([f"XXA {number:>4}", *(f"{each:>4}" for each in shown)])
        for pair in pairs_forbidden_in(event.prohibited, self.paired + 1):
            yield "XXP {} {}".format(*sorted(self.numbers[k] for k in pair))


def format_points_records(points: Mapping[str, Fraction]) -> list[str]:
    """Format the points of results as record 162, and 299 for further results.

    Returns an XXS line instead if they have no room there, and nothing for the usual
    points.
    """
    if not (scores := _format_xxs(points)):
        return []
    meant = {name: Fraction(value) for name, value in trf.POINTS.items()}
    cells = []
    for symbol, name in SYMBOLS_WRITTEN.items():
        if name in points and (symbol != "A" or points[name]):  # bbpPairings knows no A
            meant |= dict.fromkeys(trf.SYMBOLS[symbol], points[name])
            cells.append(f"{symbol}{_format_decimal(points[name]):>4}")
    letters = {name: letter for letter, name in trf.ASSIGNED.items()}
    more = [
        f"{ASSIGNED} {letters[name]}{'':7}{_format_decimal(value):>5}"
        for name, value in points.items()
        if meant[name] != value
    ]
    fits = all(len(cell) == 5 for cell in cells) and all(
        len(line) == 17 for line in more
    )
    return ["162  " + "    ".join(cells), *more] if fits else [scores]


def _format_xxs(points: Mapping[str, Fraction]) -> str:
    """Format the points that differ from the usual ones as an XXS line.

    "" if none do.
    """
    found = [
        f"{code}={_format_decimal(value)}"
        for name, value in points.items()
        if Fraction(trf.POINTS[name]) != value
        for code in CODES.get(name, (name,))
    ]
    return f"XXS {' '.join(found)}" if found else ""


def _has_same_assigned_points(text: str, event: Event) -> bool:
    """Return whether a TRF gives the points of the event that no result explains."""
    if f"\n{ASSIGNED}" not in text:
        return not event.brought.any() and not event.adjusted.any()
    try:
        again = read(TextSource(event.source, text), ReadOptions())
    except InputError:
        return False
    kinds = ("lost.brought", "lost.adjusted")
    return all(FACTS[kind](again) == FACTS[kind](event) for kind in kinds)


def _is_ranked_by_place(event: Event) -> bool:
    """Return whether the source file ranks players by place, and still rightly."""
    placed = (event.start_numbers == np.arange(1, len(event.players) + 1)).all()
    return bool(placed) and any(
        map(trf.is_ranking_by_place, event.origin.facts.get("trf", []))
    )


def _keep_lines(event: Event, numbers: list[int]) -> list[str]:
    """Return the lines of the event's source file that are still true."""
    same = [*map(str, numbers)] == [*event.players]
    lines = (
        " ".join(line.splitlines()).rstrip()
        for line in event.origin.facts.get("trf", [])
    )
    made = [line for line in lines if not trf.is_written_from_event(line)]
    breaks = _has_same_tie_breaks(made, event.settings.tie_breaks)
    return [
        line
        for line in made
        if (same or not trf.OF_PLAYERS.match(line))
        and (not trf.is_ranking_by_place(line) or _is_ranked_by_place(event))
        and (
            line[:3] not in ("192", "092")
            or _has_same_system(line, event.settings.model)
        )
        and (line[:3] not in ("202", "212") or breaks)
    ]


def _has_same_tie_breaks(
    lines: Sequence[str], tie_breaks: tuple[str, ...] | None
) -> bool:
    """Return whether lines name these tie-breaks, ignoring unknown ones."""
    return (
        tuple(filter(is_known, parse_records(lines).tie_breaks)) or None
    ) == tie_breaks


def _has_same_system(line: str, model: str | None) -> bool:
    """Return whether a line names no system, or that of the model."""
    record = parse_records([line])
    return not record.system or record.model == model


def choose_starting_numbers(event: Event) -> list[int]:
    """Return starting numbers for the players, by which other programs rank them.

    These are the players' own numbers if they rank players in the same order.
    """
    own, start = choose_player_numbers(event, trf.MOST_NUMBER), event.start_numbers
    ranked = (np.argsort(own) == np.argsort(start)).all() or _is_ranked_by_place(event)
    if ranked and len(set(own)) == len(own):
        return own
    numbers = (
        start if start.max() <= trf.MOST_NUMBER else np.argsort(np.argsort(start)) + 1
    )
    return [*map(int, numbers)]


def _list_entries(event: Event) -> Iterable[_RoundEntry]:
    """Yield an entry per player of each match, and per player absent next round."""
    rows, usual = (
        event.matches,
        event.settings.points or points_shown_by_results(event)[0],
    )
    if event.declared_active is not None:
        seen = rows.take(rows.round == event.round).player_mask(len(event.players))
        for k in np.flatnonzero(~event.declared_active & ~seen).tolist():
            yield _RoundEntry(k, event.round, "ZPB", Fraction(0), -1, -1)
    for k in range(len(rows)):
        one, two, turn = int(rows.first[k]), int(rows.second[k]), int(rows.round[k])
        status, side = int(rows.status[k]), int(rows.side[k])
        mine, theirs = (
            Fraction(int(s[k]), event.scale) for s in (rows.score1, rows.score2)
        )
        if two < 0:
            kind = {BYE_ROW: "PAB", REQUESTED: ASKED}[status]
            yield _RoundEntry(one, turn, kind, mine, -1, -1)
            continue
        kinds = _find_result_kinds(status, bool(rows.scored[k]), mine, theirs, usual)
        rated = event.origin.cell(trf.RATED, int(rows.row[k])) != "false"
        yield _RoundEntry(one, turn, kinds[0], mine, two, side, rated)
        yield _RoundEntry(
            two, turn, kinds[1], theirs, one, 1 - side if side >= 0 else -1, rated
        )


def _find_result_kinds(
    status: int, scored: bool, mine: Fraction, theirs: Fraction, usual: Points | None
) -> tuple[str, str]:
    """Return what a match was for its two players, as names of XXS.

    "" if it is open.
    """
    if not scored:
        return "", ""
    if status == FORFEIT:
        return ("FW" if mine > theirs else "FL"), ("FW" if theirs > mine else "FL")
    if (
        usual and not usual.game and (mine, theirs) in usual.decided
    ):  # an arbiter's decision
        return ("L" if mine == usual.loss else "D"), (
            "L" if theirs == usual.loss else "D"
        )
    if mine == theirs:
        return ("L", "L") if mine == 0 else ("D", "D")
    return ("W", "L") if mine > theirs else ("L", "W")


def _find_points(event: Event) -> tuple[dict[str, Fraction], list[_RoundEntry]]:
    """Return the points of each kind of result, and the entries of all players.

    Requested byes become H, F or Z by their points. Raises UsageError if one kind of
    result gives different points.
    """
    said, entries = event.settings.points, []
    found: dict[str, Fraction] = {}
    for entry in sorted(
        _list_entries(event), key=lambda each: (each.kind == ASKED) * (1 + each.points)
    ):
        kind, points = entry.kind, entry.points
        if kind == ASKED:
            win = found.get(
                "W", Fraction(trf.POINTS["W"]) if said is None else said.win
            )
            likely = {Fraction(0): "ZPB", win: "FPB"}.get(points, "HPB")
            kind = next(
                (
                    each
                    for each in (likely, "HPB", "FPB", "ZPB")
                    if found.get(each, points) == points
                ),
                likely,
            )
        if kind and found.setdefault(kind, points) != points:
            first, second = sorted((found[kind], points))
            raise UsageError("trf.two_points", one=first, two=second)
        entries.append(entry._replace(kind=kind))
    if said is not None:
        each = {
            "W": said.win,
            "D": said.draw,
            "L": said.loss,
            "PAB": said.allocated_bye,
        }
        found = {**each, **found}
    return found, entries


def _format_decimal(value: Fraction) -> str:
    """Format a number with at least one decimal."""
    text = decimal_text(value)
    return text if "." in text else f"{text}.0"


def _format_column(event: Event, name: str) -> list[str]:
    """Return the cells of a column of players.csv as a TRF has them.

    "" if they do not fit.
    """
    made = [*map(_join_lines, event.columns.get(name, ("",) * len(event.players)))]
    if name == "sex":
        made = [SEXES.get(cell.casefold(), "") for cell in made]
    if name == "birth":
        made = [cell.replace("-", "/") for cell in made]
    return [cell if len(cell) <= WIDTHS[name] else "" for cell in made]


def _join_lines(name: str) -> str:
    """Return a text in one line, with single blanks."""
    return " ".join(name.split())
