"""Components that do not have the name of their module, by the group of their registry.

A module that is not listed holds one component of its own name.
"""

from collections.abc import Mapping, Sequence

COMPONENTS_BY_MODULE: Mapping[str, Mapping[str, Sequence[str]]] = {
    "constraints": {
        "requested": [
            "forbidden_bye",
            "forbidden_pairs",
            "forced_bye",
            "forced_pairs",
            "fixed_tables",
        ],
        "byes": ["no_bye_after_forfeit_win", "no_repeat_bye"],
        "meetings": [
            "cobra_meetings",
            "max_meetings",
            "no_rematch",
            "no_same_sides_rematch",
        ],
        "preferences": [
            "allocated_sides",
            "allocated_sides_by_opposition",
            "no_equal_absolute_preference",
            "no_equal_absolute_preference_below_topscorers",
        ],
        "side_limits": ["max_side_difference", "max_side_streak"],
    },
    "contenders": {"program": ["bbp"], "schedules": ["knockout", "round_robin"]},
    "criteria": {
        "aesops": ["aesops_2025_cost", "aesops_cost", "cobra_cost"],
        "gaps": ["rank_gap", "score_difference"],
        "qualities": ["bakert_quality", "gatherling_quality"],
        "sides": ["same_side", "side_difference", "side_streak"],
    },
    "formats": {"base": []},
    "metrics": {
        "rounds": [],
        "tournaments": ["side_points", "strength_gap", "unique_winner", "winner"],
    },
    "rankings": {"shipped": ["bradley_terry", "least_squares", "performance"]},
    "tie_breaks": {
        "base": [],
        "unplayed_rounds": [],
        "buchholz": ["AOB", "BH", "FB", "KS", "SB", "esos", "sos"],
        "direct_encounter": ["DE"],
        "mcmahon": ["MMS", "SODOSM", "SOSM", "SOSOSM"],
        "own_results": [
            "BPG",
            "BWG",
            "PS",
            "REP",
            "STD",
            "TPN",
            "WIN",
            "WON",
            "game_win",
            "match_win",
            "opponents_game_win",
            "opponents_match_win",
        ],
        "ratings": ["APPO", "APRO", "ARO", "PTP", "RTNG", "TPR"],
    },
    "worlds": {"laws": ["bradley_terry", "davidson", "elo", "rao_kupper"]},
}
"""The names of the components of a module, by group and module. An empty list is for none."""
