"""`pairopt serve`."""

from __future__ import annotations

import click

from pairopt.cli.options import FOLDER, say
from pairopt.errors import UsageError

MISSING = 'the page needs Starlette, uvicorn and Jinja2: pip install "pairopt[web]"'


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--port", type=click.IntRange(1, 65535), metavar="N",
              help="Default: 8440, or any that is free.")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Do not open the page.")
def command(folder: str, port: int | None, no_browser: bool) -> None:
    """The organiser's page: pair, write down results and print, in the browser.

    It is reached from this machine alone, and needs no network. Where FOLDER is not there yet,
    the page begins with a new event. The other commands work beside it.
    """
    try:
        from pairopt.web.serving import serve
    except ImportError:
        raise UsageError(MISSING) from None
    serve(folder, say, port=port, browser=not no_browser)
