"""`pairopt solve`."""

import shlex
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import click

from pairopt.cli import tables
from pairopt.cli.console import echo_notes, say
from pairopt.cli.options import CommandOutput, ReportFile, answering, form_of
from pairopt.cli.round_options import (
    PROOF,
    exit_code,
    read,
    round_options,
    without_proof,
)
from pairopt.event.event import Event
from pairopt.messages import message
from pairopt.problem.options import SolveOptions
from pairopt.problem.system import Level
from pairopt.round.remedies import ways_out
from pairopt.round.result import Result
from pairopt.round.solve import solve

MEDDLING = ("force", "fixed", "forbid", "bye", "no_bye", "drop")
"""Options that change the pairing: what they cost is said."""
BESIDES = ("verify", "choose", "count")  # options that do not change what is optimal
REPORT = click.option(
    "--report",
    type=ReportFile(),
    help="Write a page to read or print, FILE.html, or one picture of the round, .svg or .png.",
)


@click.command()
@round_options(SolveOptions)
@click.option("--timings", is_flag=True, help="Say how long it took.")
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
    """Pair the next round of EVENT, and prove that no pairing is better. EVENT is matches.csv (one
    row a match), standings.csv, or players.csv alone for the first round.
    """
    form = ctx.params["form"] or form_of(ctx.params["output"])
    given, options = read(event, players, options)
    if proof is not None:
        from pairopt.proof.proving import require_proof

        require_proof(given, **options)
    result = solve(given, progress=_progress(), **options)
    echo_notes(result.notes, given.notes)
    added = tables.added_columns(result) if form == "csv" else ()
    ways = ways_out(result, partial(solve, given), options)
    said = (
        *_cost(given, result, options),
        *added,
        *result.conflicts,
        *tables.ways_lines(ways),
    )
    if question := result.question:
        echo_notes([message("bye.to_away", **question.fields)])
    for line in said:
        say(line)
    if timings:
        say(f"solved in {result.seconds:.3f} s")
    page: str | bytes = ""
    if report and result.matches:
        from pairopt.report.page import report_text
        from pairopt.report.picture import SUFFIXES, draw_picture, render_picture

        sources = [file for file in (event, players) if file is not None]
        called = shlex.join(["pairopt", *ctx.find_root().obj])
        page = (
            render_picture(draw_picture(result), report)
            if report.lower().endswith(SUFFIXES)
            else report_text(result, sources, called)
        )
    proven = result.proof.text if proof and result.proof else ""
    if proof:
        say(result.proof.said if result.proof else without_proof(result))

    def content() -> dict[str, Any]:
        made = result.to_dict(timings)
        made |= {"ways": [way.to_dict() for way in ways]} if ways else {}
        return (
            made | {"proof": result.proof.to_dict()}
            if proven and result.proof
            else made
        )

    def where_paired(made: Callable[[Result], str]) -> Callable[[], str]:
        return lambda: made(result) if result.matches else ""

    forms = {
        "csv": where_paired(tables.result_csv),
        "trf-pairs": where_paired(tables.trf_pairs_text),
    }
    return CommandOutput(
        text=where_paired(partial(tables.result_table, given)),
        content=content,
        forms=forms,
        what=f"round {result.round}",
        files=[(report, "report", page), (proof, "proof", proven)],
        after=[] if form == "table" and result.matches else result.conclusion(),
        code=exit_code(result),
    )


def _cost(given: Event, result: Result, options: Mapping[str, Any]) -> list[str]:
    """What the options that meddle with the pairing cost, level by level."""
    meddling = [name for name in MEDDLING if options[name]]
    if not meddling or not result.proven:
        return []
    free = solve(
        given, **{k: v for k, v in options.items() if k not in (*meddling, *BESIDES)}
    )
    if not free.proven:
        return []
    asked = " ".join(f"--{name.replace('_', '-')}" for name in meddling)
    lines = [f"  {line}" for line in result.differences(free)]
    return [f"than without {asked}:", *lines] if lines else [f"{asked}: at no cost"]


def _progress() -> Any:
    """A line a level on stderr, once the solve has taken a second."""
    start = time.monotonic()

    def report(level: Level, value: int, number: int, total: int) -> None:
        seconds = time.monotonic() - start
        if seconds > 1:
            found = f"level {number}/{total}: {level.words}: {value / level.scale:g}"
            click.echo(f"  {seconds:5.1f} s  {found}", err=True)

    return report
