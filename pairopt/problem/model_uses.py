"""Who the shipped models are for, and the data that each was checked against."""

from collections.abc import Mapping
from dataclasses import dataclass

GROUPS = ("Card games and all other games", "Chess", "Go", "E-sports", "Draws")
"""The groups of the models, in the order of lists."""
OTHER_GROUP = "Other models"
"""The group of a model that `USES` does not have."""


@dataclass(frozen=True)
class ModelUse:
    """Who a model is for, and how it was checked.

    `group` is one of `GROUPS`, and `checked` names the data. `reproduced` of
    `published` rounds have the same pairing, or the same value at every level; both are
    0 if no published rounds were compared.
    """

    group: str
    checked: str
    reproduced: int = 0
    published: int = 0


CARDS, CHESS, GO, ESPORTS, DRAWS = GROUPS
BY_FORMULA = "brute force on small random events"
OPENS = "three chess opens of 2026"
USES: Mapping[str, ModelUse] = {
    "standard": ModelUse(CARDS, BY_FORMULA),
    "excalibur": ModelUse(CARDS, BY_FORMULA),
    "top-first": ModelUse(CARDS, BY_FORMULA),
    "double-sided": ModelUse(
        CARDS, "three Netrunner events of 2020, exported by Cobra", 19, 20
    ),
    "aesops": ModelUse(CARDS, BY_FORMULA),
    "aesops-2025": ModelUse(CARDS, BY_FORMULA),
    "aesops-by-hand": ModelUse(CARDS, "examples worked by hand"),
    "bakert": ModelUse(CARDS, BY_FORMULA),
    "cobra": ModelUse(CARDS, BY_FORMULA),
    "gatherling": ModelUse(CARDS, BY_FORMULA),
    "leaguevine": ModelUse(CARDS, BY_FORMULA),
    "monrad": ModelUse(CARDS, BY_FORMULA),
    "random": ModelUse(CARDS, BY_FORMULA),
    "fide-dutch": ModelUse(
        CHESS, f"100 rounds of bbpPairings' generator, and {OPENS}", 126, 127
    ),
    "fide-burstein": ModelUse(CHESS, "two programs that follow the articles literally"),
    "fide-basic": ModelUse(CHESS, OPENS, 20, 27),
    "mcmahon": ModelUse(GO, "two tournaments with OpenGotha's own weights", 8, 8),
    "swiss-go": ModelUse(GO, "two tournaments with OpenGotha's own weights", 5, 6),
    "major": ModelUse(ESPORTS, "eight stages of 2024 and 2025", 40, 40),
    "major-fold": ModelUse(ESPORTS, "eleven stages of 2021 to 2023", 55, 55),
    "draw": ModelUse(DRAWS, "the valid draws of 11 seasons, counted exactly"),
}
"""The shipped models with their uses, in the order of lists."""


def group_models(names: list[str]) -> dict[str, list[str]]:
    """Return the names of models by group, in the order of lists.

    Models that `USES` does not have are in the last group. Groups without a model are
    left out.
    """
    models_with_use = [model_name for model_name in USES if model_name in names]
    names_by_group = {
        group: [
            model_name
            for model_name in models_with_use
            if USES[model_name].group == group
        ]
        for group in GROUPS
    }
    names_by_group[OTHER_GROUP] = [
        model_name for model_name in names if model_name not in USES
    ]
    return {
        group: names_of_group
        for group, names_of_group in names_by_group.items()
        if names_of_group
    }
