"""The command line: one module a command, heavy imports only where a command needs them."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from contextlib import suppress
from typing import Any, NoReturn

import click

from pairopt.errors import InputError, PairoptError, UsageError
from pairopt.show.cli.console import prepare_output
from pairopt.show.words import TERMINAL
from pairopt.version import __version__
from pairopt.whole import EXIT_INTERRUPTED, INTERRUPTED
from pairopt.wording import plain

COMMANDS = {
    "new": "Make an event folder that keeps its own rules.",
    "pair": "Pair the next round of an event folder.",
    "result": "Write down, or correct, the result of a table.",
    "enter": "A new player comes in.",
    "rename": "A player has another name.",
    "edit": "A player's rating, club or start number.",
    "check-in": "Before round 1: out is who is not here yet.",
    "drop": "A player leaves.",
    "back": "A player who has left comes back.",
    "bye": "A player asks for a bye.",
    "forbid": "Two players may not meet.",
    "table": "A player stays at one table.",
    "set": "Change a rule of an event folder.",
    "repair": "Pair the open round again, after somebody came or went.",
    "undo": "Undo the last steps on an event folder.",
    "mend": "Make a damaged event folder whole again.",
    "standings": "Points, strength of schedule and side bias so far.",
    "bracket": "The cut: an elimination of the best.",
    "serve": "The organiser's page: an event folder in the browser.",
    "solve": "Pair the next round, and prove that no pairing is better.",
    "check": "Every level and constraint of somebody's pairing.",
    "explain": "Each match in a sentence; what another pairing would cost.",
    "compare": "Pair one round under several models.",
    "frontier": "What two criteria of a model cost each other in a round.",
    "incentive": "Whether losing a match helps in the next round.",
    "odds": "Who meets whom, and how likely, over all optimal pairings.",
    "convert": "Write an event in another format.",
    "models": "List the models, or show one in plain words.",
    "simulate": "Play a whole tournament with random results.",
    "study": "Compare models on simulated tournaments or folders of real events.",
    "study run": "Play what a study.toml says, into a folder.",
    "study check": "Whether all in a study's folder follows from its games.",
    "study plan": "How many tournaments a study.toml needs.",
    "plot": "Draw what study found.",
}

VERBS = ("new", "pair", "result", "enter", "rename", "edit", "check-in", "drop", "back",
         "bye", "forbid", "table", "set", "repair", "undo", "mend", "bracket", "serve")  # fmt: skip
HOMES = {
    **dict.fromkeys(VERBS, "verbs"),
    **dict.fromkeys(("convert", "models", "standings"), "events"),
    **dict.fromkeys(("plot", "simulate"), "tournaments"),
    **dict.fromkeys(("study run", "study check", "study plan"), "study"),
}
"""Modules of commands that share one."""

EXIT_INFEASIBLE, EXIT_USAGE, EXIT_INPUT, EXIT_UNPROVEN = 1, 2, 3, 4
EXIT_INTERNAL = 70


class _Commands(click.Group):
    """Imports a command's module when it is called, and turns errors into exit codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"pairopt.show.cli.{HOMES.get(name, name)}")
        called = name.split()[-1].replace("-", "_") if name in HOMES else "command"
        command: click.Command = getattr(module, called)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click has it; a command may be of two words."""
        if (name := " ".join(args[:2])) in COMMANDS and len(args) > 1:
            return name, self.get_command(ctx, name), args[2:]
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.obj = list(args)  # as they were given, for the report
        return super().parse_args(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """As click has it; an output that takes no more (a full disk) is a usage error."""
        prepare_output()
        try:
            return super().main(*args, **kwargs)
        except OSError as error:
            what = f"{error.filename or 'the output'} cannot be written: {error.strerror}"
            with suppress(OSError):  # stderr may be full too
                click.echo(f"Error: {plain(what)}", err=True)
            _unheard()

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """As click has it; a reader who has had enough is no news."""
        try:
            return super().make_context(*args, **kwargs)
        except BrokenPipeError:
            _unheard()

    def invoke(self, ctx: click.Context) -> Any:
        try:
            done = super().invoke(ctx)
            sys.stdout.flush()
        except InputError as error:
            _stop(ctx, EXIT_INPUT, error.drawn(TERMINAL))
        except UsageError as error:
            _stop(ctx, EXIT_USAGE, f"Error: {error.drawn(TERMINAL)}")
        except PairoptError as error:
            _stop(ctx, EXIT_INTERNAL, f"Internal error, please report it: {error.drawn(TERMINAL)}")
        except KeyboardInterrupt:
            _stop(ctx, EXIT_INTERRUPTED, INTERRUPTED)
        except BrokenPipeError:  # click's exit code 1 would say that there is no pairing
            _unheard()
        except (OSError, click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception:  # exit code 1 would say that there is no pairing
            _stop(ctx, EXIT_INTERNAL, "Internal error, please report it:", traceback.format_exc())
        return done


def _unheard() -> NoReturn:
    """Exit; what still waits for the screen is not tried again."""
    with suppress(OSError):
        for stream in (sys.stdout, sys.stderr):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(EXIT_USAGE)


def _stop(ctx: click.Context, code: int, *lines: str) -> NoReturn:
    """Say why on stderr, in lines that cannot steer a terminal, and exit."""
    for line in "\n".join(lines).split("\n"):
        click.echo(plain(line), err=True)
    ctx.exit(code)


SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True}


@click.group(cls=_Commands, context_settings=SETTINGS)
@click.version_option(__version__, prog_name="pairopt")
def main() -> None:
    """Pair a round of a Swiss tournament, and prove that no pairing is better."""
