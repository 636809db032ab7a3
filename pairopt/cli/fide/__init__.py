"""The command `pairopt-fide`: called as JaVaFo and bbpPairings are, by programs of clubs."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import NoReturn

from pairopt.cli.fide.arguments import USAGE, FideArguments, call_of
from pairopt.cli.fide.reports import (
    EXIT_DONE,
    EXIT_REQUEST,
    out,
    run_with_exit_code,
    say,
)
from pairopt.version import __version__

ACTIONS = {
    "-p": ("pair", "pair_reports"),
    "-c": ("pair", "check_reports"),
    "-g": ("generate", "generate_tournaments"),
}
"""The module and function of each action; it imports what it needs, and gives the exit code."""


def main(
    arguments: list[str] | None = None, prog_name: str = "pairopt-fide"
) -> NoReturn:
    """Do what the arguments ask for, and exit with a code of bbpPairings."""
    code = run_with_exit_code(
        lambda: done(sys.argv[1:] if arguments is None else arguments, prog_name)
    )
    sys.stdout.flush()
    sys.exit(code)


def done(arguments: list[str], name: str) -> int:
    from pairopt.errors import UsageError

    if {"-h", "--help"} & {*arguments}:
        out(f"{USAGE}\n")
        return EXIT_DONE
    try:
        call = call_of(arguments)
    except UsageError as error:
        say(f"{name}: {error}\n{USAGE}")
        return EXIT_REQUEST
    if call.has("-r") or not call.action:
        out(f"pairopt-fide {__version__}: FIDE's Swiss systems\n")
    if not call.action:
        return EXIT_DONE
    module, name = ACTIONS[call.action]
    action: Callable[[FideArguments], int] = getattr(
        import_module(f"{__name__}.{module}"), name
    )
    return action(call)
