"""A strategic player of simulated tournaments who computes the exact next round."""

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from pairopt.event.arcs import BYE
from pairopt.event.score_checks import points_of
from pairopt.lab import play
from pairopt.lab.contenders import Contender
from pairopt.lab.identity import name_of
from pairopt.lab.strategies import UnplayedRound
from pairopt.lab.worlds import Chances
from pairopt.problem.model import Model

DRAW, WIN = 0, 1


@dataclass(frozen=True)
class NextRoundPlayer:
    """A player who draws instead of winning if the next opponent is then much weaker.

    This is a strategy: a callable that takes an unplayed round and returns the
    probabilities of its outcomes. The player knows the pairing method exactly, and all
    strengths. Before each round but the last, the player lets the other games end as is
    most probable, pairs the next round after an own draw and after an own win, and
    compares the expected scores of the next game. If the draw gains at least `gain`,
    the player plays for a draw. A player who has not won all games so far plays to win,
    so there is at most one such decision that succeeds. The bye counts as a win. If
    several pairings of the next round are optimal, the player reckons with the one that
    the solver returns.

    Parameters
    ----------
    player
        The number of the player, from 0.
    model
        The model or other contender that pairs the tournament.
    gain
        The least gain in the expected score of the next game, from 0 to 1;
        0.1 by default.
    """

    kind: ClassVar[str] = "next_round_player"

    player: int
    model: Model | Contender
    gain: float = 0.1

    @property
    def name(self) -> str:
        """The name of the strategy, with the pairing method."""
        return f"{self.kind}={name_of(self.model)}"

    def __call__(self, paired: UnplayedRound, /) -> Chances:
        """Return the probabilities after the player's decision.

        They are those of `paired` unchanged if the player plays to win, or has no game.
        """
        game_position = paired.find_game(self.player)
        if game_position is None or not self._has_won_all(paired):
            return paired.win, paired.draw
        if self.find_gain(paired) < self.gain:
            return paired.win, paired.draw
        return paired.with_outcome(game_position, self.player, "draw")

    def find_gain(self, paired: UnplayedRound) -> float:
        """Return how much more the next game is expected to score after a draw.

        `paired` is the round before it is played. The gain is the expected score after
        a draw minus that after a win, from -1 to 1. It is negative infinity in the last
        round, if the player has no game in this round or is not paired in the next, and
        if the next round has no pairing.
        """
        if paired.event.round >= paired.rounds:
            return -inf
        score_after_draw = self._expect_next(paired, DRAW)
        score_after_win = self._expect_next(paired, WIN)
        if score_after_draw is None or score_after_win is None:
            return -inf
        return score_after_draw - score_after_win

    def _has_won_all(self, paired: UnplayedRound) -> bool:
        """Return whether the player has won every round so far, by points alone.

        `paired` is the round before it is played. The player needs exactly the points
        of a win per round; a bye may have given them.
        """
        win_points, _ = paired.scaled_points
        points_of_all_wins = (paired.event.round - 1) * win_points
        return int(points_of(paired.event)[self.player]) == points_of_all_wins

    def _expect_next(self, paired: UnplayedRound, outcome: int) -> float | None:
        """Return the expected score of the next game after an outcome of this one.

        `paired` is the round before it is played, and `outcome` is WIN or DRAW of the
        player's game. All other games end as is most probable. The score is from 0 to
        1, and that of the bye is 1. None if the player has no game in this round or is
        not paired in the next, or if the next round has no pairing.
        """
        game_position = paired.find_game(self.player)
        if game_position is None:
            return None
        round_outcomes = paired.likely_outcomes()
        is_player_one = paired.games.one[game_position] == self.player
        round_outcomes[game_position] = outcome if is_player_one else -outcome

        next_event = paired.finish(round_outcomes)
        is_last_round = next_event.round == paired.rounds
        next_result = play.paired(next_event, self.model, 0, is_last_round)
        if next_result.arcs is None:
            return None
        next_matches = play.rows_of([next_result], next_event.round)
        has_player = (next_matches.first == self.player) | (
            next_matches.second == self.player
        )
        if not has_player.any():
            return None
        match_row_of_player = int(has_player.argmax())
        if next_matches.second[match_row_of_player] == BYE:
            return 1.0
        is_player_first = next_matches.first[match_row_of_player] == self.player
        opponent = int(
            next_matches.second[match_row_of_player]
            if is_player_first
            else next_matches.first[match_row_of_player]
        )
        side_of_player = (
            0
            if next_matches.side[match_row_of_player] < 0
            else (1 if is_player_first else -1)
        )
        return paired.expected_score(self.player, opponent, side_of_player)
