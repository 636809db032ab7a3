"""Grid: worlds that differ in some of their settings, all combinations."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

from pairopt.errors import UsageError
from pairopt.lab.playing.identity import name_of
from pairopt.lab.playing.world import World

Value = int | float | str | None
"""A cell of a study's table."""
RESERVED = "world_"
"""What the columns of a grid begin with."""
Cells = tuple[tuple[str, Value], ...]


def grid(world: World, **settings: Sequence[Any]) -> tuple[World, ...]:
    """The world with every combination of these settings: `grid(World(), rounds=[5, 7])`.

    Raises UsageError for a setting that there is not, or that no world can have.
    """
    if "base" in settings:
        raise UsageError("base: worlds with names are those of pairopt.lab.fitted.worlds_of")
    known = {each.name for each in fields(World)}
    if strange := [name for name in settings if name not in known]:
        raise UsageError(f"no setting {strange[0]!r} of a world; settings: {', '.join(known)}")
    combined = itertools.product(*settings.values())
    return tuple(replace(world, **dict(zip(settings, each, strict=True))) for each in combined)


def cells_of(worlds: Sequence[World]) -> list[Cells]:
    """The columns that tell worlds apart, with the values of each; of one world none.

    What goes with the name of a fitted world, its `base`, has no column. Raises UsageError
    for two worlds that are the same.
    """
    firsts: dict[str, World] = {}
    for world in worlds:
        firsts.setdefault(world.base, world)
    names = ["base"] * (len(firsts) > 1) + [
        each.name
        for each in fields(World)
        if any(
            getattr(world, each.name) != getattr(firsts[world.base], each.name) for world in worlds
        )
    ]
    found = [tuple((f"{RESERVED}{name}", _cell(getattr(world, name))) for name in names)
             for world in worlds]  # fmt: skip
    if len({*found}) < len(found):
        raise UsageError("two worlds of a study are the same, or differ only in what has no name")
    return found


def _cell(value: Any) -> Value:
    if isinstance(value, int | float | str) or value is None:
        return value
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, tuple):
        return " ".join(map(str, value)) if len(value) < 3 else f"{len(value)} given"
    return name_of(value)
