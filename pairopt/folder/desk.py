"""Old import path of `pairopt.extend`, kept until version 2.0."""

from pairopt.common.old_paths import moved_names

__getattr__ = moved_names(
    __name__,
    {
        "Done": "pairopt.folder.open_folder:Done",
        "Folder": "pairopt.folder.open_folder:Folder",
        "opened": "pairopt.folder.open_folder:open_folder",
    },
)
