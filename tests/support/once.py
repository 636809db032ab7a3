"""Folders that are made once a process: what is made of the same is a copy."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

MADE: dict[str, TemporaryDirectory[str]] = {}


def made_once(make: Callable[..., Path]) -> Callable[..., Path]:
    """What makes a folder, and files beside it: done once for each name and arguments, and then
    copied, so that two of a test are alike in all but their place. Arguments are told apart by
    `repr`, and what is made may not depend on anything else."""

    @wraps(make)
    def call(folder: Path, *given: Any, **named: Any) -> Path:
        if folder.exists():
            return make(folder, *given, **named)
        key = repr((make.__qualname__, folder.name, given, named))
        if key not in MADE:
            home = TemporaryDirectory(prefix="made-once-")
            make(Path(home.name, folder.name), *given, **named)
            MADE[key] = home
        shutil.copytree(MADE[key].name, folder.parent, dirs_exist_ok=True)
        return folder

    return call
