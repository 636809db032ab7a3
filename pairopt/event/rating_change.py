"""Expected rating changes of an event, by FIDE's Rating Regulations (B.02, section 8).

FIDE adds up all games of a month, applies its own list and rounds the sum. So these
values are expected, not official. Only games that were played count, and only those
against rated opponents. All numbers are exact fractions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from pairopt.common.limits import parse_digits
from pairopt.event.column_layout import K_COLUMN, RATED, RATING_RESULT
from pairopt.event.event import PLAYED, Event
from pairopt.event.group_members import birth_years, player_cells
from pairopt.event.points import parse_rating_result
from pairopt.event.report_head import RatingKind, rating_kind_of
from pairopt.event.score_checks import infer_points
from pairopt.event.tie_breaks.base import mean
from pairopt.event.tie_breaks.ratings import DIFFERENCES, LARGEST

WIN, DRAW, LOSS = Fraction(1), Fraction(1, 2), Fraction(0)
FARTHEST_COUNTED = 400
"""A larger difference counts as this one (8.3.1)."""
UNLIMITED_FROM = 2650
"""From this rating on, all differences count as they are (since October 2025)."""
UNRATED_DIFFERENCE, UNRATED_FROM = 600, 2600
"""In rapid and blitz, such a game is not rated if one player is above UNRATED_FROM."""
MOST_K_TIMES_GAMES = 700
YOUTH_K, USUAL_K, MASTER_K = 40, 20, 10
YOUTH_AGE, YOUTH_BELOW, MASTER_FROM = 18, 2300, 2400
HYPOTHETICAL_RATING, HYPOTHETICAL_GAMES = 1800, 2
"""An initial rating counts draws against two such opponents (8.2.2)."""
HIGHEST_INITIAL, LOWEST_INITIAL, FEWEST_INITIAL_GAMES = 2200, 1400, 5
_LARGEST_K = 99


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A game that counts: the opponent's rating, and the player's score 1, ½ or 0."""

    opponent: Fraction
    score: Fraction


@dataclass(frozen=True, slots=True)
class ExpectedRating:
    """The expected change of a player's rating, or a new player's initial rating.

    `player` is the position in the event, and `rating` is None for an unrated player.
    `games` is the number of games that count, and `score` the points in them.
    `expected_score` is the sum of the expected scores of these games, and `change` the
    expected change, not rounded; both are None for unrated players and without rated
    games. `k` is the development coefficient, None for an unrated player;
    `is_k_assumed` says that the list of players has none, so that it follows from
    rating and age. `opponents_mean` and `performance` are None without rated games.
    `initial` is the initial rating that these games alone would give, None if they give
    none.
    """

    player: int
    rating: Fraction | None
    games: int
    score: Fraction
    expected_score: Fraction | None = None
    k: int | None = None
    is_k_assumed: bool = False
    change: Fraction | None = None
    opponents_mean: Fraction | None = None
    performance: int | None = None
    initial: int | None = None


def expected_score(
    rating: Fraction, opponent: Fraction, kind: RatingKind = "standard"
) -> Fraction:
    """Return a player's expected score of a game by the ratings (table 8.1.2).

    `rating` is the player's, and `opponent` the opponent's. The score is between 0 and
    1. A difference above 400 counts as 400; where `kind` is standard chess, only for
    players below 2650.

    >>> expected_score(Fraction(2102), Fraction(1655))
    Fraction(23, 25)
    """
    rating_difference = rating - opponent
    is_difference_limited = kind != "standard" or rating < UNLIMITED_FROM
    counted_difference = abs(rating_difference)
    if is_difference_limited:
        counted_difference = min(counted_difference, Fraction(FARTHEST_COUNTED))
    percent_above_half = bisect_left(LARGEST, counted_difference)
    expected_percent = 50 + (
        percent_above_half if rating_difference >= 0 else -percent_above_half
    )
    return Fraction(expected_percent, 100)


def performance_difference(share: Fraction) -> int:
    """Return the rating difference that belongs to a score (table 8.1.1).

    `share` is the score per game, from 0 to 1. It is rounded to whole percent, halves
    up. The difference is negative below a half.
    """
    score_percent = floor(share * 100 + Fraction(1, 2))
    rating_difference = DIFFERENCES[abs(score_percent - 50)]
    return rating_difference if score_percent >= 50 else -rating_difference


def performance_rating(games: Sequence[RatedGame]) -> int:
    """Return the performance: the mean rating of opponents plus the difference.

    The mean is rounded to a whole number first, as FIDE does it. `games` is not empty.
    """
    opponents_mean = mean([rated_game.opponent for rated_game in games])
    score_sum = sum((rated_game.score for rated_game in games), LOSS)
    return _round_half_up(opponents_mean) + performance_difference(
        score_sum / len(games)
    )


