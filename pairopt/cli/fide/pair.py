"""-p: the round to come of each report, as lines of two start numbers; -c: every round beside what
the system asks for; -l: the check-list, what the system reads of each player, and their
opponents.
"""

from fractions import Fraction
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from pairopt.cli.fide import reports
from pairopt.cli.fide.arguments import FideArguments
from pairopt.cli.fide.reports import TrfReport, out, resolve_output_path, say
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
NO_PAIRING = "No valid pairing exists"  # Lichess looks for these words


def pair_reports(call: FideArguments) -> int:
    """Pair the round to come of each input; the exit code is the largest of all."""
    return reports.of_each(
        call.inputs, lambda path: _pair(call, path, len(call.inputs) > 1)
    )


def _pair(call: FideArguments, path: str, many: bool) -> int:
    report = reports.read_report(path, call.system)
    if call.has("-b"):
        report = reports.with_baku_points(report)
    rounds = report.event.settings.rounds
    if rounds is not None and report.event.round > rounds:
        raise InputError(path, f"all {rounds} rounds are played")
    for note in report.event.notes:
        say(f"{path}: {note}")
    target = _target(report, call.given["-p"], many)
    result = solve_round(report.event, report.model, options_of_round(report))
    if call.has("-l"):
        checklist = checklist_of(result.problem, result.arcs)
        reports.write(list_of(path, call.given["-l"]), checklist)
    text = "" if result.arcs is None else pairs_text(result)
    if target is None:
        reports.out(text)
    else:
        reports.write(target, text)
    if result.arcs is not None:
        return reports.EXIT_DONE
    say(
        f"{path}: {NO_PAIRING}: {'; '.join(map(TERMINAL.format_message, result.conflicts))}"
    )
    return reports.EXIT_NO_PAIRING


def options_of_round(report: TrfReport) -> SolveOptions:
    """How a round is solved; a side that is to be drawn is by the report itself."""
    return SolveOptions(seed=crc32(report.source.text.encode()))


def pairs_text(result: Result) -> str:
    """How many pairs there are, then who has White against whom; 0 for the bye, which is last."""
    assert result.arcs is not None
    lines = [f"{one} {two}" for one, two in numbered(result.problem, result.arcs)]
    return "".join(f"{line}\n" for line in [len(lines), *lines])


def numbered(problem: Problem, arcs: Arcs) -> list[tuple[str, str]]:
    names = problem.state.names
    both = zip(arcs.first.tolist(), arcs.second.tolist(), strict=True)
    return [(names[one], "0" if two == BYE else names[two]) for one, two in both]


def list_of(path: str, name: str) -> Path:
    """Where a check-list goes: by default beside the report."""
    return (
        resolve_output_path(path, name) if name else Path(path).with_suffix(LIST_SUFFIX)
    )


def _target(report: TrfReport, name: str, many: bool) -> Path | None:
    """Where pairs go, None for the screen: of several reports each has a file, in one folder."""
    if not many:
        return resolve_output_path(report.path, name) if name else None
    own = Path(report.path).with_suffix(SUFFIX)
    return Path(name) / own.name if name else own


HEAD = ("ID", "Pts", "Sides", "Pref", "C2", "-1R", "-2R", "Now")
PREFERENCES = {ABSOLUTE: "{}", STRONG: "({})", MILD: "({})"}
FLOATS = {DOWN: "D", UP: "U"}


