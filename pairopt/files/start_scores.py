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
    """Return the folder of the shipped models.

    As installed it is in the package, in a source checkout beside it.
    """
    package = Path(__file__).parents[1]
    installed_folder = package / "models"
    return installed_folder if installed_folder.is_dir() else package.parent / "models"


def with_start_scores_of_model(event: Event) -> Event:
    """Return the event with the start scores of its own model.

    A model without McMahon rules changes nothing, and neither does one that cannot be
    read: pairing a round names its fault.
    """
    model = event.settings.model
    if model is None:
        return event
    rules = _read_shipped_rules(model) or _read_rules(Path(model))
    return event if rules is None else with_start_scores(event, rules)


@lru_cache(maxsize=64)
def _read_shipped_rules(name: str) -> McMahonRules | None:
    """Return the McMahon rules of a shipped model, None if there are none."""
    return None if "/" in name else _read_rules(models_folder() / f"{name}.toml")


def _read_rules(path: Path) -> McMahonRules | None:
    """Return the McMahon rules in the file of a model.

    None if the file cannot be read, has no such rules, or has faults in them. Of
    several criteria the first one counts.
    """
    with suppress(OSError, ValueError, RecursionError):
        text = path.read_bytes().decode("utf-8-sig")
        if KIND not in text:
            return None
        for criterion in tomllib.loads(text).get("criteria", ()):
            if isinstance(criterion, Mapping) and criterion.get("kind") == KIND:
                return _parse_rules(criterion)
    return None


def _parse_rules(criterion: Mapping[str, Any]) -> McMahonRules | None:
    """Return the McMahon rules of a criterion, None if floor or bar is no rank."""
    floor = parse_rank(str(criterion.get("floor", LOWEST_FLOOR)))
    bar = parse_rank(str(criterion.get("bar", HIGHEST_BAR)))
    if floor is None or bar is None or floor > bar:
        return None
    is_swiss = criterion.get("system") == "swiss"
    return McMahonRules(floor=floor, bar=bar, is_swiss=is_swiss, by_rating=False)
