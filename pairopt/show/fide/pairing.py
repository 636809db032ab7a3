"""-p: the round to come of each report, as lines of two start numbers."""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

from pairopt.errors import InputError
from pairopt.event.arcs import BYE, Arcs
from pairopt.problem.options import SolveOptions
from pairopt.problem.problem import Problem
from pairopt.round.result import Result
from pairopt.round.solve import solve_round
from pairopt.show.fide import reports
from pairopt.show.fide.arguments import Call
from pairopt.show.fide.checklist import checklist_of
from pairopt.show.fide.reports import Report, beside, say
from pairopt.show.words import TERMINAL

SUFFIX, LIST_SUFFIX = ".pairs", ".list"
NO_PAIRING = "No valid pairing exists"
"""Lichess looks for these words."""


def do(call: Call) -> int:
    """Pair the round to come of each input; the exit code is the largest of all."""
    return reports.of_each(call.inputs, lambda path: _pair(call, path, len(call.inputs) > 1))


def _pair(call: Call, path: str, many: bool) -> int:
    report = reports.read_report(path, call.system)
    if call.has("-b"):
        report = reports.accelerated(report)
    rounds = report.event.settings.rounds
    if rounds is not None and report.event.round > rounds:
        raise InputError(path, f"all {rounds} rounds are played")
    for note in report.event.notes:
        say(f"{path}: {note}")
    target = _target(report, call.given["-p"], many)
    result = solve_round(report.event, report.model, options_of_round(report))
    if call.has("-l"):
        checklist = checklist_of(result.problem, result.arcs)
        reports.write(list_of(report, call.given["-l"]), checklist)
    text = "" if result.arcs is None else pairs_text(result)
    if target is None:
        reports.out(text)
    else:
        reports.write(target, text)
    if result.arcs is not None:
        return reports.EXIT_DONE
    say(f"{path}: {NO_PAIRING}: {'; '.join(map(TERMINAL.draw, result.conflicts))}")
    return reports.EXIT_NO_PAIRING


def options_of_round(report: Report) -> SolveOptions:
    """How a round is solved; a side that is to be drawn is by the report itself."""
    return SolveOptions(seed=crc32(report.source.text.encode()))


def pairs_text(result: Result) -> str:
    """How many pairs there are, then who has White against whom; 0 for the bye, which is last."""
    assert result.arcs is not None
    lines = [f"{one} {two}" for one, two in numbered(result.problem, result.arcs)]
    return "".join(f"{line}\n" for line in [len(lines), *lines])


def numbered(problem: Problem, arcs: Arcs) -> list[tuple[str, str]]:
    """The start numbers of each match."""
    names = problem.state.names
    both = zip(arcs.first.tolist(), arcs.second.tolist(), strict=True)
    return [(names[one], "0" if two == BYE else names[two]) for one, two in both]


def list_of(report: Report, name: str) -> Path:
    """Where a check-list goes: by default beside the report."""
    return beside(report.path, name) if name else Path(report.path).with_suffix(LIST_SUFFIX)


def _target(report: Report, name: str, many: bool) -> Path | None:
    """Where pairs go, None for the screen: of several reports each has a file, in one folder."""
    if not many:
        return beside(report.path, name) if name else None
    own = Path(report.path).with_suffix(SUFFIX)
    return Path(name) / own.name if name else own
