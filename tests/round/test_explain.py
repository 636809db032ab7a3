"""Explanations: counterfactuals against brute force, sentences that are facts, what-ifs."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import simulation
from click.testing import CliRunner
from events import (
    REPEATABLE,
    Case,
    cases,
    constraints,
    events,
    model_of,
    models,
    some_or_all,
)
from hypothesis import given, settings
from oracle import Level, Vector
from places import SAMPLE

from pairopt import Event, UsageError, check, explain, read_event, solve
from pairopt.cli import main
from pairopt.messages import FULL, SPOKEN
from pairopt.problem.model import parse_model
from pairopt.round.explain import describe_swapped_sides
from pairopt.round.result import Result
from pairopt.round.solve import pair

EVENT = [str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv")]
WANTED = 100


@pytest.mark.sweep
@some_or_all
def test_every_why_not_is_what_brute_force_finds(share: int) -> None:
    seen = Counter[str]()

    def compare(case: Case) -> None:
        free = case.oracle()
        if free.optimum() is None:
            return
        pairs = list(combinations(sorted(free.active), 2))
        names = {pair: frozenset(pair) for pair in pairs}
        model = model_of(case.model)
        found = explain(
            case.event(),
            model,
            why_not=pairs,
            seed=case.seed,
            engine="matching",
            **case.options,
        )
        best = free.optimum()
        assert best is not None
        paired = {frozenset((m.player1, m.player2)) for m in found.matches}
        for asked, answer in zip(pairs, found.answers, strict=True):
            if names[asked] in paired:
                options = {
                    **case.options,
                    "forbid": [*case.options.get("forbid", []), asked],
                }
            else:
                options = {
                    **case.options,
                    "force": [*case.options.get("force", []), asked],
                }
            other = replace(case, options=options).oracle()
            value = other.optimum()
            if value is None:
                assert answer.kind == "impossible"
                seen["impossible"] += 1
                continue
            worse = first_worse(free.levels, best, value)
            if worse is None:
                assert answer.kind == "free"
                seen["free"] += 1
                continue
            assert answer.kind == "worse"
            level = found.result.level_values[answer.level or 0]
            assert answer.optimum is not None
            assert answer.value is not None
            assert (level.place, level.level) == worse
            assert answer.optimum / level.scale == best.get(worse, 0)
            assert answer.value / level.scale == value.get(worse, 0)
            seen["worse later" if answer.level else "worse first"] += 1

    shipped = given(cases(events(4, 8, level=None), models(as_shipped=True)))
    settings(REPEATABLE, max_examples=120 // share)(shipped(compare))()
    bound = given(cases(events(4, 7), models(hard=constraints(least=1)), busy=False))
    settings(REPEATABLE, max_examples=80 // share)(bound(compare))()
    for kind in ("impossible", "free", "worse later"):
        assert seen[kind] >= WANTED // share, seen


def first_worse(
    levels: list[Level], best: Vector, value: Vector
) -> tuple[int, object] | None:
    """The first level, in the model's order, that differs."""
    for level in levels:
        key = (level.place, level.label)
        if best.get(key, 0) != value.get(key, 0):
            return key
    return None


def after(*rows: tuple[int, str, str, float, float]) -> Event:
    columns = ["round", "player1", "player2", "side1", "score1", "score2"]
    return read_event(
        pd.DataFrame(
            [(n, a, b, "corp", x, y) for n, a, b, x, y in rows], columns=columns
        )
    )


def test_an_odd_group_is_named_as_the_cause() -> None:
    event = after((1, "A", "B", 3, 0), (1, "C", "D", 3, 0), (1, "E", "F", 3, 0))
    found = explain(event, "excalibur")
    floats = [m.sentence for m in found.matches if "score group higher" in m.sentence]
    assert len(floats) == 1
    assert (
        "meets a player one score group higher because the group with 3 points has an odd number of players (3)"
        in floats[0]
    )


