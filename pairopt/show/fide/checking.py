"""-c: every round of each report beside what the system asks for."""

from __future__ import annotations

from itertools import zip_longest

from pairopt.bounds import MOST_ROUNDS
from pairopt.event.stated import compared
from pairopt.files.formats.trf.reading import OTHER_SYSTEM
from pairopt.round.check import Check
from pairopt.round.replay import check_all
from pairopt.show.fide.arguments import Call
from pairopt.show.fide.checklist import checklist_of
from pairopt.show.fide.pairing import list_of, numbered, options_of_round
from pairopt.show.fide.reports import (
    EXIT_DIFFERS,
    EXIT_DONE,
    STDIN,
    attempted,
    out,
    read_report,
    say,
    write,
)

HEAD = "  Checker pairings        Tournament pairings\n\n"


def do(call: Call) -> int:
    """Check each input; a round that differs is said, and no error."""
    only = call.number("-c", MOST_ROUNDS)
    return max(
        attempted(lambda path=path: _check(call, path, only))  # type: ignore[misc]
        for path in call.inputs or (STDIN,)
    )


def _check(call: Call, path: str, only: int | None) -> int:
    report = read_report(path, call.system, [OTHER_SYSTEM])
    for note in report.event.notes:
        say(f"{path}: {note}")
    seed = options_of_round(report).seed
    lists = []
    for found in check_all(report.event, report.model, seed=seed):
        if only in (None, found.round):
            out(round_text(report.name, found))
            if found.difference:
                say(f"{path}, round {found.round}: {found.difference}")
            lists.append(f"Round #{found.round}\n{checklist_of(found.problem, found.arcs)}\n")
    if call.has("-l"):
        write(list_of(report, call.given["-l"]), "".join(lists))
    stated = compared(report.event)
    if stated is None:
        return EXIT_DONE
    say(f"{path}, standings: {stated.sentence}")
    return EXIT_DONE if stated.agrees else EXIT_DIFFERS


def round_text(name: str, found: Check) -> str:
    """A round's line, and below it where it differs the pairs of both that the other has not."""
    head = f"{name}: Round #{found.round}\n"
    best = found.optimum
    assert best is not None
    if best.arcs is None:
        return f"{head}No valid pairing exists for round {found.round}.\n\n"
    ours = numbered(found.problem, best.arcs)
    theirs = numbered(found.problem, found.problem.seated(found.arcs)[1])
    wanted = [_shown(pair) for pair in ours if pair not in theirs]
    given = [_shown(pair) for pair in theirs if pair not in ours]
    if not wanted:
        return head
    lines = (f"    {one:9}{'':16}{two}\n" for one, two in zip_longest(wanted, given, fillvalue=""))
    return f"{head}{HEAD}{''.join(lines)}\n"


def _shown(pair: tuple[str, str]) -> str:
    return f"{pair[0]:>3} - {pair[1]:>3}"
