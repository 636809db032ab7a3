"""Compute whom players can meet after a win, draw or loss, and if losing pays.

The result of one match is changed at a time. After each result the next round has a set
of optimal pairings, and so a player has a set of possible opponents. A worse result
helps `certainly` if every opponent after it is weaker than every one after the better
result, `never` if none is weaker than any, and `possibly` in between. Points are not
weighed against opponents.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, Unpack, get_args

import numpy as np

from pairopt.analysis.chances import Measure, measure_of
from pairopt.common.budget import Budget, TimeUpError
from pairopt.common.serialization import to_record
from pairopt.engines import EXACT, engine_of, require_exact, solve_by
from pairopt.engines.base import EngineError, EngineOptions
from pairopt.errors import UsageError
from pairopt.event.arcs import BYE, Arcs, IntArray
from pairopt.event.event import PLAYED, Event, in_scale
from pairopt.event.score_checks import infer_points
from pairopt.messages import Note
from pairopt.problem.build import build_problem
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.model_file import Objective
from pairopt.problem.options import (
    ModelLike,
    RoundOptions,
    parse_options,
    show_keywords,
)
from pairopt.problem.problem import Problem
from pairopt.round.check_event import list_rounds, select_new_notes
from pairopt.round.solve import pair
from pairopt.rules.base import Constraint
from pairopt.rules.constraints.requested import ForcedBye, ForcedPairs
from pairopt.sampling.choose_optimal import require_choosable
from pairopt.sampling.markov_chain import cheapest_optimum
from pairopt.sampling.optimal_pairings import PairingComponent, optima_of

Opponents = dict[int, frozenset[int]]
"""Each player's opponents in optimal pairings (BYE for the bye), by position."""


def find_opponents(
    problem: Problem,
    arcs: Arcs,
    objective: Objective,
    players: Iterable[int],
    budget: Budget,
) -> Opponents:
    """Find all opponents of some players in optimal pairings.

    `arcs` is one optimal pairing, and `objective` says how levels are compared. Players
    are positions in the state, also in the result, and BYE is an opponent, too. For a
    pairing system they are the opponents in `arcs`. Otherwise optimal pairings are the
    perfect matchings of the pairs that proven duals leave. The search draws pairings
    with as many new opponents as possible, until one has no new ones. Raise TimeUpError
    when the deadline passes.
    """
    player_positions = [*players]
    # The levels of a pairing system leave one pairing.
    if problem.system is not None:
        opponent_of_player = {
            first_player: second_player
            for arc_pair in arcs.pairs
            for first_player, second_player in (arc_pair, arc_pair[::-1])
        }
        return {
            player: frozenset({opponent_of_player[player]})
            for player in player_positions
        }

    opponents: Opponents = {}
    for component in optima_of(problem, arcs, objective, budget).components:
        wanted_indices_in_component = np.flatnonzero(
            np.isin(component.players, player_positions)
        )
        if not len(wanted_indices_in_component):
            continue
        possible_pairs = _find_possible_pairs(
            component, wanted_indices_in_component, budget
        )
        for index_in_component in wanted_indices_in_component.tolist():
            opponent_positions = component.players[
                np.flatnonzero(possible_pairs[index_in_component])
            ].tolist()
            player = int(component.players[index_in_component])
            opponents[player] = frozenset(
                BYE if opponent == len(problem) else opponent
                for opponent in opponent_positions
            )
    return opponents


def _find_possible_pairs(
    component: PairingComponent, indices: IntArray, budget: Budget
) -> IntArray:
    """Find which pairs are in some optimal pairing, by drawing pairings with new pairs.

    Returns a matrix with 1 for each possible pair, shape (k, k), k being the number of
    players in the component. Only the rows of `indices`, the wanted players by their
    index in it, are complete; others may have 0 for a possible pair. Raise TimeUpError
    when the deadline passes.
    """
    first_players, second_players = np.nonzero(np.triu(component.code))
    wanted_end_counts = np.isin(first_players, indices) * 1 + np.isin(
        second_players, indices
    )
    found_pair_matrix = np.zeros((len(component), len(component)), np.int64)
    while True:
        budget.check()
        pair_prices = (
            found_pair_matrix[first_players, second_players] * wanted_end_counts
        )
        known_player_count, partner_by_index_in_component = cheapest_optimum(
            component, pair_prices, budget
        )
        # Every wanted player has an opponent that was found before.
        if known_player_count == len(indices):
            return found_pair_matrix
        found_pair_matrix[np.arange(len(component)), partner_by_index_in_component] = 1


