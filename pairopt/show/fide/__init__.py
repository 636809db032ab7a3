"""The command `pairopt-fide`: called as JaVaFo and bbpPairings are, by programs of clubs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import NoReturn

from pairopt.show.fide.arguments import USAGE, Call, call_of
from pairopt.show.fide.reports import EXIT_DONE, EXIT_REQUEST, attempted, out, say
from pairopt.version import __version__

ACTIONS = {"-p": "pairing", "-c": "checking", "-g": "generating"}
"""The module of each action, which imports what it needs; its `do` hands back the exit code."""


def main(arguments: list[str] | None = None, prog_name: str = "pairopt-fide") -> NoReturn:
    """Do what the arguments ask for, and exit with a code of bbpPairings."""
    code = attempted(lambda: done(sys.argv[1:] if arguments is None else arguments, prog_name))
    sys.stdout.flush()
    sys.exit(code)


def done(arguments: list[str], name: str) -> int:
    """The exit code of a call."""
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
    action: Callable[[Call], int] = import_module(f"{__name__}.{ACTIONS[call.action]}").do
    return action(call)
