"""`pairopt pair` and `pairopt repair`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pairopt.problem.options import SolveOptions
from pairopt.show.cli.options import (
    FOLDER,
    MODEL,
    PROOF,
    chosen_options,
    echo_notes,
    exit_code,
    round_options,
    say,
    typed,
)

if TYPE_CHECKING:
    from pairopt.folder.desk import Done


OPTIONS = round_options(SolveOptions, (MODEL,), without=("round",))


@click.command()
@click.argument("folder", type=FOLDER)
@OPTIONS
@PROOF
@click.pass_context
def pair(ctx: click.Context, /, folder: str, **options: Any) -> None:
    """Pair the next round of FOLDER, and append it to its matches.

    The event's own rules hold; an option overrides them for this round.
    """
    from pairopt.folder.pairing import pair as verb

    _say(ctx, verb(folder, **chosen_options(Path(folder), options)))


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--keep", type=int, multiple=True, metavar="TABLE",
              help="This table stays as it is. Repeatable.")  # fmt: skip
@OPTIONS
@PROOF
@click.pass_context
def repair(ctx: click.Context, /, folder: str, keep: tuple[int, ...], **options: Any) -> None:
    """Pair the open round of FOLDER again, after somebody came or went.

    Tables that have a result stay, and those to --keep.
    """
    from pairopt.folder.pairing import repair as verb

    _say(ctx, verb(folder, keep, **chosen_options(Path(folder), options)))


def _say(ctx: click.Context, done: Done) -> None:
    """What was paired, or why nothing was; then exit."""
    from pairopt.show.cli.show import result_table

    folder, proof, result = ctx.params["folder"], ctx.params["proof"], done.result
    assert result is not None
    echo_notes(result.notes)
    for line in (*result.conflicts, *done.said):
        say(line)
    if proof is not None:
        say(f"proof: {f'written to {proof}' if result.proof else 'none, as nothing is proven'}")
    if done.step is None:
        for line in result.conclusion():
            say(line)
    else:
        click.echo(result_table(result.event, result), nl=False)
        say(f"written to {folder} (step {done.step}; pairopt undo {typed(folder)} takes it back)")
    ctx.exit(exit_code(result))
