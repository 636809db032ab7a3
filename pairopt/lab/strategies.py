"""Strategic players: decide about a game after the pairing, and before its result is drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Protocol

import numpy as np

from pairopt.event.arcs import BYE, FloatArray, IntArray
from pairopt.event.event import Event, Matches
from pairopt.event.points import Points
from pairopt.event.score_checks import points_of
from pairopt.lab.identity import name_of, user_code_errors
from pairopt.lab.worlds import Chances, Games, Results, chances_of, check_chances

DRAWN = 0
"""The outcome of a drawn game; 1 is a win of the player `one`, -1 of `two`."""


@dataclass(frozen=True)
class UnplayedRound:
    """All that players know when a round is paired, and before it is played.

    Parameters
    ----------
    event
        The event before the round, with all earlier results.
    pairing
        The matches and byes of the round, without results.
    games
        The games of the round with the strengths, in the order of the matches in `pairing`;
        players by number, from 0.
    game
        The number of the game in its match: 1, or up to 3 in matches of several games.
    results
        The law of results of the world.
    win, draw
        The probabilities that the player `one` of each game wins, and that it is a draw, if both
        players play to win.
    """

    event: Event
    pairing: Matches
    games: Games
    game: int
    results: Results
    win: FloatArray
    draw: FloatArray

    @property
    def rounds(self) -> int:
        """The number of rounds of the tournament, not of those that are played."""
        assert self.event.settings.rounds is not None
        return self.event.settings.rounds

    @property
    def points(self) -> Points:
        """The points of a win and a draw of a match, from the event's settings."""
        assert self.event.settings.points is not None
        return self.event.settings.points

    def find_game(self, player: int) -> int | None:
        """Return the position of a player's game in the arrays.

        `player` is a number from 0. Returns None for a player without a game.
        """
        is_game_of_player = (self.games.one == player) | (self.games.two == player)
        game_positions = np.flatnonzero(is_game_of_player)
        return int(game_positions[0]) if len(game_positions) else None

    @property
    def scaled_points(self) -> tuple[int, int]:
        """The points of a win and of a draw of a match, times the event's `scale`."""
        points_scale = self.event.scale
        return int(self.points.win * points_scale), int(self.points.draw * points_scale)

    def likely_outcomes(self) -> IntArray:
        """Return the most probable outcome of each game.

        It is 1 if the player `one` wins, 0 for a draw, -1 if `two` wins. Of equally
        probable outcomes the first in this order is taken.
        """
        loss_probabilities = 1 - self.win - self.draw
        outcome_probabilities = np.column_stack(
            [self.win, self.draw, loss_probabilities]
        )
        most_probable_columns = np.argmax(outcome_probabilities, axis=1)
        outcomes: IntArray = np.array([1, DRAWN, -1])[most_probable_columns]
        return outcomes

    def finish(self, outcomes: IntArray) -> Event:
        """Return the event after the round if its games end with these outcomes.

        `outcomes` has an entry per match, in the order of `pairing`: 1 if the player
        with the lower number wins, 0 for a draw, -1 if the other one wins. Byes have no
        entry. Byes give the points of a win. All players stay who take part in this
        round.
        """
        win_points, draw_points = self.scaled_points
        is_match = self.pairing.second != BYE
        is_first_lower_player = (
            self.pairing.first[is_match] < self.pairing.second[is_match]
        )
        outcome_of_first = np.where(is_first_lower_player, outcomes, -outcomes)

        score1 = np.full(len(self.pairing), win_points)
        score2 = np.zeros(len(self.pairing), np.int64)
        possible_scores = np.array([0, draw_points, win_points])
        score1[is_match] = possible_scores[outcome_of_first + 1]
        score2[is_match] = possible_scores[1 - outcome_of_first]
        finished_matches = replace(
            self.pairing,
            score1=score1,
            score2=score2,
            scored=np.ones(len(self.pairing), np.bool_),
        )
        return replace(
            self.event,
            matches=self.event.matches.concatenate(finished_matches),
            round=self.event.round + 1,
        )

    def expected_score(self, player: int, opponent: int, side: int) -> float:
        """Return a player's expected score in a game of the next round, from 0 to 1.

        `side` is 1 if the player has the first side, -1 if the opponent has it, 0
        without sides. A draw counts as much as in the world's points.
        """
        is_lower_player = player < opponent
        low_player, high_player = sorted((player, opponent))
        next_game = replace(
            self.games,
            round=self.games.round + 1,
            one=np.array([low_player]),
            two=np.array([high_player]),
            side=np.array([side if is_lower_player else -side]),
        )
        win_probabilities, draw_probabilities = chances_of(self.results, next_game)
        player_win_probability = (
            win_probabilities[0]
            if is_lower_player
            else 1 - win_probabilities[0] - draw_probabilities[0]
        )
        return float(
            player_win_probability
            + draw_probabilities[0] * float(self.points.draw / self.points.win)
        )

    def with_outcome(self, position: int, player: int, outcome: str) -> Chances:
        """Return all probabilities after a player gives up the win, or the game.

        They are two arrays with one number per game: of a win of `one`, and of a draw.
        `outcome` is "draw" or "loss". A player who plays for a draw gets one instead of
        each win, and loses as often as before. A player who loses on purpose always
        loses. Other games keep their probabilities. `position` is that of the player's
        game in the arrays. This object does not change.
        """
        win_probabilities, draw_probabilities = self.win.copy(), self.draw.copy()
        is_player_one = self.games.one[position] == player
        if outcome == "loss":
            win_probabilities[position], draw_probabilities[position] = (
                (0.0 if is_player_one else 1.0),
                0.0,
            )
        elif is_player_one:
            win_probabilities[position], draw_probabilities[position] = (
                0.0,
                self.win[position] + self.draw[position],
            )
        else:
            draw_probabilities[position] = 1 - self.win[position]
        return win_probabilities, draw_probabilities


