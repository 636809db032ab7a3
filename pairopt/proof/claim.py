"""Claim: what a proof says of a round, from the event, the options and the pairing alone.

Nobody is asked but the rules: no engine, no prices, no types of players. So whoever checks a
proof builds its claim once more, and compares the bytes. docs/proof.md has the format; what is
changed here, or in the order of what rules read, is another version of it.
"""

import hashlib
import inspect
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import groupby
from math import gcd
from typing import Any

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.player_types import types_of
from pairopt.errors import InvalidValueError
from pairopt.event.arcs import BYE, Arcs, BoolArray, IntArray, arcs_of
from pairopt.event.column_layout import OWN
from pairopt.event.event import Event
from pairopt.messages import message
from pairopt.problem.levels import LEGALITY, level_sums
from pairopt.problem.options import RoundOptions, declared_options
from pairopt.problem.problem import Problem
from pairopt.problem.system import Level, LevelSums
from pairopt.problem.verifier import verify_pairing
from pairopt.proof.arc_costs import ArcCostTable, build_arc_table
from pairopt.proof.verify import text_of

Content = dict[str, Any]  # a part of the file
BESIDES = ("engine", "round", "drop", "request_bye", "seed", "time_limit", "workers")
"""Options that change nothing for who is paired, or are said elsewhere in a claim."""
OURS = "pairopt"
NOBODY = np.zeros((0, 0), np.bool_)


class NoClaimError(InvalidValueError):
    """A pairing of which nothing can be claimed: it breaks a rule, or is none of the round."""


@dataclass(frozen=True)
class Claim:
    """What is claimed of a round, and what it is made of.

    `order` holds the players' positions in the state, vertex by vertex; `place` is the vertex of
    each position, that of the bye last. `chain` are a system's levels in order, of a model all that
    it has. `table` has the legal matches, with their costs in the levels of a model; costs in those
    of a system are counted in `units`, so that finer points of a later round are no others.
    `unplayed` has whoever may meet in a further round, shape (vertices, vertices).
    """

    content: Content
    order: IntArray
    place: IntArray
    chain: tuple[LevelSums, ...]
    table: ArcCostTable
    units: IntArray
    unplayed: BoolArray

    @cached_property
    def text(self) -> str:
        return text_of(self.content)

    @property
    def odd(self) -> bool:
        """Whether the last vertex is the bye."""
        return len(self.order) % 2 == 1

    @cached_property
    def _columns(self) -> list[tuple[LevelSums, int]]:
        """Of each level those that it comes with, and its number among them."""
        return [(some, at) for some in self.chain for at in range(len(some.levels))]

    def owns(self, levels: Sequence[int]) -> list[int] | None:
        """The players whose matches alone count in these levels; None where others do, too."""
        own = {self._columns[k][0].own for k in levels}
        return (
            None
            if None in own
            else sorted(int(self.place[p]) for p in own if p is not None)
        )

    def costs(self, levels: Sequence[int], arcs: Arcs) -> IntArray:
        """What arcs cost in these levels of a system, shape (m, levels)."""
        made = []
        for _, group in groupby(
            (self._columns[k] for k in levels), lambda each: id(each[0])
        ):
            every = [*group]
            made.append(every[0][0].costs(arcs)[:, [at for _, at in every]])
        return np.hstack(made).astype(np.int64) // self.units[levels]


