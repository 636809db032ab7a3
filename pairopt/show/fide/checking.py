"""-c: every round of each report beside what the system asks for."""

from __future__ import annotations

from itertools import zip_longest

from pairopt.bounds import MOST_ROUNDS
from pairopt.event.stated import compared
from pairopt.files.formats.trf.reading import OTHER_SYSTEM
from pairopt.round.check import Check
from pairopt.round.replay import check_all
from pairopt.show.fide import reports
from pairopt.show.fide.arguments import Call
from pairopt.show.fide.checklist import checklist_of
from pairopt.show.fide.pairing import list_of, numbered, options_of_round
from pairopt.show.fide.reports import out, say

HEAD = "  Checker pairings        Tournament pairings\n\n"


def do(call: Call) -> int:
    """Check each input; a round that differs is said, and no error."""
    only = call.number("-c", MOST_ROUNDS)
    return reports.of_each(call.inputs, lambda path: _check(call, path, only))


def _check(call: Call, path: str, only: int | None) -> int:
    report, lists = reports.read_report(path, call.system, [OTHER_SYSTEM]), []
    for note in report.event.notes:
        say(f"{path}: {note}")
    for found in check_all(report.event, report.model, seed=options_of_round(report).seed):
        if only in (None, found.round):
            out(round_text(report.name, found))
            if found.difference:
                say(f"{path}, round {found.round}: {found.difference}")
            lists.append(f"Round #{found.round}\n{checklist_of(found.problem, found.arcs)}\n")
    if call.has("-l"):
        reports.write(list_of(report, call.given["-l"]), "".join(lists))
    stated = compared(report.event)
    if stated is None:
        return reports.EXIT_DONE
    say(f"{path}, standings: {stated.sentence}")
    return reports.EXIT_DONE if stated.agrees else reports.EXIT_DIFFERS


def round_text(name: str, found: Check) -> str:
    """A round's line, and below it where it differs the pairs of both that the other has not."""
    head = f"{name}: Round #{found.round}\n"
    best = found.optimum
    assert best is not None
    if best.arcs is None:
        return f"{head}No valid pairing exists for round {found.round}.\n\n"
    ours = numbered(found.problem, best.arcs)
    theirs = numbered(found.problem, found.problem.seated(found.arcs)[1])
    wanted, given = ([f"{one:>3} - {two:>3}" for one, two in mine if (one, two) not in others]
                     for mine, others in ((ours, theirs), (theirs, ours)))  # fmt: skip
    if not wanted:
        return head
    lines = (f"    {one:9}{'':16}{two}\n" for one, two in zip_longest(wanted, given, fillvalue=""))
    return f"{head}{HEAD}{''.join(lines)}\n"