def certify(
    problem: Problem,
    arcs: Arcs,
    options: EngineOptions,
    engine: str,
    opponents: Opponents,
) -> None:
    """Check possible opponents by forcing each player to meet everybody in turn.

    `arcs` is an optimal pairing, `opponents` has the possible opponents of some
    players, and `engine` is the name of the engine that solves. A forced pair must
    reach the optimum of `arcs` exactly if it is among `opponents`. Players are
    positions in the state. Raise EngineError for a pair that is wrongly among them or
    missing, and TimeUpError if the engine does not finish.
    """
    optimal_values = _objective_values(problem, arcs, options.objective)
    player_ids = problem.state.player
    possible_opponents = [*range(len(problem))]
    if problem.state.odd:
        possible_opponents.append(BYE)

    for player, player_opponents in opponents.items():
        for opponent in possible_opponents:
            if opponent == player:
                continue
            forcing_rule: Constraint = ForcedBye(int(player_ids[player]))
            if opponent != BYE:
                pair_ids = (int(player_ids[player]), int(player_ids[opponent]))
                forcing_rule = ForcedPairs((pair_ids,))
            forced_problem = replace(
                problem, constraints=(*problem.constraints, forcing_rule)
            )
            forced_solution = solve_by(engine, forced_problem, options)
            if forced_solution.status not in ("optimal", "infeasible"):
                raise TimeUpError

            is_reached = False
            if forced_solution.arcs is not None:
                forced_values = _objective_values(
                    problem, forced_solution.arcs, options.objective
                )
                is_reached = forced_values == optimal_values
            if is_reached != (opponent in player_opponents):
                player_names = problem.state.names
                opponent_name = "bye" if opponent == BYE else player_names[opponent]
                pair_text = f"{player_names[player]} - {opponent_name}"
                message_kind = "incentive.forced_falls_short"
                if is_reached:
                    message_kind = "incentive.forced_reaches"
                raise EngineError(message_kind, engine=engine, who=pair_text)


def _objective_values(problem: Problem, arcs: Arcs, objective: Objective) -> list[int]:
    """Return a pairing's values of all levels, in their order.

    For a weighted objective it is a list with their weighted sum alone.
    """
    level_values = problem.totals(arcs)
    weights = problem.weights(objective)
    if weights is None:
        return level_values
    weighted_values = (
        level_weight * level_value
        for level_weight, level_value in zip(weights, level_values, strict=True)
    )
    return [sum(weighted_values)]


Outcome = Literal["win", "draw", "loss"]
Helps = Literal["certainly", "possibly", "never", "unknown"]
ByeCounts = Literal["weakest", "strongest"]
OUTCOMES: tuple[Outcome, ...] = ("win", "draw", "loss")
CHANGES: tuple[tuple[Outcome, Outcome], ...] = tuple(combinations(OUTCOMES, 2))
"""Pairs of a better result and a worse one."""
COLUMNS = (
    "event",
    "round",
    "model",
    "by",
    "table",
    "player",
    "opponent",
    "result",
    *(f"after_{outcome}" for outcome in OUTCOMES),
    *(f"{worse}_for_{better}" for better, worse in CHANGES),
)
"""Columns of the table of prospects; `round` is the one whose results are changed."""
FAR = 2**62
"""The strength of the bye as a number beyond any rating and any score."""
MIRRORED: Mapping[Outcome, Outcome] = {"win": "loss", "draw": "draw", "loss": "win"}
"""The opponent's outcome for each outcome of a player."""


@dataclass(frozen=True, slots=True)
class NextOpponents:
    """The possible next opponents of a player after a result, weakest first.

    In `opponents` None is the bye. `strengths` has the rating or score of each, as
    whole numbers; that of the bye is beyond all others. `known` is False if the
    deadline came first, or if there is no pairing; then both are empty.
    """

    opponents: tuple[str | None, ...] = ()
    strengths: tuple[int, ...] = ()
    known: bool = False


