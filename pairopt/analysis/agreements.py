"""Agreements: whether both players of a table are likelier to make the cut if they agree.

Both gain if they are likelier to make it with the agreed results than if all games are played.
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
SAME = 1e-12  # a smaller gain is none: sums of probabilities are rounded
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
        f"{what}{who}{end}"
        for what in ("chance", "gain")
        for who in (1, 2)
        for end in ("", "_low", "_high")
    ),
    "both_gain",
    "exact",
)
"""A row for each table and scenario: its results, all games played, and each agreement."""


@dataclass(frozen=True, slots=True)
class CutProbability:
    """A chance of the cut, or a difference of two, with its 95 % interval; `exact`, or None."""

    value: float
    low: float
    high: float
    exact: Fraction | None = None


@dataclass(frozen=True, slots=True)
class AgreementOutcome:
    """What the two players of a table may expect of a result, of all games, of an agreement;
    `gains`, of agreements alone, are differences to all games being played.
    """

    name: str
    chances: tuple[CutProbability, CutProbability]
    probability: float | None = None
    gains: tuple[CutProbability, CutProbability] | None = None

    @property
    def both_gain(self) -> Verdict | None:
        """Whether both gain by the agreement; "open" where the intervals do not tell."""
        if self.gains is None:
            return None
        if any(gain.high <= SAME for gain in self.gains):
            return "no"
        return "yes" if all(gain.low > SAME for gain in self.gains) else "open"


@dataclass(frozen=True, slots=True)
class TableCutProbabilities:
    """A table of the round: its results, best for `player1` first, then "played", agreements."""

    table: int
    player1: str
    player2: str
    scenarios: tuple[AgreementOutcome, ...]

    def scenario(self, name: str) -> AgreementOutcome:
        return next(each for each in self.scenarios if each.name == name)


@dataclass(frozen=True)
class Agreements:
    """All tables of a round before a cut that comes after `rounds` rounds.

    `exact` where all that may come was listed, else it was drawn `samples` times for each result
    of a table. `complete` is False where the deadline came before the last table.
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
        of_one = self.tables[0].scenarios if self.tables else ()
        return tuple(each.name for each in of_one if each.gains is not None)

    def counts(self, agreement: str) -> dict[Verdict, int]:
        said = Counter(each.scenario(agreement).both_gain for each in self.tables)
        return {"yes": said["yes"], "no": said["no"], "open": said["open"]}

    def to_dict(self) -> dict[str, Any]:
        return {
            **to_record(
                self,
                "event",
                "round",
                "rounds",
                "model",
                "cut",
                "exact",
                "samples",
                "complete",
            ),
            "tables": [
                {
                    **to_record(one, "table", "player1", "player2"),
                    "scenarios": [
                        {
                            "scenario": each.name,
                            "probability": each.probability,
                            "chances": [_told(chance) for chance in each.chances],
                            "gains": each.gains
                            and [_told(gain) for gain in each.gains],
                            "both_gain": each.both_gain,
                        }
                        for each in one.scenarios
                    ],
                }
                for one in self.tables
            ],
        }

    def rows(self) -> Iterator[list[object]]:
        shared = [self.event, self.round, self.rounds, self.model, self.cut]
        for one in self.tables:
            for each in one.scenarios:
                yield [
                    *shared,
                    one.table or None,
                    one.player1,
                    one.player2,
                    each.name,
                    each.probability,
                    *_cells(each.chances),
                    *_cells(each.gains),
                    each.both_gain,
                    int(each.chances[0].exact is not None),
                ]


def _told(likely: CutProbability) -> dict[str, Any]:
    exact = None if likely.exact is None else str(likely.exact)
    return {**to_record(likely, "value", "low", "high"), "exact": exact}


def _cells(both: tuple[CutProbability, CutProbability] | None) -> list[float | None]:
    if both is None:
        return [None] * 6
    return [round(x, 6) for each in both for x in (each.value, each.low, each.high)]


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
    """Whether two players of the next round both gain, for a `cut`, by not playing all games.

    The tables are the open matches of a round in progress, or all matches of the `round` asked for
    if the event has it, without their results; else those of the round that the model pairs now.

    `samples` are continuations drawn for each result of a table where they are too many to list, by
    default 4,000 of the last round, 200 before it; `results` a world of `pairopt.lab.worlds` with
    ratings as strengths, by default everybody wins as often as anybody; `draws` the probability of
    a draw between equals. The time limit is for all tables together. Raises UsageError where rounds
    or ratings are not known, or nothing is open.
    """
    chosen = parse_options(event, RoundOptions, options, "agreements")
    budget = chosen.budget(time.monotonic())
    chosen, event = replace(chosen, round=None), event.at_round(chosen.round)
    if samples is not None and samples < 2:
        raise UsageError("incentive.samples_few")
    number = event.round - bool(len(event.unscored))
    rounds = event.settings.rounds if rounds is None else rounds
    if rounds is None:
        raise UsageError("incentive.rounds_unknown")
    if rounds < number:
        raise UsageError("incentive.rounds_too_few", rounds=rounds, round=number)
    base = build_problem(replace(event, round=number), model, chosen)
    event, present, rows = _tables(event, base, chosen)
    if not 1 <= cut <= present.sum():
        raise UsageError("incentive.cut_unfit", cut=cut, most=int(present.sum()))
    samples = samples or (
        continuations.SAMPLES if number == rounds else continuations.FEWER
    )
    points, law = infer_points(event, base.model.games), _law(event, results, draws)
    line = continuations.CutLine(event, rows, cut, present)
    coming = Continuations(
        line, rounds, points, law, model_for(event, model), samples, budget.seed
    )
    tables, complete = list[TableCutProbabilities](), True
    try:
        for table in range(len(coming.open)):
            budget.check()
            tables.append(table_chances(coming, table))
    except TimeUpError:
        complete = False
    return Agreements(
        event.source,
        number,
        rounds,
        base.model.name,
        cut,
        coming.exact,
        0 if coming.exact else samples,
        tuple(tables),
        complete,
        base.notes,
    )


