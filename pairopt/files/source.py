"""Keep the import path `pairopt.files.source` until version 2.0: import `pairopt.extend` instead."""

from pairopt.common.old_paths import moved_names

__getattr__ = moved_names(
    __name__,
    {
        "Source": "pairopt.files.text_source:TextSource",
    },
)
