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
    """How far each round's pairing is from an optimal one of a model, by default `standard`.

    `optimal` is the part of the rounds in which no pairing is better, `broken` counts matches and
    byes that break its constraints, `worse_level_by_round` is the first level, from 1, in which an
    optimal pairing is better, or 0.
    """

    kind: ClassVar[str] = "optimum"
    columns: ClassVar[tuple[str, ...]] = ("optimal", "broken", "worse_level_by_round")

    model: Model = field(default_factory=lambda: load_model("standard"))

    @classmethod
    def of_text(cls, name: str) -> "Optimum":
        return cls(load_model(name))

    def __call__(self, played: Tournament, /) -> Mapping[str, Measured]:
        last = len(played.pairings)
        rounds = [
            self._round(made, k == last) for k, made in enumerate(played.pairings, 1)
        ]
        return {
            "optimal": sum(not level and not broken for level, broken in rounds) / last,
            "broken": sum(broken for _, broken in rounds),
            "worse_level_by_round": [level for level, _ in rounds],
        }

    def _round(self, made: Result, last: bool) -> tuple[int, int]:
        state = made.problem.state
        best = paired(state.event, self.model, state.seed, last)
        problem = best.problem
        assert made.arcs is not None
        found = verify_pairing(problem, made.arcs)
        own = decisive_levels(
            level_values(problem, problem.model.objective, found.values)
        )
        both = zip(own, best.decisive, strict=False)
        worse = next((k for k, (a, b) in enumerate(both, 1) if a.value != b.value), 0)
        return worse, len(found.violations)
