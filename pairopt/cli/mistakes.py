"""Rewrite the errors of click, so that each says what to type next."""

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from shlex import join

import click

from pairopt.files.event_folder import is_folder
from pairopt.messages import Message, message
from pairopt.messages.formatting import find_nearest
from pairopt.messages.interfaces import TERMINAL

NUMBER = re.compile(r"[0-9]+([.,][0-9]+)?|½|[0-9]½")
LIST_SUFFIXES = (".csv", ".txt", ".xlsx", ".trf", ".trfx", ".json")
QUOTED = re.compile("'(.*)' is not one of")
COMMENT = re.compile(r" {2,}")
"""What separates an example from its comment in a help text."""


def explain_usage_error(
    error: click.UsageError, typed: Sequence[str]
) -> click.UsageError:
    """Return an error of click with a text that says what to type next.

    `typed` are the words of the command line, without `pairopt`. An error that says
    that already, or that has no context, is returned as it is.
    """
    click_context = error.ctx
    if click_context is None:
        return error
    explanation = _explain(error, click_context, typed)
    if explanation is not None:
        return click.UsageError(TERMINAL.format_message(explanation), click_context)
    if isinstance(error, click.BadParameter) and error.param is not None:
        parameter_name = _find_shown_name(error.param)
        return click.UsageError(f"{parameter_name}: {error.message}", click_context)
    return error


def _explain(
    error: click.UsageError, context: click.Context, typed: Sequence[str]
) -> Message | None:
    """Return the message for an error of click, None for one that can stay.

    The class and the text of the error decide which it is. `context` has the command,
    and `typed` are the words of the command line, without `pairopt`.
    """
    command = context.command
    command_name = str(context.info_name)
    if isinstance(error, click.NoSuchOption):
        return _explain_option(error, command, command_name)
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return _explain_missing(error.param, command, typed)
    if isinstance(error, click.BadParameter) and error.param is not None:
        return _explain_choice(error, error.param)
    if isinstance(error, click.BadOptionUsage):
        example = find_example(command, error.option_name)
        return message("command.no_value", name=error.option_name, example=example)
    if "unexpected extra argument" in error.message:
        return _explain_extra_words(error.message, command, typed)
    if error.message.startswith("No such command") and typed:
        return message("command.unknown", name=typed[0])
    return None


def _explain_option(
    error: click.NoSuchOption, command: click.Command, command_name: str
) -> Message:
    """Return the message for an option that the command does not have.

    It names a similar option if there is one.
    """
    known_options = [
        option_name
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.hidden
        for option_name in parameter.opts
    ]
    near_option = find_nearest(error.option_name, known_options)
    message_fields = {"command": command_name, "name": error.option_name}
    if near_option is None:
        return message("command.no_option", **message_fields)
    return message("command.near_option", near=near_option, **message_fields)


def _explain_choice(
    error: click.BadParameter, parameter: click.Parameter
) -> Message | None:
    """Return the message for a value that is none of the choices of an option.

    `error` is click's, which quotes the value, and `parameter` the option. It is None
    for an option that has no choices, or if no value is quoted.
    """
    quoted_value = QUOTED.match(error.message)
    if not isinstance(parameter.type, click.Choice) or quoted_value is None:
        return None
    allowed_values = [str(choice) for choice in parameter.type.choices]
    return message(
        "command.no_choice",
        name=_find_shown_name(parameter),
        found=quoted_value[1],
        choices=allowed_values,
    )


def _find_shown_name(parameter: click.Parameter) -> str:
    """Return the name of an argument, or the long name of an option, as users type it."""
    if isinstance(parameter, click.Option):
        return parameter.opts[-1]
    return parameter.human_readable_name


def _explain_missing(
    parameter: click.Parameter, command: click.Command, typed: Sequence[str]
) -> Message:
    """Return the message for an argument or a required option that was left out.

    It has an example. `typed` are the words of the command line, without `pairopt`. For
    `forbid A:B` the message has the command with two players.
    """
    option_name = parameter.opts[0] if isinstance(parameter, click.Option) else ""
    if command.name == "forbid" and typed[-1].count(":") == 1:
        corrected_command = _format_command_line([*typed[:-1], *typed[-1].split(":")])
        return message("command.two_players", now=corrected_command)
    return message(
        "command.missing",
        name=option_name or parameter.human_readable_name,
        example=find_example(command, option_name),
    )