def _tables(
    event: Event, base: Problem, chosen: RoundOptions
) -> tuple[Event, BoolArray, Matches]:
    """The event before the round, who may make the cut, and the round's rows."""
    number = base.state.event.round
    rows, present = event.matches.paired_rows(number), event.active | event.away
    before = replace(event, round=number)
    known = number < event.round or bool(len(rows))
    if known and (given := [name for name in OF_A_PAIRING if getattr(chosen, name)]):
        option = given[0].replace("_", "-")
        raise UsageError("incentive.paired_already", round=number, option=option)
    if known and number == event.round:
        rows = replace(rows, scored=rows.scored & (rows.status != PLAYED))
    elif not known:
        before, present = (
            base.state.event,
            base.state.event.active | base.state.event.away,
        )
        made = pair(base, engine_of(base, chosen), EngineOptions(base.model.objective))
        if made.arcs is None:
            raise UsageError("incentive.no_tables", round=number)
        rows = rows_of([made], number)
    points = infer_points(base.state.event, base.model.games)
    values = [value for result in points.results for value in result] + [
        points.allocated_bye
    ]
    before = replace(before, settings=replace(event.settings, points=points))
    before = in_scale(before, values)
    scored = rows.scored * (before.scale // event.scale)
    rows = replace(rows, score1=rows.score1 * scored, score2=rows.score2 * scored)
    rows = continuations.with_byes(rows, points, before.scale)
    if not rows.open.any():
        raise UsageError("incentive.nothing_open", round=before.round)
    return before, present, rows


def _law(event: Event, results: Results | None, draws: float) -> GameModel:
    """How games end. Raises UsageError where a world is to know ratings that are not there."""
    if not 0 <= draws <= 1:
        raise UsageError("incentive.draws_unfit")
    if results is None:
        return GameModel(np.zeros(len(event.players)), Elo(), draws)
    if not event.rated.all():
        raise UsageError("incentive.unrated")
    return GameModel(event.rating / event.rating_scale, results, draws)


def table_chances(coming: Continuations, table: int) -> TableCutProbabilities:
    """What each result and agreement means to the players of a table, by its number from 0."""
    rows, outcomes = coming.open, coming.outcomes
    count, honest, settled = (
        len(outcomes.results),
        outcomes.honest[table],
        coming.settled(table),
    )
    values: continuations.Values = coming.values(table) if None in settled else ([], [])
    of_each = [
        values[k] if known is None else [Fraction(known)] * count
        for k, known in enumerate(settled)
    ]

    def both(
        weights: FloatArray, widest: float = 1.0
    ) -> tuple[CutProbability, CutProbability]:
        one, two = (_mean(each, weights, widest) for each in of_each)
        return one, two

    names = ["-".join(map(decimal_text, result)) for result in outcomes.results]
    scenarios = [
        AgreementOutcome(name, both(np.eye(count)[k]), float(honest[k]))
        for k, name in enumerate(names)
    ]
    scenarios.append(AgreementOutcome("played", both(honest)))
    for name, agreed in outcomes.agreed.items():
        gains = both(agreed[table] - honest, 2.0)
        scenarios.append(AgreementOutcome(name, both(agreed[table]), None, gains))
    one, two = (
        coming.event.players[int(end[table])] for end in (rows.first, rows.second)
    )
    return TableCutProbabilities(int(rows.table[table]), one, two, tuple(scenarios))


def _mean(
    values: list[Fraction] | FloatArray, weights: FloatArray, widest: float
) -> CutProbability:
    if isinstance(values, list):
        total = sum(
            (Fraction(float(w)) * v for w, v in zip(weights, values, strict=True)),
            Fraction(),
        )
        return CutProbability(float(total), float(total), float(total), total)
    drawn = weights @ values
    found = estimate(drawn, drawn, widest)
    return CutProbability(
        found.mean, *found.limits(inside=(-1.0 if widest > 1 else 0.0, 1.0))
    )
