"""Levels as people see them, in whatever medium: of a pairing, beside an optimum, by models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pairopt.problem.levels import LevelValue, notable, zeros_text
from pairopt.wording import amount

if TYPE_CHECKING:
    from pairopt.round.check import Check, CheckedLevel
    from pairopt.round.compare import Comparison, MeasuredLevel
    from pairopt.round.result import Result

NAMES = ("criterion", "level", "counts")


@dataclass(frozen=True, slots=True)
class Levels:
    """A row a level: its names, then what is said of it under the `heads`; and on other levels."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    more: str


def levels_of(result: Result) -> Levels:
    """The levels of what was paired, with their values and whether these are proven."""
    levels, more = notable(result.problem, result.level_values)
    rows = [_row(level, amount(level.value, level.scale), _proof(level)) for level in levels]
    return Levels((*NAMES, "value", "proof"), tuple(rows), more)


def checked_levels(found: Check) -> Levels:
    """The levels of somebody's pairing, beside those of an optimal one."""
    of_system = found.problem.system is not None
    shown = [level for level in found.checked if not of_system or level.value or level.optimum]
    rows = [_row(c, amount(c.value, c.scale), amount(c.optimum, c.scale)) for c in shown]
    more = zeros_text(len(found.checked) - len(shown))
    return Levels((*NAMES, "this", "optimum"), tuple(rows), more)


def compared_levels(found: Comparison, heads: Sequence[str], *, zeros: bool = True) -> Levels:
    """The levels of all models, one column a model; without `zeros` none that all have 0 of."""
    shown = [m for m in found.notable if zeros or any(m.amounts)]
    rows = [_row(m, *(amount(value, m.scale) for value in m.amounts)) for m in shown]
    more = zeros_text(len(found.measured) - len(found.notable))
    return Levels((*NAMES, *heads), tuple(rows), more)


def _row(level: LevelValue | CheckedLevel | MeasuredLevel, *said: str) -> tuple[str, ...]:
    return (level.criterion, str(level.level), level.words, *said)


def _proof(level: LevelValue) -> str:
    if level.proven:
        return "proven"
    if level.proven is None:
        return ""
    return "not proven" if level.bound is None else f"at least {amount(level.bound, level.scale)}"
