"""The commands on an event folder: each takes one step and says what it was."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from inspect import cleandoc
from typing import Any

import click

from pairopt.cli.console import say
from pairopt.cli.options import FOLDER, IntegerRange, NonEmptyPath, bounded
from pairopt.common.atomic_write import AGAINST
from pairopt.common.limits import IN_FORMS
from pairopt.errors import UsageError, require_extra
from pairopt.event.settings import SETTINGS, SettingDeclaration
from pairopt.folder.commands import CommandParameter, FolderCommand, load_verb
from pairopt.messages.formatting import quote_for_shell

SHOWING = (
    "pair",
    "bracket",
    "mend",
)  # verbs that ask or show more than the lines of what was done


def command_of(name: str) -> click.Command:
    """The command of a verb, with the options of its callback after its own."""
    verb = load_verb(name)
    callback: Callable[..., None] = partial(_take, verb)
    if name in SHOWING:
        callback = getattr(import_module("pairopt.cli.folder_commands"), name)

    params: list[click.Parameter] = [click.Argument(["folder"], type=FOLDER)]
    params += map(_param, verb.params)
    if verb.settings:
        params += filter(None, map(_option, SETTINGS.values()))
    if verb.mode != "keeps":
        params.append(AGAINST_FIDE)
    params += reversed(getattr(callback, "__click_params__", ()))

    words = cleandoc(verb.words).replace("{settings}", ", ".join(SETTINGS))
    return click.Command(name, callback=callback, help=words, params=params)


AGAINST_FIDE = click.Option(
    ["--against-fide"],
    count=True,
    type=IntegerRange(0, 9),
    expose_value=False,
    callback=lambda _ctx, _option, times: AGAINST.set(times),
    help="In FIDE mode: all the same, which is kept; twice: also where that leaves it for good.",
)


def _param(each: CommandParameter) -> click.Parameter:
    allowed = None if each.allowed is None else IN_FORMS[each.allowed]
    kind = (
        NonEmptyPath()
        if each.form == "file"
        else allowed and IntegerRange(allowed[0], allowed[-1])
    )
    if not each.called.startswith("--"):
        return click.Argument([each.called], type=kind, required=each.required)
    if each.form == "flag":
        called = [*filter(None, (each.called, each.also))]
        return click.Option(called, is_flag=True, help=each.words)
    return click.Option(
        [each.called],
        type=kind,
        required=each.required,
        multiple=each.many,
        default=each.default,
        metavar=each.metavar,
        help=each.words,
    )


def _option(one: SettingDeclaration) -> click.Option | None:
    """The option of a setting; those in tables of event.toml have none."""
    if one.key != one.name:
        return None
    kind: Any = (
        IntegerRange(one.allowed[0], one.allowed[-1]) if one.form == "number" else None
    )
    if one.form in ("choice", "truth"):
        kind = click.Choice([name for name, _ in one.choices if name])
    words = f"{one.hint} Default: {one.otherwise}." if one.otherwise else one.hint
    called = f"--{one.key.replace('_', '-')}"
    metavar = None if one.choices else one.metavar
    return click.Option([called], type=kind, help=words, metavar=metavar)


def _take(verb: FolderCommand, folder: str, **given: Any) -> None:
    done = verb.take(folder, given)
    say(*done.said)
    if verb.name == "new":
        then = "bracket" if done.event and done.event.origin.bracket else "pair"
        say(f"made {folder}; next: pairopt {then} {quote_for_shell(folder)}")


@click.command()
@click.argument("folder", type=FOLDER, default=".")
@click.argument("sections", type=FOLDER, nargs=-1)
@click.option(
    "--port",
    type=bounded("port"),
    metavar="N",
    help="Default: 8440, or any that is free.",
)
@click.option("--no-browser", is_flag=True, help="Do not open the page.")
@click.option(
    "--share",
    is_flag=True,
    help="Phones on the network may read pairings and standings.",
)
@click.option(
    "--share-port",
    type=bounded("port"),
    metavar="N",
    help="--share, at this port. Default: the port after the page's.",
)
@click.option(
    "--api",
    is_flag=True,
    help="Instead: answer requests of programs, which POST what `pairopt pair --json` reads.",
)
def serve(
    folder: str,
    sections: tuple[str, ...],
    port: int | None,
    no_browser: bool,
    share: bool,
    share_port: int | None,
    api: bool,
) -> None:
    """The organiser's page: pair, write down results and print, in the browser.

    It is reached from this machine alone, and needs no network. Where FOLDER is not there yet,
    the page begins with a new event; where it holds event folders, it is all of them, and so is
    where you are without FOLDER. The other commands work beside it. With --share a second address
    is open to the network: its pages can only be read, unless opened by the organiser's link that
    is printed. SECTIONS are folders of further events of the same evening: each has pages of its
    own, which lead to each other.
    """
    serving = require_extra(
        "pairopt.web.server", "the page needs Starlette, uvicorn and Jinja2", "web"
    )
    if api:
        if folder != "." or sections or share or share_port:
            raise UsageError("request.alone")
        serving.serve_programs(say, port)
    serving.serve(
        folder,
        say,
        beside=sections,
        port=port,
        browser=not no_browser,
        shared=share or share_port is not None,
        share_port=share_port,
    )
