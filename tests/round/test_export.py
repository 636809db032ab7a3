"""The program of a round in files, read and solved by what shares no code with pairopt."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import dutch_global
import pytest
from dutch_random import random_round
from events import (
    REPEATABLE,
    Case,
    cases,
    constraints,
    event_of,
    events,
    model_of,
    models,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.linear_solver.python import model_builder
from programs import READ, Program, by_cpsat, by_highs
from simulation import rounds

import pairopt
from pairopt import (
    Event,
    InputError,
    UsageError,
    check,
    export,
    read_event,
    read_solution,
    solve,
)

FORMS = (".opb", ".lp", ".mps", ".pb.txt")


def exported(case: Case, **more: Any) -> pairopt.Exported:
    return export(
        case.event(), model_of(case.model), seed=case.seed, **case.options, **more
    )


def read(made: pairopt.Exported, form: str = ".opb") -> Program:
    return READ[form](made.text(form))


def round_of(players: int, number: int, seed: int, model: str = "standard") -> Event:
    """A round of a simulated event."""
    *_, (event, _) = rounds(players, number, seed, model)
    return event


def normal(pairing: Any, sided: bool) -> frozenset[Any]:
    return frozenset(
        pair if sided or None in pair else frozenset(pair)
        for pair in map(tuple, pairing)
    )


# ---------------------------------------------------------------------- what it says


@pytest.mark.sweep
@settings(REPEATABLE, max_examples=60)
@given(cases(events(1, 6), models(hard=constraints(most=1))))
def test_its_solutions_are_all_legal_pairings_in_the_order_of_the_rules(
    case: Case,
) -> None:
    """Tried one by one, beside the literal rules: none is missing, none too many, and one has less
    of the total than another exactly where it is better."""
    made, oracle = exported(case), case.oracle()
    program, sided = read(made), made.problem.state.sided
    found = {
        normal(program.pairing(ones), sided): program.value(ones)
        for ones in program.solutions()
    }
    known: dict[Any, Any] = {}
    for pairing in oracle.pairings():
        at, total = normal(pairing, sided), oracle._total(pairing)
        known[at] = min(known.get(at, total), total)
    assert found.keys() == known.keys()
    both = sorted((known[at], found[at]) for at in known)
    for (one, two), (better, worse) in itertools.pairwise(both):
        assert (one < better) == (two < worse)
        assert (one == better) == (two == worse)


@pytest.mark.sweep
@settings(REPEATABLE, max_examples=25)
@given(cases(events(2, 6), models(hard=constraints(most=1))))
def test_each_stage_is_a_level_with_those_before_it_at_their_least(case: Case) -> None:
    result = solve(case.event(), model_of(case.model), seed=case.seed, **case.options)
    if result.status == "infeasible":
        with pytest.raises(UsageError, match="no stage 1"):
            exported(case, stage=1)
        return
    decisive = [level for level in result.level_values if level.proven is not None]
    for stage, level in enumerate(decisive, 1):
        program = read(exported(case, stage=stage))
        offset, scale = program.levels()[stage - 1][3:5]
        assert min(map(program.value, program.solutions())) + offset == level.value
        assert scale == level.scale
    with pytest.raises(UsageError, match="no stage"):
        exported(case, stage=len(decisive) + 1)


@pytest.mark.long
@settings(REPEATABLE, max_examples=25)
@given(cases(events(1, 7)), st.integers(0, 2))
def test_all_forms_say_the_same(case: Case, ahead: int) -> None:
    made = exported(case, lookahead=ahead)
    said = {}
    for form in FORMS:
        try:
            said[form] = read(made, form)
        except UsageError:
            assert form == ".pb.txt"
    opb = said[".opb"]
    for program in said.values():
        assert (program.total, program.rows) == (opb.total, opb.rows)
        assert sorted(program.names) == sorted(opb.names)
        assert program.remarks == opb.remarks


@pytest.mark.long
@settings(REPEATABLE, max_examples=25)
@given(
    cases(events(2, 6, max_rounds=3), models(hard=constraints(most=1))),
    st.integers(1, 2),
)
def test_further_rounds_are_found_by_any_solver(case: Case, ahead: int) -> None:
    made = exported(case, lookahead=ahead)
    result = solve(
        case.event(),
        model_of(case.model),
        seed=case.seed,
        **case.options,
        lookahead=ahead,
    )
    program = read(made)
    ones = by_cpsat(program)
    assert (ones is None) == (result.status == "infeasible")
    if ones is not None:
        values = result.level_values
        found = check(
            case.event(),
            _rows(made, program, ones),
            model_of(case.model),
            seed=case.seed,
            **case.options,
            lookahead=ahead,
        )
        assert found.legal
        assert [level.value for level in found.level_values] == [
            level.value for level in values
        ]
        turns = {name.rpartition("_")[2] for name in ones if name.count("_") > 1}
        assert turns == {f"in{k}" for k in range(1, ahead + 1)}


def _rows(made: pairopt.Exported, program: Program, ones: set[str]) -> Any:
    import pandas as pd

    sided = made.problem.state.sided
    side = (made.event.sides or [""])[0] if sided else ""
    rows = [
        {
            "round": made.round,
            "player1": one,
            "player2": two or "",
            "side1": side if two else "",
        }
        for one, two in program.pairing(ones)
    ]
    return pd.DataFrame(rows)


def test_a_level_weighs_one_more_than_all_levels_below_it() -> None:
    """With m matches and byes, a level adds up to m (largest - least) units."""
    event = round_of(13, 4, 2, "standard")
    levels = export(event, "standard").levels
    assert len(levels) > 3
    most, below = (int(event.active.sum()) + 1) // 2, 1
    for _, costs, weight in reversed(levels):
        assert weight == below
        below *= most * int(costs.max() - costs.min()) + 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("players", "model"), [(13, "standard"), (12, "double-sided"), (14, "excalibur")]
)
def test_other_solvers_find_the_optimum(players: int, model: str) -> None:
    event = round_of(players, 4, 2, model)
    result = solve(event, model)
    program = read_pb(export(event, model))
    ones = by_cpsat(program)
    assert ones is not None
    levels = [level for level in result.level_values if level.proven is not None]
    weights = [row[-1] for row in program.levels()]
    offsets = [row[3] for row in program.levels()]
    total = sum(
        w * (level.value - o)
        for w, level, o in zip(weights, levels, offsets, strict=True)
    )
    assert program.value(ones) == total
    for stage, level in enumerate(levels, 1):
        program = READ[".mps"](export(event, model, stage=stage).text(".mps"))
        best = by_highs(program)
        assert best is not None
        assert program.value(best) + offsets[stage - 1] == level.value


@pytest.mark.long
@pytest.mark.parametrize("solver", ["highs", "scip"])
@pytest.mark.parametrize(
    ("players", "model"), [(11, "standard"), (12, "aesops"), (10, "double-sided")]
)
def test_others_read_the_file_solve_it_and_are_read_back(
    players: int, model: str, solver: str, tmp_path: Path
) -> None:
    """A file of each stage is read by OR-Tools' own reader and solved in floating point; what is
    found at the last one is the optimum of all levels."""
    event = round_of(players, 4, 2, model)
    result, mps = solve(event, model), tmp_path / "round.mps"
    levels = [level for level in result.level_values if level.proven is not None]
    for stage, level in enumerate(levels, 1):
        made = export(event, model, stage=stage)
        mps.write_text(made.text(".mps"), "ascii")
        read_in, used = model_builder.Model(), model_builder.Solver(solver)
        assert read_in.import_from_mps_file(str(mps))
        assert used.solve(read_in) == model_builder.SolveStatus.OPTIMAL
        offset = made.levels[-1][0].offset
        assert used.objective_value + offset == pytest.approx(level.value)
    names = {v.name: used.value(v) for v in read_in.get_variables()}
    answer = tmp_path / "answer.sol"
    answer.write_text(
        "".join(f"{name} {value:.0f}\n" for name, value in names.items()), "ascii"
    )
    assert check(event, read_solution(event, answer, model), model).agrees


def read_pb(made: pairopt.Exported) -> Program:
    return READ[".pb.txt"](made.text(".pb.txt"))


def test_weighted_sums_are_one_level() -> None:
    rules = [
        {"kind": "rematches", "weight": Decimal("2.5")},
        {"kind": "score_difference", "weight": 1},
        {"kind": "same_side", "weight": Decimal("0.75")},
    ]
    model = model_of(
        {"name": "w", "objective": "weighted", "constraints": {}, "criteria": rules}
    )
    event = round_of(11, 4, 1)
    result = solve(event, model)
    program = read(export(event, model))
    ones = by_cpsat(program)
    assert ones is not None
    ((criterion, *_, offset, scale, weight),) = program.levels()
    assert (criterion, weight) == ("weighted_sum", 1)
    assert program.value(ones) + offset == result.level_values[0].value
    assert scale == result.level_values[0].scale


@pytest.mark.long
def test_of_a_system_the_least_total_is_its_pairing_alone(tmp_path: Path) -> None:
    """All pairings of small rounds, beside an oracle that knows the handbook alone."""
    count = 0
    for seed in range(40):
        given = random_round(seed, largest=8)
        best = dutch_global.pairs(given)
        path = tmp_path / "round.trf"
        path.write_text(given.trf(), "utf-8")
        program = read(export(read_event(path), "fide-dutch"))
        every = sorted(program.solutions(), key=program.value)
        assert (best is None) == (not every)
        if best is not None:
            who = program.players()
            number = {tag: int(identifier) for tag, (identifier, _) in who.items()} | {
                "bye": 0
            }
            found = {
                frozenset(number[end] for end in name.split("_")) for name in every[0]
            }
            assert found == {frozenset(pair) for pair in best}
            others = every[1:]
            assert not others or program.value(every[0]) < program.value(others[0])
            count += len(others) > 1
    assert count > 20


# ---------------------------------------------------------------------- names and remarks

NASTY = (
    '"',
    "Zoë\u2028Żak",
    "a;b = 1 ;",
    "* x1",
    "日本",
    "p1",
    "\\ End",
    "e12",
    "-3",
    "Anna Bo",
)


def test_names_say_who_and_are_safe() -> None:
    players = [{"player": name, "active": "1"} for name in NASTY]
    event = read_event(_frame(players))
    for form in FORMS:
        text = export(event, "standard").text(form)
        assert text.isascii()
        assert set(map(ord, text)) <= {10, *range(32, 127)}
    program = read(export(event, "standard"))
    assert {identifier for identifier, _ in program.players().values()} == {*NASTY}
    assert {re.sub("^p[0-9]+", "", tag) for tag in program.players()} >= {
        "AnnaBo",
        "ZoeZak",
        "",
    }
    assert all(
        re.fullmatch("p[0-9]+[0-9A-Za-z]*_(p[0-9]+[0-9A-Za-z]*|bye)", name)
        for name in program.names
    )


def _frame(players: list[dict[str, str]]) -> Any:
    import pandas as pd

    return pd.DataFrame(players)


def test_neither_seed_nor_the_order_of_the_file_changes_a_byte() -> None:
    event = round_of(15, 4, 3)
    text = export(event, "standard", seed=0).text()
    assert re.sub(
        r"(?m)^\* seed .*\n", "", export(event, "standard", seed=5).text()
    ) == re.sub(r"(?m)^\* seed .*\n", "", text)
    assert export(event, "standard").text() == text


def test_what_is_asked_for_stands_in_it() -> None:
    event = round_of(12, 3, 3)
    one, two = solve(event, "standard").pairs[0]
    options: dict[str, Any] = {"forbid": [(str(one), str(two))]}
    program = read(export(event, "standard", **options))
    assert program.remarks["options"] == {"forbid": [sorted((one, two))]}
    pairs = [
        frozenset(pair) for name in program.names for pair in program.pairing({name})
    ]
    assert frozenset((one, two)) not in pairs
    forced = read(export(event, "standard", force=[(str(one), str(two))]))
    own = {
        frozenset(p)
        for name in forced.names
        for p in forced.pairing({name})
        if one in p
    }
    assert own == {frozenset((one, two))}


def test_fixed_tables_keep_their_sides_and_byes_their_players() -> None:
    event = round_of(11, 3, 3)
    c = next(str(one) for one, *two in solve(event, "standard").pairs if not two)
    a, b, *_ = (
        name for k, name in enumerate(event.players) if event.active[k] and name != c
    )
    program = read(export(event, "standard", fixed=[(b, a)], bye=c))
    pairs = [pair for name in program.names for pair in program.pairing({name})]
    assert [pair for pair in pairs if {a, b} & {*pair}] == [(b, a)]
    assert [pair for pair in pairs if c in pair] == [(c, None)]
    ones = by_cpsat(program)
    assert ones is not None
    assert {(b, a), (c, None)} <= {*program.pairing(ones)}


# ---------------------------------------------------------------------- answers


def answers(program: Program, ones: set[str], rng: Random) -> Iterator[tuple[str, str]]:
    """One answer as different solvers write it, from what their manuals and outputs look like."""
    names = program.names
    on = {name: int(name in ones) for name in names}
    signed = [f"{'' if on[name] else '-'}{name}" for name in names]
    yield (
        "v lines",
        "c found\no 12\ns OPTIMUM FOUND\n"
        + "".join(
            f"v {' '.join(signed[k : k + 7])}\n" for k in range(0, len(signed), 7)
        ),
    )
    yield "negated", "v " + " ".join(word.replace("-", "~") for word in signed) + "\n"
    rows = "".join(f"now_{k} 1\n" for k in range(3))
    plain = "".join(f"{name} {value}\n" for name, value in on.items())
    yield (
        "HiGHS",
        (
            "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 3\n"
            f"# Columns {len(on)}\n{plain}# Rows 3\n{rows}\n# Dual solution values\nFeasible\n"
            + "".join(f"{name} {rng.choice((-1, 0.5, 3))}\n" for name in names)
        ),
    )
    yield (
        "SCIP",
        "solution status: optimal solution found\nobjective value:      3\n"
        + "".join(
            f"{name:<40}  {rng.choice(('1', '0.9999999999'))}   (obj:3)\n"
            for name in ones
        ),
    )
    yield (
        "CBC",
        "Optimal - objective value 3.00000000\n"
        + "".join(
            f"{k:>7} {name:<20} {value:>15}  {rng.random():>12}\n"
            for k, (name, value) in enumerate(on.items())
        ),
    )
    yield "Gurobi", f"# Solution for model round\n# Objective value = 3\n{plain}"
    yield "MIPLIB", "=obj= 3\n" + "".join(f"{name} 1\n" for name in sorted(ones))


@pytest.mark.long
def test_answers_of_solvers_are_read_back(tmp_path: Path) -> None:
    event = round_of(9, 4, 3)
    program = read(export(event, "standard"))
    ones = by_cpsat(program)
    assert ones is not None
    worse = next(
        each
        for each in program.solutions()
        if program.value(each) > program.value(ones)
    )
    kinds = 0
    for chosen in (ones, worse):
        for _, text in answers(program, chosen, Random(1)):
            path = tmp_path / "answer"
            path.write_text(text, "utf-8")
            rows = read_solution(event, path, "standard")
            pairs = {(row.player1, row.player2 or None) for row in rows.itertuples()}
            assert pairs == {*program.pairing(chosen)}
            assert check(event, rows, "standard").agrees == (chosen is ones)
            kinds += 1
    assert kinds == 14


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("# nothing\n", "gives no value to any variable"),
        ("s UNSATISFIABLE\n", "gives no value to any variable"),
        ("v p0p0_p99p99\n", "line 1: p0p0_p99p99 is not a variable"),
        (
            "{0} 0.5\n",
            "line 1: The variable {0} is 0.5, but can only be 0 or 1. Write 0 or 1.",
        ),
        ("{0} nan\n", "is nan"),
        ("{0}\n", "Write 0 or 1"),
        (
            "v {0}\nv -{0}\n",
            "line 2: The variable {0} has the value 0 and also the value 1. Keep one of the two values.",
        ),
    ],
)
def test_what_is_no_answer_is_said_by_its_line(
    text: str, why: str, tmp_path: Path
) -> None:
    event = round_of(9, 4, 3)
    name = read(export(event, "standard")).names[0]
    path = tmp_path / "answer.sol"
    path.write_text(text.format(name), "utf-8")
    with pytest.raises(InputError, match=re.escape(why.format(name))):
        read_solution(event, path, "standard")


def test_an_answer_that_pairs_somebody_twice_is_no_pairing(tmp_path: Path) -> None:
    event = round_of(9, 4, 3)
    names = read(export(event, "standard")).names
    path = tmp_path / "answer.sol"
    path.write_text("".join(f"{name} 1\n" for name in names[:2]), "utf-8")
    with pytest.raises(InputError):
        check(event, read_solution(event, path, "standard"), "standard")


# ---------------------------------------------------------------------- is it this round's?


@pytest.mark.long
@pytest.mark.parametrize("model", ["standard", "fide-dutch"])
def test_other_options_or_facts_make_another_program(model: str) -> None:
    event = round_of(10, 4, 3, model)
    text = export(event, model).text()
    assert export(event, model).text() == text
    others: list[dict[str, Any]] = [
        {"drop": ["p3"]},
        {"forbid": [("p3", "p4")]},
        {"stage": 2},
        {"round": 3},
        {"points": "2-1-0"},
    ]
    texts = [export(event, model, **other).text() for other in others]
    assert len({text, *texts}) == len(others) + 1


@pytest.mark.long
def test_a_large_total_is_refused_by_forms_that_cannot_hold_it() -> None:
    event = round_of(40, 4, 3, "fide-dutch")
    made = export(event, "fide-dutch")
    assert max(read(made).total.values()) > 2**100
    with pytest.raises(UsageError, match="more than 62 bits"):
        made.text(".pb.txt")
    assert read_pb(export(event, "fide-dutch", stage=2)).total


def test_only_known_versions_are_written() -> None:
    made = export(event_of([], [{"player": str(k)} for k in range(4)]), "standard")
    with pytest.raises(UsageError, match="VeriPB"):
        made.proof("4")
