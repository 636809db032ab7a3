"""List the exit codes of the commands, which docs/commands.md explains."""

EXIT_INFEASIBLE, EXIT_USAGE, EXIT_INPUT, EXIT_UNPROVEN, EXIT_INTERNAL = 1, 2, 3, 4, 70