class Strategy(Protocol):
    """A strategy: any function that changes the probabilities of a round's games.

    It sees the standings and the pairing, and nothing of the results to come: the random numbers
    that decide the games are drawn afterwards. With other probabilities the same random numbers
    give other results in the games that were changed, and in no others.
    """

    def __call__(self, paired: UnplayedRound, /) -> Chances:
        """Return the probabilities of a win of `one` and of a draw.

        Parameters
        ----------
        paired
            The round, with the probabilities if everybody plays to win.

        Returns
        -------
        Chances
            Two arrays with one number per game.
        """


def apply_strategy(strategy: Strategy, paired: UnplayedRound) -> Chances:
    """Return the probabilities of a round's games after a strategy has changed them.

    `paired` is the round before it is played. The probabilities are two arrays, of a
    win of `one` and of a draw, with one number per game. Raises UsageError, with the
    strategy's name, if it fails, or does not return two such arrays of probabilities.
    """
    strategy_name = name_of(strategy)
    with user_code_errors(f"strategy {strategy_name}"):
        chances = strategy(paired)
    return check_chances(strategy_name, chances, len(paired.games.one))


@dataclass(frozen=True)
class SwissGambit:
    """One player gives up wins in some rounds, to meet weaker opponents later.

    `player` is a number from 0. In `rounds`, numbers from 1, the player draws instead
    of winning, or loses on purpose, as `outcome` says. Cseh, Führlich and Lenzner, "The
    Swiss Gambit", arXiv 2302.10595 (2023), study when this pays.
    """

    kind: ClassVar[str] = "swiss_gambit"

    player: int
    rounds: tuple[int, ...] = (1,)
    outcome: Literal["draw", "loss"] = "draw"

    def __call__(self, paired: UnplayedRound, /) -> Chances:
        """Return the probabilities with the player's decision in the chosen rounds.

        In other rounds, and in a round without a game of the player, they are those of
        `paired` unchanged.
        """
        game_position = paired.find_game(self.player)
        if game_position is None or paired.event.round not in self.rounds:
            return paired.win, paired.draw
        return paired.with_outcome(game_position, self.player, self.outcome)


@dataclass(frozen=True)
class DrawIntoCut:
    """Two players agree on a last-round draw if it surely brings both into the cut.

    Sure means: by points alone, with all equal players ahead of them, and whatever the
    results of the other tables are. `cut` is the number of players in the cut.
    """

    kind: ClassVar[str] = "draw_into_cut"

    cut: int

    def __call__(self, paired: UnplayedRound, /) -> Chances:
        """Return the probabilities, 1 for a draw of two players who are then certain.

        They are two arrays with one number per game: of a win of `one`, and of a draw.
        Before the last round nothing is changed.
        """
        win_probabilities, draw_probabilities = paired.win.copy(), paired.draw.copy()
        if paired.event.round == paired.rounds:
            agreed_positions = self.find_agreed(paired)
            (
                win_probabilities[agreed_positions],
                draw_probabilities[agreed_positions],
            ) = 0.0, 1.0
        return win_probabilities, draw_probabilities

    def find_agreed(self, paired: UnplayedRound) -> list[int]:
        """Return the positions of the games in which both players agree on a draw.

        `paired` is the last round before it is played. Two players agree if, after the
        draw, at most `cut` players can have as many points as the lower of the two.
        Each other game counts with the result that brings most players so far, and a
        bye with the points of a win. The list is empty if nobody is sure.
        """
        points_of_player = points_of(paired.event)
        win_points, draw_points = paired.scaled_points
        points_by_result = (
            (win_points, 0),
            (draw_points, draw_points),
            (0, win_points),
        )
        bye_players = paired.pairing.first[paired.pairing.second == BYE]
        agreed_positions = []
        for game_position, (one_player, two_player) in enumerate(
            zip(paired.games.one, paired.games.two, strict=True)
        ):
            target_points = (
                int(min(points_of_player[one_player], points_of_player[two_player]))
                + draw_points
            )
            # the most players that can have as many points in the end
            reaching_count = int(
                sum(points_of_player[bye_players] + win_points >= target_points)
            )
            for first_player, second_player in zip(
                paired.games.one, paired.games.two, strict=True
            ):
                reaching_count += max(
                    int(points_of_player[first_player] + first_gain >= target_points)
                    + int(
                        points_of_player[second_player] + second_gain >= target_points
                    )
                    for first_gain, second_gain in points_by_result
                )
            if reaching_count <= self.cut:
                agreed_positions.append(game_position)
        return agreed_positions
