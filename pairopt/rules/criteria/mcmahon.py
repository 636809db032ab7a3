"""Criterion `mcmahon`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.mcmahon import (
    COUNTRY_COLUMNS,
    HIGHEST_BAR,
    LOWEST_FLOOR,
    RANK_ZERO,
    McMahonAttributes,
    McMahonRules,
    find_cells,
    parse_rank,
    white_plays_first_side,
)
from pairopt.event.state import State
from pairopt.messages import Message, message
from pairopt.rules.base import Criterion, Label, require_fit

LevelName = Literal[
    "bye",
    "total",
    "colours",
    "duplicate",
    "colour",
    "score",
    "draw",
    "seed",
    "geography",
    "drawn_down",
    "drawn_up",
    "draw_place",
]
TERMS: tuple[LevelName, ...] = (
    "duplicate",
    "colour",
    "score",
    "draw",
    "seed",
    "geography",
)
"""The terms that OpenGotha adds up for each match."""
WORDS = {
    "bye": "place of the player with the bye in the order of byes, from 0",
    "total": "weight lost in all terms of OpenGotha",
    "colours": "matches in which the other player should have Black",
    "duplicate": "weight lost because players have met before",
    "colour": "weight lost because colours don't balance",
    "score": "weight lost because scores differ",
    "draw": "weight lost by the choice of who leaves a score group",
    "seed": "weight lost by the seeding inside score groups",
    "geography": "weight lost because players share a country or club",
    "drawn_down": "players who meet a lower score group again",
    "drawn_up": "players who meet a higher score group again",
    "draw_place": "places by which players who leave their score group are not those wanted",
}
PARTS_OF_DRAW = ("drawn_down", "drawn_up", "draw_place")
"""Levels that count one part of the term `draw` alone, without weights."""
MOST_WEIGHT = 10**15
"""The largest weight of a term, so that no product overflows."""


@dataclass(frozen=True)
class McMahon(Criterion):
    """Pair like the Go program OpenGotha: maximise the total weight of all its terms.

    The parameter `system` decides whether the rules of McMahon or of Swiss tournaments
    apply. OpenGotha first gives the bye to the player with the lowest score, and then
    chooses the pairing with the greatest total. OpenGotha chooses colours after the
    pairs. In a handicap game, the weaker player has Black, and in other games the
    player who had White more often. A level shows how far the weight of a pairing is
    below the highest weight of each term.

    The parameter `levels` lists the levels, the most important first: `bye`, `total`
    and `colours`, or single terms of the total. The terms are `duplicate` (players who
    have not met), `colour` (colours that balance), `score` (equal scores), `draw`
    (which players leave a group), `seed` (which players meet inside a group) and
    `geography` (different countries and clubs). Each term has a weight, which you set
    with the parameter of the same name, for example `duplicate`.

    Three more levels look only at matches between two score groups, and count one part
    of the term `draw`. The level `drawn_down` counts the players who meet a lower group
    and have met a lower group before. The level `drawn_up` counts the players who meet
    a higher group and have met a higher group before. The level `draw_place` adds up
    how far both players are from the places that `draw_upper` and `draw_lower` name.

    A player's start score comes from the rank, which counts as at least the `floor` and
    at most the `bar`. Ranks such as `3k` or `2d` are in the column `rank` or `grade` of
    players.csv. A player without a rank has the rank of the rating: 2100 is 1 dan, and
    100 points are one rank. A number above 0 in the column `score` is the start score
    of that player, whatever the rank.

    The parameter `rounds` is the number of rounds of the tournament. pairopt seeds the
    first `seed_rounds` rounds by `seed_first`, and the other rounds by `seed_then`.
    With `slip`, the upper half of a group meets the lower half, and with `fold`, the
    first player meets the last. The parameter `seed_rating` decides in which rounds
    ratings rank players with equal scores. The parameters `draw_upper` and `draw_lower`
    decide which players leave the higher and the lower group, for example the players
    in the middle.

    To find an opponent from another country or club, pairopt may look some score groups
    further away. The parameters `country` and `club` set how many score groups. The
    parameter `no_geography` names the players for whom country and club do not matter.
    In `no_geography`, `bar` stands for players who start at the bar, and `wins` for
    players who won half of the rounds. Country and club do not matter either for
    players whose score is at least that of the rank `no_geography_from`.

    The number of handicap stones is the difference between the players' scores or ranks
    (`handicap_by`), minus `handicap_correction`. There are at least 0 and at most
    `handicap_most` stones. A score or rank above `handicap_below` counts as
    `handicap_below`.
    """

    kind = "mcmahon"
    per_player = True
    reads_meetings = True

    system: Literal["mcmahon", "swiss"] = "mcmahon"
    floor: str = LOWEST_FLOOR
    bar: str = HIGHEST_BAR
    rounds: int = 5
    levels: tuple[LevelName, ...] = ("bye", "total", "colours")
    duplicate: int = 500_000_000_000_000
    colour: int = 1_000_000
    score: int = 100_000_000_000
    draw: int = 100_000_000
    seed: int = 5_000_000
    geography: int = 100_000_000_000
    draw_upper: Literal["top", "middle", "bottom"] = "middle"
    draw_lower: Literal["top", "middle", "bottom"] = "middle"
    seed_rounds: int = 2
    seed_first: Literal["slip", "fold"] = "slip"
    seed_then: Literal["slip", "fold"] = "fold"
    seed_rating: Literal["always", "first", "then", "never"] = "always"
    country: int = 1
    club: int = 3
    no_geography: tuple[Literal["bar", "wins"], ...] = ("bar", "wins")
    no_geography_from: str = "5d"
    handicap_by: Literal["score", "rank"] = "score"
    handicap_below: str = "1d"
    handicap_correction: int = 1
    handicap_most: int = 9

    def __post_init__(self) -> None:
        """Raise ValueError for a rank, a weight or another number out of range."""
        rank_texts = (
            self.floor,
            self.bar,
            self.no_geography_from,
            self.handicap_below,
        )
        if any(parse_rank(rank_text) is None for rank_text in rank_texts):
            raise ValueError("Expected ranks such as 3k or 2d.")
        if _rank(self.floor) > _rank(self.bar):
            raise ValueError("Expected a floor that is not above the bar.")
        if any(not 0 <= self._weight(term) <= MOST_WEIGHT for term in TERMS):
            raise ValueError(f"Expected weights from 0 to {MOST_WEIGHT}.")
        if not self.levels or len({*self.levels}) < len(self.levels):
            raise ValueError("Expected levels, each at most once.")
        small_numbers = (
            self.rounds,
            self.seed_rounds,
            self.country,
            self.club,
            self.handicap_correction,
            self.handicap_most,
        )
        if any(not 0 <= small_number <= 99 for small_number in small_numbers):
            raise ValueError("Expected numbers from 0 to 99.")

    def labels(self, state: State) -> Sequence[Label]:
        """Return the names in the parameter `levels` that this round has, in order.

        There is no level of the bye with an even number of players, and none of colours
        without sides. Raises UsageError for players without a rank, or if totals could
        overflow an engine's integers.
        """
        self.attributes_of(state)
        largest_total = sum(self._weight(term) for term in TERMS)
        require_fit(self.kind, max(largest_total, len(state)), len(state))
        can_occur = {"bye": state.odd, "colours": state.sided}
        return [level for level in self.levels if can_occur.get(level, True)]

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        """Return what each arc adds to each of these levels, shape (m, levels).

        `labels` are names of levels, such as "bye" or "total"; there is one column for
        each.
        """
        level_columns = [self._cost(state, arcs, str(label)) for label in labels]
        return np.array(level_columns, np.int64).reshape(len(labels), len(arcs)).T

    def words(self, label: Label) -> str:
        """Return what a level counts, in plain words; `label` is a key of WORDS."""
        return WORDS[str(label)]

    def attributes_of(self, state: State) -> McMahonAttributes:
        """Return the attributes of the players by OpenGotha's rules.

        They are scores, places inside score groups, floats and colours, by this
        criterion's floor, bar and system.
        """
        return state.mcmahon(
            McMahonRules(
                floor=_rank(self.floor),
                bar=_rank(self.bar),
                is_swiss=self.system == "swiss",
                by_rating=self._seeds_by_rating(state),
            )
        )

    def term_values(self, state: State, arcs: Arcs, term: str) -> IntArray:
        """Return a term of OpenGotha's total for each match, 0 for a bye, shape (m,).

        `term` is one of `TERMS`, or `total`, which is the sum of the terms and 1 more
        for each match.
        """
        matches = Arcs(arcs.first, np.where(arcs.bye, arcs.first, arcs.second))
        if term == "total":
            term_sums = sum(
                (self.term_values(state, arcs, single_term) for single_term in TERMS),
                np.zeros(len(arcs), np.int64),
            )
            return np.where(arcs.bye, 0, 1 + term_sums)
        compute_term = {
            "duplicate": self._duplicate_term,
            "colour": self._colour_term,
            "score": self._score_term,
            "draw": self._draw_term,
            "seed": self._seed_term,
            "geography": self._geography_term,
        }[term]
        return np.where(arcs.bye, 0, compute_term(state, matches))

    def handicaps(self, state: State, arcs: Arcs) -> IntArray:
        """Return the handicap of each match in stones, 0 for an even game, shape (m,)."""
        handicap_strength = self._handicap_strength(state)
        strength_gap = np.abs(
            handicap_strength[arcs.first] - handicap_strength[arcs.second]
        )
        raw_stones = strength_gap - self.handicap_correction
        return np.where(arcs.bye, 0, np.clip(raw_stones, 0, self.handicap_most))

    def notes(self, state: State, arcs: Arcs) -> Sequence[Message]:
        """Return a list of one note with the stones of all handicap games, or ().

        A game is given as the weaker player, who has Black and gets the stones, and the
        number of stones. Games are sorted as texts.
        """
        stones_by_match = self.handicaps(state, arcs)
        handicap_strength = self._handicap_strength(state)
        weaker_players = np.where(
            handicap_strength[arcs.first] < handicap_strength[arcs.second],
            arcs.first,
            arcs.second,
        )
        stones_by_player = [
            f"{state.shown[weaker_players[match_index]]} {stones_by_match[match_index]}"
            for match_index in np.flatnonzero(stones_by_match).tolist()
        ]
        return (
            [message("round.stones", games=sorted(stones_by_player))]
            if stones_by_player
            else ()
        )

    def _cost(self, state: State, arcs: Arcs, level: str) -> IntArray:
        """Return what each arc adds to a level, shape (m,).

        `level` is one of `levels`. A match adds the weight that it loses in the terms,
        a bye adds its player's place in the order of byes, and colours that should be
        exchanged add 1.
        """
        if level == "bye":
            bye_order = self.attributes_of(state).bye_order
            return np.where(arcs.bye, bye_order[arcs.first], 0)
        if level == "colours":
            return self._colours_cost(state, arcs)
        if level in PARTS_OF_DRAW:
            return np.where(arcs.bye, 0, self._draw_part_cost(state, arcs, level))
        terms = TERMS if level == "total" else (level,)
        lost_weight = np.zeros(len(arcs), np.int64)
        for term in terms:
            lost_weight += self._weight(term) - self.term_values(state, arcs, term)
        return np.where(arcs.bye, 0, lost_weight)

    def _weight(self, term: str) -> int:
        """Return the weight of a term of the total, the parameter of that name."""
        return int(getattr(self, term))

    def _is_early(self, state: State) -> bool:
        """Return whether the round is one of the first `seed_rounds` rounds.

        In these the seeding style is `seed_first`, in later ones `seed_then`.
        """
        return state.event.round <= self.seed_rounds

    def _seeds_by_rating(self, state: State) -> bool:
        """Return whether ratings rank players inside groups in this round.

        The parameter `seed_rating` decides: always, in the first `seed_rounds` rounds,
        in later ones, or never.
        """
        seeding_phase = "first" if self._is_early(state) else "then"
        return self.seed_rating in ("always", seeding_phase)

    def _span(self, state: State) -> int:
        """Return the number of groups by which OpenGotha divides differences.

        In a Swiss it is the number of the round, otherwise the number of groups from
        floor to bar plus the round and 3.
        """
        if self.system == "swiss":
            return state.event.round
        return _rank(self.bar) - _rank(self.floor) + state.event.round + 3

    def _handicap_strength(self, state: State) -> IntArray:
        """Return the strength of each player for handicaps, shape (n,).

        A handicap is the difference of two strengths. It is the score or the rank, by
        `handicap_by`, as far as it is below `handicap_below`.
        """
        player_attributes = self.attributes_of(state)
        by_score = self.handicap_by == "score"
        strength = (
            player_attributes.score - RANK_ZERO if by_score else player_attributes.rank
        )
        return np.minimum(strength, _rank(self.handicap_below))

    def _duplicate_term(self, state: State, arcs: Arcs) -> IntArray:
        """Return the whole weight if the players have not met, otherwise 0, shape (m,)."""
        return np.where(state.meetings.met(arcs) > 0, 0, self.duplicate)

    def _colour_term(self, state: State, arcs: Arcs) -> IntArray:
        """Return the weight if the match can balance the colours of both players.

        The result has shape (m,). It is half the weight if only one player has an
        unbalance, of 2 games or more, and 0 otherwise and in handicap games.
        """
        colour_balance = self.attributes_of(state).balance
        first_balance, second_balance = (
            colour_balance[arcs.first],
            colour_balance[arcs.second],
        )
        larger_balance = np.maximum(np.abs(first_balance), np.abs(second_balance))
        is_one_balanced = (first_balance * second_balance == 0) & (larger_balance >= 2)
        term_value = np.where(is_one_balanced, self.colour // 2, 0)
        term_value = np.where(
            first_balance * second_balance < 0, self.colour, term_value
        )
        return np.where(self.handicaps(state, arcs) > 0, 0, term_value)

    def _score_term(self, state: State, arcs: Arcs) -> IntArray:
        """Return W(1 - x)(1 + x/2), rounded down, shape (m,).

        W is the weight `score`, and x the score difference over the span, at most 1.
        """
        scores, group_span = self.attributes_of(state).score, self._span(state)
        score_gap = np.minimum(
            np.abs(scores[arcs.first] - scores[arcs.second]), group_span
        )
        value_by_gap = [
            int(_decline(group_gap / group_span, self.score))
            for group_gap in range(group_span + 1)
        ]
        return np.asarray(np.array(value_by_gap, np.int64)[score_gap], np.int64)

    def _draw_term(self, state: State, arcs: Arcs) -> IntArray:
        """Return how well the players of a match between two groups are chosen.

        The result has shape (m,). Two parts add up to at most the weight: earlier
        floats that the match makes up for or does not repeat, and how near both players
        are to the wanted part of their group. Inside a group it is 0.
        """
        player_attributes = self.attributes_of(state)
        upper_player, lower_player = _upper_and_lower(player_attributes.score, arcs)
        fifth_of_weight = self.draw // 5

        float_fifths = (
            2
            - (player_attributes.drawn_down[upper_player] > 0)
            - (player_attributes.drawn_up[lower_player] > 0)
        )
        # Floats of the other kind are made up for, first those of the upper player.
        for floating_player, more_floats, fewer_floats in (
            (upper_player, player_attributes.drawn_up, player_attributes.drawn_down),
            (lower_player, player_attributes.drawn_down, player_attributes.drawn_up),
        ):
            float_fifths = float_fifths + (
                (float_fifths > 0)
                & (more_floats[floating_player] > fewer_floats[floating_player])
            )
        term_value = fifth_of_weight * float_fifths
        for floating_player, wanted_part in (
            (upper_player, self.draw_upper),
            (lower_player, self.draw_lower),
        ):
            player_group_size = player_attributes.group_size[floating_player]
            nearness = _nearness(
                player_attributes.place[floating_player], player_group_size, wanted_part
            )
            term_value = (
                term_value + (fifth_of_weight // 2) * nearness // player_group_size
            )
        is_inside = (
            player_attributes.score[arcs.first] == player_attributes.score[arcs.second]
        )
        return np.where(is_inside, 0, term_value)

    def _draw_part_cost(self, state: State, arcs: Arcs, level: str) -> IntArray:
        """Return what each match adds to a part of the draw, shape (m,).

        `level` is one of `PARTS_OF_DRAW`. A match inside a group and a bye add 0.
        """
        player_attributes = self.attributes_of(state)
        matches = Arcs(arcs.first, np.where(arcs.bye, arcs.first, arcs.second))
        upper_player, lower_player = _upper_and_lower(player_attributes.score, matches)
        if level == "drawn_down":
            part_cost = (player_attributes.drawn_down[upper_player] > 0).astype(
                np.int64
            )
        elif level == "drawn_up":
            part_cost = (player_attributes.drawn_up[lower_player] > 0).astype(np.int64)
        else:
            part_cost = np.zeros(len(arcs), np.int64)
            for floating_player, wanted_part in (
                (upper_player, self.draw_upper),
                (lower_player, self.draw_lower),
            ):
                player_group_size = player_attributes.group_size[floating_player]
                nearness = _nearness(
                    player_attributes.place[floating_player],
                    player_group_size,
                    wanted_part,
                )
                part_cost += player_group_size - 1 - nearness
        return np.where(
            player_attributes.score[upper_player]
            == player_attributes.score[lower_player],
            0,
            part_cost,
        )

    def _seed_term(self, state: State, arcs: Arcs) -> IntArray:
        """Return how near a match of two players of one group is to the seeding style.

        It is the whole weight for a match as the style has it, and falls with the
        square of the distance from it. For players of different groups it is 0. The
        result has shape (m,).
        """
        player_attributes = self.attributes_of(state)
        first_place, second_place = (
            player_attributes.place[arcs.first],
            player_attributes.place[arcs.second],
        )
        group_size = player_attributes.group_size[arcs.first]
        seeding_style = self.seed_first if self._is_early(state) else self.seed_then
        if seeding_style == "slip":
            style_distance, most_distance = (
                np.abs(2 * np.abs(first_place - second_place) - group_size),
                group_size,
            )
        else:
            most_distance = np.maximum(group_size - 1, 1)
            style_distance = np.abs(first_place + second_place - (group_size - 1))
        term_value = (
            self.seed
            - self.seed
            * style_distance
            // most_distance
            * style_distance
            // most_distance
        )
        is_inside = (
            player_attributes.score[arcs.first] == player_attributes.score[arcs.second]
        )
        return np.where(is_inside, term_value, 0)

    def _geography_term(self, state: State, arcs: Arcs) -> IntArray:
        """Return the geography term of each match, shape (m,).

        It is larger if countries or clubs differ. If both players ignore geography, it
        is the whole weight. If one of them does, it is the mean of the whole weight and
        of the match's own value.
        """
        has_other_country = _differ(state, arcs, COUNTRY_COLUMNS)
        has_other_club = _differ(state, arcs, ["club"])
        value_by_difference = np.array(
            [
                [
                    self._geography_value(state, is_other_country, is_other_club)
                    for is_other_club in (False, True)
                ]
                for is_other_country in (False, True)
            ],
            np.int64,
        )
        term_value = value_by_difference[
            has_other_country.astype(int), has_other_club.astype(int)
        ]
        ignores_geography = self._ignores_geography(state)
        ignoring_count = (
            ignores_geography[arcs.first].astype(int) + ignores_geography[arcs.second]
        )
        mean_value = (term_value + self.geography) // 2
        return np.select(
            [ignoring_count == 2, ignoring_count == 1],
            [self.geography, mean_value],
            term_value,
        )

    def _geography_value(self, state: State, country: bool, club: bool) -> int:
        """Return the geography term of a match whose countries and clubs differ or not.

        `country` and `club` are whether they differ. The parameters of these names say
        how many groups that is worth.
        """
        if not self.geography:
            return 0
        group_span = self._span(state)
        country_distance = min(self.country / group_span, 1.0) * country
        club_distance = min(self.club * 1.2 / group_span, 1.0) * club
        geographic_distance = max(country_distance, club_distance)
        geographic_distance += min(country_distance, club_distance) / 2
        if geographic_distance > 0:
            geographic_distance += 0.5 / group_span
        term_value = self.score - int(_decline(geographic_distance, self.score))
        return min(term_value, self.geography)

    def _ignores_geography(self, state: State) -> BoolArray:
        """Return True for players above a threshold of geography, shape (n,).

        Thresholds are the score of the rank `no_geography_from`, a start score at the
        bar, and wins in half of the rounds. The last two count if `no_geography` has
        them, and the bar only in a McMahon tournament.
        """
        player_attributes = self.attributes_of(state)
        is_above_threshold = (
            player_attributes.score >= _rank(self.no_geography_from) + RANK_ZERO
        )
        if "wins" in self.no_geography:
            round_count = state.event.settings.rounds or self.rounds
            is_above_threshold = is_above_threshold | (
                player_attributes.wins >= round_count
            )
        if "bar" in self.no_geography and self.system == "mcmahon":
            is_above_threshold = is_above_threshold | (
                player_attributes.start >= _rank(self.bar) + RANK_ZERO
            )
        return is_above_threshold

    def _colours_cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return 1 for each match whose colours should be exchanged, shape (m,).

        In a handicap game that is so if the weaker player has White, otherwise if the
        player with White had it more often. A bye costs 0.
        """
        player_attributes, handicap_strength = (
            self.attributes_of(state),
            self._handicap_strength(state),
        )
        if white_plays_first_side(state.event):
            white_player, black_player = arcs.first, arcs.second
        else:
            white_player, black_player = arcs.second, arcs.first
        is_weaker_white = (
            handicap_strength[white_player] < handicap_strength[black_player]
        )
        has_white_more = (
            player_attributes.balance[white_player]
            > player_attributes.balance[black_player]
        )
        has_handicap = self.handicaps(state, arcs) > 0
        has_wrong_colours = np.where(has_handicap, is_weaker_white, has_white_more)
        return np.where(arcs.bye, 0, has_wrong_colours).astype(np.int64)


