"""Define `pairopt publish`: an event as static pages for the web space of a club."""

from __future__ import annotations

from typing import Any

import click

from pairopt.cli.console import echo_notes, say
from pairopt.cli.options import INPUTS, NonEmptyPath, apply_decorators
from pairopt.cli.print_list import without_open_results
from pairopt.files.read import read_event
from pairopt.messages import message
from pairopt.report.static_site import build_site, write_site


@click.command()
@apply_decorators(INPUTS)
@click.argument("folder", type=NonEmptyPath(file_okay=False))
def command(event: str, folder: str, **options: Any) -> None:
    """Write an event as web pages for your own web space.

    Examples:
      pairopt publish friday public_html
      pairopt publish friday public_html     again after each round

    FOLDER gets an index, the starting list, the pairings and results of each round, the
    cross table, the ranking, and the rankings of groups. The published pages link to
    each other, and need no server and no scripts. If you have added files to FOLDER,
    pairopt keeps them. The published pages show no year of birth and no sex, unless the
    setting list_columns names them.
    """
    given_event = read_event(event, unfinished=True, **options)
    echo_notes(without_open_results(given_event.notes))
    site_files = build_site(given_event)
    write_site(folder, site_files)
    say(message("list.published", pages=len(site_files) - 1, folder=folder))
