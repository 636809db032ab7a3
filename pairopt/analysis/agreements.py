"""Test whether two opponents both gain by agreeing on results before a top cut.

Both gain if each of them is likelier to make the cut with the agreed results than if
all games of their match are played.
"""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, Unpack

import numpy as np

from pairopt.analysis import continuations
from pairopt.analysis.continuations import Continuations, GameModel
from pairopt.common.budget import TimeUpError
from pairopt.common.serialization import to_record
from pairopt.engines import engine_of
from pairopt.engines.base import EngineOptions
from pairopt.errors import UsageError
from pairopt.event.arcs import BoolArray, FloatArray
from pairopt.event.event import PLAYED, Event, Matches, in_scale
from pairopt.event.score_checks import infer_points
from pairopt.lab.play import rows_of
from pairopt.lab.statistics.estimate import estimate
from pairopt.lab.worlds import Results
from pairopt.lab.worlds.laws import Elo
from pairopt.messages import Note
from pairopt.messages.formatting import decimal_text
from pairopt.problem.build import build_problem
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.options import (
    ModelLike,
    RoundOptions,
    parse_options,
    show_keywords,
)
from pairopt.problem.problem import Problem
from pairopt.problem.round_model import model_for
from pairopt.round.solve import pair

Verdict = Literal["yes", "no", "open"]
OF_A_PAIRING = ("force", "fixed", "forbid", "bye", "no_bye", "request_bye", "drop")
"""Options that only matter while the round is not paired yet."""
SAME = 1e-12
"""The largest gain that counts as none: sums of probabilities are rounded."""
COLUMNS = (
    "event",
    "round",
    "rounds",
    "model",
    "cut",
    "table",
    "player1",
    "player2",
    "scenario",
    "probability",
    *(
        f"{quantity}{player}{end}"
        for quantity in ("chance", "gain")
        for player in (1, 2)
        for end in ("", "_low", "_high")
    ),
    "both_gain",
    "exact",
)
"""Columns of the table of agreements, which has one row per table and scenario."""


@dataclass(frozen=True, slots=True)
class CutProbability:
    """A probability of making the cut, or a difference of two probabilities.

    Attributes
    ----------
    value : float
        The value.
    low : float
        The lower end of the 95% interval.
    high : float
        The upper end of the 95% interval.
    exact : Fraction or None
        The exact value. None if the value is an estimate.
    """

    value: float
    low: float
    high: float
    exact: Fraction | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of the probability: value, ends of its interval, fraction.

        The fraction is a text such as "1/3", or None for an estimate.
        """
        fraction_text = None if self.exact is None else str(self.exact)
        return {**to_record(self, "value", "low", "high"), "exact": fraction_text}


@dataclass(frozen=True, slots=True)
class AgreementOutcome:
    """The probabilities that two opponents make the cut in one scenario.

    `both_gain` says whether both players gain from an agreement.

    Attributes
    ----------
    name : str
        The scenario: a result such as "1-0", "played", or an agreement.
    chances : pair of CutProbability
        The probability of each player.
    probability : float or None
        The probability of this result. None for other scenarios.
    gains : pair of CutProbability or None
        What each player gains compared with playing all games. Only agreements have
        gains.
    """

    name: str
    chances: tuple[CutProbability, CutProbability]
    probability: float | None = None
    gains: tuple[CutProbability, CutProbability] | None = None

    @property
    def both_gain(self) -> Verdict | None:
        """Whether both players gain from the agreement. None for other scenarios.

        It is "no" if one of them surely does not gain, "yes" if both surely do, and
        "open" if the confidence intervals do not decide it.
        """
        if self.gains is None:
            return None

        if any(player_gain.high <= SAME for player_gain in self.gains):
            return "no"
        return (
            "yes"
            if all(player_gain.low > SAME for player_gain in self.gains)
            else "open"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of the scenario.

        "gains" and "both_gain" are None unless the scenario is an agreement.
        """
        gain_records = self.gains and [
            player_gain.to_dict() for player_gain in self.gains
        ]
        return {
            "scenario": self.name,
            "probability": self.probability,
            "chances": [player_chance.to_dict() for player_chance in self.chances],
            "gains": gain_records,
            "both_gain": self.both_gain,
        }


