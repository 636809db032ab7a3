"""Pair the next round of reports (-p), check rounds (-c), and write checklists (-l).

Pairs are lines of two start numbers. A checklist shows what the system reads of each
player, and the opponents.
"""

import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from io import TextIOWrapper
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from pairopt.cli.fide import reports
from pairopt.cli.fide.arguments import FideArguments
from pairopt.cli.fide.reports import (
    TrfReport,
    print_error,
    print_text,
    resolve_output_path,
)
from pairopt.common.limits import MOST_ROUNDS
from pairopt.errors import InputError, UsageError
from pairopt.event.arcs import BYE, Arcs, arcs_of
from pairopt.event.fide_attributes import (
    ABSOLUTE,
    DOWN,
    MILD,
    STRONG,
    UP,
    FideAttributes,
)
from pairopt.event.stated_standings import compare_stated_standings
from pairopt.files.formats.trf.reading import OTHER_SYSTEM
from pairopt.messages import ENGLISH
from pairopt.problem.options import SolveOptions
from pairopt.problem.problem import Problem
from pairopt.round.result import Result
from pairopt.round.solve import solve_round

if TYPE_CHECKING:
    from pairopt.round.check import Check

SUFFIX, LIST_SUFFIX = ".pairs", ".list"
BYTE_ORDER_MARK = "\ufeff"
NO_PAIRING = "No valid pairing exists"
"""The message for a round without a pairing; Lichess looks for these words."""


def pair_reports(call: FideArguments) -> int:
    """Pair the next round of each input, and return the largest exit code.

    `call` has the inputs and the options. Without inputs the report is read from the
    standard input. With -k the standard input has the paths of the reports. Errors of a
    single report are printed, and give its exit code. Raise UsageError if two reports
    would have the same file of pairs or the same checklist.
    """
    if call.has("-k"):
        return _pair_each_line(call)
    has_several = len(call.inputs) > 1
    if has_several:
        _require_one_report_per_file(
            call.inputs, lambda path: _choose_pairs_path(path, call.given["-p"], True)
        )
    _require_one_report_per_checklist(call)
    return reports.run_for_each(
        call.inputs, lambda path: _pair(call, path, has_several)
    )


def _pair_each_line(call: FideArguments) -> int:
    """Pair the report on each line of the standard input; return the largest exit code.

    A line is the path of a report. What -p prints for it is followed by a line with its
    exit code, before the next path is read.
    """
    if isinstance(sys.stdin, TextIOWrapper):
        # A path may have bytes that are no text.
        sys.stdin.reconfigure(errors="surrogateescape")
    exit_codes = [reports.EXIT_DONE]
    for path_line in sys.stdin:
        # Programs on Windows begin with a byte order mark.
        report_path = path_line.rstrip("\r\n").removeprefix(BYTE_ORDER_MARK)
        pair_this_report = partial(_pair, call, report_path, bool(call.given["-p"]))
        exit_codes.append(reports.run_with_exit_code(pair_this_report))
        print_text(f"exit {exit_codes[-1]}\n")
    return max(exit_codes)


def _require_one_report_per_file(
    paths: Sequence[str], output_path: Callable[[str], Path | None]
) -> None:
    """Raise UsageError if two different reports have the same output file.

    The same report may be named twice. `output_path` returns the file for the path of a
    report, None for stdout.
    """
    path_by_output = dict[Path | None, str]()
    # A path without a name, such as "/", is no report, and has no output.
    for path in filter(lambda path: Path(path).name, paths):
        report_output = output_path(path)
        earlier_path = path_by_output.setdefault(report_output, path)
        if Path(earlier_path) != Path(path):
            raise UsageError(
                f"The answers for {earlier_path} and {path} would both be written to "
                f"{report_output}. Rename one of the reports, or call pairopt-fide for each."
            )


def _require_one_report_per_checklist(call: FideArguments) -> None:
    """Raise UsageError if two reports have the same file of the checklist (-l)."""
    if call.has("-l"):
        list_name = call.given["-l"]
        _require_one_report_per_file(
            call.inputs, lambda path: find_checklist_path(path, list_name)
        )


