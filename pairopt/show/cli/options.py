"""Keep the import path `pairopt.show.cli.options` until version 2.0: import `pairopt.extend` instead."""

from pairopt.common.old_paths import moved_names

__getattr__ = moved_names(
    __name__,
    {
        "FILE": "pairopt.cli.options:FILE",
        "Named": "pairopt.cli.options:NonEmptyPath",
    },
)
