"""Systems: ways of pairing whose levels are not those of criteria, one sub-package each."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, cast

from pairopt.systems.base import Kind
from pairopt.systems.burstein.system import DESCRIPTION as BURSTEIN
from pairopt.systems.burstein.system import system_of
from pairopt.systems.dutch.system import DESCRIPTION as DUTCH
from pairopt.systems.dutch.system import Dutch

if TYPE_CHECKING:
    from pairopt.systems.base import System, Words

SYSTEMS = {"burstein": Kind(system_of, BURSTEIN), "dutch": Kind(Dutch.of, DUTCH)}
"""Each system by its name in model files."""


def words_of(system: System) -> Words:
    """What a system says of its pairings."""
    return cast("Words", importlib.import_module(f"{__name__}.{system.name}.words"))