@dataclass(frozen=True)
class PlayerProspect:
    """The possible next opponents of a player, after each result of one match.

    Attributes
    ----------
    table : int
        The number of the match's table, 0 if it has none.
    player : str
        The identifier of the player.
    opponent : str
        The identifier of the opponent in the match.
    result : str
        The result of the match as it was played.
    after : mapping
        The possible next opponents after a win, a draw and a loss.
    """

    table: int
    player: str
    opponent: str
    result: str
    after: Mapping[Outcome, NextOpponents]

    def helps(self, better: Outcome, worse: Outcome) -> Helps:
        """Return whether the worse of two results leads to a weaker next opponent.

        `better` and `worse` are "win", "draw" or "loss". "certainly" means that every
        opponent is weaker, "possibly" that one is, "never" that none is. Return
        "unknown" if the opponents after one result are not known.
        """
        opponents_after_better = self.after[better]
        opponents_after_worse = self.after[worse]
        if not (opponents_after_better.known and opponents_after_worse.known):
            return "unknown"

        if opponents_after_worse.strengths[-1] < opponents_after_better.strengths[0]:
            return "certainly"
        if opponents_after_worse.strengths[0] < opponents_after_better.strengths[-1]:
            return "possibly"
        return "never"


@dataclass(frozen=True)
class Incentives:
    """The possible next opponents of each player after a win, a draw and a loss.

    Attributes
    ----------
    event : str
        The name of the event.
    round : int
        The round in which the next opponents play.
    model : str
        The name of the model.
    by : Measure
        What makes an opponent weaker: a lower rating or a lower score.
    bye_counts : ByeCounts
        Whether the bye counts as the weakest or the strongest opponent.
    prospects : tuple of PlayerProspect
        The possible opponents of each player.
    complete : bool
        Whether the computation ended before the time limit.
    impossible : int
        The number of results after which no pairing satisfies the constraints.
    notes : tuple of messages
        What you should know about the result.
    """

    event: str
    round: int
    model: str
    by: Measure
    bye_counts: ByeCounts
    prospects: tuple[PlayerProspect, ...]
    complete: bool
    impossible: int
    notes: tuple[str | Note, ...] = ()

    def counts(self, better: Outcome, worse: Outcome) -> dict[Helps, int]:
        """Count the players whom the worse of two results helps, and the others.

        `better` and `worse` are "win", "draw" or "loss". The keys are the verdicts
        "certainly", "possibly", "never" and "unknown", also those that no player has.
        """
        verdicts = Counter(prospect.helps(better, worse) for prospect in self.prospects)
        return {verdict: verdicts[verdict] for verdict in get_args(Helps)}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: the settings, and an entry with verdicts per player.

        The notes, and the number of impossible results, are left out.
        """
        return {
            **to_record(
                self, "event", "round", "model", "by", "bye_counts", "complete"
            ),
            "players": [_prospect_to_dict(prospect) for prospect in self.prospects],
        }


def _prospect_to_dict(prospect: PlayerProspect) -> dict[str, Any]:
    """Return the JSON form of a player's prospects.

    The keys are `table`, `player`, `opponent`, `result`, `after` and `helps`. `after`
    has the list of possible next opponents for each outcome. It is None if they are not
    known; None in the list is the bye. `helps` says for each change 'X for Y' how
    surely the worse outcome X leads to a weaker next opponent than Y.
    """
    opponents_by_outcome = {
        outcome: list(next_opponents.opponents) if next_opponents.known else None
        for outcome, next_opponents in prospect.after.items()
    }
    verdicts = {
        f"{worse_outcome} for {better_outcome}": prospect.helps(
            better_outcome, worse_outcome
        )
        for better_outcome, worse_outcome in CHANGES
    }
    return {
        **to_record(prospect, "table", "player", "opponent", "result"),
        "after": opponents_by_outcome,
        "helps": verdicts,
    }


def prospect_rows(incentives: Incentives) -> Iterator[list[object]]:
    """Yield one row of the table of `incentives` per player, as a list of cells.

    The cells are event, round, model, by, table, player, opponent, result, the
    opponents after a win, draw and loss, and the verdicts on draw for win, loss for win
    and loss for draw. The round is the one whose results are changed. Opponents after a
    result are separated by semicolons, the weakest first; None if they are not known.
    """
    for prospect in incentives.prospects:
        opponent_cells = [
            _opponents_cell(prospect.after[outcome]) for outcome in OUTCOMES
        ]
        verdicts = [
            prospect.helps(better_outcome, worse_outcome)
            for better_outcome, worse_outcome in CHANGES
        ]
        yield [
            incentives.event,
            incentives.round - 1,
            incentives.model,
            incentives.by,
            prospect.table or None,
            prospect.player,
            prospect.opponent,
            prospect.result,
            *opponent_cells,
            *verdicts,
        ]


def _opponents_cell(next_opponents: NextOpponents) -> str | None:
    """Return a CSV cell with the names in `next_opponents`, separated by semicolons.

    The weakest comes first. The bye is called "BYE". The cell is None if the opponents
    are not known.
    """
    if not next_opponents.known:
        return None
    return ";".join(
        opponent_name or "BYE" for opponent_name in next_opponents.opponents
    )


AfterResults = dict[tuple[int, Outcome], Mapping[int, NextOpponents] | None]
"""The next opponents by player, for each row and outcome of its first player.

