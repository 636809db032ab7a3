"""Hold the probabilities of a round's possible pairings, player by player."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, Literal, get_args

from pairopt.common.serialization import to_record
from pairopt.errors import UsageError
from pairopt.event.event import NO_RATING
from pairopt.messages import Message, Note, message
from pairopt.problem.problem import Problem
from pairopt.sampling.drawing import ChainDiagnostics, chains

OddsStatus = Literal["optimal", "infeasible", "unknown"]
Measure = Literal["rating", "score"]
"""What the strength of an opponent is measured by."""
COLUMNS: Final = (
    "event",
    "round",
    "model",
    "player1",
    "player2",
    "fraction",
    "probability",
    "low",
    "high",
)
"""Columns of the table of odds, which has one row per pair of players who may meet."""
EXPECTED: Final = ("bye", "floats_down", "floats_up", "first_side", "strength")


@dataclass(frozen=True, slots=True)
class MeetingProbability:
    """The probability that a player meets a certain opponent, or has the bye.

    Attributes
    ----------
    player : str
        The identifier of the player.
    opponent : str or None
        The identifier of the opponent. None stands for the bye.
    probability : float
        The probability.
    low : float
        The lower end of the 95% interval of an estimate.
    high : float
        The upper end of the 95% interval of an estimate.
    exact : Fraction or None
        The exact probability. None for an estimate.
    """

    player: str
    opponent: str | None
    probability: float
    low: float
    high: float
    exact: Fraction | None = None

    @property
    def shown(self) -> str:
        """The probability as text, such as "23.1 %", or "certain".

        An estimate has a tilde before it.
        """
        if self.exact == 1:
            return "certain"
        estimate_mark = "~" if self.exact is None else ""
        return f"{estimate_mark}{100 * self.probability:.3g} %"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, in which "player" is the opponent.

        The bye is None.
        """
        fraction_text = None if self.exact is None else str(self.exact)
        return {
            "player": self.opponent,
            "probability": self.probability,
            "fraction": fraction_text,
            **to_record(self, "low", "high"),
        }