def initial_rating(games: Sequence[RatedGame]) -> int | None:
    """Return the initial rating of a new player (8.2), None for a score of zero.

    `games` are those against rated opponents; without any it is None. Two draws against
    opponents rated 1800 are added. The rating is at most 2200.
    """
    score_sum = sum((rated_game.score for rated_game in games), LOSS)
    if not score_sum:
        return None
    game_count_with_hypothetical = len(games) + HYPOTHETICAL_GAMES
    rating_sum = sum((rated_game.opponent for rated_game in games), LOSS)
    mean_with_hypothetical_opponents = (
        rating_sum + HYPOTHETICAL_GAMES * HYPOTHETICAL_RATING
    ) / game_count_with_hypothetical
    score_per_game = (
        score_sum + HYPOTHETICAL_GAMES * DRAW
    ) / game_count_with_hypothetical
    rounded_rating = _round_half_up(
        mean_with_hypothetical_opponents + performance_difference(score_per_game)
    )
    return min(rounded_rating, HIGHEST_INITIAL)


def usual_coefficient(rating: Fraction, age_in_year: int | None) -> int:
    """Return the coefficient K that rating and age suggest (8.3.3).

    `age_in_year` is the age that the player reaches in the year of the event, None if
    it is unknown. K is 40 for new players, too, and 10 for players who once had 2400.
    No list of players says that, so a column with K counts first.
    """
    if rating >= MASTER_FROM:
        return MASTER_K
    is_young = age_in_year is not None and age_in_year <= YOUTH_AGE
    return YOUTH_K if is_young and rating < YOUTH_BELOW else USUAL_K


def limit_coefficient(coefficient: int, games: int) -> int:
    """Return the coefficient K, lowered so that K times the games is at most 700.

    `games` is their number. The lowered K is rounded down. Source: article 8.3.3.
    Without games K is not lowered.
    """
    if coefficient * games <= MOST_K_TIMES_GAMES:
        return coefficient
    return MOST_K_TIMES_GAMES // games


def rating_change(
    rating: Fraction,
    games: Sequence[RatedGame],
    coefficient: int,
    kind: RatingKind = "standard",
) -> Fraction:
    """Return the expected change of a rating after these games, not rounded (8.3.2).

    It is K times the sum of scores less expected scores. `coefficient` is K before it
    is limited by the number of games; `kind` tells how differences above 400 count. It
    is 0 without games.
    """
    scores_less_expected = [
        rated_game.score - expected_score(rating, rated_game.opponent, kind)
        for rated_game in games
    ]
    return limit_coefficient(coefficient, len(games)) * sum(scores_less_expected, LOSS)


def round_change(change: Fraction) -> int:
    """Round a rating change to a whole number; 0.5 is rounded away from 0 (8.3.4)."""
    absolute_change = floor(abs(change) + Fraction(1, 2))
    return absolute_change if change >= 0 else -absolute_change


def expected_ratings(event: Event) -> list[ExpectedRating]:
    """Return the expected rating change of each player, in the order of the event.

    A player without a rating has an initial rating instead, and one without rated games
    only the rating. The column `k` of the list of players has the coefficients. Where
    it has none they follow from ratings and ages; nobody counts as young if the event
    has no days. The kind of rating is that of the settings, otherwise standard. Raises
    UsageError for a cell `rating_result` that is no result.
    """
    event_settings = event.settings
    rating_kind = (
        rating_kind_of(event_settings.rating_kind, event_settings.time_control)
        or "standard"
    )
    event_year = _year_of(event)
    rating_by_player = [
        Fraction(scaled_rating, event.rating_scale) if scaled_rating > 0 else None
        for scaled_rating in event.rating.tolist()
    ]
    coefficient_by_player = [
        parse_digits(coefficient_cell, _LARGEST_K) or None
        for coefficient_cell in player_cells(event, K_COLUMN)
    ]
    birth_year_by_player = birth_years(event)

    expected_by_player = []
    for player_position, rated_games in enumerate(
        _rated_games(event, rating_by_player, rating_kind)
    ):
        player_rating = rating_by_player[player_position]
        score_sum = sum((rated_game.score for rated_game in rated_games), LOSS)
        if not rated_games:
            expected_by_player.append(
                ExpectedRating(player_position, player_rating, 0, score_sum)
            )
            continue
        opponents_mean = mean([rated_game.opponent for rated_game in rated_games])
        if player_rating is None:
            expected_by_player.append(
                ExpectedRating(
                    player_position,
                    None,
                    len(rated_games),
                    score_sum,
                    opponents_mean=opponents_mean,
                    performance=performance_rating(rated_games),
                    initial=initial_rating(rated_games),
                )
            )
            continue

        birth_year = birth_year_by_player[player_position]
        is_age_known = birth_year is not None and event_year is not None
        player_age = event_year - birth_year if is_age_known else None  # type: ignore[operator]
        listed_coefficient = coefficient_by_player[player_position]
        coefficient_before_limit = (
            listed_coefficient
            if listed_coefficient is not None
            else usual_coefficient(player_rating, player_age)
        )
        expected_by_player.append(
            ExpectedRating(
                player_position,
                player_rating,
                len(rated_games),
                score_sum,
                expected_score=sum(
                    (
                        expected_score(player_rating, rated_game.opponent, rating_kind)
                        for rated_game in rated_games
                    ),
                    LOSS,
                ),
                k=limit_coefficient(coefficient_before_limit, len(rated_games)),
                is_k_assumed=listed_coefficient is None,
                change=rating_change(
                    player_rating, rated_games, coefficient_before_limit, rating_kind
                ),
                opponents_mean=opponents_mean,
                performance=performance_rating(rated_games),
            )
        )
    return expected_by_player


