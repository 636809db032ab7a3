"""Criteria: rules of preference, found by their `kind`."""

from pairopt.registry import Registry
from pairopt.rules.base import Criterion

__all__ = ["CRITERIA", "Criterion"]

CRITERIA: Registry[type[Criterion]] = Registry(
    __name__,
    Criterion,
    group="pairopt.criteria",
    families={
        "aesops": ("aesops_2025_cost", "aesops_cost", "cobra_cost"),
        "gaps": ("rank_gap", "score_difference"),
        "qualities": ("bakert_quality", "gatherling_quality"),
        "sides": ("same_side", "side_difference", "side_streak"),
    },
)
