"""`pairopt check`."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from itertools import starmap
from typing import TYPE_CHECKING, Any

import click

from pairopt.cli import EXIT_INFEASIBLE, EXIT_UNPROVEN
from pairopt.cli.check_text import (
    asked_for,
    broken_rules,
    describe_verdict,
    explained_by,
    explanation,
    standings_text,
    verdict,
)
from pairopt.cli.console import echo_notes, progress
from pairopt.cli.options import FILE, CommandOutput, NonEmptyPath, answering, bounded
from pairopt.cli.round_options import read, round_options
from pairopt.cli.tables import levels_text
from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.event.stated_standings import compare_stated_standings
from pairopt.files.text_source import read_bytes
from pairopt.messages.formatting import count_noun, escape_hidden, join_names
from pairopt.messages.interfaces import TERMINAL
from pairopt.problem.model import load_model
from pairopt.problem.options import RoundOptions, options_text
from pairopt.proof.check import check_proof, round_of
from pairopt.report.views import checked_levels
from pairopt.round.check import Check, check
from pairopt.round.check_event import check_all

if TYPE_CHECKING:
    from pairopt.folder.proofs import RoundProof

OTHER_DIGEST = "the digest that was printed is of another proof"


@click.command()
@round_options()
@click.argument("pairings", type=NonEmptyPath(), nargs=-1)
@click.option(
    "--proof", type=FILE, help="Verify what solve --proof wrote, instead of PAIRINGS."
)
@click.option(
    "--proofs",
    is_flag=True,
    help="Verify the proofs that an event folder keeps of its rounds.",
)
@click.option(
    "--digest",
    metavar="HEX",
    help="Compare a proof with the SHA-256 that was printed: its digits, or what the QR code says.",
)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Check every round of EVENT, and of every further event.",
)
@click.option("--jobs", type=bounded("workers"), default=1, help="Processes of --all.")
@click.option(
    "--solution",
    type=FILE,
    help="Check what a solver answered to the program of `export`, instead of "
    "PAIRINGS: v lines, or names and values.",
)
@click.option(
    "--why",
    is_flag=True,
    help="Search what would explain a round that differs: one change of the "
    "files (a result, a start number, who was there, ...), or two.",
)
@click.option(
    "--no-solve", is_flag=True, help="Do not compare with an optimal pairing."
)
@answering("table", "json", output=False)
def command(
    event: str,
    players: str | None,
    pairings: tuple[str, ...],
    proof: str | None,
    proofs: bool,
    digest: str | None,
    every: bool,
    jobs: int,
    why: bool,
    no_solve: bool,
    solution: str | None,
    **options: Any,
) -> CommandOutput:
    """Check PAIRINGS, somebody's pairing of EVENT's round, level by level.

    PAIRINGS has the columns of matches.csv; rows of other rounds are passed over. Exit code
    0: legal, 1: breaks a constraint, 3: not a pairing of this event. A proof is verified
    without a solver: 0: certified, 4: levels are open, 1: it is none of this round, 3: malformed.
    With --all each round of EVENT is checked by the rounds before it: whether it agrees with the
    model, or what an optimal pairing would improve first; and points and ranks that a report
    (TRF) states by its results and tie-breaks; exit code 1: something differs. Of several
    events each round is a line, and the last line counts them. With --why each change that is
    named was tried: with it the round agrees. With --proofs each kept proof is
    verified with what its round was paired with, that of --round N alone.
    """
    one = bool(pairings) and not every
    given_once = [one, proof is not None, proofs, every, solution is not None]
    if given_once.count(True) != 1 or (len(pairings) > 1 and not every):
        raise UsageError(
            "expected one of PAIRINGS, --proof FILE, --proofs, --solution FILE, --all"
        )
    printed = None if digest is None else _parse_digest(digest)
    if proof is not None:
        return _proof(event, players, proof, printed, options)
    if proofs:
        return _proofs(event, {"players": players, **options}, printed)
    if printed is not None:
        raise UsageError("--digest goes with --proof FILE or --proofs")
    if why and no_solve:
        raise UsageError("--why compares with an optimal pairing: leave out --no-solve")
    if every and options["round"]:
        raise UsageError("--all checks every round: leave out --round")
    if every and pairings:
        if players is not None:
            raise UsageError("--players belongs to one event: leave it out")
        return _batch(
            (event, *pairings), {**options, "solve": not no_solve, "why": why}, jobs
        )
    given, options = read(event, players, options, unfinished=every)
    options["solve"] = not no_solve
    if every:
        from pairopt.folder.stored_proofs import (
            options_by_round,  # checking a proof imports no solver
        )

        return _all(given, {**options, "paired_with": options_by_round(event)}, why)
    asked_of: Any = pairings[0] if pairings else None
    if solution is not None:
        from pairopt.round.export_program import read_solution

        rest = {name: value for name, value in options.items() if name != "solve"}
        asked_of = read_solution(given, solution, **rest)
    found = check(given, asked_of, **options)
    echo_notes(found.notes, given.notes)
    asked = explained_by(found, why)
    return CommandOutput(
        text=lambda: _text(found) + "".join(f"{line}\n" for line in explanation(asked)),
        content=lambda: {**found.to_dict(), **asked_for(asked)},
        code=_code(found.legal),
    )


def _all(given: Event, options: Mapping[str, Any], why: bool) -> CommandOutput:
    """Check every round, and say of each whether it agrees; and what is stated of the standings."""
    found, stated = [], compare_stated_standings(given)
    for one in check_all(given, **options):
        found.append((one, explained_by(one, why)))
        echo_notes(one.notes, where=f"round {one.round}: ")
    return CommandOutput(
        text=lambda: "".join(
            [
                *(_line(one, explanation(asked)) for one, asked in found),
                standings_text(stated),
            ]
        ),
        content=lambda: {
            "rounds": [{**one.to_dict(), **asked_for(asked)} for one, asked in found],
            "standings": stated and stated.to_dict(),
        },
        code=_code(
            all(one.agrees for one, _ in found) and (stated is None or stated.agrees)
        ),
    )


def _batch(
    events: Sequence[str], options: Mapping[str, Any], jobs: int
) -> CommandOutput:
    # One event is checked without pydantic, which batch.py needs for the options of its folders.
    from pairopt.cli.batch import CheckedFile, checked_file, make_output

    if len(set(events)) < len(events):
        raise UsageError("the same event is given twice")
    if options["model"] is not None:
        load_model(options["model"])
    calls = [(number, path, options) for number, path in enumerate(events)]
    with progress() as tell:
        found: list[CheckedFile] = []
        done: Iterable[CheckedFile] = starmap(checked_file, calls)
        if jobs > 1:
            from pairopt.processes import run_in_processes

            done = run_in_processes(checked_file, calls, jobs)
        for each in done:
            found.append(each)
            tell(len(found), len(events))
    return make_output(sorted(found, key=lambda each: each.number))


def _parse_digest(text: str) -> str:
    """The digest in what was printed, or read from a QR code."""
    for said in (text.lower(), "".join(text.lower().split())):
        if found := re.search("(?<![0-9a-z])[0-9a-f]{64}(?![0-9a-z])", said):
            return found[0]
    raise UsageError(f"--digest: expected 64 digits from 0 to f, found {text[:80]}")


def _proofs(
    folder: str, options: Mapping[str, Any], printed: str | None
) -> CommandOutput:
    """Verify the proofs that a folder keeps, and say of each round what it shows."""
    from pairopt.folder.proofs import check_proofs

    usual = {each.name: each.default for each in fields(RoundOptions)}
    own = [
        name
        for name, value in options.items()
        if name != "round" and (value or None) != (usual.get(name) or None)
    ]
    if own:
        said = "--proofs checks each round with what it was paired with"
        raise UsageError(f"{said}: leave out --{own[0]}")
    found = list(check_proofs(folder, round=options["round"]))
    alike = [each.round for each in found if each.digest == printed]
    more, told = dict[str, object](), ""
    if printed is not None:
        more = {"digest": printed, "rounds_of_digest": alike}
        told = (
            f"The digest is that of round {alike[0]}.\n"
            if alike
            else f"{OTHER_DIGEST}.\n"
        )
    good = not any(each.faults for each in found) and (printed is None or bool(alike))
    return CommandOutput(
        text=lambda: "".join(map(_proof_line, found)) + told,
        content=lambda: {"rounds": [each.to_dict() for each in found], **more},
        code=_code(good, any(each.open for each in found)),
    )


def _proof_line(found: "RoundProof") -> str:
    if found.digest is None:
        return f"Round {found.round}: no proof is kept.\n"
    if found.faults:
        faults = "; ".join(map(TERMINAL.format_message, found.faults))
        return f"Round {found.round}: no proof: {escape_hidden(faults)}\n"
    given = options_text(found.paired_with)
    said = f" (paired with {escape_hidden(given)})" if given else ""
    who = count_noun(found.absent, "active player has", "active players have")
    absent = f" {who} no match in the round." * bool(found.absent)
    return f"Round {found.round}: {escape_hidden(found.stated.words)}{said}.{absent}\n"


def _proof(
    event: str,
    players: str | None,
    proof: str,
    printed: str | None,
    options: dict[str, Any],
) -> CommandOutput:
    """Verify a proof of the round that it names, and say what it shows."""
    if options["round"] is None:
        options = {**options, "round": round_of(proof)}
    given, options = read(event, players, options)
    found = check_proof(given, proof, **options)
    if printed not in (None, hashlib.sha256(read_bytes(proof)).hexdigest()):
        found = replace(found, faults=(*found.faults, OTHER_DIGEST))
    echo_notes(found.problem.notes, given.notes)
    code = _code(found.holds, found.open > 0)
    return CommandOutput(
        text=lambda: f"{found.text()}\n", content=found.to_dict, code=code
    )


def _code(good: bool, open_levels: bool = False) -> int:
    return EXIT_INFEASIBLE if not good else EXIT_UNPROVEN if open_levels else 0


def _line(found: Check, more: Sequence[str]) -> str:
    """A round's verdict, and below what it comes from."""
    lines = [f"Round {found.round}: {verdict(found)}"]
    if found.blame:
        lines.append(
            f"  that level is due to: {escape_hidden(join_names(found.blame))}"
        )
    lines += [f"  {line}" for line in (*broken_rules(found), *more)]
    return "".join(f"{line}\n" for line in lines)


def _text(found: Check) -> str:
    levels = checked_levels(found)
    lines = [f"Round {found.round}, model {found.model}", ""]
    lines += [levels_text(levels)] if levels.rows else []
    lines += [levels.more, ""] if levels.more else []
    lines += broken_rules(found)
    lines += [describe_verdict(found)]
    if found.blame:
        many, same = len(found.shares), len(found.shares) - len(found.changed)
        lines.append(f"That level is due to: {escape_hidden(', '.join(found.blame))}.")
        lines.append(f"Of its {many} matches the optimal pairing has {same}.")
    return "\n".join([*lines, ""])
