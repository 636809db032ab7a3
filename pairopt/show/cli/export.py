"""`pairopt export`."""

from pathlib import Path
from typing import Any

import click

from pairopt.budget import TimeUpError
from pairopt.errors import UsageError
from pairopt.files.source import read_bytes
from pairopt.files.write import write_all
from pairopt.files.zero_one import form_of
from pairopt.round.export import export
from pairopt.show.cli import EXIT_INFEASIBLE, EXIT_UNPROVEN
from pairopt.show.cli.console import say
from pairopt.show.cli.options import (
    OVERWRITE,
    Output,
    own_options,
    require_free_outputs,
)
from pairopt.show.cli.rounds import exit_code, read, round_options
from pairopt.words import tell


@click.command()
@round_options()
@click.argument("out", type=Output())
@own_options("export")
@OVERWRITE
@click.pass_context
def command(
    ctx: click.Context,
    /,
    event: str,
    players: str | None,
    out: str,
    stage: int | None,
    proof: str | None,
    veripb: str,
    check: bool,
    overwrite: bool,
    **options: Any,
) -> None:
    """Write the program of EVENT's round to OUT, for solvers and checkers of others."""
    require_free_outputs(ctx, overwrite)
    if (form := form_of(out)) != ".opb" and proof is not None:
        raise UsageError("program.proof_of_opb")
    given, options = read(event, players, options)
    try:
        made = export(given, stage=stage, **options)
        text, proven = made.text(form), "" if proof is None else made.proof(veripb)
    except TimeUpError:
        say(tell("program.time_up"))
        ctx.exit(EXIT_UNPROVEN)
    if check:
        same = (
            bool(read_bytes(out)) and Path(out).read_bytes() == text.encode()
        )  # all of it
        say(tell("program.same" if same else "program.other"))
        ctx.exit(0 if same else EXIT_INFEASIBLE)
    write_all({Path(out): text} | ({Path(proof): proven} if proof is not None else {}))
    size = {"booleans": len(made.program.names), "rows": len(made.program.rows)}
    bits, levels = sum(made.program.costs).bit_length(), len(made.levels)
    say(tell("program.written", path=out, bits=bits, levels=levels, **size))
    if proof is not None:
        say(tell("program.proof_written", path=proof, out=out))
    if proof is not None or made.needs_solving:
        say(*made.solved.conflicts)
        ctx.exit(exit_code(made.solved))
