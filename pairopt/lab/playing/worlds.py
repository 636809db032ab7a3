"""Keep the import path `pairopt.lab.playing.worlds` until version 2.0: import `pairopt.extend` instead."""

from pairopt.common.old_paths import moved_names

__getattr__ = moved_names(
    __name__,
    {
        "Chances": "pairopt.lab.worlds:Chances",
        "Encounters": "pairopt.lab.worlds:Games",
    },
)
