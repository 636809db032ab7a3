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

NAME_WIDTH = 33
MOST_RATING = 9999
LETTERS = trf.TABLES["LETTER_OF"]
SYMBOLS_WRITTEN = trf.TABLES["WRITTEN"]
UNRATED = LETTERS | {"W": "W", "D": "D", "L": "L"}
WIDTHS = {name: end - begin for name, (begin, end) in trf.TABLES["COLUMNS"].items()}
"""Of the columns of players.csv that player lines have room for."""
ASSIGNED = "299"
ASKED = "asked"
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
    content = _TrfContent(event)
    unassigned_lines = [line for line in content.kept if line[:3] != ASSIGNED]
    own_records = [*content.records()]
    for kept_lines in (
        content.kept,
        [*unassigned_lines, *content.assigned()],
        unassigned_lines,
    ):
        text = content.text(kept_lines, own_records, content.paired)
        if _has_same_assigned_points(text, event):
            break
    return EventText(text)


def write16(event: Event) -> EventText:
    """Write an event as a TRF16.

    Raises UsageError for results that TRF cannot express.
    """
    content = _TrfContent(event)
    kept_lines = [*filter(OF_TRF16.match, content.kept)]
    return EventText(
        content.text(kept_lines, [], trf.MOST_NUMBER, [*content.lines16()])
    )


def require_right_fide_data(event: Event) -> None:
    """Raise UsageError with every cell of FIDE data that cannot be right."""
    columns = {name: _format_column(event, name) for name in FIDE_COLUMNS}
    notes = [
        with_heading(message("fide_data.of_player", player=event.shown[player]), reason)
        for player, _, reason in find_fide_data_faults(columns, ratings_of(event))
    ]
    if notes:
        raise UsageError("fide_data.wrong", *notes)


