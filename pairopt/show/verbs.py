"""Keep the import path `pairopt.show.verbs` until version 2.0: import `pairopt.extend` instead."""

from pairopt.common.old_paths import moved_names

__getattr__ = moved_names(
    __name__,
    {
        "Param": "pairopt.folder.commands:CommandParameter",
        "Verb": "pairopt.folder.commands:FolderCommand",
    },
)
