"""Lying provers: the shipped prover on a problem that lies, once for each thing that it takes.

It pairs and proves what is not so: costs turned, the cheaper way round, left out, doubled, swapped,
zeroed, shifted; other rules of who may meet; another model, seed, round or points, other options;
levels of a system skipped, repeated or in another order. Of each lie there are three files: as the
liar writes it, with the heading of the true claim, and the true claim of the liar's pairing with
the liar's witness. One that is accepted must be among the best by brute force, which shares no code
with it, with every stated value true.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import burstein_global
import dutch_global
import numpy as np
import pytest
import simulation
from burstein_round import burstein
from dutch_random import random_round
from events import REPEATABLE, Case, cases, events, model_of
from hypothesis import given, settings
from hypothesis import strategies as st

from pairopt import (
    Event,
    InputError,
    Result,
    UsageError,
    check_proof,
    read_event,
    solve,
)
from pairopt.common.budget import TimeUpError
from pairopt.engines.base import EngineError
from pairopt.event.arcs import Arcs, arcs_of
from pairopt.fide.dutch.bracket_system import BracketSystem
from pairopt.problem.build import prepare
from pairopt.problem.problem import Problem
from pairopt.proof.claim import NoClaimError, build_claim
from pairopt.proof.file import Proof
from pairopt.proof.proving import build_proof
from pairopt.proof.verify import InvalidProof, verify

Content = dict[str, Any]
Told = Callable[..., Any]
HEADING = (
    "round",
    "model",
    "system",
    "seed",
    "options",
    "settings",
    "made_by",
    "rules",
    "event",
    "players",
)
ERRORS = (
    UsageError,
    InputError,
    EngineError,
    NoClaimError,
    TimeUpError,
    ValueError,
    IndexError,
    AssertionError,
    KeyError,
    TypeError,
    ZeroDivisionError,
)
"""What a prover on lies may come to: there is then no file."""


# ---------------------------------------------------------------------- costs and legality


def of_costs(change: Callable[[Any, Random], Any]) -> Callable[[Random], Told]:
    """A lie that changes the array of costs, shape (m, levels)."""

    def lie(rng: Random) -> Told:
        seed = rng.random()
        true = Problem.costs

        def costs(
            self: Problem, arcs: Arcs, start: int = 0, stop: int | None = None
        ) -> Any:
            every = true(self, arcs)
            if self.system is not None:
                return every
            return change(every.copy(), Random(seed))[:, start:stop]

        return costs

    return lie


def swapped(costs: Any, rng: Random) -> Any:
    order = [*range(costs.shape[1])]
    rng.shuffle(order)
    return costs[:, order]


def one_level(value: Callable[[Any], Any]) -> Callable[[Any, Random], Any]:
    def change(costs: Any, rng: Random) -> Any:
        if costs.shape[1]:
            k = rng.randrange(costs.shape[1])
            costs[:, k] = value(costs[:, k])
        return costs

    return change


def of_arcs(
    change: Callable[[Problem, Arcs, Random], Arcs],
) -> Callable[[Random], Told]:
    """A lie that asks about other arcs."""

    def lie(rng: Random) -> Told:
        seed = rng.random()
        true = Problem.costs

        def costs(
            self: Problem, arcs: Arcs, start: int = 0, stop: int | None = None
        ) -> Any:
            if self.system is not None or arcs.typical:
                return true(self, arcs, start, stop)
            return true(self, change(self, arcs, Random(seed)), start, stop)

        return costs

    return lie


def shifted(problem: Problem, arcs: Arcs, rng: Random) -> Arcs:
    n, by = len(problem), rng.randrange(1, max(2, len(problem)))
    second = np.where(arcs.bye, -1, (arcs.second + by) % n)
    return arcs_of((arcs.first + by) % n, second)


def one_way(problem: Problem, arcs: Arcs, rng: Random) -> Arcs:
    """As if each way round cost what it costs with the lower number first."""
    low, high = np.minimum(arcs.first, arcs.second), np.maximum(arcs.first, arcs.second)
    return arcs_of(np.where(arcs.bye, arcs.first, low), np.where(arcs.bye, -1, high))


def cheaper(_: Random) -> Told:
    true = Problem.costs

    def costs(
        self: Problem, arcs: Arcs, start: int = 0, stop: int | None = None
    ) -> Any:
        if self.system is not None:
            return true(self, arcs, start, stop)
        one, other = (true(self, each, start, stop) for each in (arcs, arcs.reversed()))
        first = [a <= b for a, b in zip(one.tolist(), other.tolist(), strict=True)]
        return np.where(np.array(first, np.bool_)[:, None], one, other)

    return costs


COSTS: dict[str, Callable[[Random], Told]] = {
    "turned": of_arcs(lambda _, arcs, __: arcs.reversed()),
    "the cheaper way": cheaper,
    "one way": of_arcs(one_way),
    "left out": of_costs(one_level(lambda level: 0 * level)),
    "zeroed from a level on": of_costs(
        lambda costs, rng: (
            costs * (np.arange(costs.shape[1]) < rng.randrange(costs.shape[1] + 1))
        )
    ),
    "doubled": of_costs(one_level(lambda level: 2 * level)),
    "upside down": of_costs(one_level(lambda level: level.max(initial=0) - level)),
    "swapped": of_costs(swapped),
    "shifted": of_arcs(shifted),
}


def barred(rng: Random) -> Told:
    """Some pairs may not meet, either way round."""
    true, seed = Problem.legal, rng.randrange(1000)

    def legal(self: Problem, arcs: Arcs) -> Any:
        low, high = (
            np.minimum(arcs.first, arcs.second),
            np.maximum(arcs.first, arcs.second),
        )
        return true(self, arcs) & ((low * 7 + high * 13 + seed) % 3 > 0)

    return legal


LEGAL: dict[str, Callable[[Random], Told]] = {
    "all may meet": lambda _: lambda _, arcs: np.ones(len(arcs), np.bool_),
    "some are barred": barred,
    "sides exchanged": lambda _: (
        lambda self, arcs, true=Problem.legal: true(self, arcs.reversed())
    ),
}


# ---------------------------------------------------------------------- lies about chains


def of_chain(
    change: Callable[[list[Any], Random], list[Any]],
) -> Callable[[Random], Told]:
    def lie(rng: Random) -> Told:
        true, seed = BracketSystem.summed, rng.random()
        return lambda self, arcs: iter(change([*true(self, arcs)], Random(seed)))

    return lie


def changed_costs(
    change: Callable[[Any], Any],
) -> Callable[[list[Any], Random], list[Any]]:
    def chain(every: list[Any], rng: Random) -> list[Any]:
        k = rng.randrange(len(every))
        some = every[k]
        every[k] = some._replace(costs=lambda arcs: change(some.costs(arcs)))
        return every

    return chain


def exchanged(every: list[Any], rng: Random) -> list[Any]:
    j, k = rng.randrange(len(every)), rng.randrange(len(every))
    every[j], every[k] = every[k], every[j]
    return every


CHAINS: dict[str, Callable[[Random], Told]] = {
    "cut": of_chain(lambda every, rng: every[: rng.randrange(len(every))]),
    "one left out": of_chain(
        lambda every, rng: (lambda k: every[:k] + every[k + 1 :])(
            rng.randrange(len(every))
        )
    ),
    "exchanged": of_chain(exchanged),
    "another order": of_chain(lambda every, rng: rng.sample(every, len(every))),
    "twice": of_chain(lambda every, rng: [*every, every[rng.randrange(len(every))]]),
    "zeroed": of_chain(changed_costs(lambda costs: 0 * costs)),
    "all zeroed": of_chain(
        lambda every, _: [
            each._replace(costs=lambda arcs, true=each.costs: 0 * true(arcs))
            for each in every
        ]
    ),
    "upside down": of_chain(changed_costs(lambda costs: costs.max(initial=0) - costs)),
    "doubled": of_chain(changed_costs(lambda costs: 2 * costs)),
    "about one alone": of_chain(
        lambda every, rng: [each._replace(own=rng.randrange(2)) for each in every]
    ),
}


@contextmanager
def lying(name: str, rng: Random) -> Iterator[None]:
    with (
        patch.object(Problem, "costs", COSTS[name](rng))
        if name in COSTS
        else patch.object(Problem, "legal", LEGAL[name](rng))
        if name in LEGAL
        else patch.object(BracketSystem, "summed", CHAINS[name](rng))
    ):
        yield


# ---------------------------------------------------------------------- files and verdicts


@dataclass(frozen=True)
class Truth:
    """A round, and what brute force says of a pairing of it: whether it is among the best."""

    event: Event
    model: Any
    options: dict[str, Any]
    best: Callable[[list[tuple[str, str | None]]], bool]
    values: Callable[[list[tuple[str, str | None]]], Any] = lambda _: None

    def judged(self, content: Content) -> str:
        """What both doors say; a file that is accepted says what is so."""
        alone = "alone" if passes(content) else "none"
        try:
            found = check_proof(self.event, content, self.model, **self.options)
        except (InputError, UsageError):
            return alone
        if found.verdict == "none":
            return alone
        claim = content["claim"]
        if claim["pairing"] is None:
            assert not self.best([])
            return "accepted"
        names = [*(name for name, _ in claim["players"]), None]
        pairing = [(str(names[i]), names[j]) for i, j in claim["pairing"]]
        assert self.best(pairing), "a worse pairing is accepted"
        if (true := self.values(pairing)) is not None:
            stated = {
                (c, str(label)): Fraction(value, scale)
                for c, label, _, value, _, scale in claim["levels"]
                if value
            }
            assert stated == true
        return "accepted"


def passes(content: Content) -> bool:
    try:
        verify(content)
    except (InvalidProof, ValueError, TypeError, KeyError):
        return False
    return True


def files(result: Result, honest: Result, lie: str, rng: Random) -> Iterator[Content]:
    """What a liar writes of a pairing."""
    proof: Proof | None = None
    with suppress(*ERRORS), lying(lie, rng):
        proof = build_proof(result.problem, result.arcs, result.further)
    if proof is None:
        return
    yield (content := dict(proof.content))
    if honest.arcs is not None:
        with suppress(*ERRORS):
            true = dict(build_claim(honest.problem, honest.arcs).content)
            yield {
                **content,
                "claim": {**content["claim"], **{k: true[k] for k in HEADING}},
            }
    with suppress(*ERRORS):
        yield {
            **content,
            "claim": build_claim(honest.problem, result.arcs, result.further).content,
        }


def paired(truth: Truth, lie: str, rng: Random) -> Result | None:
    """What the liar pairs."""
    with suppress(*ERRORS), lying(lie, rng):
        return solve(truth.event, truth.model, **truth.options)
    return None


def lied(truth: Truth, lie: str, seed: int) -> Counter[str]:
    rng, tally = Random(seed), Counter[str]()
    honest = solve(truth.event, truth.model, **truth.options)
    result = paired(truth, lie, Random(seed))
    if lie in CHAINS and honest.arcs is not None:
        result = another(honest, rng)
    if result is None or result.status not in ("optimal", "infeasible"):
        return tally
    for content in files(result, honest, lie, Random(seed)):
        tally[truth.judged(content)] += 1
    return tally


def another(result: Result, rng: Random) -> Result | None:
    """Some other legal pairing, or the same."""
    problem, arcs = result.problem, result.arcs
    assert arcs is not None
    for _ in range(20):
        seats = arcs.second.copy()
        one, two = rng.randrange(len(arcs)), rng.randrange(len(arcs))
        seats[[one, two]] = seats[[two, one]]
        made = Arcs(arcs.first, seats)
        made = made.turned(~problem.legal(made) & made.match)
        if one != two and problem.legal(made).all():
            return replace(result, arcs=made)
    return result


# ---------------------------------------------------------------------- models


def truth_of(case: Case) -> Truth:
    event, model, oracle = case.event(), model_of(case.model), case.oracle()
    best = oracle.optimum()

    def values(pairing: Any) -> Any:
        if case.model["objective"] == "weighted":
            return None
        kinds = [rule.kind for rule in prepare(event, model, **case.options).criteria]
        if len({*kinds}) < len(kinds):
            return None
        found = oracle.vector(pairing).items()
        return {(kinds[place], str(label)): value for (place, label), value in found}

    def is_best(pairing: Any) -> bool:
        if not pairing:
            return best is not None
        return bool(oracle.legal(pairing) and oracle.vector(pairing) == best)

    return Truth(event, model, {"seed": case.seed, **case.options}, is_best, values)


def swept(examples: int) -> Counter[str]:
    tally = Counter[str]()

    @settings(REPEATABLE, max_examples=examples)
    @given(cases(events(4, 8, min_rounds=2)), st.integers(0, 10**6))
    def check(case: Case, seed: int) -> None:
        try:
            truth = truth_of(case)
            solve(truth.event, truth.model, **truth.options)
        except UsageError:
            return
        if case.model["objective"] == "weighted":
            return
        for lie in (*COSTS, *LEGAL):
            tally.update(lied(truth, lie, seed))

    check()
    print(dict(tally))
    return tally


@pytest.mark.sweep
def test_no_lie_about_costs_or_legality_is_believed() -> None:
    tally = swept(12)
    assert sum(tally.values()) > 100
    assert tally["alone"] > 10  # by costs of its own a file may hold
    assert tally["accepted"] > 2  # some lies are about what does not matter


@pytest.mark.slow
def test_20000_files_of_liars() -> None:
    assert sum(swept(900).values()) + sum(of_systems(range(400)).values()) > 20_000


# ---------------------------------------------------------------------- systems


def systems(seeds: range) -> Iterator[tuple[Truth, str]]:
    """Rounds of FIDE's systems, with the pairs that their oracles find over whole pairings."""
    for seed in seeds:
        given_round = random_round(seed, largest=8)
        for model, one, oracle in (
            ("fide-dutch", given_round, dutch_global),
            ("fide-burstein", burstein(given_round), burstein_global),
        ):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "round.trf"
                path.write_text(one.trf(), encoding="utf-8")
                event = read_event(path)
            pairs = oracle.pairs(one)
            best = None if pairs is None else {frozenset(pair) for pair in pairs}

            def is_best(pairing: Any, best: Any = best) -> bool:
                ends = {frozenset(int(p or 0) for p in pair) for pair in pairing}
                return (best is not None) if not pairing else ends == best

            yield Truth(event, model, {}, is_best), model


