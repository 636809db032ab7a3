"""The command `pairopt-fide`, which programs call like JaVaFo and bbpPairings."""

import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

from pairopt.cli.fide.arguments import HELP, USAGE, FideArguments, parse_call
from pairopt.cli.fide.reports import (
    EXIT_DONE,
    EXIT_FILE,
    EXIT_REQUEST,
    OutputClosedError,
    print_error,
    print_text,
    run_with_exit_code,
)
from pairopt.version import __version__

ACTIONS = {
    "-p": ("pair", "pair_reports"),
    "-c": ("pair", "check_reports"),
    "-g": ("generate", "generate_tournaments"),
}
"""The module and function of each action; the function returns the exit code."""


def main(
    arguments: list[str] | None = None, prog_name: str = "pairopt-fide"
) -> NoReturn:
    """Run the command and exit with one of the exit codes of bbpPairings.

    `arguments` are by default those of the process, without the program's name;
    `prog_name` is that name in messages. If stdout cannot be written, the exit code is
    that of an unusable file.
    """
    argument_words = sys.argv[1:] if arguments is None else arguments
    try:
        exit_code = run_with_exit_code(lambda: run_command(argument_words, prog_name))
    except OutputClosedError as error:
        print_error(str(error))
        # Otherwise Python writes the rest again at its end, and fails again.
        with suppress(OSError):
            sys.stdout.close()
        exit_code = EXIT_FILE
    sys.exit(exit_code)


def run_command(arguments: list[str], name: str) -> int:
    """Run the command that arguments name, and return its exit code.

    `name` is the program in messages. -h prints only the help, and -r the version
    first. Without an action only the version is printed. Faults of the arguments are
    printed with the usage; errors that the action raises are not caught.
    """
    from pairopt.errors import UsageError

    if {"-h", "--help"} & {*arguments}:
        print_text(f"{USAGE}\n\n{HELP}\n")
        return EXIT_DONE

    try:
        parsed_call = parse_call(arguments)
    except UsageError as error:
        print_error(f"{name}: {error}\n{USAGE}")
        return EXIT_REQUEST

    if parsed_call.has("-r") or not parsed_call.action:
        print_text(f"pairopt-fide {__version__}: FIDE's Swiss systems\n")
    if not parsed_call.action:
        return EXIT_DONE

    # An action imports only what it needs.
    module_name, function_name = ACTIONS[parsed_call.action]
    action_module = import_module(f"{__name__}.{module_name}")
    action: Callable[[FideArguments], int] = getattr(action_module, function_name)
    return action(parsed_call)
