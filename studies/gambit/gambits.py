"""How often a player gains by giving up wins: each tournament is played again with a strategy.

One of the eight strongest players is strategic, the first in the first tournament, the second in the
next, and so on. Players, pairing seeds and the random numbers of all games are those of the
tournament in which everybody plays to win.
"""

from dataclasses import replace

import numpy as np

from pairopt.analysis.next_round_player import NextRoundPlayer
from pairopt.lab.simulating import Tournament, play_tournament
from pairopt.lab.strategies import SwissGambit

STRONGEST = 8
GAIN = 0.1


class Gambits:
    """What a strategy changes for one of the eight strongest players; no value where it changes no result.

    `draw`: a draw instead of a win in round 1. `loss`: a loss on purpose in round 1. `two`: draws
    instead of wins in rounds 1 and 2. `exact`: a draw instead of a win where the exact next round then
    has a much weaker opponent. `..._used` is 1 if a result of the player changed, otherwise 0;
    `..._pays` is 1 if the final rank is better, `..._costs` if it is worse; `..._ranks` is the number
    of ranks gained, and `..._first` the gain in the player's share of the first rank.
    """

    kind = "gambits"
    strategies = ("draw", "loss", "two", "exact")
    columns = tuple(
        f"{name}_{what}"
        for name in strategies
        for what in ("used", "pays", "costs", "ranks", "first")
    )
    ranges = {
        column: (-1, 1) if column.endswith("_first") else (0, 1)
        for column in columns
        if not column.endswith("_ranks")
    }

    def __call__(self, played: Tournament, /):
        field, model = played.field, played.pairings[0].problem.model
        by_strength = np.argsort(-played.strength, kind="stable")
        player = int(by_strength[field.replicate % STRONGEST])
        strategies = {
            "draw": SwissGambit(player),
            "loss": SwissGambit(player, (1,), "loss"),
            "two": SwissGambit(player, (1, 2)),
            "exact": NextRoundPlayer(player, model, GAIN),
        }
        values = {}
        for name, strategy in strategies.items():
            world = replace(field.world, strategy=strategy)
            again = play_tournament(replace(field, world=world), model, "uniform")
            if not again.complete:
                continue
            changed = own_results(again, player) != own_results(played, player)
            first_change = changed and changed_first(played, again, player)
            values[f"{name}_used"] = int(first_change)
            if not first_change:
                continue
            rank, rank_again = rank_of(played, player), rank_of(again, player)
            values[f"{name}_pays"] = int(rank_again < rank)
            values[f"{name}_costs"] = int(rank_again > rank)
            values[f"{name}_ranks"] = rank - rank_again
            values[f"{name}_first"] = share_of_first(again, player) - share_of_first(
                played, player
            )
        return values


def own_results(played: Tournament, player: int):
    """The points of a player in each round."""
    return played.event.turns.points[player].tolist()


def changed_first(played: Tournament, again: Tournament, player: int) -> bool:
    """Whether the player has fewer points in the first round that differs."""
    for before, after in zip(
        own_results(played, player), own_results(again, player), strict=True
    ):
        if before != after:
            return after < before
    return False


def rank_of(played: Tournament, player: int) -> float:
    """The final rank, the mean of those that equal players share."""
    place = played.place
    return 1 + (place > place[player]).sum() + ((place == place[player]).sum() - 1) / 2


def share_of_first(played: Tournament, player: int) -> float:
    """The player's share of the first rank."""
    place = played.place
    return float((place[player] == place.max()) / (place == place.max()).sum())


gambits = Gambits()
