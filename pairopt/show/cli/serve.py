"""`pairopt serve`."""

from __future__ import annotations

import click

from pairopt.errors import UsageError
from pairopt.show.cli.options import FOLDER, say

MISSING = 'the page needs Starlette, uvicorn and Jinja2: pip install "pairopt[web]"'


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--port", type=click.IntRange(1, 65535), metavar="N",
              help="Default: 8440, or any that is free.")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Do not open the page.")
@click.option("--share", is_flag=True,
              help="Phones on the network may read pairings and standings.")  # fmt: skip
def command(folder: str, port: int | None, no_browser: bool, share: bool) -> None:
    """The organiser's page: pair, write down results and print, in the browser.

    It is reached from this machine alone, and needs no network. Where FOLDER is not there yet,
    the page begins with a new event. The other commands work beside it. With --share a second
    address is open to the network: its pages can only be read, unless opened by the organiser's
    link that is printed.
    """
    try:
        from pairopt.show.web.serving import serve
    except ImportError:
        raise UsageError(MISSING) from None
    serve(folder, say, port=port, browser=not no_browser, shared=share)
