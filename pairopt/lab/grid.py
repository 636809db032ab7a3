"""Grid: worlds that differ in some of their settings, all combinations."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any, Final

import numpy as np

from pairopt.common.serialization import read_package_toml
from pairopt.errors import CellLocation, Fault, InputError, UsageError
from pairopt.event.event import PLAYED
from pairopt.files.text_source import read_source
from pairopt.files.text_tables import parse_table
from pairopt.lab.contenders import ContenderLike, contender_of
from pairopt.lab.identity import name_of
from pairopt.lab.simulating import play_tournament
from pairopt.lab.world import Field, World
from pairopt.lab.worlds import chances_of
from pairopt.lab.worlds.davidson_by_level import DavidsonByLevel
from pairopt.messages import message

Value = int | float | str | None
RESERVED = "world_"  # what the columns of a grid begin with
UNRATED: Final = "unrated"
Cells = tuple[tuple[str, Value], ...]


def grid(world: World, **settings: Sequence[Any]) -> tuple[World, ...]:
    """The world with every combination of these settings: `grid(World(), rounds=[5, 7])`. Raises
    UsageError for a setting that there is not, or that no world can have.
    """
    if "base" in settings:
        raise UsageError("world.base_in_grid")
    known = {each.name for each in fields(World)}
    if strange := [name for name in settings if name not in known]:
        raise UsageError(
            "world.setting_unknown", setting=repr(strange[0]), settings=[*known]
        )
    combined = itertools.product(*settings.values())
    return tuple(
        replace(world, **dict(zip(settings, each, strict=True))) for each in combined
    )


def cells_of(worlds: Sequence[World]) -> list[Cells]:
    """The columns that tell worlds apart, with the values of each; of one world none. A fitted
    world's settings have none but its `base`. Raises UsageError for equal worlds.
    """
    firsts: dict[str, World] = {}
    for world in worlds:
        firsts.setdefault(world.base, world)
    names = ["base"] * (len(firsts) > 1)
    names += [
        name
        for name in World.__dataclass_fields__
        if any(
            getattr(each, name) != getattr(firsts[each.base], name) for each in worlds
        )
    ]
    cells = {
        name: _in_words([_cell(getattr(world, name)) for world in worlds])
        for name in names
    }
    found = [
        tuple((f"{RESERVED}{name}", cells[name][k]) for name in names)
        for k in range(len(worlds))
    ]
    if len({*found}) < len(found):
        raise UsageError("world.twice")
    return found


def _in_words(column: list[Value]) -> list[Value]:
    """Texts where one of the values is none: an empty cell is lost by who groups rows by it."""
    if None not in column:
        return column
    return [
        UNRATED
        if value is None
        else f"{value:g}"
        if isinstance(value, float)
        else f"{value}"
        for value in column
    ]


def _cell(value: Any) -> Value:
    if isinstance(value, int | float | str) or value is None:
        return value
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, tuple):
        return " ".join(map(str, value)) if len(value) < 3 else f"{len(value)} given"
    return name_of(value)


FOLDER: Final = Path(__file__).parent / "worlds" / "fitted"


def fitted_worlds() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def fitted_file(name: str) -> Mapping[str, Any]:
    """All that the file of a world says. Raises UsageError where there is none of the name."""
    if name not in fitted_worlds():
        raise UsageError("world.unknown", world=repr(name), worlds=fitted_worlds())
    return read_package_toml("pairopt.lab.worlds", f"fitted/{name}.toml")


def world_of(base: str = "", **settings: Any) -> World:
    """The fitted world of this name, the plain one without a name, with other settings. Raises
    UsageError for a name or settings that no world has.
    """
    if not base:
        return World(**settings)
    file = fitted_file(base)
    found: dict[str, Any] = {**file["world"], "results": DavidsonByLevel(**file["law"])}
    found |= {name: Fraction(found[name]) for name in ("win", "draw")}
    return World(base=base, **found | {"sides": tuple(found["sides"])} | settings)


def worlds_of(
    given: Mapping[str, Any], settings: Mapping[str, Sequence[Any]]
) -> tuple[World, ...]:
    """Worlds of these settings, with every combination of the others, of which `base` may be one.
    Raises UsageError as `world_of` and `grid` do.
    """
    plain = {name: value for name, value in given.items() if name != "base"}
    others = {name: values for name, values in settings.items() if name != "base"}
    bases = settings.get("base", [given.get("base", "")])
    return tuple(
        each for base in bases for each in grid(world_of(base, **plain), **others)
    )


def listed_strengths(path: str | Path, column: str = "rating") -> tuple[float, ...]:
    """The numbers of a column, empty cells left out; for `World(strengths=...)`. Raises InputError
    for a file without the column, and for cells that are no numbers.
    """
    table = parse_table(read_source(path))
    column = column.lower()
    if column not in table.columns:
        columns = [*table.columns]
        raise InputError(
            str(path), "world.no_column", column=repr(column), columns=columns
        )
    found, faults = [], []
    for row, cell in zip(table.rows, table.cells[column], strict=True):
        number = _number(cell)
        if cell and number is None:
            faults.append(
                Fault(
                    message("world.strength_unfit", found=repr(cell)),
                    CellLocation(row, column),
                )
            )
        elif number is not None:
            found.append(number)
    if faults:
        raise InputError(str(path), faults)
    return tuple(found)


def _number(cell: str | None) -> float | None:
    try:
        number = float(cell or "")
    except ValueError:
        return None
    return number if isfinite(number) else None


MODEL: Final = "standard"
GAMES, SEED, STEPS = 1000, 0, 20
NEAR = 0.001
MOST = 0.9999


def with_draw_rate(
    world: World, rate: float, contender: ContenderLike = MODEL
) -> World:
    """The world with such `draws` that a contender has the part `rate` of all its games drawn.

    Solved for by bisection: at each step the probabilities of a draw of some 1,000 games are
    averaged. A rate that the world has without draws, to 0.001, needs no search. Raises UsageError
    for a rate that this world cannot have.
    """
    low, high = 0.0, MOST
    if not 0 <= rate < 1:
        raise UsageError("world.draw_rate_unfit", rate=f"{rate:g}")
    least = _rate(world, low, contender)
    if abs(rate - least) < NEAR:
        return replace(world, draws=low)
    most = _rate(world, high, contender)
    if not least <= rate <= most:
        said = {"rate": f"{rate:g}", "least": f"{least:.3g}", "most": f"{most:.3g}"}
        raise UsageError("world.draw_rate_out_of_reach", **said)
    for _ in range(STEPS):
        middle = (low + high) / 2
        found = _rate(world, middle, contender)
        if abs(found - rate) < NEAR:
            return replace(world, draws=round(middle, 6))
        low, high = (middle, high) if found < rate else (low, middle)
    return replace(world, draws=round((low + high) / 2, 6))


def _rate(world: World, draws: float, contender: ContenderLike = MODEL) -> float:
    tried, model = replace(world, draws=draws), contender_of(contender)
    found: list[float] = []
    for replicate in range(GAMES):
        if len(found) >= GAMES:
            break
        field = Field(tried, SEED, replicate)
        last = play_tournament(field, model).event
        games = last.matches.take(last.matches.status == PLAYED)
        for number in range(1, last.round):
            here = games.round == number
            first, second = games.first[here], games.second[here]
            one, two = np.minimum(first, second), np.maximum(first, second)
            side = np.where(games.side[here] < 0, 0, np.where(first < second, 1, -1))
            met = field.met(number, one, two, side)
            found += chances_of(tried.results, met)[1].tolist()
    return float(np.mean(found)) if found else 0.0
