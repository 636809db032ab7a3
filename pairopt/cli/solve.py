"""Define `pairopt solve`: pair a round, and write it in several forms."""

import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import click

from pairopt.cli import tables
from pairopt.cli.console import echo_notes, say
from pairopt.cli.options import CommandOutput, ReportFile, answering, form_of
from pairopt.cli.round_options import (
    PROOF,
    exit_code,
    missing_proof_reason,
    read_event_options,
    round_options,
)
from pairopt.event.event import Event
from pairopt.messages import message
from pairopt.problem.options import SolveOptions
from pairopt.problem.system import Level
from pairopt.round.remedies import find_remedies
from pairopt.round.result import Result
from pairopt.round.solve import solve

MEDDLING = ("force", "fixed", "forbid", "bye", "no_bye", "drop")
"""Options that change the pairing; the command says what they cost."""
# Options that do not change the value of the optimum.
BESIDES = ("verify", "choose", "count")
REPORT = click.option(
    "--report",
    type=ReportFile(),
    help="Write a page for reading or printing to this file (.html), or a picture of the round (.svg or .png).",
)


@click.command()
@round_options(SolveOptions)
@click.option("--timings", is_flag=True, help="Show how long the computation took.")
@answering("table", "csv", "json", "trf-pairs", more=[REPORT, PROOF])
@click.pass_context
def command(
    ctx: click.Context,
    /,
    event: str,
    players: str | None,
    timings: bool,
    report: str | None,
    proof: str | None,
    **options: Any,
) -> CommandOutput:
    """Pair the next round, and prove that no pairing is better.

    Examples:
      pairopt solve matches.csv
      pairopt solve matches.csv --players players.csv --model excalibur
      pairopt solve players.csv --seed 7          round 1, from a list of players
      pairopt solve report.trf -o round.csv --report round.html
      pairopt solve matches.csv --forbid Ann:Bob --drop Cid

    EVENT is a file with an event, or an event folder. The file can be matches.csv (one
    row per match), standings.csv, players.csv alone for round 1, or another format that
    pairopt reads. pairopt solve only shows the pairing. To run an event round after
    round, use pairopt pair.

    Exit codes:
      1  no pairing satisfies the constraints
      4  the time limit was reached
    """
    form = ctx.params["form"] or form_of(ctx.params["output"])
    given_event, options = read_event_options(event, players, options)
    if proof is not None:
        from pairopt.proof.proving import require_proof

        require_proof(given_event, **options)
    result = solve(given_event, progress=_make_progress_reporter(), **options)
    echo_notes(result.notes, given_event.notes)

    remedies = find_remedies(result, partial(solve, given_event), options)
    cost_lines = [*_list_cost_lines(given_event, result, options)]
    if form == "csv":
        cost_lines += tables.missing_column_notes(result)
    away_question = result.question
    if away_question:
        echo_notes([message("bye.to_away", **away_question.fields)])
    say(*cost_lines, *result.conflicts, *tables.remedy_lines(given_event, remedies))
    if timings:
        say(f"solved in {result.seconds:.3f} s")

    report_content: str | bytes = ""
    if report and result.matches:
        input_files = [
            input_file for input_file in (event, players) if input_file is not None
        ]
        command_line = shlex.join(["pairopt", *ctx.find_root().obj])
        report_content = _build_report(result, report, input_files, command_line)
    proof_text = result.proof.text if proof and result.proof else ""
    if proof:
        say(result.proof.said if result.proof else missing_proof_reason(result))

    def content() -> dict[str, Any]:
        """Return the result for JSON, with remedies and proof if there are any."""
        result_content = result.to_dict(timings)
        if remedies:
            result_content["ways"] = [remedy.to_dict() for remedy in remedies]
        if proof_text and result.proof:
            result_content["proof"] = result.proof.to_dict()
        return result_content

    def if_paired(write: Callable[[Result], str]) -> Callable[[], str]:
        """Return a function without arguments that writes the pairing by `write`.

        It calls `write` with the result when it is called, or returns "" without a
        pairing.
        """
        return lambda: write(result) if result.matches else ""

    shows_conclusion = form == "table" and bool(result.matches)
    return CommandOutput(
        text=if_paired(partial(tables.result_table, given_event)),
        content=content,
        forms={
            "csv": if_paired(tables.result_csv),
            "trf-pairs": if_paired(tables.trf_pairs_text),
        },
        what=f"round {result.round}",
        files=[(report, "report", report_content), (proof, "proof", proof_text)],
        after=[] if shows_conclusion else result.conclusion(),
        code=exit_code(result),
    )


def _build_report(
    result: Result, path: str, inputs: Sequence[str], command_line: str
) -> str | bytes:
    """Return the report of a round as a page, or as a picture if its suffix says so.

    A page also names the files in `inputs`, and the command line.
    """
    from pairopt.report.page import report_text
    from pairopt.report.picture import SUFFIXES, draw_picture, render_picture

    if path.lower().endswith(SUFFIXES):
        return render_picture(draw_picture(result), path)
    return report_text(result, inputs, command_line)


def _list_cost_lines(
    event: Event, result: Result, options: Mapping[str, Any]
) -> list[str]:
    """Return how much worse each level is because of options that change the pairing.

    For this the round is paired again without these options. There are no lines without
    such options, or if either pairing is not proven.
    """
    changing_options = [option_name for option_name in MEDDLING if options[option_name]]
    if not changing_options or not result.proven:
        return []
    other_options = {
        option_name: option_value
        for option_name, option_value in options.items()
        if option_name not in (*changing_options, *BESIDES)
    }
    unchanged_result = solve(event, **other_options)
    if not unchanged_result.proven:
        return []
    typed_options = " ".join(
        f"--{option_name.replace('_', '-')}" for option_name in changing_options
    )
    difference_lines = [
        f"  {difference_line}"
        for difference_line in result.differences(unchanged_result)
    ]
    return (
        [f"than without {typed_options}:", *difference_lines]
        if difference_lines
        else [f"{typed_options}: at no cost"]
    )


def _make_progress_reporter() -> Any:
    """Return a function that writes a line per solved level to stderr.

    It writes nothing in the first second.
    """
    start_time = time.monotonic()

    def report(level: Level, value: int, number: int, total: int) -> None:
        """Write a line about a solved level: its number, words and value.

        `number` counts levels from 1 to `total`. In the first second nothing is
        written.
        """
        passed_seconds = time.monotonic() - start_time
        if passed_seconds > 1:
            level_text = (
                f"level {number}/{total}: {level.words}: {value / level.scale:g}"
            )
            click.echo(f"  {passed_seconds:5.1f} s  {level_text}", err=True)

    return report
