"""The tie-break `DE`, direct encounter (FIDE C.07, article 6)."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from pairopt.event.event import FORFEIT, PLAYED
from pairopt.event.tie_breaks.base import History, TieBreak, Tied, mean


class DirectEncounter(TieBreak):
    """The number of players with equal points who rank lower by their matches.

    pairopt ranks players with equal points by the points from the matches among these
    players. If two players met more than once, the mean of their matches counts. With
    the modifier P (`DE/P`), forfeits count as matches. Without the modifier P, a
    forfeited match counts as missing.

    If all players with equal points have met each other, pairopt ranks the players who
    are still equal again, by the matches among themselves. If some players with equal
    points have not met, a player ranks first only if no possible result of the missing
    matches can change the first place. The same condition holds for the second place
    and for all further places. pairopt then ranks the remaining players again, by the
    matches among themselves.
    """

    kind = "DE"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return for each player how many of the equal players rank behind them.

        `history` has all rounds of all players. `tied` are the groups of players, by
        position, who are equal so far. It is 0 for a player who is in none of them.
        Players who stay equal count as behind neither.
        """
        if self.how.P:
            history = _with_forfeits_played(history)
        behind_count_by_player = [Fraction(0)] * len(history.turns)
        for tied_group in tied:
            count_of_players_behind = len(tied_group)
            for equal_players in _rank_group(history, tied_group):
                count_of_players_behind -= len(equal_players)
                for player_position in equal_players:
                    behind_count_by_player[player_position] = Fraction(
                        count_of_players_behind
                    )
        return behind_count_by_player


def _with_forfeits_played(history: History) -> History:
    """Return the history with forfeits as matches that were played.

    Their points stay as they are.
    """
    rounds_by_player = []
    for rounds_of_player in history.turns:
        rounds_with_forfeits_played = [
            player_round._replace(status=PLAYED)
            if player_round.status == FORFEIT
            else player_round
            for player_round in rounds_of_player
        ]
        rounds_by_player.append(tuple(rounds_with_forfeits_played))
    return replace(history, turns=tuple(rounds_by_player))


def _rank_group(history: History, group: Sequence[int]) -> list[list[int]]:
    """Return a group of equal players split into ranks, best first.

    `group` has their positions, and `history` the rounds of all players. Each rank is a
    list of positions; those in one list stay equal. Points among the group decide, and
    again among those who are still equal. While matches among them are missing, only a
    lead that no result can change decides.
    """
    if len(group) < 2:
        return [list(group)]

    players_of_group = {*group}
    points_by_opponent_by_player = {
        player_position: _points_among(history, player_position, players_of_group)
        for player_position in group
    }
    missing_match_count_by_player = {
        player_position: len(group)
        - 1
        - len(points_by_opponent_by_player[player_position])
        for player_position in group
    }
    least_points_by_player = {
        player_position: sum(
            points_by_opponent_by_player[player_position].values(), Fraction(0)
        )
        for player_position in group
    }
    most_points_by_player = {
        player_position: least_points_by_player[player_position]
        + missing_match_count_by_player[player_position] * history.win
        for player_position in group
    }
    if any(missing_match_count_by_player.values()):
        certain_leaders, undecided_players = _certain_leaders(
            list(group), least_points_by_player, most_points_by_player
        )
        if not certain_leaders:
            return [undecided_players]
        ranked_groups = [[player_position] for player_position in certain_leaders]
        return ranked_groups + _rank_group(history, undecided_players)

    players_by_points = defaultdict(list)
    for player_position in group:
        players_by_points[least_points_by_player[player_position]].append(
            player_position
        )
    if len(players_by_points) == 1:
        return [list(group)]
    ranked_groups = []
    for group_points in sorted(players_by_points, reverse=True):
        ranked_groups += _rank_group(history, players_by_points[group_points])
    return ranked_groups


def _certain_leaders(
    group: list[int], least: dict[int, Fraction], most: dict[int, Fraction]
) -> tuple[list[int], list[int]]:
    """Return the players whose ranks no missing match can change, and the others.

    `group` has the positions of the players. `least` and `most` are the points that
    each has at least and can have at most. The leaders are in order, best first. Both
    lists may be empty. A lead must be more than equal: the next player's `most` has to
    be below the leader's `least`.
    """
    leader_positions: list[int] = []
    while group:
        leader_position = max(group, key=lambda player: least[player])
        if any(
            most[player] >= least[leader_position]
            for player in group
            if player != leader_position
        ):
            break
        leader_positions.append(leader_position)
        group = [player for player in group if player != leader_position]
    return leader_positions, group


def _points_among(
    history: History, player: int, group: set[int]
) -> dict[int, Fraction]:
    """Return a player's points, scaled, against each opponent in a group.

    `history` has all rounds of all players, `player` is a position, and `group` has the
    positions of the opponents. Against an opponent met more than once it is the mean.
    Only games that were played count; opponents without one are left out.
    """
    points_by_opponent: dict[int, list[Fraction]] = defaultdict(list)
    for player_round in history.turns[player]:
        if player_round.played and player_round.opponent in group:
            points_by_opponent[player_round.opponent].append(
                Fraction(player_round.points)
            )
    return {
        opponent_position: mean(points_of_games)
        for opponent_position, points_of_games in points_by_opponent.items()
    }