def build_claim(
    problem: Problem,
    arcs: Arcs | None,
    further: Sequence[Arcs] = (),
    budget: Budget = Budget(),
    head: Content | None = None,
) -> Claim:
    """The claim that no pairing is better than `arcs`, which leaves room for `further` rounds.
    Without arcs, that there is none; `head` is its `heading`, where that is known. Raises
    TimeUpError, and NoClaimError where that cannot be.
    """
    order = order_players(problem)
    place = index_vertices(order)
    chain: tuple[LevelSums, ...] = ()
    values: tuple[int, ...] = ()
    if arcs is not None:
        verdict = verify_pairing(problem, arcs, further)
        broken = [each.message for each in verdict.violations]
        for said in (*map(message, verdict.faults), *broken):
            raise NoClaimError(said)
        chain, values = (
            tuple(level_sums(problem, problem.model.objective, arcs)),
            verdict.values,
        )
    whole = chain[0] if chain and problem.system is None else LEGALITY
    table, levels = build_arc_table(problem, whole, order, budget).with_smallest_scales(
        whole.levels
    )
    units = np.ones(0, np.int64)
    if problem.system is not None:
        legal = np.append(order, BYE)[np.argwhere(np.triu(table.number >= 0))]
        levels, units = _in_units(chain, arcs_of(*legal.T))
    content = {
        **(head or heading(problem, order)),
        "pairing": None if arcs is None else list_matches(place, arcs),
        "further": sorted(
            sorted(map(sorted, list_matches(place, turn))) for turn in further
        ),
        "levels": [] if arcs is None else _levels(problem, arcs, chain, levels, values),
        "kinds": [
            [
                None if way is None else [*way]
                for way in kind[: 1 + (kind[0] != kind[1])]
            ]
            for kind in table.kinds
        ],
        "rows": encode_rows(table.number),
    }
    unplayed = _unplayed_matrix(problem, order) if problem.lookahead else NOBODY
    if problem.lookahead:
        content["unplayed"] = encode_rows(unplayed - np.int64(1))
    return Claim(content, order, place, chain, table, units, unplayed)