def _pair(call: FideArguments, path: str, has_several: bool) -> int:
    """Pair the next round of a report, write its pairs, and return the exit code.

    `path` is that of the report; with -b virtual points of the Baku Acceleration are
    added, and with -l its checklist is written, too. If the call `has_several` reports,
    the pairs go to a file next to each one, otherwise to the file of -p or to standard
    output. Without a pairing, an empty text is written and the reasons are printed as
    an error. Notes on the report go to stderr. Raise InputError if all rounds are
    played, UsageError for a round robin or an unknown system, and what reading and
    writing raise.
    """
    report = reports.read_report(path, call.system)
    if call.has("-b"):
        report = reports.with_baku_points(report)
    # The solver's error says why no round of a round robin can be paired.
    round_limit = report.event.settings.rounds
    if report.event.settings.is_round_robin:
        round_limit = None
    if round_limit is not None and report.event.round > round_limit:
        raise InputError(path, f"all {round_limit} rounds are played")
    for note in report.event.notes:
        print_error(f"{path}: {note}")

    pairs_path = _choose_pairs_path(path, call.given["-p"], has_several)
    result = solve_round(report.event, report.model, solve_options(report))
    if call.has("-l"):
        checklist = format_checklist(result.problem, result.arcs)
        reports.write(find_checklist_path(path, call.given["-l"]), checklist)
    pairs_text = "" if result.arcs is None else format_pairs(result)
    if pairs_path is None:
        reports.print_text(pairs_text)
    else:
        reports.write(pairs_path, pairs_text)

    if result.arcs is not None:
        return reports.EXIT_DONE
    conflicts_text = " ".join(map(ENGLISH.format_message, result.conflicts))
    print_error(f"{path}: {NO_PAIRING}: {conflicts_text}")
    return reports.EXIT_NO_PAIRING


def solve_options(report: TrfReport) -> SolveOptions:
    """Return the options for solving a round of a report.

    They have only a seed, which decides sides that have to be drawn: the CRC-32 of the
    report's text.
    """
    return SolveOptions(seed=crc32(report.source.text.encode()))


def format_pairs(result: Result) -> str:
    """Return the number of pairs, then one line per pair with the start numbers.

    White comes first. The bye counts as a pair, in which Black is 0, and comes last.
    The result must have a pairing.
    """
    assert result.arcs is not None
    number_pairs = start_number_pairs(result.problem, result.arcs)
    pair_lines = [
        f"{white_number} {black_number}" for white_number, black_number in number_pairs
    ]
    return "".join(f"{pair_line}\n" for pair_line in [len(pair_lines), *pair_lines])


def start_number_pairs(problem: Problem, arcs: Arcs) -> list[tuple[str, str]]:
    """Return the start numbers of each pair as texts, White first.

    Pairs stay in the order of `arcs`; the bye is "0".
    """
    start_numbers = problem.state.names
    position_pairs = zip(arcs.first.tolist(), arcs.second.tolist(), strict=True)
    return [
        (
            start_numbers[white_position],
            "0" if black_position == BYE else start_numbers[black_position],
        )
        for white_position, black_position in position_pairs
    ]


def find_checklist_path(path: str, name: str) -> Path:
    """Return the path of a report's checklist.

    `path` is that of the report. `name` is the argument of -l, and is in the report's
    folder if it names no other. If it is "", the path is the report's with the suffix
    .list.
    """
    if name:
        return resolve_output_path(path, name)
    return Path(path).with_suffix(LIST_SUFFIX)


def _choose_pairs_path(path: str, name: str, has_several: bool) -> Path | None:
    """Return the path for the pairs of the report at `path`, None for stdout.

    `name` is the argument of -p, "" for none. A single report is written to that file.
    Each of several reports has a file of its own with the suffix .pairs, in the folder
    `name` or next to the report.
    """
    if not has_several:
        return resolve_output_path(path, name) if name else None

    path_beside_report = Path(path).with_suffix(SUFFIX)
    return Path(name) / path_beside_report.name if name else path_beside_report


