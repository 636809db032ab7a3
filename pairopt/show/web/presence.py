"""Presence: which server has an event folder open, for whoever opens it a second time."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from filelock import FileLock, Timeout

from pairopt.files.folder import HOME

LOCK, ADDRESS = "served.lock", "served.txt"
"""Held as long as a server runs, and where it is; a lock ends with its process."""


@dataclass
class Presence:
    """A server at an address, "" for none that anybody has to know of."""

    folder: Path
    address: str = ""
    _held: FileLock | None = None
    _one: Lock = field(default_factory=Lock)

    def elsewhere(self) -> str:
        """The address of another server that has the folder open; "" where it is this one."""
        home = self.folder / HOME
        with self._one:
            if self._held is not None or not self.address or not home.is_dir():
                return ""
            lock = FileLock(home / LOCK, thread_local=False)
            with suppress(OSError):  # a folder that cannot be written has no such note
                try:
                    lock.acquire(timeout=0)
                except Timeout:
                    return (home / ADDRESS).read_text(encoding="utf-8")
                (home / ADDRESS).write_text(self.address, encoding="utf-8")
                self._held = lock
            return ""
