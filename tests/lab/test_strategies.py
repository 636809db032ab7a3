"""Strategic players: what they see, what they can change, and what follows from it."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from pairopt import UsageError
from pairopt.analysis.next_round_player import DRAW, WIN, NextRoundPlayer
from pairopt.errors import InputError
from pairopt.event.arcs import BYE
from pairopt.event.event import Event
from pairopt.event.score_checks import points_of
from pairopt.lab import World, compare_models, simulate
from pairopt.lab import world as world_module
from pairopt.lab.strategies import DrawIntoCut, SwissGambit, UnplayedRound
from pairopt.lab.studies.study_file import read_study
from pairopt.lab.worlds.laws import Davidson
from pairopt.problem.model import load_model

CHESS = World.chess(players=9, rounds=4, rating_error=0, draws=0.3, first_side=30)
WORLDS = [
    CHESS,
    replace(CHESS, results=Davidson(), drops=0.1, late=0.2, absent=0.1),
    World(players=8, rounds=4, draws=0.2, games=2),
    World(players=9, rounds=4, draws=0.2, games=3, sides=()),
]


def as_drawn(paired: UnplayedRound) -> tuple[np.ndarray, np.ndarray]:
    return paired.win, paired.draw


def arrays(event: Event) -> list[list[object]]:
    names = ("round", "first", "second", "side", "score1", "score2", "status")
    return [getattr(event.matches, name).tolist() for name in names]


class Spy:
    """A strategy that changes nothing and remembers all it sees."""

    kind = "spy"

    def __init__(self) -> None:
        self.seen: list[UnplayedRound] = []

    def __call__(self, paired: UnplayedRound, /) -> tuple[np.ndarray, np.ndarray]:
        self.seen.append(paired)
        return paired.win, paired.draw

    def fingerprint(self) -> str:
        return "spy"


def content(paired: UnplayedRound) -> list[object]:
    """All that a strategy can read, as lists."""
    event, games, rows = paired.event, paired.games, paired.pairing
    return [
        event.round,
        arrays(event),
        event.active.tolist(),
        event.rating.tolist(),
        [getattr(rows, name).tolist() for name in rows.__dataclass_fields__],
        [games.one.tolist(), games.two.tolist(), games.side.tolist()],
        games.strength.tolist(),
        [paired.game, paired.win.tolist(), paired.draw.tolist()],
    ]


@pytest.mark.parametrize("world", WORLDS, ids=range(4))
class TestWhatIsSeen:
    def test_all_earlier_results_and_this_pairing(self, world: World) -> None:
        spy = Spy()
        played = simulate("standard", replace(world, strategy=spy), seed=3)
        matches = played.event.matches
        games_per_round = max(world.games, 1)
        rounds = [paired.event.round for paired in spy.seen]
        assert rounds == [r for r in range(1, 5) for _ in range(games_per_round)]
        for paired in spy.seen:
            number = paired.event.round
            before = matches.take(matches.round < number)
            assert arrays(paired.event) == arrays(replace(played.event, matches=before))
            now = matches.take(matches.round == number)
            assert paired.pairing.first.tolist() == now.first.tolist()
            assert paired.pairing.second.tolist() == now.second.tolist()
            assert paired.pairing.side.tolist() == now.side.tolist()
            pairs = [
                sorted(pair)
                for pair in zip(now.first.tolist(), now.second.tolist(), strict=True)
                if BYE not in pair
            ]
            assert [
                list(pair)
                for pair in zip(
                    paired.games.one.tolist(), paired.games.two.tolist(), strict=True
                )
            ] == pairs
            for player in range(world.players):
                position = paired.find_game(player)
                assert (position is None) == all(player not in pair for pair in pairs)
                assert position is None or player in pairs[position]

    def test_no_result_of_the_round_or_later(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Other random numbers from a round on change nothing that is seen until then."""
        spy = Spy()
        simulate("standard", replace(world, strategy=spy), seed=3)
        luck = world_module.match_luck
        for first_other in (1, 2, 3):
            other = Spy()

            def other_luck(seed, replicate, number, *rest, limit=first_other):  # type: ignore[no-untyped-def]
                return luck(seed + (number >= limit), replicate, number, *rest)

            with monkeypatch.context() as patch:
                patch.setattr(world_module, "match_luck", other_luck)
                simulate("standard", replace(world, strategy=other), seed=3)
            for paired, again in zip(spy.seen, other.seen, strict=True):
                if paired.event.round <= first_other:
                    assert content(paired) == content(again)
            assert content(spy.seen[-1]) != content(other.seen[-1])
        assert not any(paired.pairing.scored.any() for paired in spy.seen)
        assert not any(paired.pairing.score1.any() for paired in spy.seen)
        assert not any((paired.pairing.games >= 0).any() for paired in spy.seen)

    def test_who_plays_to_win_changes_nothing(self, world: World) -> None:
        for replicate in range(3):
            plain = simulate("standard", world, seed=3, replicate=replicate)
            strategic = replace(world, strategy=as_drawn)
            again = simulate("standard", strategic, seed=3, replicate=replicate)
            assert arrays(plain.event) == arrays(again.event)
        together = compare_models(
            ["standard"], replace(world, strategy=as_drawn), replicates=4
        )
        apart = compare_models(["standard"], world, replicates=4)
        kept = [name for name in apart if name not in ("seconds",)]
        assert together[kept].equals(apart[kept])

    def test_tournaments_that_are_played_together(self, world: World) -> None:
        """Each sees its own round."""
        together, apart = Spy(), Spy()
        compare_models(
            ["standard"], replace(world, strategy=together), replicates=4, seed=3
        )
        for replicate in range(4):
            strategic = replace(world, strategy=apart)
            simulate("standard", strategic, seed=3, replicate=replicate)
        seen, again = (
            sorted(map(str, map(content, spy.seen))) for spy in (together, apart)
        )
        assert seen == again

    def test_finish_is_what_is_played(self, world: World) -> None:
        if world.games > 1 or world.late:
            return
        spy = Spy()
        played = simulate("standard", replace(world, strategy=spy), seed=3)
        matches = played.event.matches
        for paired in spy.seen:
            now = matches.take(matches.round == paired.event.round)
            now = now.take(now.second != BYE)
            low_first = now.first < now.second
            outcome = np.sign(now.score1 - now.score2)
            after = paired.finish(np.where(low_first, outcome, -outcome))
            done = matches.take(matches.round <= paired.event.round)
            assert arrays(after) == arrays(replace(played.event, matches=done))
            assert after.round == paired.event.round + 1


