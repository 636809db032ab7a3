"""Keep the import path `pairopt.files.schema` until version 2.0: import `pairopt.extend` instead."""

from pairopt.common.old_paths import moved_names

__getattr__ = moved_names(
    __name__,
    {
        "PlayerRow": "pairopt.files.csv_schema:PlayerRow",
    },
)