HEAD = ("ID", "Pts", "Sides", "Pref", "C2", "-1R", "-2R", "Now")
PREFERENCES = {ABSOLUTE: "{}", STRONG: "({})", MILD: "({})"}
FLOATS = {DOWN: "D", UP: "U"}


def format_checklist(problem: Problem, arcs: Arcs | None) -> str:
    """Return a checklist: a heading, then one line per player, best first.

    A blank line separates scores. The columns are the start number; the points; the
    sides played; the colour preference (W if absolute, (W) if strong, (w) if mild, A
    for none); whether the player may get the bye; the floats of the last two rounds (D
    for down, U for up); the opponent in the pairing `arcs` with the opponent's number
    and the player's side; and the earlier opponents, "" for rounds without a game.
    Without `arcs` nobody has an opponent in this round.
    """
    state = problem.state
    event = state.event
    fide_attributes = state.fide
    # shape (players, rounds); -1 for nobody, whose name is the last one
    opponents = np.where(event.turns.played, event.turns.opponent, -1)
    name_by_player = (*event.players, "")
    round_opponents = _list_round_opponents(problem, arcs)
    bye_arcs = arcs_of(np.arange(len(state)), np.full(len(state), BYE))
    can_have_bye = problem.legal(bye_arcs)

    checklist_rows: list[list[str]] = [
        [*HEAD, *(f"R{round_number}" for round_number in range(1, event.round))]
    ]
    previous_score: int | None = None
    for player_position in np.argsort(fide_attributes.rank).tolist():
        player_score = int(fide_attributes.score[player_position])
        if previous_score not in (None, player_score):
            checklist_rows.append([])
        previous_score = player_score
        sides_played = "".join(
            "WB"[played_side]
            for played_side in fide_attributes.latest[player_position].tolist()
            if played_side >= 0
        )
        float_letters = [
            FLOATS.get(float_direction, "")
            for float_direction in fide_attributes.floats[player_position].tolist()
        ]
        earlier_opponents = [
            name_by_player[opponent_position]
            for opponent_position in opponents[state.player[player_position]].tolist()
        ]
        checklist_rows.append(
            [
                state.names[player_position],
                f"{float(Fraction(player_score, state.scale)):.1f}",
                sides_played,
                _format_preference(fide_attributes, player_position),
                "Y" if can_have_bye[player_position] else "N",
                *float_letters,
                round_opponents.get(player_position, ""),
                *earlier_opponents,
            ]
        )

    column_widths = [
        max(
            len(cells_of_row[column_index])
            for cells_of_row in checklist_rows
            if cells_of_row
        )
        for column_index in range(len(checklist_rows[0]))
    ]
    text_lines = []
    for cells_of_row in checklist_rows:
        # Rows between scores have no cells.
        padded_cells = [
            f"{cell:>{column_width}}"
            for cell, column_width in zip(cells_of_row, column_widths, strict=False)
        ]
        text_lines.append("  ".join(padded_cells).rstrip())
    return "".join(f"{text_line}\n" for text_line in text_lines)


def _format_preference(fide: FideAttributes, position: int) -> str:
    """Return the colour preference of the player at a position in the state.

    It is "W" or "B" if absolute, "(W)" if strong, "(w)" if mild, "A" for none.
    """
    preferred_side = int(fide.preferred[position])
    preference_strength = int(fide.strength[position])
    if preferred_side < 0:
        return "A"
    side_letters = "wb" if preference_strength == MILD else "WB"
    return PREFERENCES[preference_strength].format(side_letters[preferred_side])


def _list_round_opponents(problem: Problem, arcs: Arcs | None) -> dict[int, str]:
    """Return each player's opponent and own side, for example "(7W)", by position.

    The bye is "(bye)". The result is empty without a pairing.
    """
    if arcs is None:
        return {}

    start_numbers = problem.state.names
    opponent_by_position = {}
    for white_position, black_position in zip(
        arcs.first.tolist(), arcs.second.tolist(), strict=True
    ):
        if black_position == BYE:
            opponent_by_position[white_position] = "(bye)"
        else:
            opponent_by_position[white_position] = f"({start_numbers[black_position]}W)"
            opponent_by_position[black_position] = f"({start_numbers[white_position]}B)"
    return opponent_by_position


