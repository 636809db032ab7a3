"""Define the click group `pairopt`: find commands, write help, turn errors into exit codes."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from inspect import cleandoc
from types import ModuleType
from typing import Any, NoReturn

import click

from pairopt.cli.commands import FIRST, GONE, GROUPS, MODULES, NEXT, OTHER_WORDS
from pairopt.cli.console import prepare_output, with_typed_folder
from pairopt.cli.exit_codes import EXIT_INPUT, EXIT_INTERNAL, EXIT_USAGE
from pairopt.common.atomic_write import (
    ACTOR,
    AGAINST,
    EXIT_INTERRUPTED,
    INTERRUPTED,
)
from pairopt.common.lists_folder import LISTS_FOLDER
from pairopt.errors import InputError, PairoptError, UsageError
from pairopt.folder.commands import list_command_names, load_commands
from pairopt.messages import message
from pairopt.messages.formatting import escape_hidden, find_nearest
from pairopt.messages.interfaces import TERMINAL
from pairopt.registry import ExtensionRegistry
from pairopt.version import __version__


@cache
def groups() -> dict[str, dict[str, str]]:
    """Return the help line of each command by its name, in the groups of `--help`.

    A group has its commands on an event folder first, and then all others.
    """
    lines_by_group = {group_title: dict[str, str]() for group_title in GROUPS}
    for folder_command in load_commands().values():
        lines_by_group.setdefault(folder_command.group, {})[folder_command.name] = (
            folder_command.line
        )
    for group_title, help_lines in GROUPS.items():
        lines_by_group[group_title] |= help_lines
    return lines_by_group


def command_lines() -> dict[str, str]:
    """Return the help line of each command by its name, without groups."""
    return {
        command_name: help_line
        for help_lines in groups().values()
        for command_name, help_line in help_lines.items()
    }


OTHERS = {name for lines in GROUPS.values() for name in lines}
"""The commands that are not commands on an event folder."""


def _find_command(module: ModuleType, name: str) -> click.Command:
    """Return the click command that a module has as a variable.

    The variable is called like the last word of `name` (`run` for "study run"), or
    `command`. Raises StopIteration if there is none.
    """
    possible_commands = [
        getattr(module, attribute_name, None)
        for attribute_name in (name.split()[-1], "command")
    ]
    return next(
        possible_command
        for possible_command in possible_commands
        if isinstance(possible_command, click.Command)
    )


PARTS: ExtensionRegistry[click.Command] = ExtensionRegistry(
    None, click.Command, "pairopt.commands", _find_command
)
PARTS.modules.update(
    {name: f"pairopt.cli.{MODULES.get(name, name)}" for name in OTHERS}
)


LISTS_IN_HELP = re.compile(r"\n\n(Examples:|Exit codes:|Settings:)\n")
"""The beginning of a paragraph in a help text whose lines are a list."""


def keep_lists(help_text: str) -> str:
    """Return a help text in which click keeps the lines of examples and other lists.

    For this, a line with the backspace character stands above these paragraphs.
    """
    return LISTS_IN_HELP.sub("\n\n\b\n\\1\n", cleandoc(help_text))


class _LazyGroup(click.Group):
    """Click group that imports a command's module late, and turns errors into exit codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of `--help`.

        They include those with two words, such as "study run".
        """
        return [
            command_name
            for help_lines in groups().values()
            for command_name in help_lines
        ]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import and return the command of this name; None if there is none.

        Commands on an event folder come first, then all others, also of extensions.
        """
        if name in list_command_names():
            from pairopt.cli.verbs import build_command

            found_command: click.Command | None = build_command(name)
        else:
            found_command = PARTS.get(name)
        if found_command is not None and found_command.help is not None:
            found_command.help = keep_lists(found_command.help)
        return found_command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a command line, which may have two words.

        Returns the name, the command and the remaining words. Raises UsageError with a
        similar name for a misspelt one, or with what to type instead of a command that
        was removed or is called otherwise here; for other unknown names click's error.
        """
        two_words = " ".join(args[:2])
        if two_words in OTHERS and len(args) > 1:
            return two_words, self.get_command(ctx, two_words), args[2:]

        command_name = args[0]
        if command_name in GONE:
            raise UsageError("command.gone", name=command_name, now=GONE[command_name])
        is_shipped = command_name in OTHERS or command_name in list_command_names()
        if not is_shipped and command_name not in PARTS:
            if command_name in OTHER_WORDS:
                raise UsageError(
                    "command.other", name=command_name, now=OTHER_WORDS[command_name]
                )
            similar_name = find_nearest(command_name, self.list_commands(ctx))
            if similar_name:
                raise UsageError(
                    "command.mistyped", name=command_name, near=similar_name
                )
        return super().resolve_command(ctx, args)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the commands by groups, for the help text.

        If `pairopt` was called without any argument, write only what to type next.
        """
        lines_by_section = {"New here": NEXT} if ctx.obj == [] else groups()
        for section_title, help_lines in lines_by_section.items():
            with formatter.section(section_title):
                formatter.write_dl([*help_lines.items()])

    def format_help_text(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the help text, then the commands that a new user needs first.

        Both go to click's `formatter`.
        """
        super().format_help_text(ctx, formatter)
        with formatter.section("First"):
            formatter.write_dl([*FIRST.items()], col_max=40)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments as they were typed in `ctx.obj`, and parse them.

        The report shows them, and without any the help text is shorter.
        """
        ctx.obj = list(args)
        return super().parse_args(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line, and exit with the code of the command.

        If an output cannot be written, write that to stderr and exit with code 2.
        """
        prepare_output()
        try:
            return super().main(*args, **kwargs)
        except OSError as error:
            output_name = error.filename or "the output"
            error_text = f"{output_name} cannot be written: {error.strerror}"
            # The disk may be full for stderr, too.
            with suppress(OSError):
                click.echo(f"Error: {escape_hidden(error_text)}", err=True)
            _exit_silently()

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Make the context, which may print a help text.

        Exit silently if the reader of the output is gone, for example `head`.
        """
        try:
            return super().make_context(*args, **kwargs)
        except BrokenPipeError:
            _exit_silently()

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; exit with a message and a code for each kind of error.

        Until the command ends, context variables say that the command line makes the
        changes. A usage error of click is raised again with what to type next. Other
        errors of click, and those of the system, are raised unchanged.
        """
        actor_token = ACTOR.set("command line")
        against_token = AGAINST.set(0)
        lists_token = LISTS_FOLDER.set(None)
        try:
            command_result = super().invoke(ctx)
            sys.stdout.flush()
        except InputError as error:
            _stop(ctx, EXIT_INPUT, with_typed_folder(error.format_with(TERMINAL)))
        except UsageError as error:
            error_text = with_typed_folder(f"Error: {error.format_with(TERMINAL)}")
            _stop(ctx, EXIT_USAGE, error_text, *_suggest_names(ctx, error))
        except PairoptError as error:
            error_text = error.format_with(TERMINAL)
            _stop(ctx, EXIT_INTERNAL, f"Internal error, please report it: {error_text}")
        except KeyboardInterrupt:
            _stop(ctx, EXIT_INTERRUPTED, INTERRUPTED)
        except BrokenPipeError:
            # Click's exit code 1 would say that there is no pairing.
            _exit_silently()
        except click.UsageError as error:
            from pairopt.cli.mistakes import explain_usage_error

            raise explain_usage_error(error, ctx.obj) from None
        except (OSError, click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception:
            # Python's exit code 1 would say that there is no pairing.
            import traceback

            _stop(
                ctx,
                EXIT_INTERNAL,
                "Internal error, please report it:",
                traceback.format_exc(),
            )
        finally:
            ACTOR.reset(actor_token)
            AGAINST.reset(against_token)
            LISTS_FOLDER.reset(lists_token)
        return command_result


NAMED = {
    "model.no_file": ("path", "models"),
    "model.unknown": ("name", "models"),
    "tie_break.unknown": ("name", "known"),
}
"""By message id, the fields with an unknown name and with the known names."""


def _suggest_names(ctx: click.Context, error: UsageError) -> Iterator[str]:
    """Yield what to try for each message of an error with an unknown name.

    That is "Did you mean …?" for a name that resembles a known one, if the message's id
    is in `NAMED`. For a player whom an event folder does not have, it is the command
    that lists its players.
    """
    for error_message in error.said:
        message_or_passage = getattr(error_message, "message", error_message)
        if message_or_passage.kind == "event.no_player":
            from pairopt.cli.mistakes import suggest_list_of_players

            yield from map(TERMINAL.format_message, suggest_list_of_players(ctx.obj))
        if message_or_passage.kind in ("folder.none", "command.no_folder"):
            from pairopt.cli.mistakes import find_near_folder

            near_folder = find_near_folder(str(message_or_passage.fields["path"]))
            if near_folder is not None:
                near_message = message("command.meant", near=near_folder)
                yield TERMINAL.format_message(near_message)
        name_field, known_field = NAMED.get(message_or_passage.kind, ("", ""))
        known_names = message_or_passage.fields.get(known_field)
        if not isinstance(known_names, list | tuple):
            continue
        similar_name = find_nearest(
            str(message_or_passage.fields.get(name_field)), map(str, known_names)
        )
        if similar_name:
            yield TERMINAL.format_message(message("command.meant", near=similar_name))


def _exit_silently() -> NoReturn:
    """Exit with code 2 without writing what is still buffered.

    Nobody can read it: the output is closed, or cannot be written.
    """
    with suppress(OSError):
        for output_stream in (sys.stdout, sys.stderr):
            os.dup2(os.open(os.devnull, os.O_WRONLY), output_stream.fileno())
    sys.exit(EXIT_USAGE)


def _stop(ctx: click.Context, code: int, *lines: str) -> NoReturn:
    """Write lines to stderr, and exit with this code.

    Codes that could control a terminal are escaped.
    """
    for text_line in "\n".join(lines).split("\n"):
        click.echo(escape_hidden(text_line), err=True)
    ctx.exit(code)


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(__version__, prog_name="pairopt")
def main() -> None:
    """Pair a round of a Swiss tournament, and prove that no pairing is better."""
