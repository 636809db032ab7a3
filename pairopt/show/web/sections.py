"""Sections: the events that one program serves beside each other, as two groups of an evening."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pairopt.files.folder import EVENT
from pairopt.show.web.guard import Share

LOCAL = ("127.0.0.1", "localhost")


@dataclass(frozen=True, slots=True)
class Section:
    """An event of several: its folder, and where its pages are."""

    folder: Path
    address: str
    share: Share | None = None

    @property
    def title(self) -> str:
        """The event's title, the folder's name where it has none that can be read."""
        with suppress(OSError, ValueError):
            told = tomllib.loads((self.folder / EVENT).read_text("utf-8")).get("title")
            if told and isinstance(told, str):
                return told
        return self.folder.resolve().name

    def reached_from(self, host: str | None) -> str:
        """Where an organiser goes on from a page at this host: another laptop needs its link."""
        return self.address if self.share is None or host in LOCAL else self.share.link


Links = list[tuple[str, str, bool]]
"""Titles and addresses of all sections, and whether it is this one; of one alone none."""


def for_organiser(sections: Sequence[Section], here: Path, host: str | None) -> Links:
    """The sections as the organiser's page links to them."""
    return [(each.title, each.reached_from(host), each.folder == here) for each in sections]


def for_phones(sections: Sequence[Section], here: Path) -> Links:
    """The sections as phones read them."""
    return [(each.title, each.share.address, each.folder == here)
            for each in sections if each.share is not None]  # fmt: skip
