"""Compare: one round of an event under several models, each pairing measured by all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairopt.checking import check
from pairopt.criteria.base import Label
from pairopt.errors import UsageError
from pairopt.event import Event
from pairopt.model import Model, load_model
from pairopt.result import Result
from pairopt.solving import solve
from pairopt.study.permuting import swapped

if TYPE_CHECKING:
    import pandas as pd

Match = tuple[str, ...]
"""Two players, the first side first where there are sides; or one with a bye."""


@dataclass(frozen=True, slots=True)
class MeasuredLevel:
    """A level of some model, and what the pairing of every model has of it."""

    criterion: str
    level: Label
    words: str
    scale: int
    amounts: tuple[int | None, ...]


@dataclass(frozen=True)
class Comparison:
    """The pairings of one round under several models.

    `results` has one result a model; `measured` all levels of all models, each criterion once,
    in the order of the first model that has it; `changed` the matches of each pairing that the
    first one does not have.
    """

    round: int
    models: tuple[str, ...]
    results: tuple[Result, ...]
    measured: tuple[MeasuredLevel, ...]
    changed: tuple[tuple[Match, ...], ...]

    @property
    def levels(self) -> pd.DataFrame:
        """One row a level, one column a model; values in points or matches."""
        import pandas as pd

        rows = [
            [m.criterion, m.level, *(None if v is None else v / m.scale for v in m.amounts)]
            for m in self.measured
        ]
        return pd.DataFrame(rows, columns=["criterion", "level", *self.models])


def compare(
    event: Event,
    models: Sequence[str | Path | Model],
    *,
    swap: bool = False,
    engine: str = "cpsat",
    **options: Any,
) -> Comparison:
    """Pair the event's round under each model, and measure each pairing by all of them.

    Args:
        event: players and rounds so far.
        models: names, paths of TOML files, or models.
        swap: the first model with each neighbouring pair of its criteria exchanged too.
        engine: the exact engine; procedures need none.
        options: those of `solve`.

    Raises:
        UsageError: for options that do not fit the event or a model.
    """
    chosen = [load_model(model) for model in models]
    if swap:
        chosen[1:1] = swapped(chosen[0])
    if len(chosen) < 2:
        raise UsageError("expected two models or more, or --swap")
    results = tuple(solve(event, model, engine=engine, **options) for model in chosen)
    yardstick = _all_levels(chosen)
    measured = [_measured(event, result, yardstick, options) for result in results]
    some = next((levels for levels in measured if levels is not None), ())
    levels = tuple(
        MeasuredLevel(
            level.criterion, level.level, level.words, level.scale,
            tuple(None if values is None else values[k].value for values in measured),
        )
        for k, level in enumerate(some)
    )  # fmt: skip
    matches = [_matches(result) for result in results]
    return Comparison(
        round=results[0].round,
        models=tuple(model.name for model in chosen),
        results=results,
        measured=levels,
        changed=tuple(tuple(sorted(own - matches[0])) for own in matches),
    )


def _all_levels(models: Sequence[Model]) -> Model:
    """A model with every criterion of these once, in the order they appear, and no constraint."""
    criteria = tuple(dict.fromkeys(rule for model in models for rule in model.criteria))
    return replace(
        models[0], constraints=(), criteria=criteria, weights=None, objective="lexicographic",
        procedure=None, last_round=None,
    )  # fmt: skip


def _measured(event: Event, result: Result, yardstick: Model, options: dict[str, Any]) -> Any:
    """The levels of a result's pairing, None where there is none."""
    if not result.matches:
        return None
    same = {name: options[name] for name in ("round", "seed", "sides", "drop") if name in options}
    return check(event, result.pairings, yardstick, solve=False, **same).checked


def _matches(result: Result) -> set[Match]:
    made = set()
    for row in result.matches:
        if row["status"] != "requested":
            pair = [str(player) for player in (row["player1"], row["player2"]) if player]
            made.add(tuple(pair if row["side1"] else sorted(pair)))
    return made
