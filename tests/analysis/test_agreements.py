"""Chances of a cut and agreements, against every continuation listed by plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tie_breaks_oracle import Crosstable

from pairopt import Event, UsageError, read_event
from pairopt.analysis import continuations
from pairopt.analysis.agreements import Agreements, TableCutProbabilities, agreements
from pairopt.event.settings import EventSettings
from pairopt.lab import World, play, simulate
from pairopt.lab.worlds.laws import Davidson, Elo
from pairopt.messages.formatting import decimal_text

Row = dict[str, Any]
Score = tuple[Fraction, Fraction]
Likely = list[tuple[Score, Fraction]]
WIN, DRAW = Fraction(3), Fraction(1)


def game(draws: Fraction) -> Likely:
    """How a game between equals ends."""
    rest = (1 - draws) / 2
    ends = [
        ((WIN, Fraction(0)), rest),
        ((DRAW, DRAW), draws),
        ((Fraction(0), WIN), rest),
    ]
    return [each for each in ends if each[1]]


def together(one: Score, two: Score) -> Score:
    return one[0] + two[0], one[1] + two[1]


def played(games: int, draws: Fraction) -> Likely:
    """All games of a match."""
    if games == 1:
        return game(draws)
    both = product(game(draws), game(draws))
    return [(together(a, b), p * q) for (a, p), (b, q) in both]


def two_for_one(draws: Fraction) -> Likely:
    """Whoever loses the first game concedes the second; after a draw it is played."""
    found: Likely = []
    for first, p in game(draws):
        if first[0] != first[1]:
            found.append((together(first, first), p))
        else:
            found += [(together(first, second), p * q) for second, q in game(draws)]
    return found


def drawn(games: int) -> Score:
    return (DRAW, DRAW) if games == 1 else (WIN, WIN)


class Oracle:
    """A last round: rows as text, the open ones without scores."""

    def __init__(
        self,
        event: Event,
        rows: list[Row],
        cut: int,
        games: int,
        draws: Fraction,
        tie_breaks: tuple[str, ...] = ("sos", "esos"),
        gone: frozenset[str] = frozenset(),
    ) -> None:
        self.event, self.rows, self.cut, self.games, self.draws = (
            event,
            rows,
            cut,
            games,
            draws,
        )
        self.tie_breaks, self.gone = tie_breaks, gone
        self.open = [row for row in rows if row["score1"] == "" and row["player2"]]

    def share(self, scores: dict[int, Score], player: str) -> Fraction:
        """A player's part of a place after these results, by the position of the open row."""
        rows = [dict(row) for row in self.rows]
        for row, origin in zip(rows, self.rows, strict=True):
            for number, each in enumerate(self.open):
                if each is origin:
                    one, two = scores[number]
                    row |= {"score1": decimal_text(one), "score2": decimal_text(two)}
        players = [{"player": name} for name in self.event.players]
        last = max(int(row["round"]) for row in rows)
        win = WIN if self.games == 1 else 2 * WIN
        draw = DRAW if self.games == 1 else WIN
        table = Crosstable(rows, players, last, win, draw)
        ranks = {name: rank for rank, name, _ in table.ranking(self.tie_breaks)}
        there = [name for name in self.event.players if name not in self.gone]
        above = sum(ranks[name] < ranks[player] for name in there)
        equal = sum(ranks[name] == ranks[player] for name in there)
        return Fraction(min(max(self.cut - above, 0), equal), equal)

    def chance(self, number: int, player: str, ends: Likely) -> Fraction:
        """The chance of the cut if a table ends so, all others playing."""
        others = [
            [(None, Fraction(1))] if k == number else played(self.games, self.draws)
            for k in range(len(self.open))
        ]
        total = Fraction(0)
        seen: dict[tuple[Score, ...], Fraction] = {}
        for combined in product(*others):
            weight = Fraction(1)
            for _, p in combined:
                weight *= p
            for score, q in ends:
                key = tuple(score if s is None else s for s, _ in combined)
                seen[key] = seen.get(key, Fraction(0)) + weight * q
        for key, weight in seen.items():
            total += weight * self.share(dict(enumerate(key)), player)
        return total


