"""Define `pairopt check`."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pairopt.cli.check_text import (
    causes_content,
    causes_lines,
    describe_broken_rules,
    describe_verdict,
    search_causes,
    short_verdict,
    standings_text,
)
from pairopt.cli.console import echo_notes, progress
from pairopt.cli.exit_codes import EXIT_INFEASIBLE, EXIT_UNPROVEN
from pairopt.cli.options import FILE, CommandOutput, NonEmptyPath, answering, bounded
from pairopt.cli.round_options import read_event_options, round_options
from pairopt.cli.tables import levels_text
from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.event.round_robin_check import check_round_robin
from pairopt.event.stated_standings import (
    StandingsComparison,
    compare_stated_standings,
)
from pairopt.files.event_folder import is_folder
from pairopt.files.text_source import read_bytes
from pairopt.messages import message
from pairopt.messages.formatting import count_noun, escape_hidden, join_names
from pairopt.messages.interfaces import TERMINAL
from pairopt.problem.model import load_model
from pairopt.problem.options import RoundOptions, options_text
from pairopt.proof.check import check_proof, read_round_number
from pairopt.report.views import checked_levels
from pairopt.round.check import Check, check
from pairopt.round.check_event import check_all, check_one_round

if TYPE_CHECKING:
    from pairopt.folder.proofs import RoundProof

OTHER_DIGEST = "the digest that was printed is of another proof"


@click.command()
@round_options()
@click.argument("pairings", type=NonEmptyPath(), nargs=-1)
@click.option(
    "--proof",
    type=FILE,
    help="Verify a proof that pairopt solve --proof wrote, instead of PAIRINGS.",
)
@click.option(
    "--proofs",
    is_flag=True,
    help="Verify the proofs that the event folder stores. With --round N, verify only the proof of round N.",
)
@click.option(
    "--digest",
    metavar="HEX",
    help="Compare the proof with a printed SHA-256 digest: its hexadecimal digits, or the text of the QR code.",
)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Check every round of EVENT, and of all other events that you name.",
)
@click.option(
    "--jobs",
    type=bounded("workers"),
    default=1,
    help="Number of parallel processes for --all.",
)
@click.option(
    "--solution",
    type=FILE,
    help="Check the solution that another solver found for the program from pairopt export, instead of PAIRINGS. The file of the solution can have v lines, or names of variables with values.",
)
@click.option(
    "--why",
    is_flag=True,
    help="If a round differs, search for the cause: one or two wrong facts in the files, for example a result, a start number or a missing player.",
)
@click.option(
    "--no-solve",
    is_flag=True,
    help="Do not compare the pairing with an optimal pairing.",
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
    """Check a pairing, a proof, or every round of an event.

    Examples:
      pairopt check report.trf                         the last round of a report
      pairopt check friday --round 2                   round 2 of an event folder
      pairopt check matches.csv round.csv              the pairing in round.csv
      pairopt check report.trf --all                   every round of a report
      pairopt check matches.csv --proof round.json     a proof, without a solver
      pairopt check friday --proofs                    the proofs of an event

    PAIRINGS is a file with the columns of matches.csv, or an event of any other format.
    For each level of the model, pairopt compares the value of PAIRINGS with the best
    possible value. pairopt does not check other rounds. Without PAIRINGS, pairopt
    checks the last round of EVENT. To check another round, add --round.

    With --all, pairopt checks each round of the event, on the basis of the rounds
    before it. If a round does not agree with the model, pairopt names the first level
    that an optimal pairing would improve. If EVENT is a tournament report (TRF),
    pairopt also checks the points and ranks of the report.

    Exit codes:
      0  the pairing is legal, the proof holds, or all rounds agree
      1  the pairing breaks a constraint, the proof is of another round,
         or a round differs
      3  the file is not a pairing of this event, or the proof is malformed
      4  the proof leaves levels open
    """
    if len(pairings) == 1 and _is_same_file(event, pairings[0]) and not every:
        pairings = ()
    source_flags = [
        bool(pairings) and not every,
        proof is not None,
        proofs,
        every,
        solution is not None,
    ]
    if source_flags.count(True) > 1 or (len(pairings) > 1 and not every):
        raise UsageError(
            "Check one thing at a time: a file of pairings, --all for every round, "
            "--proof FILE, --proofs or --solution FILE. For example: pairopt check EVENT --all"
        )

    printed_digest = None if digest is None else _parse_digest(digest)
    if proof is not None:
        return _check_proof_file(event, players, proof, printed_digest, options)
    if proofs:
        given_options = {"players": players, **options}
        return _check_stored_proofs(event, given_options, printed_digest)
    if printed_digest is not None:
        raise UsageError("--digest goes with --proof FILE or --proofs")
    if why and no_solve:
        raise UsageError("--why compares with an optimal pairing: leave out --no-solve")
    if every:
        check_options = {**options, "solve": not no_solve}
        return _check_all(event, players, pairings, check_options, why, jobs)
    if not pairings and solution is None:
        check_options = {**options, "solve": not no_solve}
        return _check_own_round(event, players, check_options, why)

    given_event, options = read_event_options(event, players, options, unfinished=False)
    options["solve"] = not no_solve
    pairing: Any = pairings[0] if pairings else None
    if solution is not None:
        from pairopt.round.export_program import read_solution

        program_options = {
            option_name: option_value
            for option_name, option_value in options.items()
            if option_name != "solve"
        }
        pairing = read_solution(given_event, solution, **program_options)
    checked_round = check(given_event, pairing, **options)
    return _make_round_output(checked_round, given_event, why)


def _is_same_file(first: str, second: str) -> bool:
    """Return whether two paths are the same file or folder."""
    return Path(first).exists() and Path(second).resolve() == Path(first).resolve()


def _check_own_round(
    event_path: str, players: str | None, options: Mapping[str, Any], why: bool
) -> CommandOutput:
    """Check the last round that an event has, or the one of the option `round`.

    `event_path` and `players` are the files. `options` are those of the command, with
    "solve". The round is checked against the rounds before it, with what it was paired
    with in a folder; with `why`, causes of a difference are searched. In a round robin,
    all rounds are compared with the Berger table instead. Notes are written to stderr.
    """
    event, check_options = _read_whole_event(event_path, players, options)
    if event.settings.is_round_robin:
        return _check_berger_table(event, None)
    checked_round = check_one_round(event, options["round"], **check_options)
    return _make_round_output(checked_round, event, why)


def _make_round_output(checked_round: Check, event: Event, why: bool) -> CommandOutput:
    """Return the output of the check of one round, and write its notes to stderr.

    With `why`, causes of a difference are searched.
    """
    echo_notes(checked_round.notes, event.notes)
    cause_search = search_causes(checked_round, why)

    def text() -> str:
        """Return the check of the round as lines, followed by the causes found."""
        causes_text = "".join(
            f"{causes_line}\n" for causes_line in causes_lines(cause_search)
        )
        return _format_check(checked_round) + causes_text

    return CommandOutput(
        text=text,
        content=lambda: {**checked_round.to_dict(), **causes_content(cause_search)},
        code=_exit_code(checked_round.legal),
    )


def _check_all(
    event_path: str,
    players: str | None,
    further_events: Sequence[str],
    options: Mapping[str, Any],
    why: bool,
    jobs: int,
) -> CommandOutput:
    """Check every round of one event, or of several if there are `further_events`.

    `event_path` and `players` are the files of the first event. `options` are those of
    the command, with "solve": whether to compare with optimal pairings. With `why`,
    causes of differences are searched. `jobs` is the number of processes for several
    events. Raises UsageError for --round, and with several events for --players.
    """
    if options["round"]:
        raise UsageError("--all checks every round: leave out --round")
    if further_events:
        if players is not None:
            raise UsageError("--players belongs to one event: leave it out")
        event_paths = (event_path, *further_events)
        return _check_events(event_paths, {**options, "why": why}, jobs)

    event, check_options = _read_whole_event(event_path, players, options)
    return _check_all_rounds(event, check_options, why)


def _read_whole_event(
    event_path: str, players: str | None, options: Mapping[str, Any]
) -> tuple[Event, dict[str, Any]]:
    """Read an event with all its rounds, and return it with the options of their check.

    `options` are those of the command, with "solve"; the option `round` is left out.
    For a folder, the options have what its rounds were paired with, and a note on
    rounds that were paired with other pairing numbers is written to stderr. So are the
    event's notes.
    """
    # Not imported above, because checking a proof imports no solver.
    from pairopt.folder.stored_proofs import read_options_by_round

    reading_options = {
        option_name: option_value
        for option_name, option_value in options.items()
        if option_name != "solve"
    }
    event, check_options = read_event_options(
        event_path, players, {**reading_options, "round": None}, unfinished=True
    )
    check_options["solve"] = options["solve"]
    check_options["paired_with"] = read_options_by_round(event_path)
    if is_folder(event_path):
        _note_renumbered_rounds(event_path, event)
    return event, check_options


def _note_renumbered_rounds(folder: str, event: Event) -> None:
    """Write a note to stderr on rounds that were paired with other pairing numbers.

    There is no note without such rounds.
    """
    from pairopt.folder.pairing_numbers import find_renumbered_rounds

    renumbered_rounds = find_renumbered_rounds(Path(folder), event)
    if renumbered_rounds:
        echo_notes([message("checked.other_numbers", rounds=renumbered_rounds)])


def _check_all_rounds(
    event: Event, options: Mapping[str, Any], why: bool
) -> CommandOutput:
    """Check every round of an event, and the standings that its file states.

    Rounds are compared with an optimal pairing if the `options` say so. With `why`,
    causes of differences are searched. The notes on each round are written to stderr.
    The exit code is 1 if a round or the standings differ.

    A round robin is compared with the Berger table as a whole: single rounds are not
    checked, `options` and `why` are ignored, and nothing is written to stderr. Raises
    UsageError if none of its rounds is paired.
    """
    stated_standings = compare_stated_standings(event)
    if event.settings.is_round_robin:
        return _check_berger_table(event, stated_standings)
    checks_with_causes = []
    for checked_round in check_all(event, **options):
        checks_with_causes.append((checked_round, search_causes(checked_round, why)))
        echo_notes(checked_round.notes, where=f"round {checked_round.round}: ")

    rounds_agree = all(checked_round.agrees for checked_round, _ in checks_with_causes)
    standings_agree = stated_standings is None or stated_standings.agrees

    def text() -> str:
        """Return the check as lines for people: a few per round, one on the standings."""
        round_texts = [
            _format_round(checked, causes_lines(cause_search))
            for checked, cause_search in checks_with_causes
        ]
        return "".join([*round_texts, standings_text(stated_standings)])

    def content() -> dict[str, Any]:
        """Return the checks of all rounds and the standings for JSON."""
        round_contents = [
            {**checked.to_dict(), **causes_content(cause_search)}
            for checked, cause_search in checks_with_causes
        ]
        return {
            "rounds": round_contents,
            "standings": stated_standings and stated_standings.to_dict(),
        }

    return CommandOutput(
        text=text, content=content, code=_exit_code(rounds_agree and standings_agree)
    )


def _check_berger_table(
    event: Event, stated_standings: StandingsComparison | None
) -> CommandOutput:
    """Check a round robin against the Berger table, and the standings in its file.

    The exit code is 1 if one of them differs. Raises UsageError if no round is paired.
    """
    if not len(event.matches):
        raise UsageError("checked.no_rounds", source=event.source)
    berger_check = check_round_robin(event)
    standings_agree = stated_standings is None or stated_standings.agrees

    def text() -> str:
        """Return the notes on the Berger table as lines, and one about the standings."""
        note_lines = [f"{escape_hidden(str(note))}\n" for note in berger_check.notes]
        return "".join([*note_lines, standings_text(stated_standings)])

    def content() -> dict[str, Any]:
        """Return the Berger table's check and the standings' check for JSON.

        The list "rounds" is empty, because single rounds are not checked.
        """
        return {
            "rounds": [],
            "berger": berger_check.to_dict(),
            "standings": stated_standings and stated_standings.to_dict(),
        }

    return CommandOutput(
        text=text,
        content=content,
        code=_exit_code(berger_check.agrees and standings_agree),
    )


def _check_events(
    events: Sequence[str], options: Mapping[str, Any], jobs: int
) -> CommandOutput:
    """Check every round of several events, in `jobs` processes, and show the progress.

    `options` are those of the command, with "solve" and "why" (whether to compare with
    an optimal pairing, and to search for causes). The results are in the order of the
    arguments. Notes are written to stderr. Raises UsageError if an event is given
    twice, or the model is unknown.
    """
    # One event is checked without pydantic, which batch.py needs for the options of its folders.
    from pairopt.cli.batch import CheckedFile, check_file, make_output

    if len(set(events)) < len(events):
        raise UsageError("The same event is given twice. Remove one of the two.")
    if options["model"] is not None:
        load_model(options["model"])

    check_arguments = [
        (event_number, event_path, options)
        for event_number, event_path in enumerate(events)
    ]
    with progress() as report_progress:
        checked_files: list[CheckedFile] = []
        file_checks: Iterable[CheckedFile] = starmap(check_file, check_arguments)
        if jobs > 1:
            from pairopt.processes import run_in_processes

            file_checks = run_in_processes(check_file, check_arguments, jobs)
        for checked_file in file_checks:
            checked_files.append(checked_file)
            report_progress(len(checked_files), len(events))
    return make_output(
        sorted(checked_files, key=lambda checked_file: checked_file.number)
    )


def _parse_digest(text: str) -> str:
    """Return the SHA-256 digest in a printed text, or in what a QR code says.

    It is 64 digits in lower case; the text may have blanks between them. Raises
    UsageError if there is none.
    """
    lower_text = text.lower()
    blankless_text = "".join(lower_text.split())
    for searched_text in (lower_text, blankless_text):
        digest_match = re.search("(?<![0-9a-z])[0-9a-f]{64}(?![0-9a-z])", searched_text)
        if digest_match:
            return digest_match[0]
    raise UsageError(f"--digest: expected 64 digits from 0 to f, found {text[:80]}")


def _check_stored_proofs(
    folder: str, options: Mapping[str, Any], printed_digest: str | None
) -> CommandOutput:
    """Verify the proofs that a folder stores, and say of each round what it proves.

    With a printed digest, also say of which round it is. `options` are those of the
    command; `round` limits the check to one round. The exit code is 1 if a proof does
    not hold, or if no round has the digest; otherwise 4 if a proof leaves levels open.
    A round without a proof changes nothing. Raises UsageError for any other option.
    """
    from pairopt.folder.proofs import check_proofs

    _require_default_options(options)
    round_proofs = list(check_proofs(folder, round=options["round"]))
    rounds_with_printed_digest = [
        round_proof.round
        for round_proof in round_proofs
        if round_proof.digest == printed_digest
    ]
    digest_content: dict[str, object] = {}
    digest_text = ""
    all_proofs_hold = not any(round_proof.faults for round_proof in round_proofs)
    if printed_digest is not None:
        digest_content = {
            "digest": printed_digest,
            "rounds_of_digest": rounds_with_printed_digest,
        }
        all_proofs_hold = all_proofs_hold and bool(rounds_with_printed_digest)
        if rounds_with_printed_digest:
            digest_text = (
                f"The digest is that of round {rounds_with_printed_digest[0]}.\n"
            )
        else:
            digest_text = f"{OTHER_DIGEST}.\n"
    return CommandOutput(
        text=lambda: "".join(map(_format_proof_line, round_proofs)) + digest_text,
        content=lambda: {
            "rounds": [round_proof.to_dict() for round_proof in round_proofs],
            **digest_content,
        },
        code=_exit_code(
            all_proofs_hold, any(round_proof.open for round_proof in round_proofs)
        ),
    )


def _require_default_options(options: Mapping[str, Any]) -> None:
    """Raise UsageError if an option other than `round` differs from its default.

    A stored proof is checked with the options with which its round was paired. Empty
    values count as not given.
    """
    default_values = {
        option_field.name: option_field.default for option_field in fields(RoundOptions)
    }
    for option_name, option_value in options.items():
        if option_name != "round" and (option_value or None) != (
            default_values.get(option_name) or None
        ):
            raise UsageError(
                "--proofs checks each round with what it was paired with: "
                f"leave out --{option_name}"
            )


def _format_proof_line(proof: "RoundProof") -> str:
    """Return a line: what the stored proof of a round proves, or why it does not hold.

    If no proof is stored, the line says that. It ends with a line break.
    """
    if proof.digest is None:
        return f"Round {proof.round}: no proof is kept.\n"
    if proof.faults:
        fault_text = "; ".join(map(TERMINAL.format_message, proof.faults))
        return f"Round {proof.round}: no proof: {escape_hidden(fault_text)}\n"

    option_words = options_text(proof.paired_with)
    options_note = (
        f" (paired with {escape_hidden(option_words)})" if option_words else ""
    )
    absent_note = ""
    if proof.absent:
        absent_players = count_noun(
            proof.absent, "active player has", "active players have"
        )
        absent_note = f" {absent_players} no match in the round."
    # Some statements end with a full stop, others do not.
    proof_statement = escape_hidden(proof.stated.words).removesuffix(".")
    return f"Round {proof.round}: {proof_statement}{options_note}.{absent_note}\n"


def _check_proof_file(
    event_path: str,
    players: str | None,
    proof_path: str,
    printed_digest: str | None,
    options: dict[str, Any],
) -> CommandOutput:
    """Verify a proof of the round that it names, and say what it proves.

    The option `round`, if given, replaces the round in the proof. If the file has
    another SHA-256 than `printed_digest`, that is a fault of the proof; None compares
    nothing. The exit code is 1 if the proof does not hold, 4 if it leaves levels open.
    """
    if options["round"] is None:
        options = {**options, "round": read_round_number(proof_path)}
    event, options = read_event_options(event_path, players, options)
    checked_proof = check_proof(event, proof_path, **options)
    if printed_digest is not None:
        file_digest = hashlib.sha256(read_bytes(proof_path)).hexdigest()
        if file_digest != printed_digest:
            checked_proof = replace(
                checked_proof, faults=(*checked_proof.faults, OTHER_DIGEST)
            )
    echo_notes(checked_proof.problem.notes, event.notes)
    return CommandOutput(
        text=lambda: f"{checked_proof.text()}\n",
        content=checked_proof.to_dict,
        code=_exit_code(checked_proof.holds, checked_proof.open > 0),
    )


def _exit_code(is_good: bool, has_open_levels: bool = False) -> int:
    """Return 1 if a check has failed, 4 if levels are unproven, otherwise 0.

    The check has failed if it is not `is_good`; then the code is 1 even if it
    `has_open_levels`.
    """
    if not is_good:
        return EXIT_INFEASIBLE
    return EXIT_UNPROVEN if has_open_levels else 0


def _format_round(checked: Check, details: Sequence[str]) -> str:
    """Return the lines about one of several rounds: the verdict, then what it rests on.

    The lines below the verdict are indented: the matches that cause the difference,
    broken rules, and `details`. Each line ends with a line break.
    """
    text_lines = [f"Round {checked.round}: {short_verdict(checked)}"]
    if checked.blame:
        blamed_players = escape_hidden(join_names(checked.blame))
        text_lines.append(f"  that level is due to: {blamed_players}")
    text_lines += [
        f"  {detail_line}"
        for detail_line in (*describe_broken_rules(checked), *details)
    ]
    return "".join(f"{detail_line}\n" for detail_line in text_lines)


def _format_check(checked: Check) -> str:
    """Return the check of one round: its levels, broken rules, and the verdict.

    If the pairing is worse than the optimal one, the text also says which matches cause
    that, and how many matches are in both.
    """
    levels_view = checked_levels(checked)
    text_lines = [f"Round {checked.round}, model {checked.model}", ""]
    if levels_view.rows:
        text_lines.append(levels_text(levels_view))
    if levels_view.more:
        text_lines += [levels_view.more, ""]
    text_lines += describe_broken_rules(checked)
    text_lines.append(describe_verdict(checked))
    if checked.blame:
        match_count = len(checked.shares)
        same_count = match_count - len(checked.changed)
        blamed_players = escape_hidden(", ".join(checked.blame))
        text_lines.append(f"That level is due to: {blamed_players}.")
        text_lines.append(
            f"Of its {match_count} matches the optimal pairing has {same_count}."
        )
    return "\n".join([*text_lines, ""])
