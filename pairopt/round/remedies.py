"""Ways out of a round that cannot be paired: the fewest matches to allow, and what that costs."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.common.serialization import to_records
from pairopt.engines import DEFAULT
from pairopt.engines.base import EngineOptions
from pairopt.messages import Note, Value, join_notes, message, pair_value
from pairopt.messages.formatting import amount_text
from pairopt.problem.options import Pair
from pairopt.problem.problem import Problem
from pairopt.round.result import LEVEL, Result
from pairopt.round.solve import pair
from pairopt.rules.base import Constraint, Criterion
from pairopt.rules.criteria.rematches import Rematches
from pairopt.rules.repair_criteria import ConstraintBreaches, WeightedSum

BROKEN = {
    "no_rematch": ("way.rematch", "way.rematches"),
    "no_repeat_bye": ("way.second_bye", "way.second_byes"),
    "conflicts": ("way.one_apart", "way.apart"),
}
OTHERS = "way.one_against", "way.against"
"""What is allowed where a constraint is broken, one match or several."""
MOST_LEVELS = 4
MORE = ("allow", "allow_bye")  # options that ways add to
PLAIN: dict[str, Any] = {"verify": False, "choose": "any", "count": False}
"""No second answer, and no lot, of what is only looked at."""
Again = Callable[[dict[str, Any]], Result]  # pairs the same round with more options


@dataclass(frozen=True)
class Remedy:
    """What to allow so that there is a pairing, and the pairing: no fewer matches would do. They
    break these `rules`; `lookahead` is for how many more rounds there is room, None as before.
    """

    result: Result
    rules: tuple[str, ...] = ()
    allow: tuple[Pair, ...] = ()
    allow_bye: tuple[str, ...] = ()
    lookahead: int | None = None

    @property
    def said(self) -> Note:
        called, room = self.result.event.called, None
        who = [pair_value(called[one], called[two]) for one, two in self.allow]
        every: list[Value | str] = [
            *who,
            *(called[player] for player in self.allow_bye),
        ]
        if self.lookahead is not None:
            room = message(
                "way.room" if self.lookahead else "way.no_room", rounds=self.lookahead
            )
            if not every:
                return room
        kinds = BROKEN.get(self.rules[0], OTHERS) if len(self.rules) == 1 else OTHERS
        if self.allow_bye and not self.allow:
            second = self._again[1] == len(self.allow_bye)
            kinds = BROKEN["no_repeat_bye"] if second else ("way.one_bye", "way.byes")
        said = message(
            kinds[len(every) > 1], many=len(every), who=every, rules=self.rules
        )
        return said if room is None else join_notes([said, room], name="way.with_room")

    @property
    def words(self) -> str:
        return str(self.said)

    @property
    def _again(self) -> tuple[int, int]:
        """How many in the pairing have met before, and how many have had a bye."""
        arcs, state = self.result.arcs, self.result.problem.state
        assert arcs is not None
        byes = state.byes[arcs.first[arcs.bye]]
        return int(np.count_nonzero(state.meetings.met(arcs))), int(
            np.count_nonzero(byes)
        )

    @property
    def costs(self) -> Note:
        """The first levels of the pairing that are not 0; of rematches, what there are."""
        levels = [level for level in self.result.decisive if level.value][:MOST_LEVELS]
        said = [
            message("way.level", words=at.words, value=amount_text(at.value, at.scale))
            for at in levels
            if at.criterion != Rematches.kind
        ]
        if len(said) < len(levels):
            kinds = zip(("way.repeated", "way.repeated_byes"), self._again, strict=True)
            said[:0] = [message(kind, many=many) for kind, many in kinds if many]
        return join_notes(said) if said else message("way.no_costs")

    @property
    def options(self) -> dict[str, Any]:
        """It as options of `solve`, those alone that it takes."""
        known = {
            "allow": self.allow,
            "allow_bye": self.allow_bye,
            "lookahead": self.lookahead,
        }
        return {name: value for name, value in known.items() if value not in (None, ())}

    def to_dict(self) -> dict[str, Any]:
        options = {
            name: [*value] if isinstance(value, tuple) else value
            for name, value in self.options.items()
        }
        levels = to_records(self.result.level_values, *LEVEL)
        return {
            "words": self.words,
            "cost": str(self.costs),
            "options": options,
            "levels": levels,
            "said": self.said.to_dict(),
        }


def ways_out(
    result: Result, solve: Callable[..., Result], options: Mapping[str, Any]
) -> tuple[Remedy, ...]:
    """What could be allowed where a round cannot be paired; none where only options clash. Of each
    smallest set of the model's rules without which there is a pairing as few matches and byes as
    can be are allowed, of these the ones that cost least. `solve` takes options such as these.
    """
    if result.status != "infeasible":
        return ()
    # Only a round that cannot be paired needs these, and rustworkx with them.
    from pairopt.proof.infeasibility import (
        build_rule_graphs,
        find_helpful_sets,
        memoize_feasibility,
    )
    from pairopt.proof.infeasibility_text import MOST_PLAYERS, MOST_WAYS

    problem = result.problem
    if len(problem) > MOST_PLAYERS:
        return ()
    limit = options.get("time_limit")
    budget = Budget(deadline=None if limit is None else time.monotonic() + limit)

    def again(more: dict[str, Any]) -> Result:
        budget.check()
        added = {
            name: [*(options.get(name) or ()), *more[name]]
            for name in MORE
            if name in more
        }
        return solve(**{**options, **PLAIN, **more, **added})

    try:
        legality = build_rule_graphs(problem, budget)
        covers = memoize_feasibility(legality.covers)
        if covers(legality.rules):
            return tuple(_less_room(problem, again, {}))
        asked = [
            rule for rule in legality.active if rule.option is not None
        ]  # these stay
        own = [rule for rule in legality.active if rule.option is None]
        sets = find_helpful_sets(own, lambda rules: covers([*rules, *asked]))[
            :MOST_WAYS
        ]
        found = (_allowing(problem, rules, again, budget) for rules in sets)
        return tuple(way for way in found if way is not None)
    except TimeUpError:
        return ()


def _allowing(
    problem: Problem, rules: Sequence[Constraint], again: Again, budget: Budget
) -> Remedy | None:
    """The fewest matches and byes to allow against these rules; None where that is not enough."""
    fewest = pair(_free_of(problem, rules), DEFAULT, EngineOptions(budget=budget))
    if fewest.arcs is None:
        return None
    legal = ConstraintBreaches(tuple(rules)).kept(problem.state, fewest.arcs)
    broken = [
        players for players, kept in zip(fewest.pairs, legal, strict=True) if not kept
    ]
    options = {
        "allow": tuple((match[0], match[1]) for match in broken if len(match) == 2),
        "allow_bye": tuple(match[0] for match in broken if len(match) == 1),
    }
    kinds, result = tuple(dict.fromkeys(rule.kind for rule in rules)), again(options)
    if result.arcs is not None:
        return Remedy(result, kinds, **options)  # type: ignore[arg-type]
    room = next(iter(_less_room(problem, again, options)), None)
    return None if room is None else replace(room, rules=kinds)


def _less_room(problem: Problem, again: Again, options: dict[str, Any]) -> list[Remedy]:
    """The most rounds for which there can be room, if fewer than are asked for."""
    for rounds in range(problem.lookahead - 1, -1, -1):
        result = again({**options, "lookahead": rounds})
        if result.arcs is not None:
            return [Remedy(result, lookahead=rounds, **options)]
    return []


def _free_of(problem: Problem, rules: Sequence[Constraint]) -> Problem:
    """The round without these rules; how many matches break them comes before all levels."""
    own: tuple[Criterion, ...] = problem.criteria
    if problem.model.weights is not None:
        own = (WeightedSum(problem.model.criteria, problem.model.weights),)
    free = problem.with_criteria((ConstraintBreaches(tuple(rules)), *own))
    kept = tuple(rule for rule in problem.constraints if rule not in rules)
    return replace(free, model=replace(free.model, lookahead=0), constraints=kept)
