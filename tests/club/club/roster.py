"""Command `roster`: print one line per player."""

from __future__ import annotations

import click

from pairopt import read_event
from pairopt.extend import FILE, NonEmptyPath


@click.command()
@click.argument("event", type=NonEmptyPath())
@click.option("--players", type=FILE, help="players.csv that belongs to EVENT.")
def roster(event: str, players: str | None) -> None:
    """List the players of EVENT in alphabetical order."""
    for name in sorted(read_event(event, players).shown, key=str.casefold):
        click.echo(name)