@pytest.mark.parametrize("outcome", ["draw", "loss"])
@pytest.mark.parametrize("player", range(9))
def test_only_the_own_game_changes(outcome: str, player: int) -> None:
    kinds = set()
    for replicate in range(12):
        strategy = SwissGambit(player, (1,), outcome)  # type: ignore[arg-type]
        plain = simulate("standard", CHESS, seed=3, replicate=replicate).event
        other = simulate(
            "standard", replace(CHESS, strategy=strategy), seed=3, replicate=replicate
        ).event
        before, after = (
            event.matches.take(event.matches.round == 1) for event in (plain, other)
        )
        for row in range(len(before)):
            pair = before.first[row], before.second[row]
            assert pair == (after.first[row], after.second[row])
            scores, other_scores = (
                [int(rows.score1[row]), int(rows.score2[row])]
                for rows in (before, after)
            )
            if player not in pair or BYE in pair:
                assert scores == other_scores
                continue
            own = pair.index(player)
            score, other_score = scores[own], other_scores[own]
            kinds.add((score, other_score))
    # points are doubled: 2 for a win, 1 for a draw
    draws = {(2, 1), (1, 1), (0, 0)}
    losses = {(2, 0), (1, 0), (0, 0)}
    assert kinds <= (draws if outcome == "draw" else losses)
    assert any(score == 2 for score, _ in kinds)


def last_rounds() -> list[UnplayedRound]:
    spy = Spy()
    for players in (8, 9):
        world = World(players=players, rounds=3, draws=0.3, strategy=spy)
        for seed in range(25):
            simulate("standard", world, seed=seed)
    return [paired for paired in spy.seen if paired.event.round == 3]


def test_certain_draws_by_every_result_of_the_round() -> None:
    agreed_count = 0
    for paired in last_rounds():
        points = points_of(paired.event)
        pairs = [
            *zip(paired.games.one.tolist(), paired.games.two.tolist(), strict=True)
        ]
        for cut in (2, 4, 6):
            expected = []
            for position, pair in enumerate(pairs):
                least = min(points[player] for player in pair) + 1
                worst = 0
                for results in product([(3, 0), (1, 1), (0, 3)], repeat=len(pairs)):
                    if results[position] != (1, 1):
                        continue
                    end = points.copy()
                    end[paired.pairing.first[paired.pairing.second == BYE]] += 3
                    for (one, two), (score1, score2) in zip(
                        pairs, results, strict=True
                    ):
                        end[one] += score1
                        end[two] += score2
                    worst = max(worst, int((end >= least).sum()))
                if worst <= cut:
                    expected.append(position)
            strategy = DrawIntoCut(cut)
            assert strategy.find_agreed(paired) == expected
            agreed_count += len(expected)
            win, draw = strategy(paired)
            for position in range(len(pairs)):
                if position in expected:
                    assert (win[position], draw[position]) == (0, 1)
                else:
                    assert win[position] == paired.win[position]
    assert agreed_count > 20


def test_agreements_are_only_in_the_last_round() -> None:
    spy = Spy()
    simulate("standard", World(players=8, rounds=3, draws=0.3, strategy=spy), seed=1)
    for paired in spy.seen[:2]:
        win, draw = DrawIntoCut(8)(paired)
        assert (win == paired.win).all()
        assert (draw == paired.draw).all()


