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
from pairopt.lab.contenders import ContenderLike, resolve_contender
from pairopt.lab.identity import name_of
from pairopt.lab.simulating import play_tournament
from pairopt.lab.world import Field, World
from pairopt.lab.worlds import chances_of
from pairopt.lab.worlds.davidson_by_level import DavidsonByLevel
from pairopt.messages import message

Value = int | float | str | None
# the prefix of the columns of a grid
RESERVED = "world_"
UNRATED: Final = "unrated"
Cells = tuple[tuple[str, Value], ...]


def grid(world: World, **settings: Sequence[Any]) -> tuple[World, ...]:
    """Return the world with every combination of these settings, in order.

    `settings` has a list of values for each field of `World` that differs; all other
    fields are those of `world`. The last setting varies fastest. Without settings the
    result is `world` alone. Raises UsageError for a setting that does not exist, for
    `base`, and for a value that no world can have.

    Examples
    --------
    >>> [world.rounds for world in grid(World(), rounds=[5, 7])]
    [5, 7]
    """
    if "base" in settings:
        raise UsageError("world.base_in_grid")

    setting_names = {setting.name for setting in fields(World)}
    unknown_settings = [
        setting_name for setting_name in settings if setting_name not in setting_names
    ]
    if unknown_settings:
        raise UsageError(
            "world.setting_unknown",
            setting=repr(unknown_settings[0]),
            settings=[*setting_names],
        )

    setting_combinations = itertools.product(*settings.values())
    return tuple(
        replace(world, **dict(zip(settings, setting_values, strict=True)))
        for setting_values in setting_combinations
    )


def list_world_cells(worlds: Sequence[World]) -> list[Cells]:
    """List for each world its cells: the settings that distinguish it from the others.

    A cell is a pair of a column `world_<setting>` and a value. If a value of a column
    is missing, it is "unrated", and all others are texts. A single world has no cells.
    Of the settings that a fitted world brings, only its name `base` is a column. Raises
    UsageError for equal worlds.
    """
    # the first world of each base
    world_of_base: dict[str, World] = {}
    for world in worlds:
        world_of_base.setdefault(world.base, world)

    varied_settings = ["base"] if len(world_of_base) > 1 else []
    for setting in World.__dataclass_fields__:
        is_varied = any(
            getattr(world, setting) != getattr(world_of_base[world.base], setting)
            for world in worlds
        )
        if is_varied:
            varied_settings.append(setting)

    column_of_setting = {}
    for setting in varied_settings:
        column_of_setting[setting] = _replace_missing(
            [_convert_setting(getattr(world, setting)) for world in worlds]
        )
    cells_of_worlds = [
        tuple(
            (f"{RESERVED}{setting}", column_of_setting[setting][world_position])
            for setting in varied_settings
        )
        for world_position in range(len(worlds))
    ]
    if len({*cells_of_worlds}) < len(cells_of_worlds):
        raise UsageError("world.twice")
    return cells_of_worlds


def _replace_missing(column: list[Value]) -> list[Value]:
    """Convert a column to texts if one of its values is None, which becomes "unrated".

    A column without None is returned unchanged. pandas loses empty cells when it groups
    rows by them.
    """
    if None not in column:
        return column
    return [_format_cell(column_value) for column_value in column]


def _format_cell(value: Value) -> str:
    """Return a value as the text of a table cell; None becomes "unrated".

    A float has at most six significant digits.
    """
    if value is None:
        return UNRATED
    return f"{value:g}" if isinstance(value, float) else f"{value}"


def _convert_setting(value: Any) -> Value:
    """Return a world's setting as a cell of a table: a number, a text or None.

    A fraction becomes a float. A tuple becomes a text of its values, or their number if
    there are three or more. A law of results or a function becomes its name.
    """
    if isinstance(value, int | float | str) or value is None:
        return value
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, tuple):
        return " ".join(map(str, value)) if len(value) < 3 else f"{len(value)} given"
    return name_of(value)


FOLDER: Final = Path(__file__).parent / "worlds" / "fitted"


def fitted_worlds() -> tuple[str, ...]:
    """List the names of the worlds that are fitted to real games, sorted."""
    return tuple(sorted(toml_path.stem for toml_path in FOLDER.glob("*.toml")))


def read_fitted_file(name: str) -> Mapping[str, Any]:
    """Read the file of a fitted world: its settings and its law of results.

    Returns a mapping with "world", the settings by name, and "law", the parameters of
    `DavidsonByLevel`. Raises UsageError for a name that does not exist.
    """
    if name not in fitted_worlds():
        raise UsageError("world.unknown", world=repr(name), worlds=fitted_worlds())
    return read_package_toml("pairopt.lab.worlds", f"fitted/{name}.toml")


def world_of(base: str = "", **settings: Any) -> World:
    """Return the fitted world `base` with other settings; without a base the default.

    `settings` are fields of `World`, and replace those of the fitted world. Raises
    UsageError if no fitted world has the name `base`, or if a value is invalid, and
    TypeError for a setting that is no field of `World`.
    """
    if not base:
        return World(**settings)

    fitted_file = read_fitted_file(base)
    fitted_settings: dict[str, Any] = {**fitted_file["world"]}
    fitted_settings["results"] = DavidsonByLevel(**fitted_file["law"])
    for points_setting in ("win", "draw"):
        fitted_settings[points_setting] = Fraction(fitted_settings[points_setting])
    fitted_settings["sides"] = tuple(fitted_settings["sides"])
    return World(base=base, **fitted_settings | settings)


