"""An adversary who composes changes, and searches for an accepted proof of a worse pairing.

It starts from genuine proofs, puts another pairing with its true values in their place, and climbs
by changes of prices, sets, types, costs, legality and steps, towards a file that both verifiers
take. That of a pairing which is as good as the best is none: there it starts from.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest
import simulation

from pairopt import Event, InputError, check_proof, solve
from pairopt.proof.verify import Wrong, read, verify
from pairopt.proof.verify import step_of as verify_step
from pairopt.round.result import Result

Content = dict[str, Any]
Move = Callable[[Content, Random], None]
ROUNDS = ((6, 1, "excalibur"), (7, 2, "standard"), (8, 3, "double-sided"), (8, 5, "aesops"),
          (7, 4, "fide-basic"), (8, 6, "fide-dutch"), (9, 7, "fide-dutch"))  # fmt: skip
STAGES = ("expected", "the pairing has", "may not meet", "all prices", "is even", "costs less", "")
"""How far a false proof comes, by what is said against it."""
CLIMB = 12
"""So many changes in a row that do not bring it further end an attack."""


@cache
def genuine() -> tuple[tuple[Event, str, Content, int], ...]:
    """Events, models and proofs; how many players and the bye there are."""
    made = []
    for n, seed, model in ROUNDS:
        for event, _ in simulation.rounds(n, 3, seed, model, draws=0.3, drops=0.0):
            proof = solve(event, model).proof
            assert proof is not None
            made.append((event, model, read(proof.text), n + n % 2))
    return tuple(made)


# ---------------------------------------------------------------------- what it changes


def another_pairing(at: Content, rng: Random) -> None:
    """Two matches exchange players, or one is turned round."""
    pairs = at["pairing"]
    one, two = rng.sample(range(len(pairs)), 2) if len(pairs) > 1 else (0, 0)
    if rng.random() < 0.4 or one == two:
        pairs[one].reverse()
        return
    k = rng.randrange(2)
    pairs[one][k], pairs[two][k] = pairs[two][k], pairs[one][k]


def true_values(at: Content, rng: Random) -> None:
    """The levels have the values that the file's costs say."""
    count = len(at["players"]) + len(at["players"]) % 2
    for data in at["steps"]:
        step = verify_step(data, count)
        costs = [step.cost(i, j) for i, j in at["pairing"]]
        for level, total in zip(data["levels"], map(sum, zip(*costs, strict=True)), strict=True):
            level["value"] = total + level["offset"]


def offsets_instead(at: Content, rng: Random) -> None:
    """An offset makes a value what it was."""
    for level in rng.choice(at["steps"])["levels"]:
        level["offset"] += rng.choice((-1, 0, 1))


def prices_that_fit(at: Content, rng: Random) -> None:
    """Some price takes what all prices together lack."""
    count = len(at["players"]) + len(at["players"]) % 2
    for data in at["steps"]:
        step = verify_step(data, count)
        times = [len(members) for members in step.types] + [1] * len(data["sets"])
        rows = data["prices"] + data["set_prices"]
        for k, level in enumerate(data["levels"]):
            total = sum(t * Fraction(row[k]) for t, row in zip(times, rows, strict=True))
            lack = level["value"] - level["offset"] - total
            chosen = rng.choice([r for r, t in enumerate(times) if t])
            rows[chosen][k] = str(Fraction(rows[chosen][k]) + lack / times[chosen])


def a_price(at: Content, rng: Random) -> None:
    data = rng.choice(at["steps"])
    row = rng.choice(data["prices"] + data["set_prices"])
    if row:
        k = rng.randrange(len(row))
        row[k] = str(Fraction(row[k]) + Fraction(rng.choice((-2, -1, 1, 2)), rng.choice((1, 2))))


def a_set(at: Content, rng: Random) -> None:
    """A set more, at any price."""
    data = rng.choice(at["steps"])
    types = range(len(data["prices"]))
    data["sets"].append(rng.sample(types, rng.randint(1, len(types))))
    data["set_prices"].append([str(rng.choice((-2, -1, 0, 1))) for _ in data["levels"]])


def types_in_one(at: Content, rng: Random) -> None:
    """Two types become one, with the price of either."""
    data = rng.choice(at["steps"])
    if len(data["types"]) < 2:
        return
    count = len(data["prices"])
    one, two = sorted(rng.sample(range(len(data["types"])), 2))
    data["types"][one] += data["types"].pop(two)
    del data["prices"][two]
    full = {(a, a + k): kind for a, row in enumerate(data["arcs"]) for k, kind in enumerate(row)}
    kept = [t for t in range(count) if t != two]
    data["arcs"] = [[full[a, b] for b in kept if b >= a] for a in kept]
    for members in data["sets"]:
        members[:] = sorted({one if t == two else t - (t > two) for t in members})


def an_arc(at: Content, rng: Random) -> None:
    """Two types may not meet, or at another cost."""
    data = rng.choice(at["steps"])
    row = rng.choice(data["arcs"])
    row[rng.randrange(len(row))] = rng.randrange(-1, len(data["kinds"]))


def a_special_pair(at: Content, rng: Random) -> None:
    data = rng.choice(at["steps"])
    count = len(at["players"]) + len(at["players"]) % 2
    if data["special"] and rng.random() < 0.5:
        data["special"].pop(rng.randrange(len(data["special"])))
    else:
        pair = rng.sample(range(count), 2)
        data["special"].append([*pair, rng.randrange(-1, len(data["kinds"]))])


def a_cost(at: Content, rng: Random) -> None:
    """A kind costs something else, or may be either way round."""
    kind = rng.choice(rng.choice(at["steps"])["kinds"] or [[None]])
    way = rng.randrange(len(kind))
    if kind[way] and rng.random() < 0.7:
        kind[way][rng.randrange(len(kind[way]))] += rng.choice((-1, 1))
    elif any(kind):
        kind[way] = copy.copy(next(each for each in kind if each))


