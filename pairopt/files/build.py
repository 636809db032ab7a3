"""Keep the import path `pairopt.files.build` until version 2.0: import `pairopt.extend` instead."""

from pairopt.common.old_paths import moved_names

__getattr__ = moved_names(
    __name__,
    {
        "Reading": "pairopt.files.build_event:ReadOptions",
        "Roster": "pairopt.files.build_event:PlayerTable",
        "build_event": "pairopt.files.build_event:build_event",
    },
)
