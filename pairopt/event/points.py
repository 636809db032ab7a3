"""Points: what a win, a draw, a loss, a bye and an absence are worth in an event."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real

from pairopt.errors import InvalidValueError, UsageError
from pairopt.messages.formatting import decimal_text

MatchPoints = tuple[Fraction, Fraction]
"""The points of both players of a match."""
Games = tuple[int, int, int]
"""Games of a match: won by the first player, won by the second one, drawn."""
MOST_DIGITS_OF_POINTS = 12
USUAL_GAMES = 3
"""The games of a match, as best of so many, where the event does not say it."""


@dataclass(frozen=True, slots=True)
class Points:
    """The points of a match: for a win, a draw, a loss, and for rounds not played.

    `bye` is for a pairing-allocated bye, None for as many as a win; `requested_bye` and
    `absent` are 0 by default. In a match of two games, `game` are the points of each
    game: sums of two games are the results of the match. Numbers and texts such as
    "0.5" become fractions. Any other value raises InvalidValueError.
    """

    win: Fraction
    draw: Fraction
    loss: Fraction = Fraction(0)
    bye: Fraction | None = None
    requested_bye: Fraction = Fraction(0)
    absent: Fraction = Fraction(0)
    game: Points | None = None

    def __str__(self) -> str:
        if self.game is not None:
            return f"{self.game}x2"
        return "-".join(
            decimal_text(points_value)
            for points_value in (self.win, self.draw, self.loss)
        )

    def __post_init__(self) -> None:
        """Convert numbers and texts to fractions.

        Raises InvalidValueError for a value that is no number of points.
        """
        for field_name in ("win", "draw", "loss", "bye", "requested_bye", "absent"):
            points_of_field = getattr(self, field_name)
            if points_of_field is not None and not isinstance(
                points_of_field, Fraction
            ):
                object.__setattr__(
                    self, field_name, parse_number_of_points(points_of_field)
                )

    @property
    def allocated_bye(self) -> Fraction:
        """The points of a pairing-allocated bye, a win's if `bye` is None."""
        return self.win if self.bye is None else self.bye

    @property
    def results(self) -> frozenset[MatchPoints]:
        """The results that a match can have: the first and the second player's points.

        Without `game` these are a win, a draw and a loss. In a match of two games they
        are all sums of two results of `game`.
        """
        if self.game is not None:
            game_results = self.game.results
            return frozenset(
                (
                    first_of_game_one + first_of_game_two,
                    second_of_game_one + second_of_game_two,
                )
                for first_of_game_one, second_of_game_one in game_results
                for first_of_game_two, second_of_game_two in game_results
            )
        return frozenset(
            {(self.win, self.loss), (self.draw, self.draw), (self.loss, self.win)}
        )

    @property
    def half(self) -> frozenset[MatchPoints]:
        """The results of a match of two games of which only one was played.

        The other game then gives no points. Results that two games can give as well are
        left out. It is empty for other matches.
        """
        return frozenset() if self.game is None else self.game.results - self.results

    @property
    def decided(self) -> frozenset[MatchPoints]:
        """The further results that an arbiter may decide: losses without a win.

        These are a draw for one player and a loss for the other, or two losses. In a
        match of two games one of them may end so. Results that are usual are left out.
        """
        if self.game is not None:
            # One game has a usual result, the other one is decided.
            sums_of_two_games = {
                (
                    first_of_usual_game + first_of_decided_game,
                    second_of_usual_game + second_of_decided_game,
                )
                for first_of_usual_game, second_of_usual_game in self.game.results
                for first_of_decided_game, second_of_decided_game in self.game.decided
            }
            return frozenset(sums_of_two_games) - self.results - self.half
        results_without_winner = {
            (self.draw, self.loss),
            (self.loss, self.draw),
            (self.loss, self.loss),
        }
        return frozenset(results_without_winner) - self.results

    def of_games(self, games: Games) -> Score:
        """Return the score of a match in which these games were won, lost and drawn.

        `games` are counted for the first player. Who won more games gets a win's
        points, and equal numbers are a draw; games drawn do not matter.
        """
        first_wins, second_wins, _ = games
        if first_wins > second_wins:
            return Score(self.win, self.loss, games=games)
        if first_wins < second_wins:
            return Score(self.loss, self.win, games=games)
        return Score(self.draw, self.draw, games=games)


def points_of_two_games(game: Points) -> Points:
    """Return the points of a match of two games that have these points each.

    `game` has the points of one game. The match is won by two wins and drawn by one win
    each. Points for byes and absences are the defaults.
    """
    return Points(2 * game.win, game.win + game.loss, 2 * game.loss, game=game)


@dataclass(frozen=True, slots=True)
class Score:
    """The points of both players of a match, `one` and `two`, not scaled.

    `games` are the games won by each and drawn, None if they are not known; people see
    these in place of the points. `forfeit` marks a match that was not played.
    """

    one: Fraction
    two: Fraction
    forfeit: bool = False
    games: Games | None = None

    def __str__(self) -> str:
        if self.games is not None:
            has_draws = self.games[2] > 0
            shown_games = self.games if has_draws else self.games[:2]
            return "-".join(map(str, shown_games))
        forfeit_mark = "F" if self.forfeit else ""
        return f"{decimal_text(self.one)}{forfeit_mark}-{decimal_text(self.two)}{forfeit_mark}"