def of_systems(seeds: range) -> Counter[str]:
    tally = Counter[str]()
    for truth, _ in systems(seeds):
        for lie in (*CHAINS, *LEGAL):
            for seed in range(2):
                tally.update(lied(truth, lie, seed))
    print(dict(tally))
    return tally


@pytest.mark.sweep
@pytest.mark.parametrize(
    "rounds",
    [pytest.param(1, marks=pytest.mark.long), pytest.param(20, marks=pytest.mark.slow)],
)
def test_no_lie_about_a_chain_is_believed(rounds: int) -> None:
    tally = of_systems(range(rounds))
    assert sum(tally.values()) > 20 * rounds
    assert tally["alone"] > 4 * rounds


# ---------------------------------------------------------------------- other rounds, other rules

OTHER: dict[str, Callable[[Event, Random], tuple[Event, Any, dict[str, Any]]]] = {
    "another model": lambda event, _: (event, "monrad", {}),
    "the rules of the last round": lambda event, _: (
        event,
        "standard",
        {"last_round": True},
    ),
    "another seed": lambda event, _: (event, "standard", {"seed": 9}),
    "another round": lambda event, _: (event.at_round(event.round - 1), "standard", {}),
    "other points": lambda event, _: (event, "standard", {"points": "2-1-0"}),
    "a rule relaxed": lambda event, _: (
        event,
        "standard",
        {"relax": ["no_repeat_bye"]},
    ),
    "two forced": lambda event, rng: (
        event,
        "standard",
        {"force": [pair_in(event, rng)]},
    ),
    "two forbidden": lambda event, rng: (
        event,
        "standard",
        {"forbid": [pair_in(event, rng)]},
    ),
    "two allowed": lambda event, rng: (
        event,
        "standard",
        {"allow": [pair_in(event, rng)]},
    ),
    "published": lambda event, rng: (
        event,
        "standard",
        {"published": [pair_in(event, rng)]},
    ),
    "a bye": lambda event, rng: (event, "standard", {"bye": pair_in(event, rng)[0]}),
    "no bye": lambda event, rng: (
        event,
        "standard",
        {"no_bye": [pair_in(event, rng)[0]]},
    ),
    "room for a round": lambda event, _: (event, "standard", {"lookahead": 1}),
    "somebody away": lambda event, rng: (
        event,
        "standard",
        {"drop": [*pair_in(event, rng)]},
    ),
    "results exchanged": lambda event, _: (
        replace(
            event,
            matches=replace(
                event.matches, score1=event.matches.score2, score2=event.matches.score1
            ),
        ),
        "standard",
        {},
    ),
    "sides exchanged": lambda event, _: (
        replace(event, matches=replace(event.matches, side=1 - event.matches.side)),
        "standard",
        {},
    ),
    "players in another order": lambda event, rng: (
        permuted(event, rng),
        "standard",
        {},
    ),
}


