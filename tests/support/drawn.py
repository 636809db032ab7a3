"""What a verb has said, as the terminal shows it."""

from __future__ import annotations

from collections.abc import Iterable

from pairopt.show.words import TERMINAL
from pairopt.words import Said


def drawn(lines: Iterable[str | Said]) -> list[str]:
    """The lines as they are printed."""
    return [TERMINAL.draw(each) for each in lines]
