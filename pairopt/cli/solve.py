"""`pairopt solve`."""

from __future__ import annotations

import shlex
import time
from typing import TYPE_CHECKING, Any

import click

from pairopt.cli import EXIT_INFEASIBLE, EXIT_UNPROVEN
from pairopt.cli.options import FILE, echo_notes, event_options, read

if TYPE_CHECKING:
    from pairopt.event import Event
    from pairopt.problem import Level
    from pairopt.result import Result

HOW = ("engine", "formulation", "verify", "choose", "count", "time_limit", "workers")
MEDDLING = ("force", "forbid", "bye", "no_bye", "drop")

EXIT_CODES = {"infeasible": EXIT_INFEASIBLE, "feasible": EXIT_UNPROVEN, "unknown": EXIT_UNPROVEN}


@click.command()
@event_options
@click.option("--formulation", type=click.Choice(["classes", "pairs"]), default="classes",
              show_default=True, help="pairs: one boolean a pair, for study.")  # fmt: skip
@click.option(
    "--choose",
    type=click.Choice(["any", "uniform"]),
    default="any",
    show_default=True,
    help="uniform: by lot, each optimal pairing as likely as any other.",
)
@click.option("--count", is_flag=True, help="Say how many optimal pairings there are.")
@click.option("--verify", is_flag=True, help="Solve with the other engine too, and compare.")
@click.option("--timings", is_flag=True, help="Say how long it took.")
@click.option("--format", "form", type=click.Choice(["table", "csv", "json", "trf-pairs"]),
              help="Default: table; with -o by the file's name, .json or csv.")  # fmt: skip
@click.option("-o", "--output", type=FILE, help="Write to a file instead of the screen.")
@click.option("--report", type=FILE, help="Write a page to read or print, FILE.html.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    event: str,
    players: str | None,
    timings: bool,
    form: str | None,
    output: str | None,
    report: str | None,
    **options: Any,
) -> None:
    """Pair the next round of EVENT, and prove that no pairing is better.

    EVENT is matches.csv (one row a match), standings.csv, or players.csv alone for the
    first round.
    """
    from pairopt.cli.show import conclusion, result_table
    from pairopt.io.write import result_text, write_whole
    from pairopt.solving import solve

    if form is None:
        form = ("json" if output.lower().endswith(".json") else "csv") if output else "table"
    given, options = read(event, players, options)
    echo_notes(given.notes)
    result = solve(given, progress=_progress(), **options)
    echo_notes(note for note in result.notes if note not in given.notes)
    if result.matches:
        for line in _cost(given, result, options):
            click.echo(line, err=True)
    for conflict in result.conflicts:
        click.echo(conflict, err=True)
    if timings:
        click.echo(f"solved in {result.seconds:.3f} s", err=True)
    if result.matches or form == "json":
        if form == "table":
            text = result_table(given, result)
        else:
            text = result_text(result, form, given.players, timings)
        if output is None:
            click.echo(text, nl=False)
        else:
            write_whole(output, text)
            click.echo(f"round {result.round}: written to {output}", err=True)
    if report is not None and result.matches:
        sources = [file for file in (event, players) if file is not None]
        write_whole(report, _page(given, result, options, sources, ctx.find_root().obj))
        click.echo(f"report: written to {report}", err=True)
    if form != "table" or not result.matches:
        for line in conclusion(result):
            click.echo(line, err=True)
    ctx.exit(EXIT_CODES.get(result.status, 0))


def _page(
    given: Event, result: Result, options: dict[str, Any], files: list[str], arguments: list[str]
) -> str:
    """The report of the round."""
    from pairopt.report import Source, report_text
    from pairopt.solving import prepare

    problem = prepare(given, **{k: v for k, v in options.items() if k not in HOW})
    sources = [Source.of(file) for file in files]
    return report_text(problem, result, sources, shlex.join(["pairopt", *arguments]))


def _cost(given: Event, result: Result, options: dict[str, Any]) -> list[str]:
    """What the options that interfere with the pairing cost, level by level."""
    from pairopt.explaining import differences
    from pairopt.solving import solve

    meddling = [name for name in MEDDLING if options[name]]
    if not meddling:
        return []
    without = (*meddling, "verify", "choose", "count")
    free = solve(given, **{k: v for k, v in options.items() if k not in without})
    if not (free.proven and result.proven):
        return []
    asked = " ".join(f"--{name.replace('_', '-')}" for name in meddling)
    lines = differences(free, result)
    if not lines:
        return [f"{asked}: at no cost"]
    return [f"than without {asked}:", *(f"  {line}" for line in lines)]


def _progress() -> Any:
    """A line a level on stderr, once the solve has taken a second."""
    start = time.monotonic()

    def report(level: Level, value: int, number: int, total: int) -> None:
        seconds = time.monotonic() - start
        if seconds > 1:
            click.echo(
                f"  {seconds:5.1f} s  level {number}/{total}: {level.words}: "
                f"{value / level.scale:g}",
                err=True,
            )

    return report
