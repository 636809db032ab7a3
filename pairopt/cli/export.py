"""Define `pairopt export`: write a round as a program for solvers."""

from pathlib import Path
from typing import Any

import click

from pairopt.cli.console import say
from pairopt.cli.exit_codes import EXIT_INFEASIBLE, EXIT_UNPROVEN
from pairopt.cli.options import OVERWRITE, OutputFilePath, bounded, require_free_outputs
from pairopt.cli.round_options import exit_code, read_event_options, round_options
from pairopt.common.budget import TimeUpError
from pairopt.errors import UsageError
from pairopt.files.binary_program import detect_form
from pairopt.files.text_source import read_bytes
from pairopt.files.write import write_all
from pairopt.messages import message
from pairopt.round.export_program import export


@click.command()
@round_options()
@click.argument("out", type=OutputFilePath())
@click.option(
    "--stage",
    type=bounded("keep"),
    metavar="K",
    help="Write the integer program that minimises only objective level K, with all earlier levels at their optimum. Default: one integer program that minimises a weighted sum of all objective levels.",
)
@click.option(
    "--proof",
    type=OutputFilePath(),
    help="Also write a VeriPB proof of optimality or infeasibility to this file (.pbp). The name of OUT must end in .opb.",
)
@click.option(
    "--veripb",
    type=click.Choice(["1", "2", "3"]),
    default="1",
    help="Version of the VeriPB syntax. Version 1 has been tested with VeriPB.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Check whether the file OUT is exactly this program, and write nothing.",
)
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
    """Write a round as an integer program for other solvers.

    Examples:
      pairopt export matches.csv round.opb
      pairopt export matches.csv round.lp --model excalibur
      pairopt export matches.csv round.opb --proof round.pbp    VeriPB proof
      pairopt check matches.csv --solution answer.txt           check an answer

    The program has one Boolean variable for each legal match, and one objective: a
    weighted sum of all levels (criteria) with integer weights. The suffix of OUT
    chooses its format: .opb, .lp, .mps or .pb.txt. For a pairing system, or with
    --stage, pairopt solves the round before it writes the program.

    Exit codes:
      1  there is no pairing (a proof shows this, too), or --check finds
         another program
      4  the time limit was reached, and pairopt wrote nothing
    """
    require_free_outputs(ctx, overwrite)
    program_form = detect_form(out)
    if program_form != ".opb" and proof is not None:
        raise UsageError("program.proof_of_opb")

    given_event, options = read_event_options(event, players, options)
    try:
        exported_round = export(given_event, stage=stage, **options)
        program_text = exported_round.text(program_form)
        proof_text = "" if proof is None else exported_round.proof(veripb)
    except TimeUpError:
        say(message("program.time_up"))
        ctx.exit(EXIT_UNPROVEN)

    if check:
        # `read_bytes` raises if the file cannot be read.
        is_same_program = (
            bool(read_bytes(out)) and Path(out).read_bytes() == program_text.encode()
        )
        say(message("program.same" if is_same_program else "program.other"))
        ctx.exit(0 if is_same_program else EXIT_INFEASIBLE)

    text_by_file = {Path(out): program_text}
    if proof is not None:
        text_by_file[Path(proof)] = proof_text
    write_all(text_by_file)
    integer_program = exported_round.program
    say(
        message(
            "program.written",
            path=out,
            bits=sum(integer_program.costs).bit_length(),
            levels=len(exported_round.levels),
            booleans=len(integer_program.names),
            rows=len(integer_program.rows),
        )
    )
    if proof is not None:
        say(message("program.proof_written", path=proof, out=out))
    if proof is not None or exported_round.needs_solving:
        say(*exported_round.solved.conflicts)
        ctx.exit(exit_code(exported_round.solved))
