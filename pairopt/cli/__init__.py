"""Define the commands of `pairopt`, one module each. Heavy imports wait until a command runs."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pairopt.cli.command_group import OTHERS, PARTS, groups, main

    COMMANDS: dict[str, str]

__all__ = ["COMMANDS", "OTHERS", "PARTS", "groups", "main"]

EXIT_INFEASIBLE, EXIT_USAGE, EXIT_INPUT, EXIT_UNPROVEN, EXIT_INTERNAL = 1, 2, 3, 4, 70


def __getattr__(name: str) -> Any:
    """Return a name of the group of commands, which imports click when it is needed.

    So `pairopt-fide`, which is in this package, starts without click. `COMMANDS` has the
    help line of each command.
    """
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pairopt.cli import command_group

    if name == "COMMANDS":
        return command_group.command_lines()
    return getattr(command_group, name)
