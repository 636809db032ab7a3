"""Build the commands on an event folder from their declarations; define `pairopt serve`."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from textwrap import fill
from typing import Any

import click

from pairopt.cli.console import say
from pairopt.cli.options import (
    EVENT_FOLDER,
    LISTS,
    LISTS_FOLDER_OPTION,
    IntegerRange,
    NonEmptyPath,
    bounded,
)
from pairopt.common.atomic_write import AGAINST, names_are_typed
from pairopt.common.limits import IN_FORMS
from pairopt.errors import UsageError, require_extra
from pairopt.event.settings import SETTINGS, SettingDeclaration
from pairopt.folder.commands import CommandParameter, FolderCommand, load_command
from pairopt.messages.formatting import quote_for_shell

SHOWING = ("pair", "bracket", "mend", "ratings")
"""The commands with a function of their own, which ask or show more than what was done."""


def build_command(name: str) -> click.Command:
    """Return the command on an event folder of this name, for click.

    It has the declared parameters, settings if they are declared, and then the
    parameters of its own function if it has one.
    """
    folder_command = load_command(name)
    callback: Callable[..., None] = partial(_take_step, folder_command)
    if name in SHOWING:
        callback = getattr(import_module("pairopt.cli.folder_commands"), name)

    click_parameters: list[click.Parameter] = [
        click.Argument(["folder"], type=EVENT_FOLDER)
    ]
    click_parameters += map(_build_parameter, folder_command.params)
    if folder_command.settings:
        click_parameters += filter(None, map(_build_setting_option, SETTINGS.values()))
    if folder_command.mode != "keeps":
        click_parameters.append(AGAINST_FIDE)
    if folder_command.lists:
        click_parameters.append(LISTS)
    click_parameters += reversed(getattr(callback, "__click_params__", ()))

    setting_lines = fill(", ".join(SETTINGS), 80, subsequent_indent="  ")
    help_text = cleandoc(folder_command.words).replace("{settings}", setting_lines)
    return click.Command(
        name, callback=callback, help=help_text, params=click_parameters
    )


AGAINST_FIDE = click.Option(
    ["--against-fide"],
    count=True,
    type=IntegerRange(0, 9),
    expose_value=False,
    callback=lambda _ctx, _option, times: AGAINST.set(times),
    show_default=False,
    help="Make the change even if FIDE's rules don't provide for this change. The report names the change. Give the "
    "option twice if the change ends FIDE mode permanently.",
)


def _build_parameter(parameter: CommandParameter) -> click.Parameter:
    """Return the click parameter for a declared parameter of a command.

    It is an option if the declared name begins with two dashes, otherwise an argument.
    """
    click_type: Any = None
    if parameter.form == "file":
        click_type = NonEmptyPath()
    elif parameter.allowed is not None:
        allowed_numbers = IN_FORMS[parameter.allowed]
        click_type = IntegerRange(allowed_numbers[0], allowed_numbers[-1])

    parameter_name = parameter.called
    if not parameter_name.startswith("--"):
        return click.Argument(
            [parameter_name], type=click_type, required=parameter.required
        )
    if parameter.form == "flag":
        option_names = [*filter(None, (parameter_name, parameter.also))]
        return click.Option(option_names, is_flag=True, help=parameter.words)
    option_attributes: dict[str, Any] = {}
    # With a default of None, click would not miss a required option.
    if parameter.default is not None:
        option_attributes["default"] = parameter.default
    return click.Option(
        [parameter_name],
        type=click_type,
        required=parameter.required,
        multiple=parameter.many,
        metavar=parameter.metavar,
        help=parameter.words,
        **option_attributes,
    )


def _build_setting_option(setting: SettingDeclaration) -> click.Option | None:
    """Return the option for a setting of event.toml, whose help is the setting's hint.

    Returns None for a setting in a table of the file, such as points.
    """
    if setting.key != setting.name:
        return None

    click_type: Any = None
    if setting.form == "number":
        click_type = IntegerRange(setting.allowed[0], setting.allowed[-1])
    if setting.form in ("choice", "truth"):
        click_type = click.Choice(
            [choice_value for choice_value, _ in setting.choices if choice_value]
        )
    help_text = setting.hint
    if setting.form == "choice":
        choice_texts = [
            f"{setting_value}: {choice_words}"
            for setting_value, choice_words in setting.choices
            if setting_value
        ]
        help_text = f"{help_text} {'; '.join(choice_texts)}."
    if setting.otherwise:
        help_text = f"{help_text} Default: {setting.otherwise}."
    option_name = f"--{setting.key.replace('_', '-')}"
    metavar = None if setting.choices else setting.metavar
    return click.Option([option_name], type=click_type, help=help_text, metavar=metavar)


def is_missing(path: str) -> bool:
    """Return whether there is no file or folder of this name.

    A name that no file can have is missing, too.
    """
    try:
        return not Path(path).exists()
    except (OSError, ValueError):
        # Python raises for some names that no file can have, such as very long ones.
        return True


def _take_step(folder_command: FolderCommand, folder: str, **arguments: Any) -> None:
    """Run a command on an event folder, and write its messages to stderr.

    `folder` is the path of the event folder, `arguments` are the values of the
    command's parameters. After `new`, also write what to type next. Raises UsageError
    if the folder does not exist, except for `new`.
    """
    if folder_command.name != "new" and is_missing(folder):
        from pairopt.cli.mistakes import find_example

        command_example = find_example(click.get_current_context().command)
        raise UsageError("command.no_folder", path=folder, example=command_example)
    with names_are_typed():
        command_outcome = folder_command.take(folder, arguments)
    say(*command_outcome.said)
    if folder_command.name == "new":
        quoted_folder = quote_for_shell(folder)
        next_command = f"pair {quoted_folder}"
        if command_outcome.event and command_outcome.event.origin.bracket:
            next_command = f"bracket {quoted_folder}"
        elif command_outcome.event and not command_outcome.event.players:
            next_command = f"enter {quoted_folder} NAME"
        say(f"made {folder}; next: pairopt {next_command}")


@click.command()
@click.argument("folder", type=EVENT_FOLDER, default=".")
@click.argument("sections", type=EVENT_FOLDER, nargs=-1)
@click.option(
    "--port",
    type=bounded("port"),
    metavar="N",
    help="Port of the organiser's page. Default: 8440, or a free port if 8440 is taken.",
)
@click.option(
    "--no-browser", is_flag=True, help="Do not open the page in your browser."
)
@click.option(
    "--share",
    is_flag=True,
    help="Let phones in your network read pairings and standings.",
)
@click.option(
    "--share-port",
    type=bounded("port"),
    metavar="N",
    help="Share pairings and standings at port N. Default: the next port after the port of the organiser's page.",
)
@click.option(
    "--api",
    is_flag=True,
    help="Answer pairing requests (JSON) of other programs over HTTP, instead of showing a page.",
)
@LISTS_FOLDER_OPTION
def serve(
    folder: str,
    sections: tuple[str, ...],
    port: int | None,
    no_browser: bool,
    share: bool,
    share_port: int | None,
    api: bool,
) -> None:
    """Run an event in your browser.

    Examples:
      pairopt serve friday             open the event, or create it
      pairopt serve friday --share     players can follow on their phones
      pairopt serve                    all events in the current folder
      pairopt serve main side          two events at the same time

    Only your own computer can open the organiser's page, and you need no internet
    connection. If FOLDER doesn't exist yet, the page asks for a list of players. If
    FOLDER contains event folders, the page lists these events. You can use the other
    pairopt commands while the page is open. SECTIONS are the folders of further events.
    pairopt links the pages of these events with each other.

    With --share, phones in your network can read pairings and standings. Only people
    who have the organiser's link, which pairopt prints, can change anything on these
    pages.
    """
    server_module = require_extra(
        "pairopt.web.server", "the page needs Starlette, uvicorn and Jinja2", "web"
    )
    if api:
        if folder != "." or sections or share or share_port:
            raise UsageError("request.alone")
        server_module.serve_programs(say, port)
    server_module.serve(
        folder,
        say,
        beside=sections,
        port=port,
        browser=not no_browser,
        shared=share or share_port is not None,
        share_port=share_port,
    )
