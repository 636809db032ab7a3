"""Chances: what may come of a round, player by player."""

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
Measure = Literal["rating", "score"]  # what makes an opponent strong
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
EXPECTED: Final = ("bye", "floats_down", "floats_up", "first_side", "strength")


@dataclass(frozen=True, slots=True)
class MeetingProbability:
    """How likely two players meet (None: the bye), `exact` or in a 95 % interval."""

    player: str
    opponent: str | None
    probability: float
    low: float
    high: float
    exact: Fraction | None = None

    @property
    def shown(self) -> str:
        """In per cent; an estimate after a tilde."""
        if self.exact == 1:
            return "certain"
        return f"{'' if self.exact is not None else '~'}{100 * self.probability:.3g} %"

    def to_dict(self) -> dict[str, Any]:
        fraction = None if self.exact is None else str(self.exact)
        return {
            "player": self.opponent,
            "probability": self.probability,
            "fraction": fraction,
            **to_record(self, "low", "high"),
        }


@dataclass(frozen=True, slots=True)
class PlayerProbabilities:
    """What a player may expect; fractions where exact. `first_side` (None without sides) and the
    opponents' mean `strength` (None where only the bye is possible) are those of matches.
    """

    player: str
    bye: Fraction | float
    floats_down: Fraction | float
    floats_up: Fraction | float
    first_side: Fraction | float | None
    strength: Fraction | float | None
    chances: tuple[MeetingProbability, ...]

    def to_dict(self) -> dict[str, Any]:
        values = {
            name: None
            if (value := getattr(self, name)) is None
            else {
                "value": float(value),
                "fraction": str(value) if isinstance(value, Fraction) else None,
            }
            for name in EXPECTED
        }
        opponents = [chance.to_dict() for chance in self.chances]
        return {"player": self.player, **values, "opponents": opponents}


@dataclass(frozen=True)
class Odds:
    """The odds of a round: its players as listed, their likeliest chances first. `by` is what makes
    opponents strong; `chained` are parts that only a Markov chain could draw, approximately.
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
        return self.status == "optimal" and not self.draws

    def only(self, player: str) -> "Odds":
        """Those of one player. Raises UsageError for who is not in the round."""
        if not (players := tuple(one for one in self.players if one.player == player)):
            raise UsageError("player.not_paired", player=player, round=self.round)
        return replace(self, players=players)

    def words(self) -> list[Message]:
        if self.exact:
            return [message("lot.all_exact")]
        said = [message("lot.some_drawn", draws=self.draws)]
        runs = ((run.players, f"{run.r_hat:.3f}") for run in self.chained)
        return said + [
            message("lot.some_chained", players=many, r_hat=r_hat)
            for many, r_hat in runs
        ]

    def rows(self) -> Iterator[tuple[object, ...]]:
        """A row each two players who may meet, by `COLUMNS`; `player2` is empty for the bye."""
        place = {one.player: k for k, one in enumerate(self.players)}
        for one in self.players:
            for chance in one.chances:
                if place.get(chance.opponent or "", len(place)) > place[one.player]:
                    yield (
                        self.event,
                        self.round,
                        self.model,
                        one.player,
                        chance.opponent,
                        "" if chance.exact is None else str(chance.exact),
                        *(
                            f"{each:.6g}"
                            for each in (chance.probability, chance.low, chance.high)
                        ),
                    )

    def to_dict(self) -> dict[str, Any]:
        """The JSON form; exact probabilities are texts as 1/3 beside their decimals."""
        head = to_record(
            self, "event", "round", "model", "status", "by", "exact", "draws"
        )
        players = [one.to_dict() for one in self.players]
        return {**head, "chains": chains(self.chained, "players"), "players": players}


def measure_of(problem: Problem, by: Measure | None) -> Measure:
    """The measure that is asked for; by default the rating where everybody has one. Raises
    UsageError for another one, or ratings that are not there.
    """
    unrated = bool((problem.state.rating == NO_RATING).any())
    if by not in (None, *get_args(Measure)):
        raise UsageError("lot.measure", found=by)
    if by == "rating" and unrated:
        raise UsageError("lot.no_ratings")
    return by or ("score" if unrated else "rating")


def strengths(problem: Problem, by: Measure) -> list[Fraction]:
    state = problem.state
    if by == "rating":
        return [
            Fraction(each, state.event.rating_scale) for each in state.rating.tolist()
        ]
    return [Fraction(score, state.scale) for score in state.score.tolist()]