def _year_of(event: Event) -> int | None:
    """Return the year of an event's latest day, None if its settings have no days."""
    event_settings = event.settings
    known_days = [*event_settings.round_days]
    known_days += [
        known_day
        for known_day in (event_settings.first_day, event_settings.last_day)
        if known_day is not None
    ]
    return max(known_days).year if known_days else None


def _rated_games(
    event: Event, ratings: Sequence[Fraction | None], kind: RatingKind
) -> list[list[RatedGame]]:
    """Return the games of each player that count for the rating, in the event's order.

    `ratings` has each player's rating, None without one, and `kind` is that of the
    games. An opponent without a rating does not count. A score is 1 for more points
    than a draw gives, ½ for a draw, otherwise 0. Games that count for nobody's score,
    because a player has withdrawn, are rated, too. Left out are forfeits, games marked
    as unrated, and in rapid and blitz those of players too far apart. A result for the
    rating alone counts instead of the standings' one; UsageError if that is no result.
    """
    played_rows = event.matches
    is_played = (
        (played_rows.round < event.round)
        & played_rows.scored
        & (played_rows.second >= 0)
    )
    played_rows = played_rows.take(is_played & (played_rows.status == PLAYED))
    scaled_draw = infer_points(event).draw * event.scale
    games_by_player: list[list[RatedGame]] = [[] for _ in event.players]
    columns_to_read = (
        played_rows.first,
        played_rows.second,
        played_rows.score1,
        played_rows.score2,
        played_rows.row,
    )
    for first_position, second_position, score1, score2, row_in_file in zip(
        *(column_to_read.tolist() for column_to_read in columns_to_read), strict=True
    ):
        if event.origin.cell(RATED, row_in_file) == "false":
            continue
        rating_result = event.origin.cell(RATING_RESULT, row_in_file)
        if rating_result:
            score1, score2 = (
                exact_points * event.scale
                for exact_points in parse_rating_result(rating_result)
            )
        if kind != "standard" and _is_unrated_game(
            ratings[first_position], ratings[second_position]
        ):
            continue
        for player_position, opponent_position, scaled_player_points in (
            (first_position, second_position, score1),
            (second_position, first_position, score2),
        ):
            opponent_rating = ratings[opponent_position]
            if opponent_rating is not None:
                rated_score = _score_of(scaled_player_points, scaled_draw)
                games_by_player[player_position].append(
                    RatedGame(opponent_rating, rated_score)
                )
    return games_by_player


def _score_of(points: Fraction | int, draw: Fraction) -> Fraction:
    """Return the score of a game, 1, ½ or 0, by its points and those of a draw.

    Both are times the event's scale. More points than a draw's are a win, and fewer a
    loss.
    """
    if points > draw:
        return WIN
    return DRAW if points == draw else LOSS


def _is_unrated_game(rating: Fraction | None, opponent: Fraction | None) -> bool:
    """Whether a rapid or blitz game is not rated, because the players differ too much.

    `rating` and `opponent` are the ratings of the two. It is so if they differ by
    UNRATED_DIFFERENCE or more, and the higher one is above UNRATED_FROM. If a rating is
    unknown (None), the answer is False. Source: Rapid and Blitz Rating Regulations,
    7.3.1, since December 2024.
    """
    if rating is None or opponent is None:
        return False
    differs_too_much = abs(rating - opponent) >= UNRATED_DIFFERENCE
    return differs_too_much and max(rating, opponent) > UNRATED_FROM


def _round_half_up(value: Fraction) -> int:
    """Return a value rounded to a whole number; halves go up."""
    return floor(value + Fraction(1, 2))