ROUND_HEAD = "  Checker pairings        Tournament pairings\n\n"


def check_reports(call: FideArguments) -> int:
    """Check the rounds of each input, and return the largest exit code.

    `call` has the inputs and the options. With a number after -c only that round is
    checked. Rounds that differ are printed, but the exit code does not tell; it tells
    only whether stated standings differ, or a report is faulty. Raise UsageError if two
    reports would have the same checklist.
    """
    round_number = call.number("-c", MOST_ROUNDS)
    _require_one_report_per_checklist(call)
    return reports.run_for_each(
        call.inputs, lambda path: _check(call, path, round_number)
    )


def _check(call: FideArguments, path: str, number: int | None) -> int:
    """Check a report's rounds and its standings, and return the exit code.

    `number` is the only round to check, None for all rounds. Each round is printed, and
    how it differs goes to stderr. Stated standings that differ from the results give
    `EXIT_DIFFERS`. With -l the checklists are written.
    """
    # -p does without it.
    from pairopt.round.check_event import check_all

    report = reports.read_report(path, call.system, [OTHER_SYSTEM])
    round_checklists = []
    for note in report.event.notes:
        print_error(f"{path}: {note}")
    seed = solve_options(report).seed
    for round_check in check_all(report.event, report.model, seed=seed):
        if number not in (None, round_check.round):
            continue
        print_text(format_round(report.name, round_check))
        for check_note in round_check.notes:
            if not isinstance(check_note, str) and check_note.kind.startswith(
                "checked."
            ):
                print_error(f"{path}, round {round_check.round}: {check_note}")
        if round_check.difference:
            print_error(f"{path}, round {round_check.round}: {round_check.difference}")
        checklist = format_checklist(round_check.problem, round_check.arcs)
        round_checklists.append(f"Round #{round_check.round}\n{checklist}\n")
    if call.has("-l"):
        reports.write(
            find_checklist_path(path, call.given["-l"]), "".join(round_checklists)
        )

    standings_comparison = compare_stated_standings(report.event)
    if standings_comparison is None:
        return reports.EXIT_DONE
    print_error(f"{path}, standings: {standings_comparison.sentence}")
    return reports.EXIT_DONE if standings_comparison.agrees else reports.EXIT_DIFFERS


def format_round(name: str, checked: "Check") -> str:
    """Return the line of a checked round, and how it differs from the system's pairing.

    `name` is the report's. Below the line are the pairs that only one of both pairings
    has, the system's on the left; there are none if both are equal. If the system has
    no pairing, a sentence says so. The round must have been solved.
    """
    round_line = f"{name}: Round #{checked.round}\n"
    optimum = checked.optimum
    assert optimum is not None
    if optimum.arcs is None:
        return f"{round_line}No valid pairing exists for round {checked.round}.\n\n"

    system_pairs = start_number_pairs(checked.problem, optimum.arcs)
    report_pairs = start_number_pairs(
        checked.problem, checked.problem.assign_tables(checked.arcs)[1]
    )
    system_only = _list_missing_pairs(system_pairs, report_pairs)
    report_only = _list_missing_pairs(report_pairs, system_pairs)
    if not system_only:
        return round_line

    difference_lines = (
        f"    {system_pair:9}{'':16}{report_pair}\n"
        for system_pair, report_pair in zip_longest(
            system_only, report_only, fillvalue=""
        )
    )
    return f"{round_line}{ROUND_HEAD}{''.join(difference_lines)}\n"


def _list_missing_pairs(
    pairs: list[tuple[str, str]], other_pairs: list[tuple[str, str]]
) -> list[str]:
    """Return those pairs as texts "white - black" that are not among `other_pairs`.

    Colours count: 1-2 and 2-1 differ.
    """
    return [
        f"{white_number:>3} - {black_number:>3}"
        for white_number, black_number in pairs
        if (white_number, black_number) not in other_pairs
    ]
