"""Fitted: worlds by name, each a file of `worlds/fitted`, fitted to real events.

The files are made by tests/benchmarks/worlds.py; docs/worlds.md says how, and how well they fit.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final

from pairopt.errors import UsageError
from pairopt.lab.playing.grid import grid
from pairopt.lab.playing.world import World
from pairopt.lab.playing.worlds.davidson_by_level import DavidsonByLevel

FOLDER: Final = Path(__file__).parent / "worlds" / "fitted"


def fitted_worlds() -> tuple[str, ...]:
    """The names of all of them."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


@cache
def fitted_file(name: str) -> dict[str, Any]:
    """All that the file of a world says. Raises UsageError where there is none of the name."""
    if name not in fitted_worlds():
        raise UsageError(f"no world {name!r}; fitted worlds: {', '.join(fitted_worlds())}")
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def world_of(base: str = "", **settings: Any) -> World:
    """The fitted world of this name, the plain one without a name, with other settings.

    Raises UsageError for a name or settings that no world has.
    """
    if not base:
        return World(**settings)
    file = fitted_file(base)
    found: dict[str, Any] = {**file["world"], "results": DavidsonByLevel(**file["law"])}
    found |= {name: Fraction(found[name]) for name in ("win", "draw")}
    return World(base=base, **found | {"sides": tuple(found["sides"])} | settings)


def worlds_of(given: Mapping[str, Any], settings: Mapping[str, Sequence[Any]]) -> tuple[World, ...]:
    """Worlds of these settings, with every combination of the others, of which `base` may be one.

    Raises UsageError as `world_of` and `grid` do.
    """
    plain = {name: value for name, value in given.items() if name != "base"}
    others = {name: values for name, values in settings.items() if name != "base"}
    bases = settings.get("base", [given.get("base", "")])
    return tuple(each for base in bases for each in grid(world_of(base, **plain), **others))
