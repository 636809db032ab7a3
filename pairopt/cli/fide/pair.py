"""Pair the next round of reports (-p), check rounds (-c), and write checklists (-l).

Pairs are lines of two start numbers. A checklist shows what the system reads of each
player, and the opponents.
"""

from fractions import Fraction
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
from pairopt.errors import InputError
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
from pairopt.messages.interfaces import TERMINAL
from pairopt.problem.options import SolveOptions
from pairopt.problem.problem import Problem
from pairopt.round.result import Result
from pairopt.round.solve import solve_round

if TYPE_CHECKING:
    from pairopt.round.check import Check

SUFFIX, LIST_SUFFIX = ".pairs", ".list"
NO_PAIRING = "No valid pairing exists"
"""The message for a round without a pairing; Lichess looks for these words."""


def pair_reports(call: FideArguments) -> int:
    """Pair the next round of each input, and return the largest exit code."""
    has_several = len(call.inputs) > 1
    return reports.run_for_each(
        call.inputs, lambda path: _pair(call, path, has_several)
    )


def _pair(call: FideArguments, path: str, has_several: bool) -> int:
    """Pair the next round of a report, write its pairs, and return the exit code."""
    report = reports.read_report(path, call.system)
    if call.has("-b"):
        report = reports.with_baku_points(report)
    rounds = report.event.settings.rounds
    if rounds is not None and report.event.round > rounds:
        raise InputError(path, f"all {rounds} rounds are played")
    for note in report.event.notes:
        print_error(f"{path}: {note}")

    target = _pairs_path(report, call.given["-p"], has_several)
    result = solve_round(report.event, report.model, solve_options(report))
    if call.has("-l"):
        checklist = format_checklist(result.problem, result.arcs)
        reports.write(find_checklist_path(path, call.given["-l"]), checklist)
    text = "" if result.arcs is None else format_pairs(result)
    if target is None:
        reports.print_text(text)
    else:
        reports.write(target, text)

    if result.arcs is not None:
        return reports.EXIT_DONE
    conflicts = "; ".join(map(TERMINAL.format_message, result.conflicts))
    print_error(f"{path}: {NO_PAIRING}: {conflicts}")
    return reports.EXIT_NO_PAIRING


def solve_options(report: TrfReport) -> SolveOptions:
    """Return the options for solving a round.

    The seed, which decides sides that have to be drawn, depends on the report alone.
    """
    return SolveOptions(seed=crc32(report.source.text.encode()))


def format_pairs(result: Result) -> str:
    """Return the number of pairs, then a line with White and Black of each pair.

    The bye is 0 and comes last.
    """
    assert result.arcs is not None
    pairs = start_number_pairs(result.problem, result.arcs)
    lines = [f"{white} {black}" for white, black in pairs]
    return "".join(f"{line}\n" for line in [len(lines), *lines])


def start_number_pairs(problem: Problem, arcs: Arcs) -> list[tuple[str, str]]:
    """Return the start numbers of each pair, White first; the bye is "0"."""
    names = problem.state.names
    pairs = zip(arcs.first.tolist(), arcs.second.tolist(), strict=True)
    return [
        (names[white], "0" if black == BYE else names[black]) for white, black in pairs
    ]


def find_checklist_path(path: str, name: str) -> Path:
    """Return the path of a report's checklist.

    `name` is the one given with -l. If it is "", the path is the report's with another
    suffix.
    """
    if name:
        return resolve_output_path(path, name)
    return Path(path).with_suffix(LIST_SUFFIX)


def _pairs_path(report: TrfReport, name: str, has_several: bool) -> Path | None:
    """Return the path of a report's pairs, None for the standard output.

    Of several reports each has its own file, in the folder `name` if there is one.
    """
    if not has_several:
        return resolve_output_path(report.path, name) if name else None

    path = Path(report.path).with_suffix(SUFFIX)
    return Path(name) / path.name if name else path


HEAD = ("ID", "Pts", "Sides", "Pref", "C2", "-1R", "-2R", "Now")
PREFERENCES = {ABSOLUTE: "{}", STRONG: "({})", MILD: "({})"}
FLOATS = {DOWN: "D", UP: "U"}


