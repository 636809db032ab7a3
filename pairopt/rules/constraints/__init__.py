"""Constraints: rules that may never be broken, found by their `kind`."""

from pairopt.registry import Registry
from pairopt.rules.base import Constraint

__all__ = ["CONSTRAINTS", "Constraint"]

CONSTRAINTS: Registry[type[Constraint]] = Registry(
    __name__,
    Constraint,
    group="pairopt.constraints",
    families={
        "asked_for": ("forbidden_bye", "forbidden_pairs", "forced_bye", "forced_pairs",
                      "fixed_tables"),
        "byes": ("no_bye_after_forfeit_win", "no_repeat_bye"),
        "meetings": ("cobra_meetings", "max_meetings", "no_rematch", "no_same_sides_rematch"),
        "preferences": ("allocated_sides", "allocated_sides_by_opposition",
                        "no_equal_absolute_preference",
                        "no_equal_absolute_preference_below_topscorers"),
        "side_limits": ("max_side_difference", "max_side_streak"),
    },
)  # fmt: skip