def test_a_rematch_is_named() -> None:
    event = after(
        (1, "A", "B", 3, 0),
        (1, "C", "D", 3, 0),
        (2, "C", "A", 3, 0),
        (2, "B", "D", 3, 0),
        (3, "A", "D", 3, 0),
        (3, "B", "C", 3, 0),
    )
    # everybody has met everybody
    found = explain(event, "excalibur")
    said = " ".join(match.sentence for match in found.matches)
    assert "The two players have met once before, and no pairing is better" in said


def test_a_whole_sentence() -> None:
    event = after(
        (1, "A", "B", 3, 0),
        (1, "C", "D", 3, 0),
        (2, "A", "C", 3, 0),
        (2, "B", "D", 3, 0),
        (3, "A", "D", 3, 0),
        (3, "B", "C", 3, 0),
    )
    found = explain(event, "excalibur", force=[("A", "B")])
    (sentence,) = (match.sentence for match in found.matches if match.player2 == "A")
    assert sentence == (
        "B (6 points) meets A (9 points). The two players have met once before, and no pairing is better. "
        "B meets a player one score group higher because the group with 9 points has an odd number of players (1). "
        "B will have played Corp 3 times in a row, and 2 more games on one side than on the other. "
        "A will have played 2 more games on one side than on the other."
    )


