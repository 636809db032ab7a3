"""Keep the import path `pairopt.folder.desk` until version 2.0: import `pairopt.extend` instead."""

from pairopt.common.old_paths import moved_names

__getattr__ = moved_names(
    __name__,
    {
        "Done": "pairopt.folder.open_folder:Done",
        "Folder": "pairopt.folder.open_folder:Folder",
        "opened": "pairopt.folder.open_folder:open_folder",
    },
)