def text_rows(event: Event, before: int) -> list[Row]:
    """The rows of the rounds before one, as matches.csv has them."""
    rows = event.matches_frame.to_dict("records")
    return [
        {str(name): "" if pd.isna(value) else value for name, value in row.items()}
        for row in rows
        if int(row["round"]) < before
    ]


def row_of(number: int, one: str, two: str, *scores: str, status: str = "") -> Row:
    """A row of matches.csv, open without scores."""
    first, second = scores or ("", "")
    return {
        "round": number,
        "player1": one,
        "player2": two,
        "score1": first,
        "score2": second,
        "status": status,
        "side1": "",
    }


def open_rows(found: Agreements) -> list[Row]:
    """The tables as they were found."""
    return [row_of(found.round, one.player1, one.player2) for one in found.tables]


def scenarios(one: TableCutProbabilities) -> Iterator[tuple[str, int, Fraction]]:
    for each in one.scenarios:
        for k in (0, 1):
            exact = each.chances[k].exact
            assert exact is not None
            yield each.name, k, exact


CASES = [
    # model, games, players, rounds, draws, cut, tie-breaks
    ("double-sided", 2, 8, 3, Fraction(0), 3, ("sos", "esos")),
    ("double-sided", 2, 7, 4, Fraction(0), 2, ("sos", "esos")),
    ("double-sided", 2, 6, 3, Fraction(1, 4), 2, ("sos",)),
    ("aesops", 1, 8, 4, Fraction(0), 4, ("sos", "esos")),
    ("cobra", 1, 7, 3, Fraction(1, 4), 3, ()),
    ("excalibur", 1, 6, 3, Fraction(1, 2), 2, ("WIN", "sos")),
]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("model", "games", "players", "rounds", "draws", "cut", "ties"), CASES
)
@pytest.mark.parametrize("replicate", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_chances_equal_brute_force(
    model: str,
    games: int,
    players: int,
    rounds: int,
    draws: Fraction,
    cut: int,
    ties: tuple[str, ...],
    replicate: int,
) -> None:
    world = World(
        players=players, rounds=rounds, games=games, draws=float(draws), spread=0
    )
    event = simulate(model, world, seed=3, replicate=replicate).event.at_round(rounds)
    gone = frozenset({"p2"} if replicate and players % 2 == 0 else ())
    settings = replace(event.settings, tie_breaks=ties)
    earlier = event.matches.take(event.matches.round < rounds)
    event = replace(event, settings=settings, matches=earlier)
    found = agreements(event, model, cut=cut, draws=float(draws), drop=[*gone])
    assert found.exact
    assert found.complete
    rows = text_rows(event, rounds) + open_rows(found)
    seated = {
        row[k] for row in rows if row["round"] == rounds for k in ("player1", "player2")
    }
    for name in event.players:
        if name not in seated | gone:
            points = "6" if games == 2 else "3"
            rows.append(row_of(rounds, name, "", points, "", status="bye"))
    oracle = Oracle(event, rows, cut, games, draws, ties, gone)
    assert len(oracle.open) == len(found.tables) == (players - len(gone)) // 2
    for number, one in enumerate(found.tables):
        agreed = {
            "played": played(games, draws),
            "intentional_draw": [(drawn(games), Fraction(1))],
        }
        if games == 2:
            agreed["two_for_one"] = two_for_one(draws)
        chances = {}
        for name, k, exact in scenarios(one):
            player = (one.player1, one.player2)[k]
            ends = agreed.get(name)
            if ends is None:
                a, b = map(Fraction, name.split("-"))
                ends = [((a, b), Fraction(1))]
            chances[name, k] = oracle.chance(number, player, ends)
            assert exact == chances[name, k], (one, name, player)
        for each in one.scenarios:
            if each.gains is not None:
                more = [chances[each.name, k] - chances["played", k] for k in (0, 1)]
                assert [gain.exact for gain in each.gains] == more
                assert each.both_gain == ("yes" if min(more) > 0 else "no")
    possible = {name for name, _, _ in scenarios(found.tables[0])}
    assert ("two_for_one" in possible) == (games == 2)


def double(players: int, rounds: int, at: int, replicate: int = 0) -> Event:
    """A double-sided tournament before a round."""
    world = World(players=players, rounds=rounds, games=2, draws=0, spread=0)
    played = simulate("double-sided", world, seed=5, replicate=replicate, choose="any")
    event = played.event.at_round(at)
    return replace(event, matches=event.matches.take(event.matches.round < at))


def test_a_dictionary_says_what_the_answer_does() -> None:
    found = agreements(double(6, 3, 3), "double-sided", cut=2)
    told = found.to_dict()["tables"]
    assert [
        [(one["scenario"], one["probability"]) for one in table["scenarios"]]
        for table in told
    ] == [
        [(one.name, one.probability) for one in table.scenarios]
        for table in found.tables
    ]
    assert len(told) == 3


@pytest.mark.long
def test_agreements_of_even_games_are_worth_the_opposite() -> None:
    """Without draws and with even chances a split is as likely as both sweeps together."""
    for replicate in range(3):
        for one in agreements(double(8, 3, 3, replicate), "double-sided", cut=3).tables:
            split, sweep = (
                one.scenario("intentional_draw").gains,
                one.scenario("two_for_one").gains,
            )
            assert split is not None
            assert sweep is not None
            assert [a.exact for a in split] == [-(b.exact or 0) for b in sweep]


# ------------------------------------------------------------------ drawn continuations


@pytest.mark.long
def test_drawn_continuations_hold_the_exact_chances(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inside, all_of_them = 0, 0
    for replicate in range(3):
        event = double(10, 4, 4, replicate)
        exact = agreements(event, "double-sided", cut=4)
        with monkeypatch.context() as patched:
            patched.setattr(continuations, "MOST_STANDINGS", 0)
            found = agreements(event, "double-sided", cut=4, samples=1500)
        assert exact.exact
        assert not found.exact
        assert found.samples == 1500
        for one, two in zip(exact.tables, found.tables, strict=True):
            for sure, drawn in zip(one.scenarios, two.scenarios, strict=True):
                pairs = [*zip(sure.chances, drawn.chances, strict=True)]
                pairs += [*zip(sure.gains or (), drawn.gains or (), strict=True)]
                for true, guess in pairs:
                    assert guess.value == pytest.approx(true.value, abs=0.07)
                    inside += guess.low - 1e-9 <= true.value <= guess.high + 1e-9
                    all_of_them += 1
                if "open" != drawn.both_gain is not None:
                    assert drawn.both_gain == sure.both_gain
    assert inside >= 0.93 * all_of_them


@pytest.mark.sweep
def test_rounds_that_are_left_are_played_too() -> None:
    """Four players who do not meet twice: the last round is known, and so are all chances."""
    event = double(4, 3, 2)
    found = agreements(event, "double-sided", cut=2, samples=150, seed=1)
    assert not found.exact
    rows = text_rows(event, 2)
    both = [(one.player1, one.player2) for one in found.tables]
    left = [(both[0][0], both[1][0]), (both[0][1], both[1][1])]
    met = {frozenset((row["player1"], row["player2"])) for row in rows}
    if met & {frozenset(pair) for pair in left}:
        left = [(both[0][0], both[1][1]), (both[0][1], both[1][0])]
    assert len({frozenset(pair) for pair in left} | met) == 4
    for number, one in enumerate(found.tables):
        for each in one.scenarios[:3]:
            a, b = map(Fraction, each.name.split("-"))
            for k, player in enumerate((one.player1, one.player2)):
                total = Fraction(0)
                for other, p in played(2, Fraction(0)):
                    scores = [(a, b), other] if number == 0 else [other, (a, b)]
                    known = rows + [
                        row_of(2, x, y, decimal_text(s), decimal_text(t))
                        for (x, y), (s, t) in zip(both, scores, strict=True)
                    ]
                    known += [row_of(3, x, y) for x, y in left]
                    oracle = Oracle(event, known, 2, 2, Fraction(0))
                    total += p * oracle.chance(0, player, played(2, Fraction(0)))
                low, high = each.chances[k].low, each.chances[k].high
                assert low - 0.01 <= total <= high + 0.01, (each, player, float(total))


@pytest.mark.slow
@pytest.mark.long
def test_each_round_that_is_left_is_paired_and_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Round 2 ends as likely whatever the result of round 1 that is looked at."""
    seen: Counter[tuple[int, bool]] = Counter()
    ends: Counter[tuple[int, int]] = Counter()

    def paired(event: Event, model: Any, seed: int, last: bool) -> Any:
        seen[event.round, last] += 1
        if event.round == 3:
            one, two = (event.matches.take(event.matches.round == k) for k in (1, 2))
            ends[int(one.score1[0]), int(two.score1[0])] += 1
        return play.paired(event, model, seed, last)

    monkeypatch.setattr(continuations, "paired", paired)
    agreements(double(4, 3, 1), "double-sided", cut=1, samples=60)
    assert seen == {(2, False): 360, (3, True): 360}
    for looked_at in (6, 3, 0):
        own = {end: ends[looked_at, end] for end in (6, 3, 0)}
        assert own[6] + own[0] == pytest.approx(own[3], rel=0.6)
        assert min(own.values()) > 10


@pytest.mark.long
def test_the_same_seed_draws_the_same() -> None:
    event = double(6, 4, 3)
    one, two, other = (
        agreements(event, "double-sided", cut=2, samples=5, seed=seed)
        for seed in (1, 1, 2)
    )
    assert one == two != other


# ------------------------------------------------------------------ settled by points


@pytest.mark.long
def test_who_is_settled_is_so_in_every_continuation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: Counter[int | None] = Counter()
    decide = continuations.Continuations.decide_by_points
    for replicate in range(12):
        for cut, model, games, at in ((2, "aesops", 1, 5), (6, "double-sided", 2, 4)):
            world = World(players=8, rounds=at, games=games, draws=0, spread=400)
            event = simulate(model, world, seed=9, replicate=replicate).event.at_round(
                at
            )
            event = replace(event, matches=event.matches.take(event.matches.round < at))
            known = agreements(event, model, cut=cut)
            said: list[int | None] = []

            def told(self: Any, table: int, said: list[int | None] = said) -> Any:
                said += decide(self, table)
                return None, None

            with monkeypatch.context() as patched:
                patched.setattr(continuations.Continuations, "decide_by_points", told)
                every = agreements(event, model, cut=cut)
            assert every == known
            values = [
                [each.chances[k].exact for each in one.scenarios]
                for one in every.tables
                for k in (0, 1)
            ]
            for verdict, chances in zip(said, values, strict=True):
                seen[verdict] += 1
                assert verdict is None or set(chances) == {verdict}
    assert min(seen[0], seen[1], seen[None]) >= 10, seen


@pytest.mark.long
def test_who_can_still_lose_all_is_not_settled() -> None:
    """B and C have 6 points and meet, A has none and wins: whoever of the two loses may stay at 6,
    which A then reaches in round 4."""
    rows = [
        row_of(1, "B", "A", "3", "0"),
        row_of(1, "C", "D", "3", "0"),
        row_of(2, "B", "D", "3", "0"),
        row_of(2, "C", "A", "3", "0"),
        row_of(3, "A", "D"),
        row_of(3, "B", "C"),
    ]
    event = read_event(pd.DataFrame(rows), unfinished=True)
    found = agreements(event, "monrad", cut=2, rounds=4, samples=20)
    for table in found.tables:
        assert {each.chances[0].exact for each in table.scenarios} == {None}, table


# ------------------------------------------------------------------ which tables


@pytest.mark.long
def test_the_open_matches_of_a_round_in_progress_are_the_tables() -> None:
    event = double(8, 3, 3)
    rows = text_rows(event, 3)
    paired = agreements(event, "double-sided", cut=3).tables
    half = [
        row_of(3, one.player2, one.player1, *(["6", "0"] if k == 0 else []))
        for k, one in enumerate(paired)
    ]
    going = read_event(pd.DataFrame([*rows, *half]), unfinished=True)
    going = replace(going, settings=EventSettings(rounds=3, tie_breaks=("sos", "esos")))
    found = agreements(going, "double-sided", cut=3)
    assert found.round == 3
    assert [(one.player2, one.player1) for one in found.tables] == [
        (one.player1, one.player2) for one in paired[1:]
    ]
    for one in found.tables:
        number = [row["player1"] for row in half[1:]].index(one.player1)
        oracle = Oracle(event, [*rows, *half], 3, 2, Fraction(0))
        expected = oracle.chance(number, one.player1, played(2, Fraction(0)))
        assert one.scenario("played").chances[0].exact == expected


@pytest.mark.long
def test_a_round_of_the_file_is_looked_at_as_it_was_paired() -> None:
    world = World(players=8, rounds=3, games=2, draws=0, spread=0)
    event = simulate("double-sided", world, seed=5).event
    found = agreements(event, "double-sided", cut=3, round=3)
    rows = event.matches.take(event.matches.round == 3)
    assert [(one.player1, one.player2) for one in found.tables] == [
        (event.players[a], event.players[b])
        for a, b in zip(rows.first, rows.second, strict=True)
    ]
    without = replace(
        event, matches=event.matches.take(event.matches.round < 3)
    ).at_round(3)
    pairs = [(one.player1, one.player2) for one in found.tables]
    paired = agreements(without, "double-sided", cut=3, force=pairs)
    chances = {one.player1: one.scenario("6-0").chances[0] for one in found.tables}
    mirrored = {(one.player1, one.scenario("6-0").chances[0]) for one in paired.tables}
    mirrored |= {(one.player2, one.scenario("0-6").chances[1]) for one in paired.tables}
    assert {*chances.items()} <= mirrored
    with pytest.raises(
        UsageError, match="Round 3 is already paired, so force has no effect"
    ):
        agreements(event, "double-sided", cut=3, round=3, force=pairs[:1])


@pytest.mark.long
def test_ratings_say_who_wins_where_a_world_is_asked_for() -> None:
    event = double(8, 3, 3, replicate=1)
    with pytest.raises(UsageError, match="ratings"):
        agreements(event, "double-sided", cut=3, results=Davidson())
    rated = replace(event, rating=np.full(8, 1500))
    even = agreements(rated, "double-sided", cut=3, results=Davidson())
    assert even.tables == agreements(event, "double-sided", cut=3).tables
    uneven = replace(event, rating=np.array([3, 7, 1, 5, 2, 8, 4, 6]) * 100)
    turned = 0
    for one in agreements(uneven, "double-sided", cut=3, results=Elo()).tables:
        first, second = event.index[one.player1], event.index[one.player2]
        turned += first > second
        wins = 1 / (1 + 10 ** ((uneven.rating[second] - uneven.rating[first]) / 400))
        expected = [wins**2, 2 * wins * (1 - wins), (1 - wins) ** 2]
        assert [each.probability for each in one.scenarios[:3]] == pytest.approx(
            expected
        )
    assert 0 < turned < 4


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"cut": 0}, "cut to 0 players"),
        ({"cut": 9}, "cut to 9 players is not possible. Choose a number from 1 to 8"),
        ({"cut": 2, "rounds": 2}, "has 2 rounds, but round 3"),
        ({"cut": 2, "samples": 1}, "samples"),
        ({"cut": 2, "draws": 1.5}, "probability of a draw"),
        ({"cut": 2, "choose": "any"}, "no option 'choose'"),
    ],
)
def test_what_cannot_be_asked(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        agreements(double(8, 3, 3), "double-sided", **given)


def test_the_number_of_rounds_has_to_be_known() -> None:
    event = replace(double(8, 3, 3), settings=EventSettings())
    with pytest.raises(UsageError, match="does not say how many rounds"):
        agreements(event, "double-sided", cut=2)
    assert agreements(event, "double-sided", cut=2, rounds=3).exact


def test_what_is_not_known_in_time_is_said() -> None:
    found = agreements(double(8, 3, 3), "double-sided", cut=2, time_limit=1e-9)
    assert not found.complete
    assert not found.tables
    assert found.names == ()
