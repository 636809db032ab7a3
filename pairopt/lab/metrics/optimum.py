"""Metric `optimum`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from pairopt.lab.metrics import Measured
from pairopt.lab.play import paired
from pairopt.lab.simulating import Tournament
from pairopt.problem.levels import decisive_levels, level_values
from pairopt.problem.model import Model, load_model
from pairopt.problem.verifier import verify_pairing
from pairopt.round.result import Result


@dataclass(frozen=True)
class Optimum:
    """How far each round's pairing is from an optimal one of a model.

    The `model` is `standard` by default. `optimal` is the share of the rounds whose
    pairing is optimal and breaks no constraint. `broken` counts the matches and byes
    that break the model's constraints. `worse_level_by_round` has for each round the
    first level, from 1, in which an optimal pairing is better, or 0 if none is. A call
    with a tournament returns the three values by column.
    """

    kind: ClassVar[str] = "optimum"
    columns: ClassVar[tuple[str, ...]] = ("optimal", "broken", "worse_level_by_round")

    model: Model = field(default_factory=lambda: load_model("standard"))

    @classmethod
    def of_text(cls, name: str) -> "Optimum":
        """Make the metric from the name or path of its model, as in `optimum=monrad`.

        Raises UsageError for a model that does not exist, InputError for a bad model
        file.
        """
        return cls(load_model(name))

    def __call__(self, played: Tournament, /) -> Mapping[str, Measured]:
        """Return `optimal`, `broken` and `worse_level_by_round` of a tournament.

        Each round is paired again by the metric's model, and compared level by level;
        see the class for the three columns.
        """
        round_count = len(played.pairings)
        level_and_broken_by_round = [
            self._compare_round(round_result, round_number == round_count)
            for round_number, round_result in enumerate(played.pairings, 1)
        ]
        optimal_count = sum(
            not worse_level and not broken_count
            for worse_level, broken_count in level_and_broken_by_round
        )
        return {
            "optimal": optimal_count / round_count,
            "broken": sum(
                broken_count for _, broken_count in level_and_broken_by_round
            ),
            "worse_level_by_round": [
                worse_level for worse_level, _ in level_and_broken_by_round
            ],
        }

    def _compare_round(self, result: Result, is_last: bool) -> tuple[int, int]:
        """Compare a round's pairing with an optimal one of the metric's model.

        Returns the first level, from 1, in which the pairing is worse, 0 if none is,
        and the number of matches and byes that break the model's constraints. `is_last`
        says whether the model uses its rules for the last round.
        """
        state = result.problem.state
        optimal_result = paired(state.event, self.model, state.seed, is_last)
        problem = optimal_result.problem
        assert result.arcs is not None
        played_inspection = verify_pairing(problem, result.arcs)

        level_values_of_played = level_values(
            problem, problem.model.objective, played_inspection.values
        )
        level_pairs = zip(
            decisive_levels(level_values_of_played),
            optimal_result.decisive,
            strict=False,
        )
        worse_levels = (
            level_number
            for level_number, (played_level, best_level) in enumerate(level_pairs, 1)
            if played_level.value != best_level.value
        )
        return next(worse_levels, 0), len(played_inspection.violations)
