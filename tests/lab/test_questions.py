"""Code of single studies: metrics by hand, chances by enumeration, contenders by another way."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from places import ROOT

from pairopt import load_model
from pairopt.event.arcs import all_pairs_and_byes
from pairopt.event.elimination import EliminationBracket
from pairopt.event.points import Score
from pairopt.lab import World, simulate
from pairopt.lab.simulating import Tournament
from pairopt.problem.build import prepare
from pairopt.rules.plugins import load_plugins

EVEN = World(players=4, rounds=4, draws=0)


@cache
def own(study: str, text: str) -> Any:
    """What a study's folder has under this name."""
    return load_plugins([f"{ROOT / 'studies' / study}/{text}"]).get(
        text.partition(":")[2]
    )


def by_hand(world: World, *rounds: str) -> Tournament:
    """A tournament of these pairs: "12 34", the first with the first side, one alone with a bye."""

    def given(event: Any, seed: int) -> Sequence[tuple[str, ...]]:
        return [
            tuple(f"p{number}" for number in pair)
            for pair in rounds[event.round - 1].split()
        ]

    return simulate(given, replace(world, rounds=len(rounds)))


# --- rematches


@pytest.mark.parametrize(
    ("rounds", "clean", "found"),
    [
        (("12 34", "13 24", "14 23"), 1, (0, 0, 0, 0)),
        (("12 34", "13 24", "21 43"), 2 / 3, (0, 0, 0, 1)),
        (("12 34", "34 12"), 1 / 3, (0, 1, 1, 1)),
    ],
)
def test_the_first_rematch(
    rounds: tuple[str, ...], clean: float, found: tuple[int, ...]
) -> None:
    measured = own("rematches", "rematching.py:rematching")(by_hand(EVEN, *rounds))
    assert [*measured.values()] == [pytest.approx(clean), *found]


def test_a_second_bye_is_a_rematch() -> None:
    three = World(players=3, draws=0)
    rematching = own("rematches", "rematching.py:rematching")
    assert rematching(by_hand(three, "12 3", "13 2", "23 1"))["clean_part"] == 1
    assert rematching(by_hand(three, "12 3", "3 21"))["clean_part"] == pytest.approx(
        1 / 3
    )


# --- byes


def test_whose_byes_were_lowest() -> None:
    """The stronger win for sure: 1 beats 2 beats 3. Round 2 gives the bye to one of the two with a
    win, where a loser had none; round 3 to who had one, who has fewest then."""
    world = World(players=3, draws=0, strengths=(9000.0, 5000.0, 1000.0), sides=())
    strongest = np.argsort(-simulate("random", replace(world, rounds=1)).strength) + 1
    a, b, c = map(str, strongest)
    given = own("byes", "byes_given.py:byes_given")
    found = given(by_hand(world, f"{b}{c} {a}", f"{a}{c} {b}", f"{a}{b} {c}"))
    # before round 2: a 3 (bye), b 3, c 0; before round 3: a 6, b 6, c 0
    assert found == {
        "bye_lowest": pytest.approx(2 / 3),
        "bye_lowest_without": pytest.approx(2 / 3),
        "second_bye": 0,
    }
    found = given(by_hand(world, f"{a}{b} {c}", f"{a}{b} {c}"))
    assert found == {"bye_lowest": 0.5, "bye_lowest_without": 0.5, "second_bye": 1}
    # e had the first bye, and has as few points as c and d before round 3, who had none
    world = replace(
        world, players=5, strengths=(9000.0, 5000.0, 1000.0, -3000.0, -7000.0)
    )
    a, b, c, d, e = map(
        str, np.argsort(-simulate("random", replace(world, rounds=1)).strength) + 1
    )
    found = given(
        by_hand(world, f"{a}{b} {c}{d} {e}", f"{a}{c} {d}{e} {b}", f"{a}{b} {c}{d} {e}")
    )
    assert found == {
        "bye_lowest": 1,
        "bye_lowest_without": pytest.approx(2 / 3),
        "second_bye": 1,
    }
    assert given(by_hand(EVEN, "12 34")) == {
        "bye_lowest": None,
        "bye_lowest_without": None,
        "second_bye": 0,
    }


# --- sides


@pytest.mark.parametrize(
    ("rounds", "found"),
    [
        (("12 34", "21 43", "12 34", "21 43"), (0, 0, 0, 0)),
        (("12 34", "12 34", "21 43"), (0, 0, 0, 0)),
        (("12 34", "12 34", "12 43"), (1, 1, 1, 1)),
        (("21 43", "12 34", "13 42", "14 32", "21 34"), (0, 1, 1, 0)),
        (("12 34", "12 43", "21 34", "12 43", "12 43"), (1, 0, 1, 1)),
    ],
)
def test_threes(rounds: tuple[str, ...], found: tuple[int, ...]) -> None:
    measured = own("sides", "threes.py:threes")(by_hand(EVEN, *rounds))
    assert tuple(measured.values()) == found


# --- the last round


