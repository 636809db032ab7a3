"""Contender `bbp`."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import ClassVar

from pairopt.lab.contenders.program import PAIRS, TRF, ExternalProgram

NAMES = ("bbpPairings", "bbpPairings.exe", "bbp")
"""What the program is called, in the order in which it is looked for."""


@dataclass(frozen=True)
class Bbp(ExternalProgram):
    """The Dutch System by bbpPairings (github.com/BieremaBoyzProgramming/bbpPairings).

    It has to be installed, on the path.
    """

    kind: ClassVar[str] = "bbp"

    name: str = "bbp"
    command: tuple[str, ...] = (NAMES[0], "--dutch", TRF, "-p", PAIRS)
    no_pairing: int | None = 1

    @property
    def found(self) -> str | None:
        """Where it is, None where it is not installed."""
        return next(filter(None, map(shutil.which, NAMES)), None)
