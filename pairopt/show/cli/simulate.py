"""`pairopt simulate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pairopt.show.cli import EXIT_INFEASIBLE
from pairopt.show.cli.options import FOLDER, OVERWRITE, say
from pairopt.show.cli.worlds import CHOOSE, own_of, say_games, world_of, world_options

if TYPE_CHECKING:
    from pairopt.problem.options import Choose


@click.command()
@click.option("--model", default="standard", show_default=True, metavar="NAME|FILE")
@click.option("--players", type=click.IntRange(2), default=32, show_default=True)
@world_options
@click.option(
    "--replicates",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="So many tournaments, each in a folder 1, 2, ... of its own.",
)
@CHOOSE
@click.option("-o", "--output", type=FOLDER, required=True,
              help="The folder for matches.csv and players.csv.")  # fmt: skip
@OVERWRITE
@click.pass_context
def command(
    ctx: click.Context,
    /,
    model: str,
    players: int,
    replicates: int,
    output: str,
    seed: int,
    choose: Choose,
    overwrite: bool,
    **options: Any,
) -> None:
    """Play a whole tournament with random results, and write it as files that `solve` reads.

    players.csv has the true strengths too. The same seed gives the same files.
    """
    from pairopt.files.guard import require_free
    from pairopt.files.write import make_folder, write_all
    from pairopt.lab.contenders import contender_of
    from pairopt.lab.simulating import simulate

    own = own_of(options)
    world = world_of(ctx, players, options, own)
    contender = contender_of(model, own)
    say_games([contender], world)
    files: dict[Path, str] = {}
    broken = []
    for k in range(replicates):
        made = simulate(contender, world, seed=seed, replicate=k, choose=choose)
        folder = Path(output) / str(k + 1) if replicates > 1 else Path(output)
        files |= made.files(folder)
        if not made.complete:
            broken.append(f"{folder}: no pairing of round {made.event.round}")
    require_free(files, (), overwrite)
    for folder in dict.fromkeys(path.parent for path in files):
        make_folder(folder)
    write_all(files)
    for line in broken:
        say(line)
    ctx.exit(EXIT_INFEASIBLE if broken else 0)
