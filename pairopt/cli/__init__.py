"""The command line: one module a command, heavy imports only where a command needs them."""

from __future__ import annotations

import importlib
import os
import sys
from contextlib import suppress
from typing import Any

import click

from pairopt.errors import InputError, PairoptError, UsageError
from pairopt.version import __version__
from pairopt.wording import plain

COMMANDS = {
    "check": "Every level and constraint of somebody's pairing.",
    "compare": "Compare models on simulated tournaments or real events.",
    "convert": "Write an event in another format.",
    "explain": "Each match in a sentence; what another pairing would cost.",
    "models": "List the models, or show one in plain words.",
    "plot": "Draw what compare found.",
    "simulate": "Play a whole tournament with random results.",
    "standings": "Points, strength of schedule and side bias so far.",
    "solve": "Pair the next round, and prove that no pairing is better.",
}

EXIT_INFEASIBLE, EXIT_USAGE, EXIT_INPUT, EXIT_UNPROVEN = 1, 2, 3, 4


class _Commands(click.Group):
    """Imports a command's module when it is called, and turns errors into exit codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"pairopt.cli.{name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.obj = list(args)  # as they were given, for the report
        return super().parse_args(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """As click has it; an output that takes no more (a full disk) is a usage error."""
        try:
            return super().main(*args, **kwargs)
        except OSError as error:
            what = plain(f"{error.filename or 'output'}: {error.strerror}")
            click.echo(f"Error: {what}", err=True)
            with suppress(OSError):  # what waits for the screen is not tried again at the exit
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(EXIT_USAGE)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except InputError as error:
            click.echo(str(error), err=True)
            ctx.exit(EXIT_INPUT)
        except UsageError as error:
            click.echo(f"Error: {error}", err=True)
            ctx.exit(EXIT_USAGE)
        except PairoptError as error:
            click.echo(f"Internal error, please report it: {error}", err=True)
            ctx.exit(70)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pairopt")
def main() -> None:
    """Pair a round of a Swiss tournament, and prove that no pairing is better."""
