"""Keep the import path `pairopt.files.folder` until version 2.0: import `pairopt.extend` instead."""

from pairopt.common.old_paths import moved_names

__getattr__ = moved_names(
    __name__,
    {
        "PLAYERS": "pairopt.files.event_folder:PLAYERS",
    },
)