def format_checklist(problem: Problem, arcs: Arcs | None) -> str:
    """Return a checklist: one line per player, best first, a blank line between scores.

    A line has the sides played; the preference (W if absolute, (W) if strong, (w) if
    mild, A for none); whether the player may get the bye; the floats of the last two
    rounds; the opponent in the pairing `arcs` with the player's side; and the earlier
    opponents.
    """
    state = problem.state
    event = state.event
    fide = state.fide
    # shape (players, rounds); -1 for nobody, whose name is the last one
    opponents = np.where(event.turns.played, event.turns.opponent, -1)
    names = (*event.players, "")
    round_opponents = _round_opponents(problem, arcs)
    bye_arcs = arcs_of(np.arange(len(state)), np.full(len(state), BYE))
    can_have_bye = problem.legal(bye_arcs)

    rows: list[list[str]] = [[*HEAD, *(f"R{turn}" for turn in range(1, event.round))]]
    score_above: int | None = None
    for position in np.argsort(fide.rank).tolist():
        score = int(fide.score[position])
        if score_above not in (None, score):
            rows.append([])
        score_above = score
        sides = "".join(
            "WB"[side] for side in fide.latest[position].tolist() if side >= 0
        )
        floats = [
            FLOATS.get(direction, "") for direction in fide.floats[position].tolist()
        ]
        earlier_opponents = [
            names[p] for p in opponents[state.player[position]].tolist()
        ]
        rows.append(
            [
                state.names[position],
                f"{float(Fraction(score, state.scale)):.1f}",
                sides,
                _preference(fide, position),
                "Y" if can_have_bye[position] else "N",
                *floats,
                round_opponents.get(position, ""),
                *earlier_opponents,
            ]
        )

    widths = [
        max(len(row[position]) for row in rows if row)
        for position in range(len(rows[0]))
    ]
    lines = []
    for row in rows:
        # Rows between scores have no cells.
        cells = [f"{cell:>{width}}" for cell, width in zip(row, widths, strict=False)]
        lines.append("  ".join(cells).rstrip())
    return "".join(f"{line}\n" for line in lines)


def _preference(fide: FideAttributes, position: int) -> str:
    """Return the colour preference of the player at a position, for the checklist."""
    side = int(fide.preferred[position])
    strength = int(fide.strength[position])
    if side < 0:
        return "A"
    letters = "wb" if strength == MILD else "WB"
    return PREFERENCES[strength].format(letters[side])


def _round_opponents(problem: Problem, arcs: Arcs | None) -> dict[int, str]:
    """Return each player's opponent and own side by position, for example "(7W)"."""
    if arcs is None:
        return {}

    names = problem.state.names
    texts = {}
    for white, black in zip(arcs.first.tolist(), arcs.second.tolist(), strict=True):
        if black == BYE:
            texts[white] = "(bye)"
        else:
            texts[white] = f"({names[black]}W)"
            texts[black] = f"({names[white]}B)"
    return texts


ROUND_HEAD = "  Checker pairings        Tournament pairings\n\n"


def check_reports(call: FideArguments) -> int:
    """Check the rounds of each input, and return the largest exit code.

    A round that differs is printed, and is no error.
    """
    number = call.number("-c", MOST_ROUNDS)
    return reports.run_for_each(call.inputs, lambda path: _check(call, path, number))


def _check(call: FideArguments, path: str, number: int | None) -> int:
    """Check a report's rounds, or only one, and its standings; return the exit code."""
    # -p does without it.
    from pairopt.round.check_event import check_all

    report = reports.read_report(path, call.system, [OTHER_SYSTEM])
    checklists = []
    for note in report.event.notes:
        print_error(f"{path}: {note}")
    seed = solve_options(report).seed
    for checked in check_all(report.event, report.model, seed=seed):
        if number not in (None, checked.round):
            continue
        print_text(format_round(report.name, checked))
        for check_note in checked.notes:
            if not isinstance(check_note, str) and check_note.kind.startswith(
                "checked."
            ):
                print_error(f"{path}, round {checked.round}: {check_note}")
        if checked.difference:
            print_error(f"{path}, round {checked.round}: {checked.difference}")
        checklist = format_checklist(checked.problem, checked.arcs)
        checklists.append(f"Round #{checked.round}\n{checklist}\n")
    if call.has("-l"):
        reports.write(find_checklist_path(path, call.given["-l"]), "".join(checklists))

    stated = compare_stated_standings(report.event)
    if stated is None:
        return reports.EXIT_DONE
    print_error(f"{path}, standings: {stated.sentence}")
    return reports.EXIT_DONE if stated.agrees else reports.EXIT_DIFFERS


def format_round(name: str, checked: "Check") -> str:
    """Return the line of a checked round, and how it differs from the system's pairing.

    Below the line stand the pairs of both pairings that the other does not have.
    """
    head = f"{name}: Round #{checked.round}\n"
    optimum = checked.optimum
    assert optimum is not None
    if optimum.arcs is None:
        return f"{head}No valid pairing exists for round {checked.round}.\n\n"

    system_pairs = start_number_pairs(checked.problem, optimum.arcs)
    report_pairs = start_number_pairs(
        checked.problem, checked.problem.assign_tables(checked.arcs)[1]
    )
    missing = _pairs_not_in(system_pairs, report_pairs)
    extra = _pairs_not_in(report_pairs, system_pairs)
    if not missing:
        return head

    lines = (
        f"    {system_pair:9}{'':16}{report_pair}\n"
        for system_pair, report_pair in zip_longest(missing, extra, fillvalue="")
    )
    return f"{head}{ROUND_HEAD}{''.join(lines)}\n"


def _pairs_not_in(
    pairs: list[tuple[str, str]], other_pairs: list[tuple[str, str]]
) -> list[str]:
    """Return the texts of the pairs that are not among other ones."""
    return [
        f"{white:>3} - {black:>3}"
        for white, black in pairs
        if (white, black) not in other_pairs
    ]