def _decline(distance: float, weight: int) -> float:
    """Return W(1 - x)(1 + x/2) for the weight W and the distance x, not rounded.

    It is computed in this order with floating-point numbers, as in OpenGotha, which
    then cuts off the decimals; callers do that with `int`. So for W = 10^11 and x = 4/5
    they get 27,999,999,999, although W(1 - x)(1 + x/2) is 28,000,000,000.
    """
    return weight * (1.0 - distance) * (1.0 + 0.5 * distance)


def _rank(text: str) -> int:
    """Return a rank of a model file, such as "3k", as a number.

    The number rises with strength: 0 is 1 dan, -1 is 1 kyu. Raises UsageError for a
    text that is no rank.
    """
    parsed_rank = parse_rank(text)
    if parsed_rank is None:
        raise UsageError("rule.no_rank", player="", found=text)
    return parsed_rank


def _upper_and_lower(score: IntArray, arcs: Arcs) -> tuple[IntArray, IntArray]:
    """Return the player with the higher score of each match, and the other player.

    `score` has the score of each player, and both results have shape (m,). With equal
    scores the second player of the arc comes first.
    """
    is_first_upper = score[arcs.first] > score[arcs.second]
    return (
        np.where(is_first_upper, arcs.first, arcs.second),
        np.where(is_first_upper, arcs.second, arcs.first),
    )


def _differ(state: State, arcs: Arcs, names: Sequence[str]) -> BoolArray:
    """Return True where the players differ in a column of players.csv, shape (m,).

    It is the first column with one of these names. Without it, no players differ.
    """
    column_cells = find_cells(state.event, names)
    if column_cells is None:
        return np.zeros(len(arcs), np.bool_)
    cells_in_order = np.array(
        [column_cells[player_position] for player_position in state.player]
    )
    return np.asarray(
        cells_in_order[arcs.first] != cells_in_order[arcs.second], np.bool_
    )


def _nearness(place: IntArray, size: IntArray, wanted: str) -> IntArray:
    """Return how near a place is to the wanted part of its group, shape (m,).

    `place` counts from 0, and `size` is the size of the group. The result is from 0
    (far) to the size less 1. `wanted` is top, middle or bottom.
    """
    if wanted == "top":
        return size - 1 - place
    if wanted == "bottom":
        return place
    return np.asarray(size - 1 - np.abs(2 * place - size + 1), np.int64)