def test_what_the_last_round_is_like() -> None:
    world = World(
        players=4, draws=0, strengths=(9000.0, 5000.0, 1000.0, -3000.0), first_side=0
    )
    a, b, c, d = map(
        str, np.argsort(-simulate("random", replace(world, rounds=1)).strength) + 1
    )
    last = own("last-round", "deciding.py:last_round")
    # after round 1: a and c have won; the leaders meet, or do not
    assert last(by_hand(world, f"{a}{b} {c}{d}", f"{c}{a} {b}{d}")) == {
        "last_floats": 0,
        "leaders_apart": 0,
        "last_third": 0,
        "last_unbalanced": 2,
    }
    assert last(by_hand(world, f"{a}{b} {c}{d}", f"{a}{d} {c}{b}")) == {
        "last_floats": 2,
        "leaders_apart": 1,
        "last_third": 0,
        "last_unbalanced": 4,
    }
    # one leader alone has to float; a and d have one side three times
    thrice = by_hand(world, f"{a}{b} {c}{d}", f"{a}{c} {b}{d}", f"{a}{d} {c}{b}")
    assert last(thrice) == {
        "last_floats": 1,
        "leaders_apart": 0,
        "last_third": 2,
        "last_unbalanced": 2,
    }


# --- the cut


def exactly(state: EliminationBracket, wins: np.ndarray) -> dict[str, float]:
    """The champion's chances, match by match in the state that keeps real brackets."""
    if state.champion is not None:
        return {state.champion: 1.0}
    match = next(match for match in state.matches if match.open)
    one, two = ((seed or 0) - 1 for seed in match.seeds)
    found: dict[str, float] = {}
    for score, chance in ((1, wins[one, two]), (0, wins[two, one])):
        after = state.with_result(
            match.fixture.number, Score(Fraction(score), Fraction(1 - score))
        )
        for name, further in exactly(after, wins).items():
            found[name] = found.get(name, 0) + chance * further
    return found


@pytest.mark.parametrize(
    ("players", "double"), [(2, True), (4, False), (4, True), (8, False)]
)
def test_the_chances_of_a_bracket(players: int, double: bool) -> None:
    rng = np.random.default_rng(players)
    wins = rng.uniform(0.05, 0.95, (players, players))
    wins = np.triu(wins, 1) + np.tril(1 - wins.T, -1)
    chances = exactly(EliminationBracket(tuple(map(str, range(players))), double), wins)
    own("cut", "seeded.py:seeded")
    from seeded import champion  # type: ignore[import-not-found]

    found = champion(wins, double)
    assert found == pytest.approx([chances[str(seed)] for seed in range(players)])


@pytest.mark.long
def test_a_seeding_that_tells_nothing_gains_nothing() -> None:
    found = own("cut", "seeded.py:seeded")(
        simulate("random", World(rounds=4, spread=0))
    )
    assert [*found.values()] == pytest.approx([0.0] * len(found), abs=1e-12)


@pytest.mark.parametrize("double", [False, True])
def test_the_first_gains_by_a_bracket_of_true_ranks(double: bool) -> None:
    """Of four there are three brackets: in the usual one the best meets the weakest first."""
    own("cut", "seeded.py:seeded")
    from seeded import champion

    strength = np.array([300.0, 200.0, 100.0, 0.0])
    wins = 1 / (1 + 10 ** ((strength - strength[:, None]) / 400))
    orders = [np.array(order) for order in ([0, 1, 2, 3], [0, 3, 2, 1], [0, 1, 3, 2])]
    one, *others = (champion(wins[np.ix_(order, order)], double)[0] for order in orders)
    assert one > max(others)


# --- bakert's bonus


def test_the_mended_bonus_goes_to_those_who_have_not_met() -> None:
    own("bakert", "mended.py:MendedQuality")
    model = load_model(ROOT / "studies" / "bakert" / "mended.toml")
    played = simulate("random", World(players=9, rounds=4), seed=3).event
    problem = prepare(played, model)
    state, arcs = problem.state, all_pairs_and_byes(len(problem.state))
    scores = [Fraction(int(score), state.scale) for score in state.score]
    highest = max(scores)
    rows = played.matches
    met = {*map(frozenset, zip(rows.first.tolist(), rows.second.tolist(), strict=True))}
    weight = []
    for a, b in zip(arcs.first.tolist(), arcs.second.tolist(), strict=True):
        i, j = scores[a], Fraction(0) if b < 0 else scores[b]
        pair = frozenset((int(state.player[a]), int(state.player[b]) if b >= 0 else b))
        bonus = 0 if pair in met else (highest + 1) ** 2 + 1
        weight.append((max(i, j) + 1) * (highest - abs(i - j) + 1) + bonus)
    cost = model.criteria[0].values(state, arcs, [1])[:, 0]
    assert (cost + np.array([int(w * state.scale**2) for w in weight])).tolist() == [
        int((2 * (highest + 1) ** 2 + 1) * state.scale**2)
    ] * len(arcs)


# --- acceleration


