"""Command `roster`: who plays, a line each."""

from __future__ import annotations

import click

from pairopt import read_event
from pairopt.extend import FILE, NonEmptyPath


@click.command()
@click.argument("event", type=NonEmptyPath())
@click.option("--players", type=FILE, help="players.csv that belongs to EVENT.")
def roster(event: str, players: str | None) -> None:
    """Who plays in EVENT, from A to Z."""
    for name in sorted(read_event(event, players).shown, key=str.casefold):
        click.echo(name)