class TestNextRoundPlayer:
    # results are certain, so the most probable results of others are the real ones
    CERTAIN = World.chess(
        players=10,
        rounds=4,
        rating_error=0,
        draws=0,
        first_side=300,
        strengths=tuple(2000.0 * k for k in range(10)),
    )
    MODEL = load_model("fide-dutch")

    def opponent(self, event: Event, player: int, number: int) -> tuple[int, int]:
        """The opponent in a round, and 1 if the player has the first side, otherwise -1."""
        rows = event.matches.take(event.matches.round == number)
        row = int(((rows.first == player) | (rows.second == player)).argmax())
        opponent = int(rows.first[row] + rows.second[row] - player)
        return opponent, 1 if rows.first[row] == player else -1

    def test_the_next_opponent_is_the_real_one(self) -> None:
        gains = []
        for replicate in range(6):
            spy = Spy()
            world = replace(self.CERTAIN, strategy=spy)
            plain = simulate(
                self.MODEL, world, seed=2, replicate=replicate, choose="any"
            )
            for paired in spy.seen[:3]:
                number = paired.event.round
                for player in range(10):
                    player_strategy = NextRoundPlayer(player, self.MODEL)
                    position = paired.find_game(player)
                    assert position is not None
                    wins = paired.win[position] > 0.5
                    if wins != (paired.games.one[position] == player):
                        continue  # the player loses whatever happens
                    gambit = replace(
                        self.CERTAIN, strategy=SwissGambit(player, (number,))
                    )
                    other = simulate(
                        self.MODEL, gambit, seed=2, replicate=replicate, choose="any"
                    )
                    expected = []
                    for event, outcome in ((other.event, DRAW), (plain.event, WIN)):
                        opponent, side = self.opponent(event, player, number + 1)
                        own, their = (plain.strength[k] for k in (player, opponent))
                        score = 1 / (1 + 10 ** ((their - own - 300 * side) / 400))
                        assert player_strategy._expect_next(
                            paired, outcome
                        ) == pytest.approx(score)
                        expected.append(score)
                    gain = expected[0] - expected[1]
                    assert player_strategy.find_gain(paired) == pytest.approx(gain)
                    gains.append(gain)
        assert len(gains) > 30
        assert max(gains) > 0.5

    def test_only_a_player_who_won_all_games_decides_so(self) -> None:
        spy = Spy()
        world = replace(CHESS, players=10, spread=300.0)
        for replicate in range(8):
            simulate(
                "monrad", replace(world, strategy=spy), seed=5, replicate=replicate
            )
        decided = 0
        for paired in spy.seen:
            points = points_of(paired.event)
            for player in range(10):
                strategy = NextRoundPlayer(player, load_model("monrad"), 0.05)
                win, draw = strategy(paired)
                is_changed = (draw != paired.draw).any()
                if points[player] < 2 * (paired.event.round - 1):
                    assert not is_changed
                    continue
                position = paired.find_game(player)
                assert position is not None
                assert is_changed == (strategy.find_gain(paired) >= 0.05)
                if is_changed:
                    decided += 1
                    others = np.arange(len(win)) != position
                    assert (win[others] == paired.win[others]).all()
        assert decided > 3

    def test_the_last_round_has_no_next_game(self) -> None:
        spy = Spy()
        simulate("monrad", replace(CHESS, strategy=spy), seed=5)
        strategy = NextRoundPlayer(0, load_model("monrad"))
        assert strategy.find_gain(spy.seen[-1]) == -np.inf


STUDY = """
models = ["monrad"]
replicates = 4
plugins = ["tricks.py:early"]
[world]
players = 8
rounds = 3
strategy = "early"
"""
TRICKS = """
from pairopt.lab.strategies import SwissGambit

early = SwissGambit(0)
"""


class TestStudies:
    def test_a_plug_in_is_the_strategy(self, tmp_path: Path) -> None:
        path = tmp_path / "study.toml"
        path.write_text(STUDY, encoding="utf-8")
        (tmp_path / "tricks.py").write_text(TRICKS, encoding="utf-8")
        design = read_study(path)
        assert design.worlds[0].strategy == SwissGambit(0)
        assert "strategy swiss_gambit" in design.worlds[0].words
        path.write_text(STUDY.replace('"early"\n', '"late"\n'), encoding="utf-8")
        with pytest.raises(InputError, match=r"world\.strategy"):
            read_study(path)

    def test_wrong_strategies_are_refused(self) -> None:
        def too_much(paired: UnplayedRound) -> tuple[np.ndarray, np.ndarray]:
            return paired.win + 1, paired.draw

        with pytest.raises(UsageError, match="too_much"):
            simulate("standard", replace(CHESS, strategy=too_much))
        with pytest.raises(UsageError, match="strategy"):
            World(strategy=3)  # type: ignore[arg-type]
