"""Define the commands of `pairopt`, one module each. Heavy imports wait until a command runs."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from types import ModuleType
from typing import Any, NoReturn

import click

from pairopt.cli.commands import FIRST, GONE, GROUPS, MODULES, NEXT
from pairopt.cli.console import prepare_output
from pairopt.common.atomic_write import (
    ACTOR,
    AGAINST,
    EXIT_INTERRUPTED,
    INTERRUPTED,
)
from pairopt.errors import InputError, PairoptError, UsageError
from pairopt.folder.commands import every_verb, verb_names
from pairopt.messages import message
from pairopt.messages.formatting import escape_hidden, find_nearest
from pairopt.messages.interfaces import TERMINAL
from pairopt.registry import ExtensionRegistry
from pairopt.version import __version__


@cache
def groups() -> dict[str, dict[str, str]]:
    """The commands by the groups of `--help`, each with its line; verbs first."""
    found = {group: dict[str, str]() for group in GROUPS}
    for verb in every_verb().values():
        found.setdefault(verb.group, {})[verb.name] = verb.line
    for group, lines in GROUPS.items():
        found[group] |= lines
    return found


def __getattr__(name: str) -> dict[str, str]:
    """COMMANDS, all of them with their lines; most calls do without the verbs."""
    if name != "COMMANDS":
        raise AttributeError(name)
    return {name: line for own in groups().values() for name, line in own.items()}


OTHERS = {
    name for lines in GROUPS.values() for name in lines
}  # the commands that are no verbs


def _command(module: ModuleType, name: str) -> click.Command:
    """The command of a module that has the last word of its name, else the one called `command`."""
    found = [getattr(module, each, None) for each in (name.split()[-1], "command")]
    return next(each for each in found if isinstance(each, click.Command))


PARTS: ExtensionRegistry[click.Command] = ExtensionRegistry(
    None, click.Command, "pairopt.commands", _command
)
PARTS.modules.update({name: f"{__name__}.{MODULES.get(name, name)}" for name in OTHERS})

EXIT_INFEASIBLE, EXIT_USAGE, EXIT_INPUT, EXIT_UNPROVEN, EXIT_INTERNAL = 1, 2, 3, 4, 70


class _LazyGroup(click.Group):
    """Imports a command's module when it is called, and turns errors into exit codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for own in groups().values() for name in own]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name in verb_names():
            from pairopt.cli.verbs import command_of

            return command_of(name)
        return PARTS.get(name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click has it; a command may be of two words, and what is mistyped is like another."""
        if (name := " ".join(args[:2])) in OTHERS and len(args) > 1:
            return name, self.get_command(ctx, name), args[2:]
        if args[0] in GONE:
            raise UsageError("command.gone", name=args[0], now=GONE[args[0]])
        is_shipped = args[0] in OTHERS or args[0] in verb_names()
        is_unknown = not is_shipped and args[0] not in PARTS
        if is_unknown and (near := find_nearest(args[0], self.list_commands(ctx))):
            raise UsageError("command.mistyped", name=args[0], near=near)
        return super().resolve_command(ctx, args)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        # who types no command needs the next step, not the list of all
        for group, own in ({"New here": NEXT} if ctx.obj == [] else groups()).items():
            with formatter.section(group):
                formatter.write_dl([*own.items()])

    def format_help_text(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        super().format_help_text(ctx, formatter)
        with formatter.section("First"):
            formatter.write_dl([*FIRST.items()], col_max=40)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.obj = list(args)  # as they were given, for the report
        return super().parse_args(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """As click has it; an output that takes no more (a full disk) is a usage error."""
        prepare_output()
        try:
            return super().main(*args, **kwargs)
        except OSError as error:
            what = (
                f"{error.filename or 'the output'} cannot be written: {error.strerror}"
            )
            with suppress(OSError):  # stderr may be full too
                click.echo(f"Error: {escape_hidden(what)}", err=True)
            _unheard()

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """As click has it; a reader who has had enough is no news."""
        try:
            return super().make_context(*args, **kwargs)
        except BrokenPipeError:
            _unheard()

    def invoke(self, ctx: click.Context) -> Any:
        who, against = ACTOR.set("command line"), AGAINST.set(0)
        try:
            done = super().invoke(ctx)
            sys.stdout.flush()
        except InputError as error:
            _stop(ctx, EXIT_INPUT, error.format_with(TERMINAL))
        except UsageError as error:
            _stop(
                ctx, EXIT_USAGE, f"Error: {error.format_with(TERMINAL)}", *_meant(error)
            )
        except PairoptError as error:
            _stop(
                ctx,
                EXIT_INTERNAL,
                f"Internal error, please report it: {error.format_with(TERMINAL)}",
            )
        except KeyboardInterrupt:
            _stop(ctx, EXIT_INTERRUPTED, INTERRUPTED)
        except (
            BrokenPipeError
        ):  # click's exit code 1 would say that there is no pairing
            _unheard()
        except (OSError, click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception:  # exit code 1 would say that there is no pairing
            import traceback

            _stop(
                ctx,
                EXIT_INTERNAL,
                "Internal error, please report it:",
                traceback.format_exc(),
            )
        finally:
            ACTOR.reset(who)
            AGAINST.reset(against)
        return done


NAMED = {"model.unknown": ("name", "models")}
"""The fields of an error that have a name that nobody knows, and those that are known."""


def _meant(error: UsageError) -> Iterator[str]:
    for said in error.said:
        name, known = (said.fields.get(each) for each in NAMED.get(said.kind, ("", "")))
        if not isinstance(known, list | tuple):
            continue
        if near := find_nearest(str(name), map(str, known)):
            yield TERMINAL.format_message(message("command.meant", near=near))


def _unheard() -> NoReturn:
    """Exit; what still waits for the screen is not tried again."""
    with suppress(OSError):
        for stream in (sys.stdout, sys.stderr):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(EXIT_USAGE)


def _stop(ctx: click.Context, code: int, *lines: str) -> NoReturn:
    """Say why on stderr, in lines that cannot steer a terminal, and exit."""
    for line in "\n".join(lines).split("\n"):
        click.echo(escape_hidden(line), err=True)
    ctx.exit(code)


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(__version__, prog_name="pairopt")
def main() -> None:
    """Pair a round of a Swiss tournament, and prove that no pairing is better."""
