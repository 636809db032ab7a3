"""Define the commands of `pairopt`. Heavy imports wait until a command runs.

`commands.py` says which module has each command.
"""

from typing import TYPE_CHECKING, Any

from pairopt.cli.exit_codes import (
    EXIT_INFEASIBLE,
    EXIT_INPUT,
    EXIT_INTERNAL,
    EXIT_UNPROVEN,
    EXIT_USAGE,
)

if TYPE_CHECKING:
    from pairopt.cli.command_group import OTHERS, PARTS, groups, main

    COMMANDS: dict[str, str]

LAZY_NAMES = ("COMMANDS", "OTHERS", "PARTS", "groups", "main")
__all__ = [
    "COMMANDS",
    "EXIT_INFEASIBLE",
    "EXIT_INPUT",
    "EXIT_INTERNAL",
    "EXIT_UNPROVEN",
    "EXIT_USAGE",
    "OTHERS",
    "PARTS",
    "groups",
    "main",
]


def __getattr__(name: str) -> Any:
    """Return a name of the group of commands, which imports click when it is needed.

    So `pairopt-fide`, which is in this package, starts without click. `COMMANDS` has the
    help line of each command.
    """
    if name not in LAZY_NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pairopt.cli import command_group

    if name == "COMMANDS":
        return command_group.command_lines()
    return getattr(command_group, name)