class _TrfContent:
    """The parts of a TRF: numbers and cells of players, points, kept lines.

    `points` are those of results by the names of XXS. `paired` is the last round that
    is paired or over. `kept` are lines of the event's source file that are still true.
    """

    def __init__(self, event: Event) -> None:
        most_number = trf.MOST_NUMBER
        rows = event.matches
        if len(event.players) > most_number:
            raise UsageError(
                "trf.too_many_players", most=most_number, players=len(event.players)
            )
        if open_ := len(event.adjourned):
            raise UsageError("trf.adjourned", count=open_)
        require_right_fide_data(event)
        self.event = event
        self.numbers = choose_starting_numbers(event)
        self.rounds = event.settings.rounds or event.round
        paired = int(rows.round[rows.status != REQUESTED].max(initial=0))
        self.paired = max(paired, event.origin.rounds_over)
        kept_lines = _keep_lines(event, self.numbers)
        remarks = (line.line for line in event.origin.breaches)
        self.kept = [
            *kept_lines,
            *(
                line
                for line in dict.fromkeys(remarks)
                if line and line not in kept_lines
            ),
        ]
        self.points, entries = _find_points(event)
        self.cells: list[dict[int, str]] = [{} for _ in self.numbers]
        for entry in entries:
            opponent_text = (
                f"{self.numbers[entry.opponent]:>4}" if entry.opponent >= 0 else "0000"
            )
            letter = (LETTERS if entry.rated else UNRATED).get(entry.kind, " ")
            side = "-" if entry.side < 0 else "wb"[entry.side]
            self.cells[entry.player][entry.round] = f"{opponent_text} {side} {letter}"

    def text(
        self,
        kept_lines: list[str],
        own_records: list[str],
        last_round: int,
        end_lines: Sequence[str] = (),
    ) -> str:
        """Join the lines of the file.

        `own_records` lines and comments go before those of the players, which have rounds up to
        `last_round`; `end_lines` lines go last.
        """
        parts: list[list[str]] = [[], [], []]
        for line in kept_lines:
            parts[
                2 if trf.belongs_after_players(line) else line.startswith("###")
            ].append(line)
        head, comments, lines_after = parts
        head = [
            f"012 {_join_lines(self.event.settings.title)}",
            *head,
            f"062 {len(self.numbers)}",
        ]
        return "\n".join(
            [
                *head,
                *own_records,
                *comments,
                *self.players(last_round),
                *lines_after,
                *end_lines,
                "",
            ]
        )

    def players(self, last_round: int) -> Iterator[str]:
        """Yield the lines of the players, with rounds up to `last_round`.

        Points have one decimal, as programs expect, and are left out if they need more
        than four columns.
        """
        event = self.event
        try:
            lines = rank_players(event, tie_breaks_of(event))
        except UsageError:  # it cannot tell these
            lines = rank_players(event)
        standing_by_player = {line.player: line for line in lines}
        column_cells = {name: _format_column(event, name) for name in WIDTHS}
        ratings = event.columns.get("rating")
        for index, player in enumerate(event.players):
            rating = (
                str(int(event.rating[index]))
                if ratings is None
                else ratings[index].strip()
            )
            rating = "" if parse_digits(rating, MOST_RATING) is None else rating
            total = f"{float(standing_by_player[player].points):.1f}"
            cell_texts = {
                column: fitting[index] for column, fitting in column_cells.items()
            }
            head = (
                f"001 {self.numbers[index]:>4} {cell_texts['sex']:1}{cell_texts['title']:>3} "
                f"{_join_lines(event.names[index])[:NAME_WIDTH]:<33} {rating:>4} "
                f"{cell_texts['federation']:<3} {cell_texts['fide_id']:>11} {cell_texts['birth']:<10} "
                f"{total if len(total) <= 4 else '':>4} {standing_by_player[player].rank:>4}"
            )
            cells = self.cells[index]
            round_numbers = range(
                1,
                max(
                    (
                        round_number
                        for round_number in cells
                        if round_number <= last_round
                    ),
                    default=0,
                )
                + 1,
            )
            yield f"{head:<89}" + "".join(
                f"  {cells.get(round_number, ''):8}" for round_number in round_numbers
            )

    def records(self) -> Iterator[str]:
        """Yield the records of TRF26, but for points that no result explains."""
        event = self.event
        breaks = self.event.settings.tie_breaks
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
            for round_number in (
                round_number for round_number in cells if round_number > self.paired
            ):
                byes.setdefault((round_number, cells[round_number][-1]), []).append(
                    f" {number:>4}"
                )
        yield from (
            f"240 {letter} {round_number:>3}{''.join(number_texts)}"
            for (round_number, letter), number_texts in sorted(byes.items())
        )
        order = np.argsort(self.numbers)
        for round_number, amounts in enumerate(
            event.acceleration.T[:, order].tolist(), 1
        ):
            for amount, group in groupby(
                zip(amounts, order, strict=True), lambda of: of[0]
            ):
                group_numbers = [self.numbers[k] for _, k in group]
                if (
                    amount
                    and len(
                        points_text := _format_decimal(Fraction(amount, event.scale))
                    )
                    <= 4
                ):
                    yield f"250 {'':4} {points_text:>4} {round_number:>3} {round_number:>3} {group_numbers[0]:>4} {group_numbers[-1]:>4}"
        for pair in event.prohibited:
            first_number, second_number = sorted(
                (self.numbers[pair.one], self.numbers[pair.two])
            )
            first_round, last_round = pair.rounds or (1, self.rounds)
            last_round = min(last_round, max(first_round, self.rounds))
            yield f"260 {first_round:>3} {last_round:>3} {first_number:>4} {second_number:>4}"
        yield from points[1:]

    def assigned(self) -> Iterator[str]:
        """Yield assigned points as records 299: of all rounds, then by round."""
        event = self.event
        points_by_round = np.column_stack([event.brought, event.adjusted])
        for player, round_number in np.argwhere(points_by_round).tolist():
            amount = _format_decimal(
                Fraction(int(points_by_round[player, round_number]), event.scale)
            )
            yield f"{ASSIGNED}{'':9}{amount:>5}  {round_number:>3} {self.numbers[player]:>4}"

    def lines16(self) -> Iterator[str]:
        """Yield the XX lines of TRF16."""
        event = self.event
        yield f"XXR {self.rounds}"
        if event.initial_side is not None:
            yield f"XXC {('white1', 'black1')[event.initial_side]}"
        if scores := _format_xxs(self.points):
            first_record, *further_records = format_points_records(self.points)
            yield from (
                [scores]
                if further_records or first_record == scores
                else [scores, first_record]
            )
        for number, line in zip(self.numbers, event.acceleration.tolist(), strict=True):
            if any(line):
                points_texts = (
                    _format_decimal(Fraction(value, event.scale)) for value in line
                )
                yield " ".join(
                    [f"XXA {number:>4}", *(f"{value:>4}" for value in points_texts)]
                )
        for pair in pairs_forbidden_in(event.prohibited, self.paired + 1):
            yield "XXP {} {}".format(*sorted(self.numbers[k] for k in pair))


