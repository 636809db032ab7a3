"""Keep the import path `pairopt.lab.measuring.metrics` until version 2.0: import `pairopt.extend` instead."""

from pairopt.common.old_paths import moved_names

__getattr__ = moved_names(
    __name__,
    {
        "Measured": "pairopt.lab.metrics:Measured",
    },
)
