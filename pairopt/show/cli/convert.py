"""Convert: an event in another format."""

from __future__ import annotations

from typing import Any

import click

from pairopt.files.formats import FORMATS, write_event, writers
from pairopt.files.read import read_event
from pairopt.show.cli.console import echo_notes, say
from pairopt.show.cli.options import OVERWRITE, Named, Output, own_options, require_free_outputs
from pairopt.show.shown import missed


@click.command()
@click.argument("given", metavar="IN", type=Named())  # a file, or an event folder
@click.argument("output", metavar="OUT", type=Output())
@own_options("convert", "--players", "--players-out", "--sides", "--relax")
@click.option("--format", "form", metavar=f"[{'|'.join(writers(FORMATS.shipped))}]",
              help="Default: by the suffix of OUT.")  # fmt: skip
@click.option("--public", is_flag=True, help="Names, ratings and results alone, to publish.")
@OVERWRITE
@click.pass_context
def convert(
    ctx: click.Context, /, given: str, output: str, players_out: str | None, sides: str | None,
    form: str | None, public: bool, overwrite: bool, **how: Any,
) -> None:  # fmt: skip
    """Write the event IN, of any format that is read or an event folder, to OUT."""
    require_free_outputs(ctx, overwrite)
    labels = None if sides is None else [label.strip() for label in sides.split(",")]
    event = read_event(given, sides=labels, unfinished=True, **how)
    event = event.public() if public else event
    written = write_event(event, output, players=players_out, form=form)
    echo_notes([*event.notes, *missed(written.notes)])
    for file in written.files:
        say(f"written to {file}")