@dataclass(frozen=True, slots=True)
class TableCutProbabilities:
    """The two players' probabilities of making the cut, for one table.

    Attributes
    ----------
    table : int
        The number of the table, 0 if the match has none.
    player1 : str
        The identifier of the first player.
    player2 : str
        The identifier of the second player.
    scenarios : tuple of AgreementOutcome
        The results of the match, the best for `player1` first, then "played" (the
        players play all games), then the agreements.
    """

    table: int
    player1: str
    player2: str
    scenarios: tuple[AgreementOutcome, ...]

    def scenario(self, name: str) -> AgreementOutcome:
        """Return the scenario of this name, such as "1-0" or "intentional_draw".

        Raise StopIteration if the table has no such scenario.
        """
        return next(scenario for scenario in self.scenarios if scenario.name == name)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: the table, the two players, and their scenarios."""
        return {
            **to_record(self, "table", "player1", "player2"),
            "scenarios": [scenario.to_dict() for scenario in self.scenarios],
        }


@dataclass(frozen=True)
class Agreements:
    """The probabilities of making the cut, with and without agreements.

    Attributes
    ----------
    event : str
        The name of the event.
    round : int
        The round in which the agreements are made.
    rounds : int
        The number of rounds before the cut.
    model : str
        The name of the model.
    cut : int
        The number of players that make the cut.
    exact : bool
        Whether all continuations were enumerated, so that the probabilities are exact.
    samples : int
        The number of random continuations for each result of a table. 0 if the
        probabilities are exact.
    tables : tuple of TableCutProbabilities
        The probabilities at each table.
    complete : bool
        Whether the computation ended before the time limit.
    notes : tuple of messages
        What you should know about the result.
    """

    event: str
    round: int
    rounds: int
    model: str
    cut: int
    exact: bool
    samples: int
    tables: tuple[TableCutProbabilities, ...]
    complete: bool
    notes: tuple[str | Note, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the agreements that the players of a table can make.

        They are those of the first table; there are none without tables.
        """
        first_scenarios = self.tables[0].scenarios if self.tables else ()
        return tuple(
            scenario.name for scenario in first_scenarios if scenario.gains is not None
        )

    def counts(self, agreement: str) -> dict[Verdict, int]:
        """Count the tables by whether both players gain by an agreement.

        `agreement` is the name of one, such as "intentional_draw". The keys are the
        verdicts "yes", "no" and "open", also those that no table has. Raise
        StopIteration if a table has no such agreement.
        """
        verdict_counts = Counter(
            table_agreements.scenario(agreement).both_gain
            for table_agreements in self.tables
        )
        return {
            "yes": verdict_counts["yes"],
            "no": verdict_counts["no"],
            "open": verdict_counts["open"],
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: the settings, and all tables with their scenarios.

        The notes are left out.
        """
        summary_record = to_record(
            self,
            "event",
            "round",
            "rounds",
            "model",
            "cut",
            "exact",
            "samples",
            "complete",
        )
        return {
            **summary_record,
            "tables": [table_agreements.to_dict() for table_agreements in self.tables],
        }

    def rows(self) -> Iterator[list[object]]:
        """Yield one row of the table of agreements per table and scenario, as a list.

        The cells are event, round, rounds, model, cut, table, player1, player2,
        scenario, probability, both players' chances and then gains, each with low and
        high end, both_gain and exact. The table number is None if the match has none.
        Scenarios that are no results have no probability, and results have no gains.
        """
        round_cells = [self.event, self.round, self.rounds, self.model, self.cut]
        for table_agreements in self.tables:
            for scenario in table_agreements.scenarios:
                yield [
                    *round_cells,
                    table_agreements.table or None,
                    table_agreements.player1,
                    table_agreements.player2,
                    scenario.name,
                    scenario.probability,
                    *_csv_cells(scenario.chances),
                    *_csv_cells(scenario.gains),
                    scenario.both_gain,
                    int(scenario.chances[0].exact is not None),
                ]


def _csv_cells(
    players: tuple[CutProbability, CutProbability] | None,
) -> list[float | None]:
    """Return the six CSV cells of both players: value, lower and upper end of each.

    Numbers are rounded to 6 decimals. None stands for a scenario without gains and
    gives six empty cells.
    """
    if players is None:
        return [None] * 6
    return [
        round(cell_value, 6)
        for probability in players
        for cell_value in (probability.value, probability.low, probability.high)
    ]


@show_keywords(RoundOptions)
def agreements(
    event: Event,
    model: ModelLike | None = None,
    *,
    cut: int,
    rounds: int | None = None,
    samples: int | None = None,
    results: Results | None = None,
    draws: float = 0.0,
    **options: Unpack[RoundKeywords],
) -> Agreements:
    """Compute whether two opponents both gain if they agree not to play all games.

    If a round is in progress, `agreements` analyses its matches without a result. With
    the option `round`, `agreements` analyses all matches of that round and ignores
    their results. If the round `round` is not paired yet, the model pairs it first.
    `agreements` has one time limit for all tables together.

    Parameters
    ----------
    event : Event
        The event, before or during the round.
    model : str, path or Model, optional
        The model that pairs the rounds until the cut; by default the event's own.
    cut : int
        The number of players that make the top cut.
    rounds : int, optional
        The number of rounds before the cut; by default the event's.
    samples : int, optional
        The number of random continuations for each result of a table, if there are too
        many to list. By default 4,000 in the last round, 200 in earlier rounds.
    results : Results, optional
        A model of game results from `pairopt.lab.worlds`, with ratings as strengths. By
        default all players have equal chances.
    draws : float
        The probability of a draw between equals.
    **options
        The options of `pairopt.solve` that concern the round.

    Returns
    -------
    Agreements
        For each table and scenario, both players' probabilities of reaching the top
        cut.

    Raises
    ------
    UsageError
        If the number of rounds or a rating is unknown, if the cut does not fit the
        event, if the round has no match without a result, if `samples` is below 2, or
        if `draws` is not between 0 and 1.
    """
    round_options = parse_options(event, RoundOptions, options, "agreements")
    budget = round_options.budget(time.monotonic())
    event = event.at_round(round_options.round)
    round_options = replace(round_options, round=None)
    if samples is not None and samples < 2:
        raise UsageError("incentive.samples_few")

    # While matches are open, the event's round is already the next one.
    round_number = event.round - bool(len(event.unscored))
    rounds = event.settings.rounds if rounds is None else rounds
    if rounds is None:
        raise UsageError("incentive.rounds_unknown")
    if rounds < round_number:
        raise UsageError("incentive.rounds_too_few", rounds=rounds, round=round_number)

    round_problem = build_problem(
        replace(event, round=round_number), model, round_options
    )
    event, may_make_cut, round_matches = _start_of_continuations(
        event, round_problem, round_options
    )
    if not 1 <= cut <= may_make_cut.sum():
        raise UsageError("incentive.cut_unfit", cut=cut, most=int(may_make_cut.sum()))

    if not samples:
        is_last_round = round_number == rounds
        samples = continuations.SAMPLES if is_last_round else continuations.FEWER
    points_per_game = infer_points(event, round_problem.model.games)
    game_model = _build_game_model(event, results, draws)
    cut_line = continuations.CutLine(event, round_matches, cut, may_make_cut)
    round_continuations = Continuations(
        cut_line,
        rounds,
        points_per_game,
        game_model,
        model_for(event, model),
        samples,
        budget.seed,
    )

    probabilities_by_table = list[TableCutProbabilities]()
    is_complete = True
    try:
        for open_match_index in range(len(round_continuations.open_rows)):
            budget.check()
            probabilities_by_table.append(
                compute_table_chances(round_continuations, open_match_index)
            )
    except TimeUpError:
        is_complete = False

    return Agreements(
        event.source,
        round_number,
        rounds,
        round_problem.model.name,
        cut,
        round_continuations.exact,
        0 if round_continuations.exact else samples,
        tuple(probabilities_by_table),
        is_complete,
        round_problem.notes,
    )


def _start_of_continuations(
    event: Event, problem: Problem, options: RoundOptions
) -> tuple[Event, BoolArray, Matches]:
    """Pair the round if needed, and return what its continuations start from.

    `problem` is the problem of the round. The three values are the event before the
    round, a mask over its players of those who may make the cut, and the round's
    matches. In a round in progress finished matches keep their results; in a round that
    `Event.at_round` chose, only forfeits do. Byes get their points. The scale of points
    is large enough for all results. Raise UsageError if no match is open, if the round
    cannot be paired, or for an option that only matters before the pairing.
    """
    round_number = problem.state.event.round
    round_matches = event.matches.paired_rows(round_number)
    may_make_cut = event.active | event.away
    event_before = replace(event, round=round_number)

    is_paired = round_number < event.round or bool(len(round_matches))
    if is_paired:
        unfit_options = [
            option_name for option_name in OF_A_PAIRING if getattr(options, option_name)
        ]
        if unfit_options:
            option_words = unfit_options[0].replace("_", "-")
            raise UsageError(
                "incentive.paired_already", round=round_number, option=option_words
            )
        if round_number == event.round:
            round_matches = replace(
                round_matches,
                scored=round_matches.scored & (round_matches.status != PLAYED),
            )
    else:
        event_before = problem.state.event
        may_make_cut = event_before.active | event_before.away
        engine_name = engine_of(problem, options)
        round_result = pair(
            problem, engine_name, EngineOptions(problem.model.objective)
        )
        if round_result.arcs is None:
            raise UsageError("incentive.no_tables", round=round_number)
        round_matches = rows_of([round_result], round_number)

    event_points = infer_points(problem.state.event, problem.model.games)
    possible_points = [
        result_points
        for point_pair in event_points.results
        for result_points in point_pair
    ]
    possible_points.append(event_points.allocated_bye)
    event_before = replace(
        event_before, settings=replace(event.settings, points=event_points)
    )
    event_before = in_scale(event_before, possible_points)

    scale_factors = round_matches.scored * (event_before.scale // event.scale)
    round_matches = replace(
        round_matches,
        score1=round_matches.score1 * scale_factors,
        score2=round_matches.score2 * scale_factors,
    )
    round_matches = continuations.with_byes(
        round_matches, event_points, event_before.scale
    )
    if not round_matches.open.any():
        raise UsageError("incentive.nothing_open", round=event_before.round)
    return event_before, may_make_cut, round_matches


def _build_game_model(event: Event, results: Results | None, draws: float) -> GameModel:
    """Build the model of how games end, with ratings as strengths.

    Without `results` everybody is equally strong, and results follow Elo's law. `draws`
    is the probability of a draw between equals. Raise UsageError if it is not between 0
    and 1, or if `results` is given and a player has no rating.
    """
    if not 0 <= draws <= 1:
        raise UsageError("incentive.draws_unfit")

    if results is None:
        return GameModel(np.zeros(len(event.players)), Elo(), draws)

    if not event.rated.all():
        raise UsageError("incentive.unrated")
    return GameModel(event.rating / event.rating_scale, results, draws)


def compute_table_chances(future: Continuations, table: int) -> TableCutProbabilities:
    """Compute both players' cut probabilities at a table, in each of its scenarios.

    `future` has the continuations of the round, and `table` is the index of the match
    among its open ones, from 0. The scenarios are the possible results, then "played",
    then the agreements with their gains. Continuations are only enumerated or drawn for
    this table if points alone do not decide for both players.
    """
    open_matches = future.open_rows
    match_outcomes = future.outcomes
    result_count = len(match_outcomes.results)
    honest_probabilities = match_outcomes.honest[table]

    # Each player's cut probability after each result, or its samples.
    decided_by_points = future.decide_by_points(table)
    values_by_player: continuations.Values = ([], [])
    if None in decided_by_points:
        values_by_player = future.values(table)
    cut_values_by_player = [
        values_by_player[player_index]
        if makes_cut is None
        else [Fraction(makes_cut)] * result_count
        for player_index, makes_cut in enumerate(decided_by_points)
    ]

    def weigh(
        weights: FloatArray, width: float = 1.0
    ) -> tuple[CutProbability, CutProbability]:
        """Return both players' cut probabilities if results have these weights.

        `weights` has one number per result. For a difference of two scenarios, `width`
        is 2 and weights may be negative.
        """
        first_player, second_player = (
            _weighted_mean(values_of_player, weights, width)
            for values_of_player in cut_values_by_player
        )
        return first_player, second_player

    result_names = [
        "-".join(map(decimal_text, result_points))
        for result_points in match_outcomes.results
    ]
    scenarios = [
        AgreementOutcome(
            result_name,
            weigh(np.eye(result_count)[result_index]),
            float(honest_probabilities[result_index]),
        )
        for result_index, result_name in enumerate(result_names)
    ]
    scenarios.append(AgreementOutcome("played", weigh(honest_probabilities)))
    for agreement_name, agreed_probabilities in match_outcomes.agreed.items():
        player_gains = weigh(agreed_probabilities[table] - honest_probabilities, 2.0)
        scenarios.append(
            AgreementOutcome(
                agreement_name, weigh(agreed_probabilities[table]), None, player_gains
            )
        )

    player1 = future.event.players[int(open_matches.first[table])]
    player2 = future.event.players[int(open_matches.second[table])]
    table_number = int(open_matches.table[table])
    return TableCutProbabilities(table_number, player1, player2, tuple(scenarios))


def _weighted_mean(
    values: list[Fraction] | FloatArray, weights: FloatArray, width: float
) -> CutProbability:
    """Return a player's cut probability over all results, each with its weight.

    `values` are the player's probabilities after each result, as fractions, or samples
    of shape (results, samples). `weights` has one number per result. From fractions the
    result is exact. From samples the mean is estimated with its interval. `width` is
    the range of a weighted sample: 1 for probabilities, 2 for differences, whose
    weights may be negative.
    """
    if isinstance(values, list):
        weighted_terms = (
            Fraction(float(weight)) * result_probability
            for weight, result_probability in zip(weights, values, strict=True)
        )
        weighted_sum = sum(weighted_terms, Fraction())
        return CutProbability(
            float(weighted_sum), float(weighted_sum), float(weighted_sum), weighted_sum
        )

    weighted_samples = weights @ values
    mean_estimate = estimate(weighted_samples, weighted_samples, width)
    lowest_possible = -1.0 if width > 1 else 0.0
    return CutProbability(
        mean_estimate.mean, *mean_estimate.limits(inside=(lowest_possible, 1.0))
    )
