"""Keep the import path `pairopt.show.web.view` until version 2.0: import `pairopt.extend` instead."""

from pairopt.common.old_paths import moved_names

__getattr__ = moved_names(
    __name__,
    {
        "Asked": "pairopt.web.view:PageRequest",
        "Context": "pairopt.web.view:Context",
        "View": "pairopt.web.view:View",
    },
)