def pair_in(event: Event, rng: Random) -> tuple[str, str]:
    here = [event.players[p] for p in np.flatnonzero(event.active)]
    one, two = rng.sample(here, 2)
    return one, two


def permuted(event: Event, rng: Random) -> Event:
    """The same event, but its players are called otherwise."""
    names = list(event.players)
    rng.shuffle(names)
    return replace(event, players=tuple(names), names=tuple(names))


@pytest.mark.sweep
@pytest.mark.parametrize("lie", OTHER)
def test_what_is_proven_of_something_else_is_refused(lie: str) -> None:
    """As it is, under the true heading, and with the true claim of its pairing."""
    tried = 0
    for seed in range(8):
        *_, (event, _) = simulation.rounds(7, 4, seed, "standard", draws=0.2, drops=0.0)
        honest = solve(event, "standard")
        with suppress(UsageError):
            other, model, options = OTHER[lie](event, Random(seed))
            result = solve(other, model, **options)
            if result.arcs is None or result.proof is None:
                continue
            content = dict(result.proof.content)
            true = build_claim(honest.problem, honest.arcs).content
            same = {k: content["claim"][k] for k in HEADING} == {
                k: true[k] for k in HEADING
            }
            assert not same
            best = [level.value for level in honest.level_values]
            for forged in files_of(content, true, honest, result):
                try:
                    found = check_proof(event, forged, "standard")
                except InputError:
                    continue
                tried += 1
                if found.holds:  # then it is the true round's, and the best there
                    claim = forged["claim"]
                    assert {k: claim[k] for k in HEADING} == {
                        k: true[k] for k in HEADING
                    }
                    assert [level[3] for level in claim["levels"]] == best
    assert tried >= 4


def files_of(
    content: Content, true: Content, honest: Result, other: Result
) -> Iterator[Content]:
    yield content
    yield {**content, "claim": {**content["claim"], **{k: true[k] for k in HEADING}}}
    names, seats = other.problem.state.names, honest.problem.state
    if {*names} == {*seats.names} and other.arcs is not None:
        place = np.array([seats.names.index(name) for name in names] + [-1])
        moved = Arcs(place[other.arcs.first], place[other.arcs.second])
        with suppress(NoClaimError):
            yield {**content, "claim": build_claim(honest.problem, moved).content}