@pytest.mark.parametrize("proven", [0, 1])
def test_nothing_is_answered_where_one_of_the_two_is_not_proven(
    proven: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module("pairopt.round.explain")
    made: list[Result] = []

    def stopped(*given: Any) -> Result:
        made.append(pair(*given))
        return (
            made[-1]
            if len(made) - 1 == proven
            else replace(made[-1], status="feasible")
        )

    monkeypatch.setattr(module, "pair", stopped)
    (answer,) = explain(
        simulation.opening(4), "excalibur", why_not=[("p0", "p1")]
    ).answers
    assert len(made) == 2
    assert (answer.kind, answer.level) == ("unknown", None)
    assert answer.sentence.endswith(
        "p0 - p1: pairopt can't tell which pairing is better, because nothing is proven"
    )


def test_an_impossible_pair_says_what_clashes() -> None:
    (fact, answer) = explain(
        simulation.opening(4),
        "excalibur",
        forbid=[("p0", "p1")],
        why_not=[("p0", "p1"), ("p2", "p3")],
    ).answers
    assert fact.kind == "impossible"
    assert fact.sentence == f"{fact.question}: the organiser has forbidden this match"
    result = solve(
        simulation.opening(4), "excalibur", forbid=[("p0", "p1")], force=[("p2", "p3")]
    )
    assert result.conflicts
    assert answer.kind == "impossible"
    because = answer.sentence.removeprefix(f"{answer.question}: impossible: ")
    conflicts = " ".join(map(str, result.conflicts))
    assert {*because.rstrip(".").split(". ")} == {*conflicts.rstrip(".").split(". ")}


def test_the_form_as_json() -> None:
    event = after((1, "A", "B", 3, 0), (1, "C", "D", 3, 0), (1, "E", "F", 3, 0))
    found = explain(event, "double-sided", why_not=[("A", "B")])
    (answer,) = found.answers
    content = found.to_dict()
    assert content["answers"] == [
        {
            "question": answer.question,
            "kind": "worse",
            "level": answer.level,
            "optimum": answer.optimum,
            "value": answer.value,
            "sentence": answer.sentence,
            "said": answer.said.to_dict(),
            "spoken": SPOKEN.format_message(answer.said),
            "full": FULL.format_message(answer.said),
        }
    ]
    shared = [
        [
            (s.level.criterion, s.level.label, s.value, s.level.scale)
            for s in match.shares
        ]
        for match in found.matches
    ]
    assert any(shared)
    assert content["matches"] == [
        {
            "player1": match.player1,
            "player2": match.player2,
            "shares": [
                dict(zip(("criterion", "level", "value", "scale"), share, strict=True))
                for share in shares
            ],
            "sentence": match.sentence,
            "said": match.said.to_dict(),
        }
        for match, shares in zip(found.matches, shared, strict=True)
    ]
    assert {key: content[key] for key in ("round", "model", "status", "conflicts")} == {
        "round": 2,
        "model": "double-sided",
        "status": "optimal",
        "conflicts": [],
    }


def test_the_bye_and_why_not_another() -> None:
    event = after((1, "A", "B", 3, 0), (1, "C", "D", 3, 0), (1, "E", "F", 3, 0))
    event = event.without(["A"])
    found = explain(event, "standard", why_bye=["B", "C"])
    bye = found.matches[-1]
    assert bye.player2 is None
    assert "has the bye: no player with fewer points may have the bye" in bye.sentence
    kinds = {answer.question: answer.kind for answer in found.answers}
    assert kinds["if C had the bye"] == "worse"
    assert set(kinds.values()) == {"worse", "free"}
    even = explain(after((1, "A", "B", 3, 0)), "standard", why_bye=["A"])
    assert even.answers[0].kind == "impossible"


def test_the_bye_is_measured_against_those_who_may_have_it() -> None:
    rows = [(1, "A", "B", "corp", 1, 1, ""), (1, "C", None, None, 0, None, "bye")]
    columns = ["round", "player1", "player2", "side1", "score1", "score2", "status"]
    event = read_event(pd.DataFrame(rows, columns=columns, dtype=object))
    bye = explain(event, "standard").matches[-1]  # C has fewer points, and had a bye
    assert bye.player1 in ("A", "B")
    assert (
        "(1 point) has the bye: no player with fewer points may have the bye."
        in bye.sentence
    )


def test_who_may_meet_nobody_else_is_named_and_only_then() -> None:
    event = after((1, "A", "C", 3, 0), (1, "B", "D", 3, 0))
    barred = explain(event, "double-sided", forbid=[("A", "B")])
    said = {match.sentence for match in barred.matches}
    assert len(said) == 2
    assert all("may not meet any other player with 3 points" in each for each in said)
    clubs = replace(event, columns={"club": ("x", "1", "x", "2")})  # of A, C, B, D
    apart = parse_model(
        {
            "name": "clubs",
            "criteria": [
                {"kind": "rematches"},
                {"kind": "conflicts", "column": "club"},
                {"kind": "score_groups"},
            ],
        }
    )
    said = {match.sentence for match in explain(clubs, apart).matches}
    assert len(said) == 2
    assert all(
        "meets a player one score group higher, and no pairing is better" in each
        for each in said
    )


def test_why_asks_for_the_pair_apart() -> None:
    event = simulation.opening(4)
    result = solve(event, "excalibur")
    pair = (str(result.matches[0]["player1"]), str(result.matches[0]["player2"]))
    (answer,) = explain(event, "excalibur", why=[pair]).answers
    assert answer.kind == "free"
    assert answer.question.startswith("without ")
    with pytest.raises(UsageError, match="not a player"):
        explain(event, "excalibur", why=[("p0", "nobody")])
    with pytest.raises(UsageError, match="themselves"):
        explain(event, "excalibur", why=[("p0", "p0")])


@pytest.mark.long
def test_shares_add_up_to_the_levels() -> None:
    for event, result in simulation.rounds(31, 6, 4, draws=0.2):
        found = explain(event, "excalibur", seed=4)
        sums = Counter[tuple[str, object]]()
        for match in found.matches:
            for share in match.shares:
                sums[share.level.criterion, share.level.label] += share.value
        levels = Counter(
            {(v.criterion, v.level): v.value or 0 for v in result.level_values}
        )
        assert +sums == +levels


@pytest.mark.long
def test_the_alternative_that_is_named_is_the_best_one() -> None:
    event = read_event(EVENT[0], EVENT[2])
    asked = ("Elif Demir", "Anton Berg")
    (answer,) = explain(event, why_not=[asked]).answers
    forced = {frozenset(match) for match in solve(event, force=[asked]).pairs}
    present = {frozenset(match) for match in solve(event).pairs}
    (alternative,) = [
        note for note in answer.said.messages if note.kind.startswith("reason.pairs_")
    ]
    fields = alternative.fields
    assert frozenset((fields["one"], fields["two"])) in forced - present
    assert frozenset((fields["three"], fields["four"])) in forced - present
    (example,) = [
        note for note in answer.said.messages if note.kind.startswith("reason.with_")
    ]
    assert str(example.fields["one"]) in answer.sentence


def test_swapped_sides_are_no_better() -> None:
    result = solve(read_event(EVENT[0], EVENT[2]))
    assert result.arcs is not None
    notes = [describe_swapped_sides(result, k) for k in range(len(result.arcs))]
    assert sum(note is not None for note in notes) >= len(result.arcs) // 2
    swapped = Counter(note.kind for note in notes if note is not None)
    assert {*swapped} <= {"side.swapped_worse", "side.swapped_equal"}


def test_explain_on_the_command_line() -> None:
    asked = ["--why-not", "Elif Demir:Anton Berg", "--why-bye", "Elif Demir"]
    run = CliRunner().invoke(main, ["explain", *EVENT, *asked])
    assert run.exit_code == 0, run.stderr
    assert "with Elif Demir - Anton Berg: the best alternative pairs" in run.stdout
    assert "; worse in" in run.stdout
    assert "has the bye: no player with fewer points may have the bye." in run.stdout
    content = json.loads(
        CliRunner().invoke(main, ["explain", *EVENT, *asked, "--format", "json"]).stdout
    )
    assert len(content["matches"]) == 19
    assert [answer["kind"] for answer in content["answers"]] == ["worse", "worse"]


def test_a_round_without_pairing_is_explained_too(tmp_path: Path) -> None:
    path = tmp_path / "matches.csv"
    path.write_text(
        "round,player1,player2,score1,score2\n1,a,b,1,0\n", encoding="utf-8"
    )
    run = CliRunner().invoke(main, ["explain", str(path), "--model", "monrad"])
    assert run.exit_code == 1
    assert "no possible opponent left" in run.stderr


@pytest.mark.long
def test_what_an_option_costs() -> None:
    forced = CliRunner().invoke(
        main, ["solve", *EVENT, "--force", "Elif Demir:Anton Berg"]
    )
    assert "than without --force:" in forced.stderr
    assert "instead of" in forced.stderr
    plain = solve(read_event(EVENT[0], EVENT[2]))
    row = plain.matches[0]
    same = CliRunner().invoke(
        main, ["solve", *EVENT, "--force", f"{row['player1']}:{row['player2']}"]
    )
    assert "--force: at no cost" in same.stderr
    assert "at no cost" not in CliRunner().invoke(main, ["solve", *EVENT]).stderr


@pytest.mark.long
def test_which_match_is_to_blame(tmp_path: Path) -> None:
    event = read_event(EVENT[0], EVENT[2])
    rows = solve(event).pairings
    swapped = rows.copy()
    swapped.loc[[0, 17], "player1"] = rows.loc[[17, 0], "player1"].to_numpy()
    found = check(event, swapped)
    assert found.better is not None
    assert set(found.blame) <= set(found.changed)
    assert len(found.changed) == 2
    path = tmp_path / "round6.csv"
    swapped.to_csv(path, index=False)
    run = CliRunner().invoke(main, ["check", EVENT[0], str(path), *EVENT[1:]])
    assert f"That level is due to: {', '.join(found.blame)}." in run.stdout
    assert "the optimal pairing has 17" in run.stdout


def test_hostile_names_are_only_text(tmp_path: Path) -> None:
    path = tmp_path / "players.csv"
    path.write_text('player\n"<script>[red]\x1b[31m"\nb\n', encoding="utf-8")
    run = CliRunner().invoke(main, ["explain", str(path)])
    assert run.exit_code == 0
    assert "\x1b" not in run.stdout
    assert "<script>[red]" in run.stdout