def checklist_of(problem: Problem, arcs: Arcs | None) -> str:
    """A line a player, best first, a blank line between scores; `arcs` are the round's, if any.
    Sides played; the preference as W for absolute, (W) for strong, (w) for mild, A for none; if the
    bye may be had; floats of the last two rounds; the opponents, of now with the own side.
    """
    state = problem.state
    event, fide = state.event, state.fide
    met, meets = (
        np.where(event.turns.played, event.turns.opponent, -1),
        _meetings(problem, arcs),
    )
    names = (*event.players, "")  # of nobody, -1, the last
    may = problem.legal(arcs_of(np.arange(len(state)), np.full(len(state), BYE)))
    rows, last = [[*HEAD, *(f"R{turn}" for turn in range(1, event.round))]], None
    for k in np.argsort(fide.rank).tolist():
        if last not in (None, int(fide.score[k])):
            rows.append([])
        last = int(fide.score[k])
        rows.append(
            [
                state.names[k],
                f"{float(Fraction(last, state.scale)):.1f}",
                "".join("WB"[side] for side in fide.latest[k].tolist() if side >= 0),
                _preference(fide, k),
                "Y" if may[k] else "N",
                *(FLOATS.get(each, "") for each in fide.floats[k].tolist()),
                meets.get(k, ""),
                *(names[p] for p in met[state.player[k]].tolist()),
            ]
        )
    widths = [max(len(row[k]) for row in rows if row) for k in range(len(rows[0]))]
    lines = (
        "  ".join(f"{c:>{w}}" for c, w in zip(row, widths, strict=False))
        for row in rows
    )
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _preference(fide: FideAttributes, k: int) -> str:
    side, strength = int(fide.preferred[k]), int(fide.strength[k])
    letters = "wb" if strength == MILD else "WB"
    return "A" if side < 0 else PREFERENCES[strength].format(letters[side])


def _meetings(problem: Problem, arcs: Arcs | None) -> dict[int, str]:
    if arcs is None:
        return {}
    names, found = problem.state.names, {}
    for one, two in zip(arcs.first.tolist(), arcs.second.tolist(), strict=True):
        if two == BYE:
            found[one] = "(bye)"
        else:
            found[one], found[two] = f"({names[two]}W)", f"({names[one]}B)"
    return found


ROUND_HEAD = "  Checker pairings        Tournament pairings\n\n"


def check_reports(call: FideArguments) -> int:
    """Check each input; a round that differs is said, and no error."""
    only = call.number("-c", MOST_ROUNDS)
    return reports.of_each(call.inputs, lambda path: _check(call, path, only))


def _check(call: FideArguments, path: str, only: int | None) -> int:
    from pairopt.round.check_event import check_all  # -p does without

    report, lists = reports.read_report(path, call.system, [OTHER_SYSTEM]), []
    for note in report.event.notes:
        say(f"{path}: {note}")
    for found in check_all(
        report.event, report.model, seed=options_of_round(report).seed
    ):
        if only in (None, found.round):
            out(round_text(report.name, found))
            for said in found.notes:
                if not isinstance(said, str) and said.kind.startswith("checked."):
                    say(f"{path}, round {found.round}: {said}")
            if found.difference:
                say(f"{path}, round {found.round}: {found.difference}")
            lists.append(
                f"Round #{found.round}\n{checklist_of(found.problem, found.arcs)}\n"
            )
    if call.has("-l"):
        reports.write(list_of(path, call.given["-l"]), "".join(lists))
    stated = compare_stated_standings(report.event)
    if stated is None:
        return reports.EXIT_DONE
    say(f"{path}, standings: {stated.sentence}")
    return reports.EXIT_DONE if stated.agrees else reports.EXIT_DIFFERS


def round_text(name: str, found: "Check") -> str:
    """A round's line, and below it where it differs the pairs of both that the other has not."""
    head = f"{name}: Round #{found.round}\n"
    best = found.optimum
    assert best is not None
    if best.arcs is None:
        return f"{head}No valid pairing exists for round {found.round}.\n\n"
    ours = numbered(found.problem, best.arcs)
    theirs = numbered(found.problem, found.problem.assign_tables(found.arcs)[1])
    wanted, given = (
        [f"{one:>3} - {two:>3}" for one, two in mine if (one, two) not in others]
        for mine, others in ((ours, theirs), (theirs, ours))
    )
    if not wanted:
        return head
    lines = (
        f"    {one:9}{'':16}{two}\n"
        for one, two in zip_longest(wanted, given, fillvalue="")
    )
    return f"{head}{ROUND_HEAD}{''.join(lines)}\n"
