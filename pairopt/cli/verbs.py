"""The commands on an event folder: each takes one step and says what it was."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import click

from pairopt.cli.console import say
from pairopt.cli.options import FOLDER, IntegerRange, NonEmptyPath, command_options
from pairopt.common.atomic_write import AGAINST
from pairopt.common.limits import IN_FORMS
from pairopt.errors import UsageError, require_extra
from pairopt.event.settings import SETTINGS, SettingDeclaration
from pairopt.folder.commands import CommandParameter, FolderCommand, every_verb
from pairopt.messages.formatting import quote_for_shell

SHOWING = (
    "pair",
    "bracket",
    "mend",
)  # verbs that ask or show more than the lines of what was done


def command_of(name: str) -> click.Command:
    """The command of a verb, with the options of its callback after its own."""
    verb = every_verb()[name]
    callback: Callable[..., None] = partial(_take, verb)
    if name in SHOWING:
        callback = getattr(import_module("pairopt.cli.folder_commands"), name)
    options = [*map(_option, SETTINGS.values())] if verb.settings else []
    if verb.mode != "keeps":
        options.append(AGAINST_FIDE)
    return click.Command(
        name,
        callback=callback,
        help=verb.words.replace("{settings}", ", ".join(SETTINGS)),
        params=[
            click.Argument(["folder"], type=FOLDER),
            *map(_param, verb.params),
            *filter(None, options),
            *reversed(getattr(callback, "__click_params__", ())),
        ],
    )


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
@command_options("serve", "--port", "--no-browser", "--share", "--share-port", "--api")
def serve(
    folder: str,
    sections: tuple[str, ...],
    port: int | None,
    no_browser: bool,
    share: bool,
    share_port: int | None,
    api: bool,
) -> None:
    """The organiser's page."""
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
