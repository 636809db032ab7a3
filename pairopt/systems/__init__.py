"""Systems: ways of pairing whose levels are not those of criteria, one sub-package each."""

from __future__ import annotations

from pairopt.systems.base import Kind
from pairopt.systems.dutch.system import DESCRIPTION, Dutch

SYSTEMS = {"dutch": Kind(Dutch.of, DESCRIPTION)}
"""Each system by its name in model files."""