def format_points_records(points: Mapping[str, Fraction]) -> list[str]:
    """Format the points of results as record 162, and 299 for further results.

    Returns an XXS line instead if they have no room there, and nothing for the usual
    points.
    """
    if not (scores := _format_xxs(points)):
        return []
    points_by_default = {name: Fraction(value) for name, value in trf.POINTS.items()}
    cells = []
    for symbol, name in SYMBOLS_WRITTEN.items():
        if name in points and (symbol != "A" or points[name]):  # bbpPairings knows no A
            points_by_default |= dict.fromkeys(trf.SYMBOLS[symbol], points[name])
            cells.append(f"{symbol}{_format_decimal(points[name]):>4}")
    letters = {name: letter for letter, name in trf.ASSIGNED.items()}
    further_lines = [
        f"{ASSIGNED} {letters[name]}{'':7}{_format_decimal(value):>5}"
        for name, value in points.items()
        if points_by_default[name] != value
    ]
    fits = all(len(cell) == 5 for cell in cells) and all(
        len(line) == 17 for line in further_lines
    )
    return ["162  " + "    ".join(cells), *further_lines] if fits else [scores]


def _format_xxs(points: Mapping[str, Fraction]) -> str:
    """Format the points that differ from the usual ones as an XXS line.

    Returns "" if none do.
    """
    parts = [
        f"{code}={_format_decimal(value)}"
        for name, value in points.items()
        if Fraction(trf.POINTS[name]) != value
        for code in CODES.get(name, (name,))
    ]
    return f"XXS {' '.join(parts)}" if parts else ""


def _has_same_assigned_points(text: str, event: Event) -> bool:
    """Return whether a TRF gives the points of the event that no result explains."""
    if f"\n{ASSIGNED}" not in text:
        return not event.brought.any() and not event.adjusted.any()
    try:
        event_again = read(TextSource(event.source, text), ReadOptions())
    except InputError:
        return False
    kinds = ("lost.brought", "lost.adjusted")
    return all(FACTS[kind](event_again) == FACTS[kind](event) for kind in kinds)


def _is_ranked_by_place(event: Event) -> bool:
    """Return whether the source file ranks players by place, and still rightly."""
    placed = (event.start_numbers == np.arange(1, len(event.players) + 1)).all()
    return bool(placed) and any(
        map(trf.is_ranking_by_place, event.origin.facts.get("trf", []))
    )