def _in_units(
    chain: Sequence[LevelSums], arcs: Arcs
) -> tuple[tuple[Level, ...], IntArray]:
    """The levels of a system over the smallest scales, and the unit of each."""
    made, units = list[Level](), list[int]()
    for some in chain:
        for at, level in enumerate(some.levels):
            costs = (
                np.unique(some.costs(arcs)[:, at]).tolist() if level.scale > 1 else ()
            )
            unit = gcd(level.scale, level.offset, *costs)
            made.append(
                level._replace(scale=level.scale // unit, offset=level.offset // unit)
            )
            units.append(unit)
    return tuple(made), np.array(units, np.int64)


def order_players(problem: Problem) -> IntArray:
    """The positions in the state by score, by what the rules read, then as the event lists them."""
    state = problem.state
    return np.lexsort((state.player, *reversed(problem.attributes()), -state.score))


def index_vertices(order: IntArray) -> IntArray:
    """The vertex of each position of the state, and of the bye, which is the last."""
    return np.argsort(np.append(order, [len(order)] * (len(order) % 2)))


def _unplayed_matrix(problem: Problem, order: IntArray) -> BoolArray:
    """Whoever of these players have not met, and who of them has had no bye, the last vertex."""
    state, seats = problem.state, np.append(order, BYE)
    one, two = np.triu_indices(len(order) + len(order) % 2, 1)
    arcs = arcs_of(seats[one], seats[two])
    found = np.zeros(2 * (one[-1] + 2,), np.bool_)
    found[one, two] = (
        np.where(arcs.bye, state.byes[arcs.first], state.meetings.met(arcs)) == 0
    )
    return found | found.T


def list_matches(place: IntArray, arcs: Arcs) -> list[list[int]]:
    """A pairing by vertices, the first side first, in the order of the lower ones."""
    both = zip(place[arcs.first].tolist(), place[arcs.second].tolist(), strict=True)
    return sorted(map(list, both), key=min)  # the place of the bye, -1, is the last


def _levels(
    problem: Problem,
    arcs: Arcs,
    chain: Sequence[LevelSums],
    levels: Sequence[Level],
    values: Sequence[int],
) -> list[list[Any]]:
    """Each level with its value: the verifier's, and that of the sums. Raises NoClaimError."""
    known: dict[object, list[int]] = {}  # a criterion may come twice
    for level, value in zip(problem.levels, values, strict=True):
        known.setdefault((level.criterion, level.label), []).append(value)
    made, every = [], iter(levels)
    for some in chain:
        totals = [
            sum(column) for column in zip(*some.costs(arcs).tolist(), strict=True)
        ]
        if some.weights is not None:
            both = zip(some.weights, totals, values, problem.levels, strict=True)
            if any(value != total + level.offset for _, total, value, level in both):
                raise NoClaimError("proof.other_sums")
            totals = [
                sum(w * total for w, total in zip(some.weights, totals, strict=True))
            ]
        for own, total in zip(some.levels, totals, strict=True):
            level = next(every)
            value = total + own.offset
            found = known.get((level.criterion, level.label))
            if found and found.pop(0) != value:
                raise NoClaimError("proof.other_sums")
            value = value * level.scale // own.scale
            made.append(
                [
                    level.criterion,
                    level.label,
                    level.words,
                    value,
                    level.offset,
                    level.scale,
                ]
            )
    return made


def encode_rows(number: IntArray) -> list[list[int]]:
    """The kinds of all matches, a row a vertex; see docs/proof.md."""
    codes = number + 2
    above = np.vstack([np.ones_like(codes[:1]), codes[:-1]])
    codes[codes == above] = 0
    return [encode_repeats(row[k:]) for k, row in enumerate(codes[:-1], 1)]


def encode_repeats(codes: IntArray) -> list[int]:
    """Numbers from 0, of which -k stands for k more as the last."""
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    more = np.diff(starts, append=len(codes)) - 1
    both = np.column_stack([codes[starts], -more])
    found: list[int] = both[np.column_stack([more >= 0, more > 0])].tolist()
    return found


# ---------------------------------------------------------------------- of a step


@dataclass(frozen=True)
class ArcCosts:
    """What matches cost: `number` has the kind of any two vertices, 0 where that is nothing.
    `listed` are the vertices whose matches a file lists, in order; see docs/proof.md.
    """

    kinds: IntArray
    number: IntArray
    listed: tuple[int, ...]

    def content(self, alive: BoolArray) -> Content:
        """The kinds and rows of a step with these matches in question."""
        rows, rest = [], np.ones(len(alive), np.bool_)
        for v in self.listed:
            rows.append([v, *encode_repeats(self.number[v, alive[v] & rest])])
            rest[v] = False
        return {"kinds": self.kinds.tolist(), "rows": rows}


def step_costs(claim: Claim, levels: Sequence[int], alive: BoolArray) -> ArcCosts:
    """What the matches in question, symmetric, cost in these levels of a system. Raises
    NoClaimError where that is another the other way round.
    """
    owns = claim.owns(levels)
    if owns is None:
        one, two = np.nonzero(np.triu(alive))
    else:
        own, other = np.nonzero(alive[owns])
        one, two = np.sort([np.array(owns)[own], other], axis=0)
    seats = np.append(claim.order, BYE)
    arcs = arcs_of(seats[one], seats[two])
    costs = claim.costs(levels, arcs)
    if (costs != claim.costs(levels, arcs.reversed())).any():
        raise NoClaimError("proof.other_way")
    alike = types_of([*costs.T], len(costs))
    first = np.zeros(int(alike.max(initial=-1)) + 1, np.int64)
    first[alike] = np.arange(len(costs))
    found = sorted(
        {tuple(row) for row in costs[first].tolist()} - {nothing := (0,) * len(levels)}
    )
    kinds = [nothing, *found]
    place = {kind: k for k, kind in enumerate(kinds)}
    code = np.array([place[tuple(row)] for row in costs[first].tolist()], np.int64)[
        alike
    ]
    number = np.zeros(alive.shape, np.int64)
    number[one, two] = number[two, one] = code
    listed = tuple(owns) if owns is not None else _covering(number > 0)
    return ArcCosts(
        np.array(kinds, np.int64).reshape(len(kinds), len(levels)), number, listed
    )


def _covering(costly: BoolArray) -> tuple[int, ...]:
    """Vertices that hold an end of each of these matches, those with most of them first."""
    count, listed = np.count_nonzero(costly, axis=1), []
    for v in np.argsort(-count, kind="stable")[: np.count_nonzero(count)].tolist():
        if costly[v].any():
            listed.append(v)
            costly[v] = costly[:, v] = False
    return tuple(listed)


# ---------------------------------------------------------------------- of which round


def heading(problem: Problem, order: IntArray) -> Content:
    """What a claim says of event, rules and options."""
    state, model, event, system = (
        problem.state,
        problem.model,
        problem.event,
        problem.system,
    )
    own = () if system is None else ((system.kind, type(system)),)
    rules = (*model.constraints, *model.criteria)
    kinds = (*dict.fromkeys((rule.kind, type(rule)) for rule in rules), *own)
    return {
        "round": event.round,
        "model": model.name,
        "system": None if system is None else system.kind,
        "seed": problem.seed,
        "options": non_default_options(event, problem.asked),
        "settings": _settings(problem),
        "made_by": [[kind, rule_origin(rule)] for kind, rule in kinds],
        "rules": _digest(_rules(problem)),
        "event": _digest(_history(event)),
        "players": [
            [state.names[p], event.names[state.player[p]]] for p in order.tolist()
        ],
    }


def non_default_options(event: Event, options: RoundOptions) -> Content:
    """The options that are not as by default; players by their identifiers, in ascending order."""

    def named(player: str) -> str:
        return event.players[event.position(player)]

    def pairs(given: Iterable[Sequence[str]], sided: bool) -> list[list[str]]:
        both = ([*map(named, pair)] for pair in given)
        return sorted(
            map(list, {tuple(pair if sided else sorted(pair)) for pair in both})
        )

    made = {}
    for name, declared in declared_options(RoundOptions).items():
        value, reading = getattr(options, name), declared.reading
        if name in BESIDES or value in (declared.default, (), []):
            continue
        if reading == "pairs":
            value = pairs(value, name in ("fixed", "published"))
        elif reading == "names":
            value = sorted({*value} if name == "relax" else {*map(named, value)})
        elif reading == "name":
            value = named(value)
        elif reading == "labels":
            value = [*value]
        made[name] = value
    return made


def _settings(problem: Problem) -> Content:
    """What holds of the event besides what was asked for."""
    event, settings, players = (
        problem.event,
        problem.event.settings,
        problem.event.players,
    )
    return {
        "sides": list(event.sides or ()),
        "points": None if settings.points is None else repr(settings.points),
        "win": str(problem.state.win),
        "rounds": settings.rounds,
        "lookahead": problem.lookahead,
        "forbid": sorted(sorted([players[a], players[b]]) for a, b in event.forbidden),
        "apart": [[each.column, each.place] for each in settings.apart],
        "first_round": settings.first_round,
    }


def _history(event: Event) -> list[Any]:
    """What rules may read of players and rounds before, whatever else a file may hold."""
    rows, names = event.before, (*event.players, None)
    known = "round", "first", "second", "side", "score1", "score2", "status"
    arrays = [getattr(rows, name).tolist() for name in known]
    played = [
        [number, names[one], names[two], side, *map(event.points_text, scores), status]
        for number, one, two, side, *scores, status in zip(*arrays, strict=True)
    ]
    columns = [each for each in sorted(event.columns.items()) if each[0] not in OWN]
    there = np.flatnonzero(event.active | rows.player_mask(len(event.players)))
    besides = event.acceleration[:, : event.round], event.adjusted[:, : event.round - 1]
    players = [
        [
            names[p],
            bool(event.active[p]),
            event.points_text(int(event.brought[p])),
            int(event.byes_brought[p]),
            event.rating_text(p),
            int(event.start_numbers[p]),
            bool(event.first_round_bye[p]),
            *(
                [
                    event.points_text(given)
                    for given in np.trim_zeros(some[p], "b").tolist()
                ]
                for some in besides
            ),
            {name: cells[p] for name, cells in columns if cells[p]},
        ]
        for p in there.tolist()
    ]
    said = [event.round, event.sides, event.initial_side, event.complete_history]
    return [said, sorted(players), sorted(played, key=repr)]


def _rules(problem: Problem) -> list[Any]:
    """What a model says, whatever it is called."""
    model = problem.model
    rules = [
        [rule.kind, {f.name: repr(getattr(rule, f.name)) for f in fields(rule)}]  # type: ignore[arg-type]
        for rule in (*model.constraints, *model.criteria)
    ]
    weights = None if model.weights is None else [*map(str, model.weights)]
    more = (
        model.objective,
        weights,
        model.system,
        repr(model.win),
        model.games,
        model.sides,
    )
    return [rules, *more, model.lookahead]


def rule_origin(rule: type) -> str:
    """The package that a rule comes from; of one that is not ours the version, and its code."""
    package = rule.__module__.split(".")[0]
    if package == OURS:
        return OURS
    from importlib.metadata import (  # what a plain round needs not
        packages_distributions,
        version,
    )

    names = packages_distributions().get(package, ())
    said = [f"{name} {version(name)}" for name in names] or [package]
    try:
        code = inspect.getsource(sys.modules[rule.__module__])
    except (OSError, TypeError, KeyError):
        code = ""
    return f"{', '.join(said)}, SHA-256 {hashlib.sha256(code.encode()).hexdigest()}"


def _digest(content: list[Any]) -> str:
    return hashlib.sha256(json.dumps(content, ensure_ascii=True).encode()).hexdigest()
