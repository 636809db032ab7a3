"""`pairopt convert`."""

from __future__ import annotations

import click

from pairopt.files.export import write_event
from pairopt.files.formats import WRITTEN
from pairopt.files.read import read_event
from pairopt.show.cli.options import (
    FILE,
    OVERWRITE,
    Named,
    Output,
    echo_notes,
    require_free_outputs,
    say,
)


@click.command()
@click.argument("given", metavar="IN", type=Named())  # a file, or an event folder
@click.argument("output", metavar="OUT", type=Output())
@click.option("--players", type=FILE, help="players.csv that belongs to IN.")
@click.option("--players-out", type=Output(),
              help="Where players.csv goes. Default: OUT-players.csv.")  # fmt: skip
@click.option("--sides", metavar="A,B", help="Labels of the first and the second side.")
@click.option("--relax", multiple=True, type=click.Choice(["history"]),
              help="history: take standings with scores but without opponents.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(list(WRITTEN)),
              help="Default: by the suffix of OUT.")  # fmt: skip
@OVERWRITE
@click.pass_context
def command(
    ctx: click.Context,
    /,
    given: str,
    output: str,
    players: str | None,
    players_out: str | None,
    sides: str | None,
    relax: tuple[str, ...],
    form: str | None,
    overwrite: bool,
) -> None:
    """Write the event IN, of any format that is read or an event folder, to OUT.

    matches.csv gets a players.csv beside it where that is needed. What a format cannot hold of
    players, rounds and results is named; a file's own data of a tournament (its name, place,
    number of rounds, cut) are not carried over.
    """
    require_free_outputs(ctx, overwrite)
    labels = None if sides is None else [label.strip() for label in sides.split(",")]
    event = read_event(given, players, sides=labels, relax=relax)
    written = write_event(event, output, players=players_out, form=form)
    echo_notes([*event.notes, *written.notes, *(f"lost: {what}" for what in event.origin.unread)])
    for file in written.files:
        say(f"written to {file}")