@dataclass(frozen=True, slots=True)
class PlayerProbabilities:
    """The probabilities of what can happen to one player in a round.

    Exact probabilities are fractions, and estimated probabilities are floats.

    Attributes
    ----------
    player : str
        The identifier of the player.
    bye : Fraction or float
        The probability of the bye.
    floats_down : Fraction or float
        The probability of an opponent with fewer points.
    floats_up : Fraction or float
        The probability of an opponent with more points.
    first_side : Fraction, float or None
        The probability of the first side. None in a game without sides.
    strength : Fraction, float or None
        The mean strength of the opponent. None if only the bye is possible.
    chances : tuple of MeetingProbability
        The possible opponents, the most probable first.
    """

    player: str
    bye: Fraction | float
    floats_down: Fraction | float
    floats_up: Fraction | float
    first_side: Fraction | float | None
    strength: Fraction | float | None
    chances: tuple[MeetingProbability, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; each probability has its decimals and its fraction.

        Values that do not exist, such as sides in an event without sides, are None.
        """
        value_records = {
            field_name: _value_to_dict(getattr(self, field_name))
            for field_name in EXPECTED
        }
        opponents = [chance.to_dict() for chance in self.chances]
        return {"player": self.player, **value_records, "opponents": opponents}


def _value_to_dict(value: Fraction | float | None) -> dict[str, Any] | None:
    """Return the JSON form of a probability or strength; None stays None.

    It has the decimal value, and the fraction as text, which is None for an estimate.
    """
    if value is None:
        return None
    fraction_text = str(value) if isinstance(value, Fraction) else None
    return {"value": float(value), "fraction": fraction_text}


@dataclass(frozen=True)
class Odds:
    """The probabilities of what can happen to each player in a round.

    Attributes
    ----------
    event : str
        The name of the event.
    round : int
        The number of the round, from 1.
    model : str
        The name of the model.
    status : OddsStatus
        Whether the odds could be computed.
    by : Measure
        What measures an opponent's strength: rating or score.
    players : tuple of PlayerProbabilities
        The probabilities of each player, in the order of the event.
    draws : int
        The number of random pairings. 0 if all probabilities are exact.
    chained : tuple of ChainDiagnostics
        Parts of the field that were sampled by a Markov chain, which is approximate.
    notes : tuple of messages
        What you should know about the result.
    """

    event: str
    round: int
    model: str
    status: OddsStatus
    by: Measure
    players: tuple[PlayerProbabilities, ...] = ()
    draws: int = 0
    chained: tuple[ChainDiagnostics, ...] = ()
    notes: tuple[str | Note, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether all probabilities are exact; False if there are none."""
        return self.status == "optimal" and not self.draws

    def only(self, player: str) -> "Odds":
        """Return a copy of the odds with one player alone; `player` is an identifier.

        Raise UsageError if the player is not in the round.
        """
        matching_players = tuple(
            player_odds for player_odds in self.players if player_odds.player == player
        )
        if not matching_players:
            raise UsageError("player.not_paired", player=player, round=self.round)
        return replace(self, players=matching_players)

    def words(self) -> list[Message]:
        """Return sentences that say whether the odds are exact or estimated.

        Odds that could not be computed count as estimates. For estimates there is one
        more sentence per component that a Markov chain drew.
        """
        if self.exact:
            return [message("lot.all_exact")]

        odds_sentences = [message("lot.some_drawn", draws=self.draws)]
        for chain_diagnostics in self.chained:
            r_hat_text = f"{chain_diagnostics.r_hat:.3f}"
            odds_sentences.append(
                message(
                    "lot.some_chained",
                    players=chain_diagnostics.players,
                    r_hat=r_hat_text,
                )
            )
        return odds_sentences

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Yield one row of the table of odds per pair of players who may meet.

        The cells are event, round, model, player1, player2, fraction, probability, low
        and high, the last three as texts. Each pair comes once, under the player who is
        listed first. `player2` is None for the bye, and `fraction` is "" for an
        estimate.
        """
        position_of_player = {
            player_odds.player: player_position
            for player_position, player_odds in enumerate(self.players)
        }
        for listed_player in self.players:
            for meeting in listed_player.chances:
                # Each pair once, under the player who is listed first.
                opponent_position = position_of_player.get(
                    meeting.opponent or "", len(position_of_player)
                )
                if opponent_position > position_of_player[listed_player.player]:
                    yield (
                        self.event,
                        self.round,
                        self.model,
                        listed_player.player,
                        meeting.opponent,
                        "" if meeting.exact is None else str(meeting.exact),
                        f"{meeting.probability:.6g}",
                        f"{meeting.low:.6g}",
                        f"{meeting.high:.6g}",
                    )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; exact probabilities are also texts such as "1/3".

        Notes are left out.
        """
        summary_record = to_record(
            self, "event", "round", "model", "status", "by", "exact", "draws"
        )
        players = [player.to_dict() for player in self.players]
        return {
            **summary_record,
            "chains": chains(self.chained, "players"),
            "players": players,
        }


def measure_of(problem: Problem, by: Measure | None) -> Measure:
    """Return the measure of strength to use: `by` itself, or by default the best one.

    By default it is the rating if everybody has one, otherwise the score. Raise
    UsageError for an unknown measure, or for "rating" if a player has no rating.
    """
    has_unrated_players = bool((problem.state.rating == NO_RATING).any())
    if by not in (None, *get_args(Measure)):
        raise UsageError("lot.measure", found=by)
    if by == "rating" and has_unrated_players:
        raise UsageError("lot.no_ratings")
    if by is None:
        return "score" if has_unrated_players else "rating"
    return by


def strengths(problem: Problem, by: Measure) -> list[Fraction]:
    """Return each player's rating or score as a fraction, by position in the state.

    `by` says which of the two measures strength. A score is in points, and a rating in
    rating points.
    """
    state = problem.state
    if by == "rating":
        rating_scale = state.event.rating_scale
        return [
            Fraction(scaled_rating, rating_scale)
            for scaled_rating in state.rating.tolist()
        ]
    return [
        Fraction(scaled_score, state.scale) for scaled_score in state.score.tolist()
    ]