None stands for a result after which there is no pairing.
"""


@show_keywords(RoundOptions)
def incentive(
    event: Event,
    model: ModelLike | None = None,
    *,
    by: Measure | None = None,
    bye_counts: ByeCounts = "weakest",
    verify: bool = False,
    **options: Unpack[RoundKeywords],
) -> Incentives:
    """Compute whether losing a match leads to a weaker opponent in the next round.

    `incentive` changes the result of one match of the last round at a time, and keeps
    all other results. `incentive` does not change byes and forfeits. The time limit of
    `incentive` covers all matches together.

    Parameters
    ----------
    event : Event
        The event with the rounds that have been played.
    model : str, path or Model, optional
        The model that pairs the round; by default the event's own, otherwise
        "standard".
    by : {"rating", "score"}, optional
        What makes an opponent weaker: a lower rating, or a lower score before the
        paired round. By default the rating if everybody has one.
    bye_counts : {"weakest", "strongest"}
        Whether the bye counts as the weakest or the strongest opponent.
    verify : bool
        Whether both exact engines check the possible opponents, by forcing each match
        in turn.
    **options
        The options of `pairopt.solve` that concern the round.

    Returns
    -------
    Incentives
        For each player, the possible next opponents after each result.

    Raises
    ------
    UsageError
        If no match of the last round was played (before round 1, for example), if the
        model has a lookahead, if the engine cannot prove an optimum, or if ratings are
        missing.

    Examples
    --------
    >>> import pairopt
    >>> event = pairopt.read_event("examples/weekly")
    >>> pairopt.incentive(event).counts("win", "loss")
    {'certainly': 35, 'possibly': 1, 'never': 0, 'unknown': 0}
    """
    if bye_counts not in get_args(ByeCounts):
        raise UsageError("incentive.bye_counts_unfit", found=bye_counts)

    round_options = parse_options(event, RoundOptions, options, "incentive")
    budget = round_options.budget(time.monotonic())
    event = event.at_round(round_options.round)
    problem = build_problem(event, model, round_options)
    engine_name = engine_of(problem, round_options)
    require_exact(engine_name, "the list of possible opponents needs an exact engine.")
    require_choosable(problem)
    by = measure_of(problem, by)

    event_matches = event.matches
    is_played_last_round = (event_matches.round == event.round - 1) & (
        event_matches.status == PLAYED
    )
    changeable_rows = np.flatnonzero(is_played_last_round).tolist()
    if not changeable_rows:
        raise UsageError("incentive.nothing_played", round=event.round - 1)

    points_per_game = infer_points(problem.state.event, problem.model.games)
    if problem.model.win is None:
        event = replace(event, settings=replace(event.settings, points=points_per_game))
    points_by_outcome = {
        outcome: getattr(points_per_game, outcome) for outcome in OUTCOMES
    }
    event = in_scale(event, points_by_outcome.values())
    scaled_points_by_outcome = {
        outcome: int(outcome_points * event.scale)
        for outcome, outcome_points in points_by_outcome.items()
    }

    result_question = _ResultQuestion(
        model, round_options, engine_name, by, bye_counts, verify, budget
    )
    opponents_after_results, is_complete = _try_all_results(
        result_question, event, scaled_points_by_outcome, changeable_rows
    )
    return Incentives(
        event.source,
        event.round,
        problem.model.name,
        by,
        bye_counts,
        tuple(
            _list_prospects(event, problem, opponents_after_results, changeable_rows)
        ),
        is_complete,
        sum(opponents is None for opponents in opponents_after_results.values()),
        problem.notes,
    )


@show_keywords(RoundOptions)
def incentives(
    event: Event, model: ModelLike | None = None, **options: Unpack[RoundKeywords]
) -> Iterator[Incentives]:
    """Compute whether a worse result gives weaker opponents, from round 2 on.

    If the event may have another round, `incentives` also covers the next round.

    Parameters
    ----------
    event : Event
        The event with the rounds that have been played.
    model : str, path or Model, optional
        The model that pairs the rounds; by default the event's own, otherwise
        "standard".
    **options
        The options of `incentive` and of `pairopt.solve` that concern the round.

    Yields
    ------
    Incentives
        The incentives before one round.

    Raises
    ------
    UsageError
        If `incentive` raises it for a round.

    Examples
    --------
    >>> import pairopt
    >>> event = pairopt.read_event("examples/weekly")
    >>> [incentives.round for incentives in pairopt.incentives(event)]
    [2, 3, 4, 5, 6]
    """
    for round_event, round_options in list_rounds(event, options):
        if round_options["round"] > 1:
            round_incentives = incentive(round_event, model, **round_options)
            new_notes = select_new_notes(
                round_event, round_incentives.round, round_incentives.notes
            )
            yield replace(round_incentives, notes=new_notes)
    if not len(event.unscored) and event.round - 1 != event.settings.rounds:
        yield incentive(event, model, **options)


@dataclass(frozen=True)
class _ResultQuestion:
    """How the round after a changed result is paired, and what is asked about it.

    It has the model, its options, the engine, the deadline, how opponents are ranked,
    and whether both exact engines check the opponents.
    """

    model: ModelLike | None
    options: RoundOptions
    engine: str
    by: Measure
    bye_counts: ByeCounts
    verify: bool
    budget: Budget

    def find_next_opponents(
        self, event: Event, players: Sequence[int]
    ) -> Mapping[int, NextOpponents] | None:
        """Pair an event's next round, and find the possible opponents of some players.

        Players are positions in the event, also the keys of the result. Players who are
        not paired are left out. With `verify`, both exact engines check the opponents,
        which may raise EngineError. Return None if there is no pairing. Raise
        TimeUpError when the deadline passes.
        """
        problem = build_problem(event, self.model, self.options)
        engine_options = EngineOptions(problem.model.objective, budget=self.budget)
        optimal_result = pair(problem, self.engine, engine_options)
        if optimal_result.status == "infeasible":
            return None
        if optimal_result.arcs is None or not optimal_result.proven:
            raise TimeUpError

        seat_positions = problem.state.seats[list(players)].tolist()
        paired_positions = [
            paired_position
            for paired_position in seat_positions
            if paired_position >= 0
        ]
        opponents = find_opponents(
            problem,
            optimal_result.arcs,
            engine_options.objective,
            paired_positions,
            self.budget,
        )
        if self.verify:
            for exact_engine in EXACT:
                certify(
                    problem,
                    optimal_result.arcs,
                    engine_options,
                    exact_engine,
                    opponents,
                )
        return {
            int(problem.state.player[paired_position]): self._sort_by_strength(
                problem, opponents[paired_position]
            )
            for paired_position in paired_positions
        }

    def _sort_by_strength(
        self, problem: Problem, opponents: Iterable[int]
    ) -> NextOpponents:
        """Convert positions of opponents to names with their strengths, weakest first.

        `opponents` are positions in the state. The bye is None; it comes first if
        `bye_counts` of this object is "weakest", otherwise last; equal players are
        sorted by name.
        """
        state = problem.state
        strengths = state.rating if self.by == "rating" else state.score
        bye_strength = -FAR if self.bye_counts == "weakest" else FAR
        player_names = state.names
        ranked_opponents = sorted(
            (bye_strength, "", None)
            if opponent == BYE
            else (
                int(strengths[opponent]),
                player_names[opponent],
                player_names[opponent],
            )
            for opponent in opponents
        )
        return NextOpponents(
            tuple(opponent_name for _, _, opponent_name in ranked_opponents),
            tuple(strength_value for strength_value, _, _ in ranked_opponents),
            True,
        )


def _try_all_results(
    question: _ResultQuestion,
    event: Event,
    scaled_points: Mapping[Outcome, int],
    rows: Sequence[int],
) -> tuple[AfterResults, bool]:
    """Find the next opponents after each result of each match, one match at a time.

    `question` says how rounds are paired. `rows` are indices of the event's matches.
    `scaled_points` are the first player's points for each outcome. The first value has
    the next opponents by row and outcome of the first player, None if there is no
    pairing. The second value is False if the deadline came before the last result; the
    results found until then are kept. `event` stays as it is.
    """
    event_matches = event.matches
    opponents_after_results = AfterResults()
    row_players = {
        match_row: (
            int(event_matches.first[match_row]),
            int(event_matches.second[match_row]),
        )
        for match_row in rows
    }
    all_players = [
        player for players_of_row in row_players.values() for player in players_of_row
    ]
    try:
        opponents_after_actual = question.find_next_opponents(event, all_players)
        for match_row in rows:
            for outcome in OUTCOMES:
                changed_scores = (
                    scaled_points[outcome],
                    scaled_points[MIRRORED[outcome]],
                )
                if changed_scores == (
                    event_matches.score1[match_row],
                    event_matches.score2[match_row],
                ):
                    opponents_after_results[match_row, outcome] = opponents_after_actual
                    continue

                score1 = event_matches.score1.copy()
                score2 = event_matches.score2.copy()
                score1[match_row], score2[match_row] = changed_scores
                changed_matches = replace(event_matches, score1=score1, score2=score2)
                changed_event = replace(event, matches=changed_matches)
                opponents_after_results[match_row, outcome] = (
                    question.find_next_opponents(changed_event, row_players[match_row])
                )
    except TimeUpError:
        return opponents_after_results, False
    return opponents_after_results, True


def _list_prospects(
    event: Event, problem: Problem, after_results: AfterResults, rows: Sequence[int]
) -> Iterator[PlayerProspect]:
    """Yield the prospects of both players of each match, the first player first.

    `rows` are indices of the event's matches. Players who are not in the next round,
    `problem`, are left out. Outcomes that were not reached before the deadline have
    unknown opponents. `after_results` has the next opponents by match and outcome.
    """
    event_matches = event.matches
    paired_players = {*problem.state.player.tolist()}
    for match_row in rows:
        first_player = int(event_matches.first[match_row])
        second_player = int(event_matches.second[match_row])
        score_texts = [
            event.points_text(int(event_matches.score1[match_row])),
            event.points_text(int(event_matches.score2[match_row])),
        ]
        for player, opponent in (
            (first_player, second_player),
            (second_player, first_player),
        ):
            if player not in paired_players:
                continue
            opponents_by_outcome = {}
            for outcome in OUTCOMES:
                row_outcome = outcome if player == first_player else MIRRORED[outcome]
                next_opponents_by_player = (
                    after_results.get((match_row, row_outcome)) or {}
                )
                opponents_by_outcome[outcome] = (
                    next_opponents_by_player.get(player) or NextOpponents()
                )
            yield PlayerProspect(
                int(event_matches.table[match_row]),
                event.players[player],
                event.players[opponent],
                "-".join(score_texts if player == first_player else score_texts[::-1]),
                opponents_by_outcome,
            )
