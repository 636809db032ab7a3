"""Why nothing fits: the clash is real, minimal, and said in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import simulation
from click.testing import CliRunner
from clock import ticking
from events import REPEATABLE, Case, cases, constraints, events, model_of, models
from hypothesis import given, settings

from pairopt import Event, Result, UsageError, check_proof, read_event, solve
from pairopt.cli import main
from pairopt.common.budget import Budget
from pairopt.engines.base import EngineOptions
from pairopt.event.event import BYE_ROW, PLAYED
from pairopt.messages.interfaces import TERMINAL
from pairopt.problem.build import prepare
from pairopt.problem.model import parse_model
from pairopt.proof import infeasibility_text
from pairopt.proof.infeasibility import RuleGraphs
from pairopt.proof.infeasibility_text import explain_infeasibility
from pairopt.proof.verify import decode_runs, read, verify

Pair = frozenset[str]


TWICE = "without the rule “Nobody meets the same opponent twice”"


def told(result: Result) -> list[str]:
    """The conflicts as the terminal has them; by themselves they name no option."""
    assert not any("--" in str(each) for each in result.conflicts)
    return [*map(TERMINAL.format_message, result.conflicts)]


def table(
    *rows: tuple[int, str, str | None], scores: tuple[int, int] = (1, 0)
) -> Event:
    """Matches without sides that player1 won; nobody as player2 for a bye."""
    made = [
        (n, a, b, scores[0], scores[1] if b else None, None if b else "bye")
        for n, a, b in rows
    ]
    columns = ["round", "player1", "player2", "score1", "score2", "status"]
    return read_event(pd.DataFrame(made, columns=columns), relax=["byes"])


def names(result: Result) -> tuple[set[str], set[str]]:
    assert result.status == "infeasible"
    assert result.clash is not None
    return set(result.clash.rules), set(result.clash.players)


@pytest.mark.parametrize("tied", [0, 1])
@pytest.mark.parametrize("turned", [False, True])
def test_a_match_covers_two_players_and_the_bye_one(tied: int, turned: bool) -> None:
    """0 and 1 can meet; one of them could have the bye instead, and the other be alone."""
    pairs = [(0, 1), (tied, 3)][:: -1 if turned else 1]
    first, second = np.array(pairs).T
    found = RuleGraphs((), np.arange(3), first, second, ())
    assert found.match_players([]) == [1, 0, -1, -1]


# the examples


def test_three_left_who_have_all_met() -> None:
    # A, B and C have met each other, so only one of them can meet D
    event = table(
        (1, "A", "B"),
        (1, "C", "D"),
        (2, "A", "C"),
        (2, "B", None),
        (3, "B", "C"),
        (3, "A", None),
        (3, "D", None),
        (2, "D", None),
    )
    result = solve(event, "monrad")
    rules, players = names(result)
    assert rules == {"no_rematch"}
    assert players <= {"A", "B", "C"}
    assert any(f"A pairing is possible {TWICE}." in said for said in told(result))
    assert "no_rematch" not in " ".join(told(result))


def test_three_who_have_all_met_and_one_other_opponent() -> None:
    rows = [
        (1, "A", "B"),
        (2, "A", "C"),
        (3, "B", "C"),
        (1, "D", "E"),
        (2, "D", "F"),
        (3, "E", "F"),
        (1, "C", "F"),
        (2, "B", "E"),
        (3, "A", "D"),
    ]
    # two triangles that have met; everybody has two opponents left of the other triangle
    assert solve(table(*rows), "monrad").proven
    more = [(4, "A", "E"), (4, "B", "F"), (4, "C", "D"), (5, "A", "F"), (5, "B", "D")]
    event = table(*rows, *more, (5, "C", None), (5, "E", None))
    result = solve(event, "monrad")
    rules, players = names(result)
    assert rules == {"no_rematch"}
    assert len(players) == 1  # somebody has met all
    assert "has no possible opponent left" in told(result)[0]


def test_everybody_has_had_a_bye() -> None:
    event = table(
        (1, "A", "B"),
        (1, "C", None),
        (2, "B", "C"),
        (2, "A", None),
        (3, "C", "A"),
        (3, "B", None),
    )
    result = solve(event, "standard")
    assert names(result) == ({"no_repeat_bye"}, {"A", "B", "C"})
    assert (
        told(result)[0]
        == "One player must have the bye, but none of these players may have the bye: A, B, C."
    )
    # the bye's points without playing bar them by the other rule too: both have to go
    assert told(result)[-1] == (
        "A pairing is possible without the rule “No player gets a second pairing-allocated bye” and the rule"
        " “A player who got a win's points without playing gets no pairing-allocated bye”."
    )


def test_two_forced_pairs_share_a_player() -> None:
    event = read_event(pd.DataFrame({"player": list("ABCD")}))
    result = solve(event, "random", force=[("A", "B"), ("A", "C")])
    rules, players = names(result)
    assert rules == {"forced_pairs"}
    assert players == {"A"}
    assert (
        told(result)[0]
        == "You forced two matches in one round for A. Keep only one of the two matches."
    )
    assert told(result)[-1] == "A pairing is possible without --force."


def test_a_club_holds_more_than_half_the_field() -> None:
    clubs = ["Oslo"] * 6 + ["Rome"] * 4
    event = read_event(pd.DataFrame({"player": list("ABCDEFGHIJ"), "club": clubs}))
    model = parse_model(
        {"name": "x", "constraints": {"conflicts": "club", "no_rematch": True}}
    )
    result = solve(event, model)
    rules, players = names(result)
    assert rules == {"conflicts"}
    assert len(players) == 5  # five have only four opponents
    assert players <= set("ABCDEF")
    assert "These players may only meet G, H, I, J, not each other." in told(result)[0]
    assert "6 of the 10 players have club 'Oslo'" in told(result)[1]
    assert told(result)[-1].startswith("A pairing is possible without the rule “")
    assert told(result)[-1].endswith("”.")


def test_a_forced_bye_in_an_even_field() -> None:
    event = read_event(pd.DataFrame({"player": list("ABCD")}))
    result = solve(event, "random", bye="A")
    assert names(result) == ({"forced_bye"}, {"A"})
    assert (
        told(result)[0]
        == "4 players are an even number, so there is no bye in this round, and A can't have a bye."
    )


def test_two_rules_that_clash_only_together() -> None:
    # A and B met; A must not meet C and D: neither rule alone is in the way
    event = table((1, "A", "B"), (1, "C", "D"))
    result = solve(event, "monrad", forbid=[("A", "C"), ("A", "D")])
    assert names(result) == ({"no_rematch", "forbidden_pairs"}, {"A"})
    assert f"A pairing is possible {TWICE}." in told(result)
    assert "A pairing is possible without --forbid." in told(result)


def test_where_two_rules_have_to_go() -> None:
    # A has no opponent by either of two rules
    event = table(
        (1, "A", "B"),
        (1, "C", "D"),
        (2, "A", "C"),
        (2, "B", "D"),
        (3, "A", "D"),
        (3, "B", "C"),
    )
    result = solve(event, "monrad", forbid=[("A", "B"), ("A", "C"), ("A", "D")])
    assert names(result)[1] == {"A"}
    assert told(result)[-1] == f"A pairing is possible without --forbid and {TWICE}."


def test_a_lookahead_that_does_not_fit() -> None:
    event = table((1, "A", "B"), (1, "C", "D"))
    result = solve(event, "monrad", lookahead=2)
    rules, players = names(result)
    assert "lookahead" in rules
    assert players == set("ABCD")
    assert "2 more rounds without a rematch would be impossible" in told(result)[0]


def test_the_command_line_says_it(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "players.csv"
    path.write_text("player,club\nA,x\nB,x\n")
    rules = tmp_path / "mine.toml"
    rules.write_text('name = "mine"\n[constraints]\nconflicts = "club"\n')
    run = CliRunner().invoke(main, ["solve", str(path), "--model", str(rules)])
    assert run.exit_code == 1
    assert "2 of the 2 players have club 'x'" in run.stderr
    assert "without the rule “" in run.stderr
    assert "conflicts" not in run.stderr


# when the time is up


@pytest.mark.parametrize("most_players", [500, 0])
@pytest.mark.parametrize("lookahead", [0, 2])
def test_what_is_not_found_in_time_is_no_clash(
    most_players: int, lookahead: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the deadline, the clash is the same or said to be missing; so is what would help."""
    event = table(
        (1, "A", "B"),
        (1, "C", "D"),
        (2, "A", "C"),
        (2, "B", "D"),
        *([] if lookahead else [(3, "A", "D"), (3, "B", "C")]),
    )
    hard: dict[str, Any] = {"force": [("B", "C")]}
    if not lookahead:  # two rules are to be left out, which is seen after the clash
        hard["forbid"] = [("A", "B"), ("A", "C"), ("A", "D")]
    problem = prepare(event, "monrad", lookahead=lookahead, **hard)
    monkeypatch.setattr(infeasibility_text, "MOST_PLAYERS", most_players)
    full, said = explain_infeasibility(problem, EngineOptions())
    assert full is not None
    clock = ticking(monkeypatch)
    explain_infeasibility(problem, EngineOptions(budget=Budget(deadline=10**9)))
    whole = clock.now
    missing = helpless = 0
    for deadline in [*range(0, whole, whole // 60 + 1), whole, whole + 1]:
        clock.now = 0
        clash, reasons = explain_infeasibility(
            problem, EngineOptions(budget=Budget(deadline=deadline))
        )
        if clash is None:
            missing += 1
            assert reasons[-1].kind == "clash.time_up"
            assert len(reasons) == 2
            continue
        assert clash == full
        if reasons != said:
            helpless += 1
            assert reasons[-1].kind == "clash.help_time_up"
            assert reasons[:-1] == tuple(
                each for each in said if "A pairing is possible" not in str(each)
            )
    assert missing
    assert helpless or lookahead
    assert (clash, reasons) == (full, said)  # of the last, which had time enough


def test_fewest_rules_clash_in_a_large_field_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the first rule two others clash; but the first alone does."""
    event = table(
        (1, "A", "B"),
        (1, "C", "D"),
        (2, "A", "C"),
        (2, "B", "D"),
        (3, "A", "D"),
        (3, "B", "C"),
    )
    hard = {"force": [("A", "C")], "forbid": [("A", "C")]}
    small = solve(event, "monrad", **hard)
    monkeypatch.setattr(infeasibility_text, "MOST_PLAYERS", 0)
    large = solve(event, "monrad", **hard)
    assert names(small)[0] == names(large)[0] == {"no_rematch"}
    assert small.conflicts[-1] == large.conflicts[-1]


# against other ways to say so


@pytest.mark.slow
@pytest.mark.long
@settings(REPEATABLE, max_examples=200)
@given(cases(events(2, 8), models(hard=constraints(least=1)), busy=True))
def test_each_member_of_a_clash_is_needed(case: Case) -> None:
    """Without one of its rules, or one of its players, all that it names can be paired."""
    try:
        result = solve(
            case.event(), model_of(case.model), seed=case.seed, **case.options
        )
    except UsageError:
        return
    if result.status != "infeasible":
        assert result.clash is None
        return
    clash = result.clash
    assert clash is not None
    options = {
        "forced_pairs": "force",
        "forbidden_pairs": "forbid",
        "forced_bye": "bye",
        "forbidden_bye": "no_bye",
    }

    def legal(kinds: Iterable[str]) -> set[Pair]:
        kept = set(kinds)
        hard = {
            k: v for k, v in (case.model.get("constraints") or {}).items() if k in kept
        }
        given = {
            o: case.options[o]
            for k, o in options.items()
            if k in kept and o in case.options
        }
        oracle = Case(
            case.rows, case.players, {**case.model, "constraints": hard}, given, 0
        ).oracle()
        pairs = {
            frozenset(p for p in pair if p)
            for pair, arcs in oracle.legal_arcs.items()
            if arcs
        }
        return {p for p in pairs if len(p) == 2 or len(oracle.active) % 2}

    needed(clash.rules, clash.players, legal)


def needed(rules: tuple[str, ...], players: tuple[str, ...], legal) -> None:  # type: ignore[no-untyped-def]
    assert not covered(legal(rules), players)
    for rule in rules:
        assert covered(legal(set(rules) - {rule}), players), f"{rule} is not needed"
    pairs = legal(rules)
    for player in players:
        assert covered(pairs, set(players) - {player}), f"{player} is not needed"


def covered(pairs: set[Pair], players: Iterable[str]) -> bool:
    """Whether disjoint pairs (a single one for the bye) hold all these players."""
    wanted = set(players)
    graph = nx.Graph()
    graph.add_nodes_from(wanted)
    for pair in pairs:
        one, two = (*pair, "the bye")[:2]
        if weight := len(pair & wanted):
            graph.add_edge(one, two, weight=weight)
    matched = nx.max_weight_matching(graph)
    return sum(len({*pair} & wanted) for pair in matched) == len(wanted)


def fide_pairs(event: Event, rules: Iterable[str]) -> set[Pair]:
    """The pairs that these rules of `fide-basic` leave, from the rows alone."""
    kept, rows = set(rules), event.before
    players = [event.players[p] for p in np.flatnonzero(event.active)]
    met: set[Pair] = set()
    sides: dict[str, list[int]] = {p: [] for p in event.players}
    byes = set()
    for k in np.argsort(rows.round, kind="stable"):
        one = event.players[rows.first[k]]
        if rows.status[k] == BYE_ROW:
            byes.add(one)
        elif rows.status[k] == PLAYED:
            two = event.players[rows.second[k]]
            met.add(frozenset((one, two)))
            sides[one].append(1 if rows.side[k] == 0 else -1)
            sides[two].append(-1 if rows.side[k] == 0 else 1)

    def may_take(player: str, side: int) -> bool:
        had = sides[player]
        if "max_side_streak" in kept and had[-2:] == [side, side]:
            return False
        return "max_side_difference" not in kept or sum(had) * side < 2

    legal = {
        frozenset((a, b))
        for k, a in enumerate(players)
        for b in players[k + 1 :]
        if not ("no_rematch" in kept and frozenset((a, b)) in met)
        and (
            (may_take(a, 1) and may_take(b, -1)) or (may_take(a, -1) and may_take(b, 1))
        )
    }
    if len(players) % 2:
        barred = byes if kept & {"no_repeat_bye", "no_bye_after_forfeit_win"} else set()
        legal |= {frozenset((p,)) for p in players if p not in barred}
    return legal


FIDE = (
    "no_rematch",
    "no_repeat_bye",
    "no_bye_after_forfeit_win",
    "max_side_difference",
    "max_side_streak",
)


def no_more_than_tutte(event: Event, result: Result) -> None:
    """The proof that there is no pairing, by both verifiers, and by the rows alone."""
    assert result.proof is not None
    content = result.proof.content
    assert verify(read(result.proof.text)) == ("There is no pairing.", 0)
    assert check_proof(event, content, "fide-basic", seed=result.seed).faults == ()
    names = [name for name, _ in content["claim"]["players"]]
    names += ["the bye"] * (len(names) % 2)
    parts = [
        decode_runs(part, len(names), "") for part in content["witness"]["components"]
    ]
    groups = [{names[v] for v in part} for part in parts]
    group_of = {name: k for k, group in enumerate(groups) for name in group}
    for pair in fide_pairs(event, FIDE):
        both = pair if len(pair) == 2 else {*pair, "the bye"}
        assert len({group_of[name] for name in both if name in group_of}) < 2
    assert sum(len(group) % 2 for group in groups) > len(names) - len(group_of)


def swept(seeds: Iterable[int]) -> tuple[int, int]:
    """Events of nine rounds under `fide-basic`: how many rounds, how many with no pairing."""
    rounds = stuck = 0
    for seed in seeds:
        n = 6 + seed % 55
        for event, result in simulation.rounds(
            n, 9, seed, "fide-basic", draws=0.3, drops=0.01
        ):
            players = [event.players[p] for p in np.flatnonzero(event.active)]
            rounds += 1
            assert covered(fide_pairs(event, FIDE), players) == (
                result.status == "optimal"
            )
            if result.status == "infeasible":
                stuck += 1
                assert result.clash is not None
                needed(
                    result.clash.rules,
                    result.clash.players,
                    lambda kept, event=event: fide_pairs(event, kept),
                )
                no_more_than_tutte(event, result)
                break  # an event ends there
    return rounds, stuck


@pytest.mark.sweep
def test_fide_basic_is_infeasible_exactly_when_there_is_no_perfect_matching() -> None:
    rounds, stuck = swept(range(0, 220, 11))
    assert rounds >= 100
    assert stuck >= 3


@pytest.mark.slow
def test_fide_basic_over_200_events() -> None:
    rounds, stuck = swept(
        [
            *range(100),
            *range(165, 175),
            *range(220, 230),
            *range(55, 65),
            *range(275, 285),
            *range(330, 340),
            *range(385, 395),
            *range(440, 450),
            *range(495, 505),
            *range(550, 560),
            *range(605, 615),
            *range(660, 670),
        ]
    )
    print(f"{rounds} rounds, {stuck} without a pairing")
    assert stuck >= 50