def _keep_lines(event: Event, numbers: list[int]) -> list[str]:
    """Return the lines of the event's source file that are still true."""
    has_same_numbers = [*map(str, numbers)] == [*event.players]
    lines = (
        " ".join(line.splitlines()).rstrip()
        for line in event.origin.facts.get("trf", [])
    )
    further_lines = [line for line in lines if not trf.is_written_from_event(line)]
    has_tie_breaks = _has_same_tie_breaks(further_lines, event.settings.tie_breaks)
    return [
        line
        for line in further_lines
        if (has_same_numbers or not trf.OF_PLAYERS.match(line))
        and (not trf.is_ranking_by_place(line) or _is_ranked_by_place(event))
        and (
            line[:3] not in ("192", "092")
            or _has_same_system(line, event.settings.model)
        )
        and (line[:3] not in ("202", "212") or has_tie_breaks)
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
    own_numbers = choose_player_numbers(event, trf.MOST_NUMBER)
    start_numbers = event.start_numbers
    has_same_order = (
        np.argsort(own_numbers) == np.argsort(start_numbers)
    ).all() or _is_ranked_by_place(event)
    if has_same_order and len(set(own_numbers)) == len(own_numbers):
        return own_numbers
    numbers = (
        start_numbers
        if start_numbers.max() <= trf.MOST_NUMBER
        else np.argsort(np.argsort(start_numbers)) + 1
    )
    return [*map(int, numbers)]


def _list_entries(event: Event) -> Iterable[_RoundEntry]:
    """Yield an entry per player of each match, and per player absent next round."""
    rows = event.matches
    usual_points = event.settings.points or points_shown_by_results(event)[0]
    if event.declared_active is not None:
        is_paired = rows.take(rows.round == event.round).player_mask(len(event.players))
        for k in np.flatnonzero(~event.declared_active & ~is_paired).tolist():
            yield _RoundEntry(k, event.round, "ZPB", Fraction(0), -1, -1)
    for k in range(len(rows)):
        first_player = int(rows.first[k])
        second_player = int(rows.second[k])
        round_number = int(rows.round[k])
        status = int(rows.status[k])
        side = int(rows.side[k])
        first_points, second_points = (
            Fraction(int(scores[k]), event.scale)
            for scores in (rows.score1, rows.score2)
        )
        if second_player < 0:
            kind = {BYE_ROW: "PAB", REQUESTED: ASKED}[status]
            yield _RoundEntry(first_player, round_number, kind, first_points, -1, -1)
            continue
        kinds = _find_result_kinds(
            status, bool(rows.scored[k]), first_points, second_points, usual_points
        )
        rated = event.origin.cell(trf.RATED, int(rows.row[k])) != "false"
        yield _RoundEntry(
            first_player,
            round_number,
            kinds[0],
            first_points,
            second_player,
            side,
            rated,
        )
        yield _RoundEntry(
            second_player,
            round_number,
            kinds[1],
            second_points,
            first_player,
            1 - side if side >= 0 else -1,
            rated,
        )


def _find_result_kinds(
    status: int,
    scored: bool,
    first_points: Fraction,
    second_points: Fraction,
    usual_points: Points | None,
) -> tuple[str, str]:
    """Return what a match was for its two players, as names of XXS.

    Returns "" if it is open.
    """
    if not scored:
        return "", ""
    if status == FORFEIT:
        return ("FW" if first_points > second_points else "FL"), (
            "FW" if second_points > first_points else "FL"
        )
    if (
        usual_points
        and not usual_points.game
        and (first_points, second_points) in usual_points.decided
    ):  # an arbiter's decision
        return ("L" if first_points == usual_points.loss else "D"), (
            "L" if second_points == usual_points.loss else "D"
        )
    if first_points == second_points:
        return ("L", "L") if first_points == 0 else ("D", "D")
    return ("W", "L") if first_points > second_points else ("L", "W")


def _find_points(event: Event) -> tuple[dict[str, Fraction], list[_RoundEntry]]:
    """Return the points of each kind of result, and the entries of all players.

    Requested byes become H, F or Z by their points. Raises UsageError if one kind of
    result gives different points.
    """
    event_points = event.settings.points
    entries = []
    points_by_kind: dict[str, Fraction] = {}
    for entry in sorted(
        _list_entries(event),
        key=lambda values: (values.kind == ASKED) * (1 + values.points),
    ):
        kind = entry.kind
        points = entry.points
        if kind == ASKED:
            win = points_by_kind.get(
                "W",
                Fraction(trf.POINTS["W"]) if event_points is None else event_points.win,
            )
            likely_kind = {Fraction(0): "ZPB", win: "FPB"}.get(points, "HPB")
            kind = next(
                (
                    values
                    for values in (likely_kind, "HPB", "FPB", "ZPB")
                    if points_by_kind.get(values, points) == points
                ),
                likely_kind,
            )
        if kind and points_by_kind.setdefault(kind, points) != points:
            smaller, larger = sorted((points_by_kind[kind], points))
            raise UsageError("trf.two_points", one=smaller, two=larger)
        entries.append(entry._replace(kind=kind))
    if event_points is not None:
        values = {
            "W": event_points.win,
            "D": event_points.draw,
            "L": event_points.loss,
            "PAB": event_points.allocated_bye,
        }
        points_by_kind = {**values, **points_by_kind}
    return points_by_kind, entries


def _format_decimal(value: Fraction) -> str:
    """Format a number with at least one decimal."""
    text = decimal_text(value)
    return text if "." in text else f"{text}.0"


def _format_column(event: Event, name: str) -> list[str]:
    """Return the cells of a column of players.csv as a TRF has them.

    Returns "" if they do not fit.
    """
    cells = [*map(_join_lines, event.columns.get(name, ("",) * len(event.players)))]
    if name == "sex":
        cells = [SEXES.get(cell.casefold(), "") for cell in cells]
    if name == "birth":
        cells = [cell.replace("-", "/") for cell in cells]
    return [cell if len(cell) <= WIDTHS[name] else "" for cell in cells]


def _join_lines(name: str) -> str:
    """Return a text in one line, with single blanks."""
    return " ".join(name.split())
