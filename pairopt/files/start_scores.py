"""Start scores of an event folder, by the McMahon rules of its model.

This reads only the floor, the bar and the system in the file of the model. The package
`pairopt.problem` checks such files and loads their rules.
"""

import tomllib
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from pairopt.event.event import Event
from pairopt.event.mcmahon import (
    HIGHEST_BAR,
    LOWEST_FLOOR,
    McMahonRules,
    parse_rank,
    with_start_scores,
)

KIND = "mcmahon"
"""The kind of the criterion that pairs by the rules of OpenGotha."""


def models_folder() -> Path:
    """Return the folder of the models that ship with pairopt.

    In an installed pairopt it is inside the package, in a source checkout next to it.
    """
    package_folder = Path(__file__).parents[1]
    installed_folder = package_folder / "models"
    return (
        installed_folder
        if installed_folder.is_dir()
        else package_folder.parent / "models"
    )


def with_start_scores_of_model(event: Event) -> Event:
    """Return the event with the McMahon start scores of its own model.

    An event without a model, or with one that has no McMahon rules, is returned
    unchanged. So is an event whose model cannot be read, because pairing a round
    reports that fault.
    """
    model_name = event.settings.model
    if model_name is None:
        return event
    mcmahon_rules = _read_shipped_rules(model_name) or _read_rules(Path(model_name))
    return event if mcmahon_rules is None else with_start_scores(event, mcmahon_rules)


@lru_cache(maxsize=64)
def _read_shipped_rules(name: str) -> McMahonRules | None:
    """Return the McMahon rules of a model that ships with pairopt, by its name.

    Returns None if there are none. The result is cached.
    """
    return None if "/" in name else _read_rules(models_folder() / f"{name}.toml")


def _read_rules(path: Path) -> McMahonRules | None:
    """Return the McMahon rules in the file of a model.

    Returns None if the file cannot be read, has no such rules, or has faults in them.
    Of several criteria the first one counts.
    """
    with suppress(OSError, ValueError, RecursionError):
        model_text = path.read_bytes().decode("utf-8-sig")
        if KIND not in model_text:
            return None
        for criterion in tomllib.loads(model_text).get("criteria", ()):
            if isinstance(criterion, Mapping) and criterion.get("kind") == KIND:
                return _parse_rules(criterion)
    return None


def _parse_rules(criterion: Mapping[str, Any]) -> McMahonRules | None:
    """Return the McMahon rules of a criterion's table in a model file.

    Returns None if floor or bar is no rank, or if the floor is above the bar.
    """
    floor_rank = parse_rank(str(criterion.get("floor", LOWEST_FLOOR)))
    bar_rank = parse_rank(str(criterion.get("bar", HIGHEST_BAR)))
    if floor_rank is None or bar_rank is None or floor_rank > bar_rank:
        return None
    is_swiss = criterion.get("system") == "swiss"
    return McMahonRules(
        floor=floor_rank, bar=bar_rank, is_swiss=is_swiss, by_rating=False
    )
