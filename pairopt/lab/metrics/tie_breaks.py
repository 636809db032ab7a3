"""Metric `tie_breaks`: how well an order of tie-breaks ranks, and how stable it is."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from pairopt.event.arcs import FloatArray, IntArray
from pairopt.event.event import PLAYED, Event
from pairopt.event.score_checks import points_of
from pairopt.lab.luck import Purpose, uniforms
from pairopt.lab.metrics import Measured
from pairopt.lab.order import top_hits
from pairopt.lab.rankings import split_tie_breaks
from pairopt.lab.rankings.shipped import TieBreaks
from pairopt.lab.simulating import Tournament
from pairopt.lab.world import BEST_OF_THREE, Field

TOP = 8
DECIMALS = 6


@dataclass(frozen=True)
class TieBreakOrder:
    """How well points and then tie-breaks in this order rank the players, as in `tie_breaks=BH/C1+BH`.

    `tie_breaks=points` ranks by points alone; without an argument the order is `BH/C1+BH+SB`. The
    names of the columns end with the order. `tied_right_...` is the share of the pairs of players
    with equal points in which the stronger player ranks higher; an equal rank counts half, as if a
    lot decided. `tau_...` is Kendall's tau-a of the final ranking with true strength. `top_8_...` is
    the share of the 8 strongest players among the first 8, `winner_...` the strongest player's share
    of the first rank. `moved_...` counts the players who move if the result of one game, drawn at
    random, is another one. Only players who did not play that game count, and their ranks among
    each other. Instead of a win the game is then a draw (a loss where nobody can draw), and instead of
    a draw it is a win of one player, drawn at random. Players who are not in the last round do not
    count in the first four columns.
    """

    kind: ClassVar[str] = "tie_breaks"

    tie_breaks: tuple[str, ...] = ("BH/C1", "BH", "SB")

    @classmethod
    def of_text(cls, text: str) -> "TieBreakOrder":
        """Make the metric from its order, as in `tie_breaks=BH/C1+BH`.

        Raises UsageError for a tie-break that does not exist, or is there twice.
        """
        return cls(split_tie_breaks(text))

    @property
    def name(self) -> str:
        """The name of the metric, for example "tie_breaks=BH/C1+BH"."""
        return f"{self.kind}={self._ranking.name}"

    @property
    def _ranking(self) -> TieBreaks:
        """The ranking by points and then these tie-breaks."""
        return TieBreaks(self.tie_breaks)

    @property
    def columns(self) -> tuple[str, ...]:
        """The five columns, each with the order of tie-breaks at its end."""
        return tuple(
            f"{column_prefix}_{self._ranking.name}"
            for column_prefix in ("tied_right", "tau", f"top_{TOP}", "winner", "moved")
        )

    @property
    def meanings(self) -> Mapping[str, str]:
        """What each column holds, in one sentence each, by column."""
        order_of_tie_breaks = self._ranking.name
        column_sentences = (
            "Share of pairs with equal points in which the stronger player ranks higher",
            "Kendall's tau-a of the final ranking with true strength",
            f"Share of the {TOP} strongest players among the first {TOP}",
            "Share of the first rank that the strongest player has",
            "Players who did not play a game drawn at random, and move if its result changes",
        )
        return {
            column: f"{column_sentence}; ties in points broken by {order_of_tie_breaks}"
            for column, column_sentence in zip(
                self.columns, column_sentences, strict=True
            )
        }

    @property
    def ranges(self) -> Mapping[str, tuple[float | str, ...]]:
        """The least and the largest possible value of each column, by column.

        A value is a number, or "players" for the number of players.
        """
        column_bounds = ((0, 1), (-1, 1), (0, 1), (0, 1), (0, "players"))
        return dict(zip(self.columns, column_bounds, strict=True))

    def __call__(self, played: Tournament, /) -> Mapping[str, Measured]:
        """Measure the final ranking by this order; see the class for the columns.

        Raises UsageError if the order needs data that the world does not have, for
        example ratings or the games of matches.
        """
        is_active = played.field.active(played.event.round - 1, played.games)
        ranking = self._ranking(played.event)
        ranks = ranking[is_active]
        points_of_players = points_of(played.event)[is_active]
        strengths = played.strength[is_active]

        pair_agreement = np.sign(ranks[:, None] - ranks) * np.sign(
            strengths[:, None] - strengths
        )
        is_off_diagonal = ~np.eye(len(ranks), dtype=np.bool_)
        is_tied_on_points = is_off_diagonal & (
            points_of_players[:, None] == points_of_players
        )
        tied_right_share = None
        if is_tied_on_points.any():
            tied_right_share = (
                1 + _mean_of_array(pair_agreement[is_tied_on_points])
            ) / 2
        mean_tau = (
            _mean_of_array(pair_agreement[is_off_diagonal])
            if is_off_diagonal.any()
            else None
        )

        has_first_rank = ranks == ranks.max()
        has_top_strength = strengths == strengths.max()
        measured_values = (
            tied_right_share,
            mean_tau,
            float(top_hits(ranks, strengths, size=min(TOP, len(ranks)))),
            float((has_first_rank & has_top_strength).sum() / has_first_rank.sum()),
            self._count_moved(played, ranking),
        )
        return {
            measured_column: measured_value
            if measured_value is None
            else round(measured_value, DECIMALS)
            for measured_column, measured_value in zip(
                self.columns, measured_values, strict=True
            )
        }

    def _count_moved(self, played: Tournament, ranking: IntArray) -> int | None:
        """Count the players who move in the ranking when one result changes.

        `ranking` is that of all players before the change. The game is drawn at random.
        Its two players do not count, and the others are ranked among each other. None
        if no game was played.
        """
        game_row = draw_game(played.field, played.event)
        if game_row is None:
            return None
        matches = played.event.matches
        is_bystander = np.ones(len(ranking), np.bool_)
        is_bystander[[matches.first[game_row], matches.second[game_row]]] = False
        changed_ranking = self._ranking(
            change_result(played.field, played.event, game_row)
        )
        places_before = _rank_by_halves(ranking[is_bystander])
        changed_places = _rank_by_halves(changed_ranking[is_bystander])
        return int((places_before != changed_places).sum())


def draw_game(field: Field, event: Event) -> int | None:
    """Draw one of the games that were played, and return its row in `event.matches`.

    None if there is none. Equal fields and events give the same game.
    """
    game_rows = np.flatnonzero(event.matches.status == PLAYED)
    if not len(game_rows):
        return None
    uniform_number = uniforms(field.seed, field.replicate, Purpose.CHANGE, 0)[0]
    return int(game_rows[int(uniform_number * len(game_rows))])


def change_result(field: Field, event: Event, row: int) -> Event:
    """Return a copy of the event with another result in the row `row` of its matches.

    A win becomes a draw, or a loss where nobody can draw. A draw becomes a win of one
    of the two, drawn at random; equal fields give the same change. In a best of three
    the results of the single games change with it.
    """
    world = field.world
    win_points = int(world.points.win * world.scale)
    draw_points = int(world.draw * world.scale)
    if world.games == 2:
        draw_points = win_points // 2
    matches = event.matches
    old_scores = int(matches.score1[row]), int(matches.score2[row])

    uniform_number = uniforms(field.seed, field.replicate, Purpose.CHANGE, 1)[0]
    if old_scores[0] == old_scores[1]:
        new_scores = (win_points, 0) if uniform_number < 0.5 else (0, win_points)
    elif world.draws == 0 and world.games != 2:
        new_scores = old_scores[::-1]
    else:
        new_scores = draw_points, draw_points

    score1, score2, game_results = (
        match_column.copy()
        for match_column in (matches.score1, matches.score2, matches.games)
    )
    score1[row], score2[row] = new_scores
    if world.games == BEST_OF_THREE:
        lead_sign = int(np.sign(new_scores[0] - new_scores[1]))
        game_results[row] = {1: (2, 0, 0), 0: (1, 1, 0), -1: (0, 2, 0)}[lead_sign]
    return replace(
        event,
        matches=replace(matches, score1=score1, score2=score2, games=game_results),
    )


def _rank_by_halves(ranking: IntArray) -> IntArray:
    """Return each player's place, times 2, with ties at their middle; shape (n,).

    A larger number in `ranking` ranks higher. It is twice the number of players ranked
    higher, plus the number of those who are equal, the player included.
    """
    is_higher = ranking[None, :] > ranking[:, None]
    is_equal = ranking[None, :] == ranking[:, None]
    return np.asarray(2 * is_higher.sum(axis=1) + is_equal.sum(axis=1), np.int64)


def _mean_of_array(values: IntArray | FloatArray) -> float:
    """Return the mean of `values`, an array of one dimension that is not empty."""
    return float(values.sum() / len(values))
