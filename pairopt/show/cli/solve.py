"""`pairopt solve`."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pairopt.errors import UsageError
from pairopt.problem.options import SolveOptions
from pairopt.show.cli.console import give
from pairopt.show.cli.options import (
    FILE,
    OVERWRITE,
    PROOF,
    echo_notes,
    exit_code,
    proof_text,
    read,
    round_options,
    say,
)

if TYPE_CHECKING:
    from pairopt.event.event import Event
    from pairopt.problem.system import Level
    from pairopt.round.result import Result

MEDDLING = ("force", "forbid", "bye", "no_bye", "drop")
"""Options that change the pairing: what they cost is said."""
BESIDES = ("verify", "choose", "count")
"""Options that do not change what is optimal."""


@click.command()
@round_options(SolveOptions)
@click.option("--timings", is_flag=True, help="Say how long it took.")
@click.option("--format", "form", type=click.Choice(["table", "csv", "json", "trf-pairs"]),
              help="Default: table; with -o by the file's name, .json or csv.")  # fmt: skip
@click.option("-o", "--output", type=FILE, help="Write to a file instead of the screen.")
@click.option("--report", type=FILE, help="Write a page to read or print, FILE.html.")
@PROOF
@OVERWRITE
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
    proof: str | None,
    overwrite: bool,
    **options: Any,
) -> None:
    """Pair the next round of EVENT, and prove that no pairing is better.

    EVENT is matches.csv (one row a match), standings.csv, or players.csv alone for the
    first round.
    """
    from pairopt.files.guard import require_free
    from pairopt.files.write import write_all
    from pairopt.round.solve import solve
    from pairopt.show.cli.show import added_columns, result_table, result_text

    require_free([f for f in (output, report, proof) if f], (event, players), overwrite)
    form = form or form_of(output)
    given, options = read(event, players, options)
    echo_notes(given.notes)
    if proof is not None:
        from pairopt.proof.proving import require_proof

        require_proof(given, **options)
    result = solve(given, progress=_progress(), **options)
    echo_notes(note for note in result.notes if note not in given.notes)
    for line in _cost(given, result, options):
        say(line)
    for line in [*(added_columns(given, result) if form == "csv" else ()), *result.conflicts]:
        say(line)
    if timings:
        say(f"solved in {result.seconds:.3f} s")
    text = ""
    if result.matches or form == "json":
        text = (result_table(given, result) if form == "table"
                else result_text(given, result, form, timings))  # fmt: skip
    sources = [file for file in (event, players) if file is not None]
    files = {
        output: (f"round {result.round}", text),
        report: ("report", _page(result, sources, ctx.find_root().obj) if report else ""),
        proof: ("proof", proof_text(result) if proof else ""),
    }
    written = {Path(path): text for path, (_, text) in files.items() if path and text}
    write_all(written)
    if output is None:
        give(text, form)
    for path, (what, said) in files.items():
        if path and said:
            say(f"{what}: written to {path}")
    if form != "table" or not result.matches:
        for line in result.conclusion():
            say(line)
    ctx.exit(exit_code(result))


def form_of(output: str | None) -> str:
    """How a result is written unless --format says."""
    if output is None:
        return "table"
    if output.lower().endswith(".xlsx"):
        raise UsageError(f"{output}: workbooks are read, not written; expected .csv or .json")
    return "json" if output.lower().endswith(".json") else "csv"


def _page(result: Result, files: list[str], arguments: list[str]) -> str:
    """The report of the round, "" where there is none."""
    from pairopt.show.report import Source, report_text

    if not result.matches:
        return ""
    sources = [source for file in files for source in Source.of(file)]
    return report_text(result, sources, shlex.join(["pairopt", *arguments]))


def _cost(given: Event, result: Result, options: Mapping[str, Any]) -> list[str]:
    """What the options that meddle with the pairing cost, level by level."""
    from pairopt.round.solve import solve

    meddling = [name for name in MEDDLING if options[name]]
    if not meddling or not result.proven:
        return []
    free = solve(given, **{k: v for k, v in options.items() if k not in (*meddling, *BESIDES)})
    if not free.proven:
        return []
    asked = " ".join(f"--{name.replace('_', '-')}" for name in meddling)
    lines = result.differences(free)
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