@pytest.mark.long
def test_the_accelerated_contender_pairs_as_an_accelerated_world() -> None:
    plain = World(
        players=12,
        rounds=5,
        rating_error=0,
        win=Fraction(1),
        draw=Fraction(1, 2),
        sides=("white", "black"),
    )
    accelerated = own("acceleration", "baku.py:accelerated")
    for replicate in range(4):
        one = simulate(accelerated, plain, seed=7, replicate=replicate)
        two = simulate(
            "fide-dutch",
            replace(plain, acceleration="baku"),
            seed=7,
            replicate=replicate,
        )
        without = simulate("fide-dutch", plain, seed=7, replicate=replicate)
        assert one.matches.equals(two.matches)
        assert not one.matches.equals(without.matches)


def test_uneven_games() -> None:
    """383 Elo points are 0.9006 of the points, 380 are 0.8991."""
    world = World(players=4, draws=0, strengths=(0.0, 383.0, 763.0, 1143.0))
    order = [
        str(k + 1)
        for k in np.argsort(simulate("random", replace(world, rounds=1)).strength)
    ]
    a, b, c, d = order
    found = own("acceleration", "uneven.py:uneven")(
        by_hand(world, f"{a}{b} {c}{d}", f"{a}{c} {b}{d}", f"{a}{b} {d}{c}")
    )
    assert found == {
        "uneven_early": 3 / 4,
        "uneven_late": 1 / 2,
        "uneven_all": pytest.approx(2 / 3),
    }


# --- what is left to a procedure


@pytest.mark.long
def test_a_procedure_draws_its_own_lots() -> None:
    """There are no optimal pairings to draw from: uniform is as it is without."""
    world = World(players=9, rounds=3)
    one, two = (
        simulate("aesops-by-hand", world, seed=5, choose=how)
        for how in ("any", "uniform")
    )
    assert one.matches.equals(two.matches)
    lots = [
        simulate("aesops-by-hand", world, seed=5, replicate=k, choose="uniform")
        for k in range(3)
    ]
    assert any(
        not a.matches.equals(b.matches) for a, b in itertools.combinations(lots, 2)
    )


def test_the_order_of_the_last_round_is_that_of_other_rounds_where_it_is_kept() -> None:
    folder = ROOT / "studies" / "last-round"
    kept, shipped = load_model(folder / "to-the-end.toml"), load_model("standard")
    assert (kept.constraints, kept.criteria) == (shipped.constraints, shipped.criteria)
    assert kept.last_round is None
    first, turned = (
        load_model(folder / f"{name}.toml")
        for name in ("sides-first", "sides-first-but-last")
    )
    assert (turned.constraints, turned.criteria) == (first.constraints, first.criteria)
    assert turned.last_round is not None


# --- what is at stake


def staked(
    points: Sequence[int],
    pairs: Sequence[Sequence[int]],
    match: int,
    seat: int,
    half: int,
    places: int,
) -> bool:
    """By trying all results of all other matches."""
    own, opponent = pairs[match][seat], pairs[match][1 - seat]
    others = [pair for number, pair in enumerate(pairs) if number != match]
    for results in itertools.product(((2, 0), (1, 1), (0, 2)), repeat=len(others)):
        had = []
        for mine, theirs in ((2, 0), (0, 2)):
            after = [*points]
            after[own] += mine * half
            after[opponent] += theirs * half
            for (a, b), (x, y) in zip(others, results, strict=True):
                after[a] += x * half
                after[b] += y * half
            had.append(sum(score > after[own] for score in after) < places)
        if had == [True, False]:
            return True
    return False


@pytest.mark.long
def test_a_stake_is_what_some_results_make_it() -> None:
    own("stakes", "at_stake.py:at_stake")
    from at_stake import stake  # type: ignore[import-not-found]

    rng, both = np.random.default_rng(4), set()
    for _ in range(120):
        n = int(rng.integers(2, 10))
        points, order = rng.integers(0, 7, n).tolist(), rng.permutation(n).tolist()
        pairs = [order[k : k + 2] for k in range(0, n - 1, 2)]
        for match, seat in itertools.product(range(len(pairs)), (0, 1)):
            given = (points, pairs, match, seat, 1, int(rng.integers(1, n)))
            assert stake(*given) == staked(*given)
            both.add(stake(*given))
    assert both == {False, True}


def test_what_is_at_stake_by_hand() -> None:
    """a beat b, c beat d, and now a plays c, b plays d: the first place is theirs, and the first
    eight places are everybody's."""
    world = World(
        players=4, draws=0, strengths=(9000.0, 5000.0, 1000.0, -3000.0), first_side=0
    )
    a, b, c, d = map(
        str, np.argsort(-simulate("random", replace(world, rounds=1)).strength) + 1
    )
    found = own("stakes", "at_stake.py:at_stake")(
        by_hand(world, f"{a}{b} {c}{d}", f"{a}{c} {b}{d}")
    )
    assert found == {
        "cut_both": 0,
        "cut_one": 0,
        "cut_none": 1,
        "first_both": 0.5,
        "first_one": 0,
        "first_none": 0.5,
    }
