"""The tie-break `DE`, direct encounter (FIDE C.07, article 6)."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from pairopt.event.event import FORFEIT, PLAYED
from pairopt.event.tie_breaks.base import History, TieBreak, Tied, mean


class DirectEncounter(TieBreak):
    """The results of the equal players among themselves: how many of them rank behind.

    Equal players are ranked by their points in matches among them; of two who met more than once
    the mean counts, and forfeits do not count but with P. Where all have met, those still equal
    are ranked again by the matches among these alone. Where some have not, a player ranks first,
    then second, and so on, only if nothing from no points to a win in each missing match could
    change it; and then the rest are ranked again. A match that was forfeited is missing too.
    """

    kind = "DE"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return for each player how many of the equal players rank behind."""
        if self.how.P:
            history = _with_forfeits_played(history)
        behind = [Fraction(0)] * len(history.turns)
        for group in tied:
            players_behind = len(group)
            for equal in _rank_group(history, group):
                players_behind -= len(equal)
                for player in equal:
                    behind[player] = Fraction(players_behind)
        return behind


def _with_forfeits_played(history: History) -> History:
    """Return the history with forfeits as matches that were played."""
    turns = []
    for player_turns in history.turns:
        played_turns = [
            turn._replace(status=PLAYED) if turn.status == FORFEIT else turn
            for turn in player_turns
        ]
        turns.append(tuple(played_turns))
    return replace(history, turns=tuple(turns))


def _rank_group(history: History, group: Sequence[int]) -> list[list[int]]:
    """Return a group of equal players split into ranks, best first."""
    if len(group) < 2:
        return [list(group)]

    players = {*group}
    points = {player: _points_among(history, player, players) for player in group}
    missing = {player: len(group) - 1 - len(points[player]) for player in group}
    least = {player: sum(points[player].values(), Fraction(0)) for player in group}
    most = {player: least[player] + missing[player] * history.win for player in group}
    if any(missing.values()):
        leaders, undecided = _certain_leaders(list(group), least, most)
        if not leaders:
            return [undecided]
        ranked = [[player] for player in leaders]
        return ranked + _rank_group(history, undecided)

    players_by_points = defaultdict(list)
    for player in group:
        players_by_points[least[player]].append(player)
    if len(players_by_points) == 1:
        return [list(group)]
    ranked = []
    for score in sorted(players_by_points, reverse=True):
        ranked += _rank_group(history, players_by_points[score])
    return ranked


def _certain_leaders(
    group: list[int], least: dict[int, Fraction], most: dict[int, Fraction]
) -> tuple[list[int], list[int]]:
    """Return the players whose ranks no missing match can change, and the others.

    `least` and `most` are the points that a player has at least and can have at most.
    """
    leaders: list[int] = []
    while group:
        leader = max(group, key=lambda player: least[player])
        if any(most[player] >= least[leader] for player in group if player != leader):
            break
        leaders.append(leader)
        group = [player for player in group if player != leader]
    return leaders, group


def _points_among(
    history: History, player: int, group: set[int]
) -> dict[int, Fraction]:
    """Return a player's mean points against each opponent in a group."""
    points_by_opponent: dict[int, list[Fraction]] = defaultdict(list)
    for turn in history.turns[player]:
        if turn.played and turn.opponent in group:
            points_by_opponent[turn.opponent].append(Fraction(turn.points))
    return {opponent: mean(points) for opponent, points in points_by_opponent.items()}
