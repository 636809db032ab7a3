"""The commands on an event folder: each takes one step and says what it was."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import click

from pairopt.bounds import IN_FORMS, MOST_PORT
from pairopt.errors import not_installed
from pairopt.event.settings import SETTINGS, Setting
from pairopt.show.cli.console import say
from pairopt.show.cli.numbers import Whole
from pairopt.show.cli.options import FOLDER, Named
from pairopt.show.verbs import Param, Verb, every_verb
from pairopt.wording import typed

SHOWING = ("pair", "bracket", "mend")
"""Verbs that ask or show more than the lines of what was done."""


def command_of(name: str) -> click.Command:
    """The command of a verb, with the options of its callback after its own."""
    verb = every_verb()[name]
    callback: Callable[..., None] = partial(_take, verb)
    if name in SHOWING:
        callback = getattr(import_module("pairopt.show.cli.steps"), name)
    options = [*map(_option, SETTINGS.values())] if verb.settings else []
    return click.Command(
        name, callback=callback, help=verb.words.replace("{settings}", ", ".join(SETTINGS)),
        params=[click.Argument(["folder"], type=FOLDER), *map(_param, verb.params),
                *filter(None, options), *reversed(getattr(callback, "__click_params__", ()))],
    )  # fmt: skip


def _param(each: Param) -> click.Parameter:
    """The argument or option of a verb's parameter."""
    allowed = None if each.allowed is None else IN_FORMS[each.allowed]
    kind = Named() if each.form == "file" else allowed and Whole(allowed[0], allowed[-1])
    if not each.called.startswith("--"):
        return click.Argument([each.called], type=kind, required=each.required)
    if each.form == "flag":
        called = [*filter(None, (each.called, each.also))]
        return click.Option(called, is_flag=True, help=each.words)
    return click.Option([each.called], type=kind, required=each.required, multiple=each.many,
                        default=each.default, metavar=each.metavar, help=each.words)  # fmt: skip


def _option(one: Setting) -> click.Option | None:
    """The option of a setting; those in tables of event.toml have none."""
    if one.key != one.name:
        return None
    kind: Any = Whole(one.allowed[0], one.allowed[-1]) if one.form == "number" else None
    if one.form in ("choice", "truth"):
        kind = click.Choice([name for name, _ in one.choices if name])
    words = f"{one.hint} Default: {one.otherwise}." if one.otherwise else one.hint
    called = f"--{one.key.replace('_', '-')}"
    metavar = None if one.choices else one.metavar
    return click.Option([called], type=kind, help=words, metavar=metavar)


def _take(verb: Verb, folder: str, **given: Any) -> None:
    """Take the step of a verb, and say what it was."""
    done = verb.take(folder, given)
    say(*done.said)
    if verb.name == "new":
        then = "bracket" if done.event and done.event.origin.bracket else "pair"
        say(f"made {folder}; next: pairopt {then} {typed(folder)}")


@click.command()
@click.argument("folder", type=FOLDER, default=".")
@click.argument("sections", type=FOLDER, nargs=-1)
@click.option("--port", type=Whole(1, MOST_PORT), metavar="N",
              help="Default: 8440, or any that is free.")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Do not open the page.")
@click.option("--share", is_flag=True,
              help="Phones on the network may read pairings and standings.")  # fmt: skip
@click.option("--share-port", type=Whole(1, MOST_PORT), metavar="N",
              help="--share, at this port. Default: the port after the page's.")  # fmt: skip
def serve(
    folder: str, sections: tuple[str, ...], port: int | None, no_browser: bool, share: bool,
    share_port: int | None,
) -> None:  # fmt: skip
    """The organiser's page: pair, write down results and print, in the browser.

    It is reached from this machine alone, and needs no network. Where FOLDER is not there yet,
    the page begins with a new event; where it holds event folders, it is all of them, and so is
    where you are without FOLDER. The other commands work beside it. With --share a second address
    is open to the network: its pages can only be read, unless opened by the organiser's link that
    is printed. SECTIONS are folders of further events of the same evening: each has pages of its
    own, which lead to each other."""
    try:
        from pairopt.show.web import serving
    except ImportError:
        raise not_installed("the page needs Starlette, uvicorn and Jinja2", "web") from None
    serving.serve(
        folder, say, beside=sections, port=port, browser=not no_browser,
        shared=share or share_port is not None, share_port=share_port,
    )  # fmt: skip