def _explain_extra_words(
    text: str, command: click.Command, typed: Sequence[str]
) -> Message:
    """Return the message for words that the command cannot use.

    `text` is click's message, with the words in brackets, and `typed` are the words of
    the command line, without `pairopt`. The message has a command to type if the words
    are probably one name or one score, a list of players, or points; otherwise an
    example.
    """
    extra_words = text[text.index("(") + 1 : text.rindex(")")].split()
    extra_text = " ".join(extra_words)
    # A typed word with a blank is several words in click's text.
    if extra_words[0] not in typed:
        return message("command.extra", extra=extra_text, example=find_example(command))
    first_extra_index = typed.index(extra_words[0])
    argument_names = [
        str(parameter.name)
        for parameter in command.params
        if isinstance(parameter, click.Argument)
    ]
    last_argument_name = argument_names[-1] if argument_names else ""
    is_list = extra_words[0].lower().endswith(LIST_SUFFIXES)
    if command.name == "new" and is_list:
        corrected_command = _format_command_line(
            [*typed[:first_extra_index], "--players", *typed[first_extra_index:]]
        )
        return message(
            "command.list_without_option", path=extra_words[0], now=corrected_command
        )

    is_number = NUMBER.fullmatch(extra_words[0]) is not None
    previous_word = typed[first_extra_index - 1] if first_extra_index > 1 else "-"

    if command.name == "bye" and is_number:
        corrected_command = _format_command_line(
            [*typed[:first_extra_index], "--points", *typed[first_extra_index:]]
        )
        return message(
            "command.points_without_option", points=extra_text, now=corrected_command
        )
    if previous_word.startswith("-") or last_argument_name not in (
        "player",
        "other",
        "score",
        "value",
    ):
        return message("command.extra", extra=extra_text, example=find_example(command))

    separator = "-" if last_argument_name == "score" else " "
    joined_words = separator.join([previous_word, *extra_words])
    words_after = typed[first_extra_index + len(extra_words) :]
    corrected_command = _format_command_line(
        [*typed[: first_extra_index - 1], joined_words, *words_after]
    )
    message_kind = {
        "score": "command.score_in_words",
        "value": "command.value_in_words",
    }.get(last_argument_name, "command.name_in_words")
    return message(message_kind, now=corrected_command)


def find_example(command: click.Command, option_name: str = "") -> str:
    """Return an example of a command from its help text.

    It is the first one with the option `option_name`, if there is such an example. A
    command without examples gets its --help.
    """
    help_lines = [help_line.strip() for help_line in (command.help or "").splitlines()]
    examples = [
        COMMENT.split(help_line)[0]
        for help_line in help_lines
        if help_line.startswith("pairopt ")
    ]
    examples_with_option = [
        example
        for example in examples
        if option_name and option_name in example.split()
    ]
    return next(
        iter([*examples_with_option, *examples]), f"pairopt {command.name} --help"
    )


def find_near_folder(path: str) -> str | None:
    """Return the path of the event folder beside a path whose name is similar.

    Returns None if there is none, if it is the path itself, or if the folder above
    cannot be listed.
    """
    missing_folder = Path(path)
    with suppress(OSError):
        folder_names = [
            folder_beside.name
            for folder_beside in missing_folder.parent.iterdir()
            if (folder_beside / "event.toml").exists()
        ]
        near_name = find_nearest(missing_folder.name, folder_names)
        if near_name is not None and near_name != missing_folder.name:
            return str(missing_folder.with_name(near_name))
    return None


def suggest_list_of_players(typed: Sequence[str]) -> list[Message]:
    """Return a message with the command that lists the players of an event folder.

    `typed` are the words of the command line, without `pairopt`. The list is empty if
    the first argument is no event folder.
    """
    # The first word may be an option with a long value, which is no path.
    with suppress(OSError):
        if len(typed) >= 2 and is_folder(typed[1]):
            list_command = _format_command_line(["standings", typed[1]])
            return [message("command.list_of_players", now=list_command)]
    return []


def _format_command_line(words: Sequence[str]) -> str:
    """Return words as a command line that begins with pairopt, quoted for a shell."""
    return join(["pairopt", *words])