def unused_kinds(at: Content, rng: Random) -> None:
    """Kinds that nobody is of any more are left out."""
    for data in at["steps"]:
        used = sorted({k for row in data["arcs"] for k in row} | {k for *_, k in data["special"]})
        place = {kind: k for k, kind in enumerate(kind for kind in used if kind >= 0)} | {-1: -1}
        data["kinds"] = [data["kinds"][kind] for kind in used if kind >= 0]
        data["arcs"] = [[place[kind] for kind in row] for row in data["arcs"]]
        data["special"] = [[i, j, place[kind]] for i, j, kind in data["special"]]


def a_step(at: Content, rng: Random) -> None:
    """A step is skipped, repeated, or comes earlier."""
    steps, k = at["steps"], rng.randrange(len(at["steps"]))
    step = copy.deepcopy(steps[k])
    if rng.random() < 0.5:
        del steps[k]
    if rng.random() < 0.7 or not steps:
        steps.insert(rng.randrange(len(steps) + 1), step)


def a_level(at: Content, rng: Random) -> None:
    """A level is left out, wherever it stands, or said to be open."""
    data = rng.choice(at["steps"])
    if not data["levels"]:
        return
    k = rng.randrange(len(data["levels"]))
    rows = [*data["prices"], *data["set_prices"]]
    rows += [way for kind in data["kinds"] for way in kind if way is not None]
    for row in rows:
        del row[k]
    level = data["levels"].pop(k)
    if rng.random() < 0.5:
        at["open"].append(level)


def a_name(at: Content, rng: Random) -> None:
    """Two players exchange their places in the list, or what they are called."""
    one, two = rng.sample(at["players"], 2)
    k = rng.randrange(2)
    one[k], two[k] = two[k], one[k]


def a_heading(at: Content, rng: Random) -> None:
    key = rng.choice(("round", "seed", "model", "rules", "event"))
    at[key] = rng.choice((0, 1, "standard", at["rules"], at["event"]))


MOVES: tuple[Move, ...] = (
    another_pairing, true_values, true_values, offsets_instead, prices_that_fit, prices_that_fit,
    a_price, a_set, types_in_one, an_arc, a_special_pair, a_cost, unused_kinds, a_step, a_level,
    a_name, a_heading,
)  # fmt: skip
OF_COSTS = (types_in_one, an_arc, a_special_pair, a_cost, a_step, a_level, offsets_instead)
"""What makes it a proof about another event, which only the event can tell."""


# ---------------------------------------------------------------------- how it searches


def stage(at: Content) -> int:
    """How far a file comes with the verifier for everybody; the last stage is that it passes."""
    try:
        verify(at)
    except Wrong as error:
        return next(k for k, said in enumerate(STAGES) if k and said in str(error))
    except ValueError:
        return 0
    return len(STAGES)


def accepted(event: Event, model: str, at: Content) -> bool:
    """Whether it is taken for a proof of the event's round."""
    try:
        return check_proof(event, at, model).holds
    except InputError:
        return False


def worse(event: Event, model: str, at: Content, best: Content) -> bool:
    """Whether a file that is accepted says something else than is true.

    Another pairing that is as good is genuine, if its own proof can be given.
    """
    if at["players"] != best["players"]:
        names = {name for name, _ in best["players"]}
        return {name for name, _ in at["players"]} != names
    if sorted(map(tuple, at["pairing"])) == sorted(map(tuple, best["pairing"])):
        return False
    result = solve(event, model)
    return not optimal(result, at)


def optimal(result: Result, at: Content) -> bool:
    """Whether the pairing of a file is as good as the best one, by the costs of the rules."""
    problem = result.problem
    position = {name: p for p, name in enumerate(problem.state.names)}
    seats = [*(position[name] for name, _ in at["players"]), -1]
    first, second = np.array([[seats[i], seats[j]] for i, j in at["pairing"]]).T
    from pairopt.event.arcs import arcs_of
    from pairopt.problem.verifier import inspect

    verdict = inspect(problem, arcs_of(first, second))
    return verdict.legal and list(verdict.values) == [level.value for level in result.level_values]


def attacks(times: int, seed: int) -> int:
    """Tries, each from a genuine proof by changes that keep or raise its stage; all are refused.

    Returns how many came to the end with the verifier for everybody, by costs of their own.
    """
    rng, passed = Random(seed), 0
    tries = 0
    while tries < times:
        event, model, best, _ = rng.choice(genuine())
        at = copy.deepcopy(best)
        for _ in range(rng.randint(1, 2)):
            another_pairing(at, rng)
        known, still, costs = stage(at), 0, False
        while still < CLIMB and tries < times:
            tries += 1
            some = rng.choices(MOVES, k=rng.randint(1, 3))
            then = copy.deepcopy(at)
            try:
                for move in some:
                    move(then, rng)
            except (Wrong, ValueError, KeyError, IndexError, TypeError):
                still += 1
                continue
            reached = stage(then)
            still = 0 if reached > known else still + 1
            if reached >= known:
                at, known = then, reached
                costs = costs or any(move in OF_COSTS for move in some)
            if reached == len(STAGES):
                passed += 1
                if accepted(event, model, then):
                    assert not worse(event, model, then, best), (model, some)
                if not costs:  # prices, sets and values alone never make a worse pairing the best
                    assert not worse(event, model, then, best), (model, some)
    return passed


@pytest.mark.long
def test_hundreds_of_attacks_are_refused() -> None:
    assert attacks(400, 1) > 0


@pytest.mark.slow
def test_20000_attacks_are_refused() -> None:
    assert attacks(20_000, 2) > 100