def build_worlds(
    fixed: Mapping[str, Any], settings: Mapping[str, Sequence[Any]]
) -> tuple[World, ...]:
    """Return worlds with fixed settings, in each combination of varied `settings`.

    `fixed` has one value per field of `World`, and `settings` a list of values. Both
    may have a `base`, the name of a fitted world, or several. Worlds of one base stand
    together. Raises UsageError for a fitted world or a setting that does not exist, and
    for a value that no world can have.
    """
    fixed_settings = {
        setting: setting_value
        for setting, setting_value in fixed.items()
        if setting != "base"
    }
    varied_settings = {
        setting: varied_values
        for setting, varied_values in settings.items()
        if setting != "base"
    }
    base_names = settings.get("base", [fixed.get("base", "")])
    return tuple(
        world
        for base_name in base_names
        for world in grid(world_of(base_name, **fixed_settings), **varied_settings)
    )


def read_strengths(path: str | Path, column: str = "rating") -> tuple[float, ...]:
    """Read the numbers of a column of a table file, for `World(strengths=...)`.

    Upper and lower case do not matter in `column`. Empty cells are left out. Raises
    InputError for a file that cannot be read, for a missing column, and with all faults
    for cells that are no finite numbers.
    """
    source_table = parse_table(read_source(path))
    column = column.lower()
    if column not in source_table.columns:
        column_names = [*source_table.columns]
        raise InputError(
            str(path), "world.no_column", column=repr(column), columns=column_names
        )

    strengths = []
    cell_faults = []
    for row_number, strength_cell in zip(
        source_table.rows, source_table.cells[column], strict=True
    ):
        strength = _parse_number(strength_cell)
        if strength_cell and strength is None:
            fault_note = message("world.strength_unfit", found=repr(strength_cell))
            cell_faults.append(Fault(fault_note, CellLocation(row_number, column)))
        elif strength is not None:
            strengths.append(strength)
    if cell_faults:
        raise InputError(str(path), cell_faults)
    return tuple(strengths)


def _parse_number(cell: str | None) -> float | None:
    """Return the number in a cell; None if the cell has no finite number."""
    try:
        parsed_number = float(cell or "")
    except ValueError:
        return None
    return parsed_number if isfinite(parsed_number) else None


MODEL: Final = "standard"
GAMES = 1000
SEED = 0
STEPS = 20
NEAR = 0.001
MOST = 0.9999


def with_draw_rate(
    world: World, rate: float, contender: ContenderLike = MODEL
) -> World:
    """Return a copy of a world whose `draws` make a share `rate` of its games drawn.

    The games are those that `contender` pairs. The function solves for `draws` by at
    most 20 steps of bisection; each averages the probability of a draw over some 1,000
    simulated games. The search ends within 0.001 of the rate, or after the last step
    with the nearest `draws`. They are 0 if the rate is reached without. Raises
    UsageError for a rate that this world cannot have.
    """
    low_draws = 0.0
    high_draws = MOST
    if not 0 <= rate < 1:
        raise UsageError("world.draw_rate_unfit", rate=f"{rate:g}")
    least_rate = _simulate_draw_rate(world, low_draws, contender)
    if abs(rate - least_rate) < NEAR:
        return replace(world, draws=low_draws)
    largest_rate = _simulate_draw_rate(world, high_draws, contender)
    if not least_rate <= rate <= largest_rate:
        raise UsageError(
            "world.draw_rate_out_of_reach",
            rate=f"{rate:g}",
            least=f"{least_rate:.3g}",
            most=f"{largest_rate:.3g}",
        )

    for _ in range(STEPS):
        middle_draws = (low_draws + high_draws) / 2
        middle_rate = _simulate_draw_rate(world, middle_draws, contender)
        if abs(middle_rate - rate) < NEAR:
            return replace(world, draws=round(middle_draws, 6))
        if middle_rate < rate:
            low_draws = middle_draws
        else:
            high_draws = middle_draws
    return replace(world, draws=round((low_draws + high_draws) / 2, 6))


def _simulate_draw_rate(
    world: World, draws: float, contender: ContenderLike = MODEL
) -> float:
    """Simulate tournaments of a world, and return the share of drawn games.

    `draws` replaces that setting of `world`. The rate is the mean probability of a draw
    over about 1,000 games that `contender` pairs, always with the same seed; it is 0 if
    no game is played.
    """
    trial_world = replace(world, draws=draws)
    model = resolve_contender(contender)

    draw_probabilities: list[float] = []
    for replicate in range(GAMES):
        if len(draw_probabilities) >= GAMES:
            break
        drawn_field = Field(trial_world, SEED, replicate)
        final_event = play_tournament(drawn_field, model).event
        played_games = final_event.matches.take(final_event.matches.status == PLAYED)

        for round_number in range(1, final_event.round):
            is_in_round = played_games.round == round_number
            first_players = played_games.first[is_in_round]
            second_players = played_games.second[is_in_round]
            lower_players = np.minimum(first_players, second_players)
            higher_players = np.maximum(first_players, second_players)
            side_sign_of_lower = np.where(first_players < second_players, 1, -1)
            side_of_lower = np.where(
                played_games.side[is_in_round] < 0, 0, side_sign_of_lower
            )

            round_games = drawn_field.met(
                round_number, lower_players, higher_players, side_of_lower
            )
            _, draw_chances = chances_of(trial_world.results, round_games)
            draw_probabilities += draw_chances.tolist()

    return float(np.mean(draw_probabilities)) if draw_probabilities else 0.0
