"""Folder of the rating lists: one for all events of a user."""

from __future__ import annotations

import os
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FOLDER_VARIABLE = "PAIROPT_LISTS"
LISTS_FOLDER: ContextVar[str | None] = ContextVar("lists", default=None)
"""The folder that the user chose for this command. The interface sets it."""


def find_lists_folder() -> Path:
    """Return the folder of the rating lists, which need not exist yet.

    It is the folder in `LISTS_FOLDER`, otherwise that of the environment variable
    PAIROPT_LISTS, otherwise `lists` in the user's data folder of pairopt.
    """
    # Every command imports this module, and `--help` starts faster without pathlib.
    from pathlib import Path

    chosen_folder = LISTS_FOLDER.get() or os.environ.get(FOLDER_VARIABLE)
    if chosen_folder:
        return Path(chosen_folder)

    # Most commands need no list.
    from platformdirs import user_data_path

    return user_data_path("pairopt", appauthor=False) / "lists"