CHESS = Points(Fraction(1), Fraction(1, 2))
FOOTBALL = Points(Fraction(3), Fraction(1))
OLD_FOOTBALL = Points(Fraction(2), Fraction(1))
USUAL = (CHESS, FOOTBALL, OLD_FOOTBALL)
"""The usual systems of points, the likelier first."""


def infer_points_of_results(
    counts: Mapping[MatchPoints, int],
) -> tuple[Points | None, bool]:
    """Return the points that played matches show, and whether all results fit them.

    `counts` says how often each result occurred, the higher points first. Without
    results the points are None, and everything fits; with draws alone that no usual
    system has, they are None, and the results do not fit. The usual systems come first
    (draws of 1 each belong to 3-1-0, of 0.5 each to 1-0.5-0), then two such games per
    match. Otherwise the commonest decisive result is a win and a loss, and a draw is
    the best one that occurred between them, or half of their sum.
    """
    if not counts:
        return None, True
    for usual_points in USUAL:
        if counts.keys() <= {
            (usual_points.win, usual_points.loss),
            (usual_points.draw, usual_points.draw),
        }:
            return usual_points, True
    for usual_points in USUAL:
        points_of_two_such_games = points_of_two_games(usual_points)
        if counts.keys() <= points_of_two_such_games.results | usual_points.results:
            return points_of_two_such_games, True

    counts_and_decisive_results = [
        (result_count, played_result)
        for played_result, result_count in counts.items()
        if played_result[0] > played_result[1]
    ]
    if not counts_and_decisive_results:
        return None, False
    _, (commonest_win_points, commonest_loss_points) = max(counts_and_decisive_results)
    points_of_possible_draws = (
        higher_points
        for higher_points, lower_points in counts
        if higher_points == lower_points
        and commonest_loss_points <= higher_points <= commonest_win_points
    )
    draw_points = max(
        points_of_possible_draws,
        default=(commonest_win_points + commonest_loss_points) / 2,
    )
    return Points(
        commonest_win_points, draw_points, commonest_loss_points
    ), counts.keys() <= {
        (commonest_win_points, commonest_loss_points),
        (draw_points, draw_points),
    }


def parse_points(text: str) -> Points:
    """Read points written as W-D-L, such as 3-1-0 or 1-0.5-0; 3-1-0x2 for two games.

    Raises InvalidValueError for another text, for a loss worth as much as a win, and
    for a draw that is not between them.
    """
    game_text, games_separator, text_after_x2 = text.partition("x2")
    if games_separator and not text_after_x2.strip():
        return points_of_two_games(parse_points(game_text))
    win_draw_loss_texts = split_at_hyphens(text)
    if len(win_draw_loss_texts) != 3:
        raise InvalidValueError("score.no_points")
    win_points, draw_points, loss_points = map(
        parse_number_of_points, win_draw_loss_texts
    )
    if not win_points > loss_points or not win_points >= draw_points >= loss_points:
        raise InvalidValueError("score.order")
    return Points(win_points, draw_points, loss_points)


def split_at_hyphens(text: str) -> list[str]:
    """Return the parts of a text between hyphens, dashes or minus signs of any kind.

    Phones replace a hyphen by a dash.
    """
    return re.split("[-\u2010\u2011\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}]", text)


def parse_number_of_points(value: object) -> Fraction:
    """Read points exactly: a number of any type, or text such as "0.5", "0,5" or "½".

    A float counts as the decimal that it prints as. A negative number is accepted, but
    not in a text. Raises InvalidValueError for any other `value`, such as True or
    infinity.
    """
    if isinstance(value, str):
        return _parse_decimal(value)
    if isinstance(value, Real | Decimal) and not isinstance(value, bool):
        # a float's text is the number that was typed: 0.1 is a tenth
        with suppress(ValueError):
            return Fraction(str(value))
    raise InvalidValueError("score.no_number")


def _parse_decimal(text: str) -> Fraction:
    """Read a decimal that is not negative, such as "0.5", "0,5", "½" or "1½".

    Blanks around it are allowed, and so are ".5" and "1.". Raises InvalidValueError for
    another text, or one that is too long.
    """
    number_text = expand_half_signs(text.strip()).replace(",", ".")
    whole_digits, _, fraction_digits = number_text.partition(".")
    is_number = (whole_digits + fraction_digits).isascii() and (
        whole_digits + fraction_digits
    ).isdigit()
    if not is_number or len(number_text) > MOST_DIGITS_OF_POINTS:
        raise InvalidValueError("score.no_number")
    return Fraction(f"{whole_digits or 0}.{fraction_digits or 0}")


def expand_half_signs(text: str) -> str:
    """Return a text with a ½ at its end written as .5; any other ½ stays."""
    return f"{text[:-1]}.5" if text.endswith("½") else text


def parse_rating_result(text: str) -> tuple[Fraction, Fraction]:
    """Return the points of the first and the second player in a cell such as 1-0.

    Raises UsageError if the cell is not two numbers of points with a hyphen.
    """
    try:
        first_points, second_points = map(
            parse_number_of_points, split_at_hyphens(text)
        )
    except (InvalidValueError, ValueError):
        raise UsageError("rated.no_score", found=text) from None
    return first_points, second_points
