"""Published names: what the classes that studies are made of are called in their registrations.

A study registers its models and worlds before a game is played. The registration names the class
of each part, and its SHA-256 is published. So a class keeps the name of version 1.0.0 there, also
if it is renamed or moved to another module.

If you rename or move a class, change its place in `CLASSES`, and leave its published name alone. A
new class may have any name: add it with the one that it has.
"""

from collections.abc import Mapping
from typing import Final

CLASSES: Final[Mapping[str, str]] = {
    "pairopt.lab.contenders.oracle:Oracle": "pairopt.lab.contenders.oracle:Oracle",
    "pairopt.lab.contenders.program:Bbp": "pairopt.lab.contenders.program:Bbp",
    "pairopt.lab.contenders.program:ExternalProgram": "pairopt.lab.contenders.program:ExternalProgram",
    "pairopt.lab.contenders.schedules:Knockout": "pairopt.lab.contenders.schedules:Knockout",
    "pairopt.lab.contenders.schedules:RoundRobin": "pairopt.lab.contenders.schedules:RoundRobin",
    "pairopt.lab.metrics.ndcg:Ndcg": "pairopt.lab.metrics.ndcg:Ndcg",
    "pairopt.lab.metrics.optimum:Optimum": "pairopt.lab.metrics.optimum:Optimum",
    "pairopt.lab.metrics.tournaments:SidePoints": "pairopt.lab.metrics.tournaments:SidePoints",
    "pairopt.lab.metrics.tournaments:StrengthGap": "pairopt.lab.metrics.tournaments:StrengthGap",
    "pairopt.lab.metrics.tournaments:UniqueWinner": "pairopt.lab.metrics.tournaments:UniqueWinner",
    "pairopt.lab.metrics.tournaments:Winner": "pairopt.lab.metrics.tournaments:Winner",
    "pairopt.lab.rankings.shipped:BradleyTerryFit": "pairopt.lab.rankings.shipped:BradleyTerryFit",
    "pairopt.lab.rankings.shipped:LeastSquares": "pairopt.lab.rankings.shipped:LeastSquares",
    "pairopt.lab.rankings.shipped:Performance": "pairopt.lab.rankings.shipped:Performance",
    "pairopt.lab.rankings.shipped:TieBreaks": "pairopt.lab.rankings.shipped:TieBreaks",
    "pairopt.lab.tasks:Study": "pairopt.lab.tasks:Study",
    "pairopt.lab.world:World": "pairopt.lab.world:World",
    "pairopt.lab.worlds.davidson_by_level:DavidsonByLevel": "pairopt.lab.worlds.davidson_by_level:DavidsonByLevel",
    "pairopt.lab.worlds.laws:BradleyTerry": "pairopt.lab.worlds.laws:BradleyTerry",
    "pairopt.lab.worlds.laws:Davidson": "pairopt.lab.worlds.laws:Davidson",
    "pairopt.lab.worlds.laws:Elo": "pairopt.lab.worlds.laws:Elo",
    "pairopt.lab.worlds.laws:RaoKupper": "pairopt.lab.worlds.laws:RaoKupper",
    "pairopt.lab.worlds.matrix:Matrix": "pairopt.lab.worlds.matrix:Matrix",
    "pairopt.problem.model:Model": "pairopt.problem.model:Model",
    "pairopt.rules.constraints.aesops_2025_cost_below:Aesops2025CostBelow": "pairopt.rules.constraints.aesops_2025_cost_below:Aesops2025CostBelow",
    "pairopt.rules.constraints.asked_for:Excepting": "pairopt.rules.constraints.requested:WithExceptions",
    "pairopt.rules.constraints.asked_for:FixedTables": "pairopt.rules.constraints.requested:FixedMatches",
    "pairopt.rules.constraints.asked_for:ForbiddenBye": "pairopt.rules.constraints.requested:ForbiddenBye",
    "pairopt.rules.constraints.asked_for:ForbiddenPairs": "pairopt.rules.constraints.requested:ForbiddenPairs",
    "pairopt.rules.constraints.asked_for:ForcedBye": "pairopt.rules.constraints.requested:ForcedBye",
    "pairopt.rules.constraints.asked_for:ForcedPairs": "pairopt.rules.constraints.requested:ForcedPairs",
    "pairopt.rules.constraints.byes:NoByeAfterForfeitWin": "pairopt.rules.constraints.byes:NoByeAfterForfeitWin",
    "pairopt.rules.constraints.byes:NoRepeatBye": "pairopt.rules.constraints.byes:NoRepeatBye",
    "pairopt.rules.constraints.conflicts:NoConflicts": "pairopt.rules.constraints.conflicts:NoConflicts",
    "pairopt.rules.constraints.lowest_bye:LowestBye": "pairopt.rules.constraints.lowest_bye:LowestBye",
    "pairopt.rules.constraints.meetings:CobraMeetings": "pairopt.rules.constraints.meetings:CobraMeetings",
    "pairopt.rules.constraints.meetings:MaxMeetings": "pairopt.rules.constraints.meetings:MaxMeetings",
    "pairopt.rules.constraints.meetings:NoRematch": "pairopt.rules.constraints.meetings:NoRematch",
    "pairopt.rules.constraints.meetings:NoSameSidesRematch": "pairopt.rules.constraints.meetings:NoSameSidesRematch",
    "pairopt.rules.constraints.preferences:AllocatedSides": "pairopt.rules.constraints.preferences:AllocatedSides",
    "pairopt.rules.constraints.preferences:AllocatedSidesByOpposition": "pairopt.rules.constraints.preferences:AllocatedSidesByOpposition",
    "pairopt.rules.constraints.preferences:NoEqualAbsolutePreference": "pairopt.rules.constraints.preferences:NoEqualAbsolutePreference",
    "pairopt.rules.constraints.preferences:NoEqualAbsolutePreferenceBelowTopscorers": "pairopt.rules.constraints.preferences:NoEqualAbsolutePreferenceBelowTopscorers",
    "pairopt.rules.constraints.side_limits:MaxSideDifference": "pairopt.rules.constraints.side_limits:MaxSideDifference",
    "pairopt.rules.constraints.side_limits:MaxSideStreak": "pairopt.rules.constraints.side_limits:MaxSideStreak",
    "pairopt.rules.criteria.aesops:Aesops2025Cost": "pairopt.rules.criteria.aesops:Aesops2025Cost",
    "pairopt.rules.criteria.aesops:AesopsCost": "pairopt.rules.criteria.aesops:AesopsCost",
    "pairopt.rules.criteria.aesops:CobraCost": "pairopt.rules.criteria.aesops:CobraCost",
    "pairopt.rules.criteria.bye_score:ByeScore": "pairopt.rules.criteria.bye_score:ByeScore",
    "pairopt.rules.criteria.conflicts:Conflicts": "pairopt.rules.criteria.conflicts:Conflicts",
    "pairopt.rules.criteria.gaps:RankGap": "pairopt.rules.criteria.gaps:RankGap",
    "pairopt.rules.criteria.gaps:ScoreDifference": "pairopt.rules.criteria.gaps:ScoreDifference",
    "pairopt.rules.criteria.pairing_style:PairingStyle": "pairopt.rules.criteria.pairing_style:PairingStyle",
    "pairopt.rules.criteria.qualities:BakertQuality": "pairopt.rules.criteria.qualities:BakertQuality",
    "pairopt.rules.criteria.qualities:GatherlingQuality": "pairopt.rules.criteria.qualities:GatherlingQuality",
    "pairopt.rules.criteria.rematches:Rematches": "pairopt.rules.criteria.rematches:Rematches",
    "pairopt.rules.criteria.repeat_floats:RepeatFloats": "pairopt.rules.criteria.repeat_floats:RepeatFloats",
    "pairopt.rules.criteria.score_groups:ScoreGroups": "pairopt.rules.criteria.score_groups:ScoreGroups",
    "pairopt.rules.criteria.sides:SameSide": "pairopt.rules.criteria.sides:SameSide",
    "pairopt.rules.criteria.sides:SideDifference": "pairopt.rules.criteria.sides:SideDifference",
    "pairopt.rules.criteria.sides:SideStreak": "pairopt.rules.criteria.sides:SideStreak",
}
"""Where each class is, by its published name; both as `module:Class`."""
_NAMES: Final[Mapping[str, str]] = {place: name for name, place in CLASSES.items()}


def published_name(place: str) -> str | None:
    """Look up the published name of a class by its place; None for a class without one.

    Both are `module:Class`; the place is where the class is now.
    """
    return _NAMES.get(place)
