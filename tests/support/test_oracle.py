"""The brute-force oracle against cases worked out by hand from the rules."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from typing import Any

import pytest
from oracle import ByKind as Oracle
from oracle import Model, Player, Row, Vector
from oracle import Oracle as ByPlace

EXCALIBUR: list[dict[str, Any]] = [
    {"kind": "rematches"},
    {"kind": "bye_score"},
    {"kind": "side_difference", "at_least": 3},
    {"kind": "side_streak", "at_least": 3},
    {"kind": "score_groups"},
    {"kind": "side_difference", "at_least": 2, "at_most": 2},
    {"kind": "same_side"},
]


def game(
    number: int, first: str, second: str, result: str = "3-0", sided: bool = True
) -> Row:
    score1, score2 = result.split("-")
    return {
        "round": number,
        "player1": first,
        "player2": second,
        "side1": "corp" if sided else None,
        "score1": score1,
        "score2": score2,
        "status": "",
    }


def forfeit(number: int, winner: str, loser: str, result: str = "3-0") -> Row:
    return {**game(number, winner, loser, result, sided=False), "status": "forfeit"}


def no_game(number: int, player: str, points: str, status: str = "bye") -> Row:
    return {
        "round": number,
        "player1": player,
        "player2": None,
        "side1": None,
        "score1": points,
        "score2": None,
        "status": status,
    }


def field(names: str, scores: str = "", **columns: str) -> list[Player]:
    """Players A, B, C…; one word for each player in ``scores`` and in every column, - for none."""
    players: list[Player] = [{"player": name, "active": True} for name in names]
    for column, text in {"score": scores, **columns}.items():
        for player, value in zip(players, text.split(), strict=False):
            player[column] = None if value == "-" else value
    return players


def model(
    *criteria: dict[str, Any],
    sides: tuple[str, ...] = ("corp", "runner"),
    **constraints: Any,
) -> Model:
    return {
        "constraints": constraints,
        "criteria": list(criteria),
        "sides": list(sides),
    }


def exact(values: dict[tuple[int | str, object], int | Fraction]) -> Vector:
    return {level: Fraction(value) for level, value in values.items()}


@pytest.mark.parametrize(
    ("names", "sides", "count"),
    [
        ("ABCD", (), 3),
        ("ABCD", ("corp", "runner"), 3 * 2**2),
        ("ABCDEFG", (), 7 * 15),
        ("ABCDEFG", ("white", "black"), 7 * 15 * 2**3),
        ("", (), 1),
    ],
)
def test_round_one_holds_every_perfect_matching_once(
    names: str, sides: tuple[str, ...], count: int
) -> None:
    oracle = Oracle([], field(names), model(*EXCALIBUR, sides=sides))
    pairings = list(oracle.pairings())
    different = {
        frozenset(arc if sides else frozenset(arc) for arc in pairing)
        for pairing in pairings
    }
    assert len(pairings) == len(different) == count
    assert all(oracle.legal(pairing) for pairing in pairings)
    assert oracle.optimum() == {}


def test_rematches_count_second_byes_and_come_before_the_bye_score() -> None:
    # A beat B, C had the bye; A beat C, B had the bye: A 6, B 3, C 3. Only B-C has not met.
    rows = [
        game(1, "A", "B", sided=False),
        no_game(1, "C", "3"),
        game(2, "A", "C", sided=False),
        no_game(2, "B", "3"),
    ]
    rules = model({"kind": "rematches"}, {"kind": "bye_score"})
    assert Oracle(rows, field("ABC"), rules).optimum() == exact({("bye_score", 1): 6})
    forced = Oracle(rows, field("ABC"), rules, bye="B")
    # A-C meet again, and B has a second bye.
    assert forced.optimum() == exact({("rematches", 1): 2, ("bye_score", 1): 3})
    assert Oracle(rows, field("ABC"), model(no_rematch=True), bye="B").optimum() is None
    assert (
        Oracle(rows, field("ABC"), model(no_repeat_bye=True), no_bye=["A"]).optimum()
        is None
    )


def test_max_meetings_and_no_same_sides_rematch() -> None:
    rows = [game(1, "A", "B"), game(2, "A", "B")]
    rules = model({"kind": "rematches"}, no_same_sides_rematch=True)
    oracle = Oracle(rows, field("AB"), rules)
    assert list(oracle.pairings()) == [[("B", "A")]]
    assert oracle.optimum() == exact({("rematches", 2): 1})
    assert Oracle(rows, field("AB"), model(max_meetings=3)).optimum() == {}
    assert Oracle(rows, field("AB"), model(max_meetings=2)).optimum() is None


def test_side_state_after_the_round_with_the_bye_player_counted() -> None:
    # A was corp three times; B was runner, corp, runner; C runner, runner, then a bye; D corp.
    # E was runner in round 2, had the allocated bye in round 1 and a forfeit in round 3.
    rows = [
        game(1, "A", "B"),
        game(1, "D", "C"),
        no_game(1, "E", "3"),
        game(2, "A", "C"),
        game(2, "B", "E"),
        game(3, "A", "B"),
        no_game(3, "C", "3"),
        forfeit(3, "D", "E"),
    ]
    oracle = Oracle(
        rows,
        field("ABCDE"),
        model(
            {"kind": "side_difference", "at_least": 2},
            {"kind": "side_streak", "at_least": 2},
            {"kind": "same_side"},
        ),
    )
    # A bye: keeps 3 and 3. B corp: difference 0, streak 1. E runner: difference 2, streak 2 and
    # the same side again. D corp: difference 2 and streak 2, the same side again. C runner: 3, 3.
    assert oracle.vector([("A", None), ("B", "E"), ("D", "C")]) == exact(
        {
            ("side_difference", 3): 2,
            ("side_difference", 2): 2,
            ("side_streak", 3): 2,
            ("side_streak", 2): 2,
            ("same_side", 1): 3,
        }
    )
    # C bye: keeps 2 and 2. A runner: difference 2. D runner and E corp: 0; B corp: 0.
    assert oracle.vector([("C", None), ("B", "A"), ("E", "D")]) == exact(
        {("side_difference", 2): 2, ("side_streak", 2): 1}
    )


@pytest.mark.parametrize("kind", ["side_difference", "side_streak"])
def test_larger_side_levels_come_first(kind: str) -> None:
    # A was corp three times, B twice: A makes four as corp again, or else B makes three.
    rows = [game(1, "A", "C"), game(2, "A", "C"), game(3, "A", "C")]
    rows += [game(1, "B", "D"), game(2, "B", "D")]
    players = field("ABCD")
    players[2]["active"] = players[3]["active"] = False
    oracle = Oracle(rows, players, model({"kind": kind}))
    assert oracle.vector([("A", "B")]) == exact({(kind, 4): 1})
    assert oracle.optimum() == oracle.vector([("B", "A")]) == exact({(kind, 3): 1})


def test_side_limits_forbid_only_raising() -> None:
    # A was corp three times in a row and B runner three times in a row.
    rows = [game(number, "A", "B") for number in (1, 2, 3)]
    for rules in (model(max_side_difference=1), model(max_side_streak=2)):
        oracle = Oracle(rows, field("AB"), rules)
        assert oracle.legal(
            [("B", "A")]
        )  # differences 2 are above 1, but lower than before
        assert not oracle.legal([("A", "B")])
        odd = Oracle(rows, field("ABC"), rules)
        assert odd.legal([("A", None), ("B", "C")])  # a bye changes no side
        assert not odd.legal([("A", None), ("C", "B")])


def test_score_groups_by_distance_and_top_first() -> None:
    # Six players, six groups; C meets neither D nor E, so A-B leaves only C-F and D-E.
    players = field("ABCDEF", "50 40 30 20 10 0")
    forbid = [("C", "D"), ("E", "C")]
    by_distance = Oracle(
        [], players, model({"kind": "score_groups"}, sides=()), forbid=forbid
    )
    assert by_distance.optimum() == exact(
        {("score_groups", 2): 2, ("score_groups", 1): 1}
    )
    top_first = model({"kind": "score_groups", "order": "top_first"}, sides=())
    assert Oracle([], players, top_first, forbid=forbid).optimum() == exact(
        {
            ("score_groups", "1:1"): 1,
            ("score_groups", "3:3"): 1,
            ("score_groups", "4:1"): 1,
        }
    )


def test_score_groups_hold_active_players_only() -> None:
    # B is dropped and C has asked for a bye, so that A and D are neighbours.
    players = field("ABCD", "9 6 3 0.5")
    players[1]["active"] = False
    rows = [no_game(1, "C", "0", "requested")]
    rules = model({"kind": "score_groups"}, {"kind": "score_difference"}, sides=())
    oracle = Oracle(rows, players, rules)
    assert oracle.optimum() == exact(
        {
            ("score_groups", 1): 1,
            ("score_difference", 1): Fraction(289, 4),  # (9 - 1/2) squared
        }
    )
    assert not oracle.legal([("A", "D"), ("B", "C")])


def test_bye_score_is_exact() -> None:
    players = field("ABC", "1.5 2.25 7")
    oracle = Oracle([], players, model({"kind": "bye_score"}), no_bye=["C"])
    assert oracle.optimum() == exact({("bye_score", 1): Fraction(3, 2)})
    assert oracle.vector([("B", None), ("A", "C")]) == exact(
        {("bye_score", 1): Fraction(9, 4)}
    )


def test_repeat_floats() -> None:
    # Round 1: A (brought in 1) floats down to B and loses; C wins by forfeit: a down-float;
    # D's forfeit loss is none; E asked for a bye of a win's points: a down-float.
    # Round 2, on scores A 1, B 3, C 3, D 0, E 3: C floats down to A and wins, B and E on equal
    # scores do not float, D has the allocated bye: a down-float. Then A 1, B 6, C 6, D 0, E 3.
    rows = [
        game(1, "A", "B", "0-3", sided=False),
        forfeit(1, "C", "D"),
        no_game(1, "E", "3", "requested"),
        game(2, "C", "A", sided=False),
        game(2, "B", "E", sided=False),
        no_game(2, "D", "0"),
    ]
    oracle = Oracle(rows, field("ABCDE", "1"), model({"kind": "repeat_floats"}))
    # C down (as both rounds ago), E up (was down), D bye (as last round), A and B: A up (as last
    # round), B down (was up in round 1, none in round 2).
    assert oracle.vector([("C", "E"), ("B", "A"), ("D", None)]) == exact(
        {("repeat_floats", 1): 3, ("repeat_floats", 2): 1}
    )
    # A's bye is a down-float, as in round 1; E over D is a down-float, as in round 1.
    assert oracle.vector([("B", "C"), ("E", "D"), ("A", None)]) == exact(
        {("repeat_floats", 2): 2}
    )
    # A half-point requested bye is no float.
    rows[2] = no_game(1, "E", "1.5", "requested")
    oracle = Oracle(rows, field("ABCDE", "1"), model({"kind": "repeat_floats"}))
    assert oracle.vector([("B", "C"), ("E", "D"), ("A", None)]) == exact(
        {("repeat_floats", 2): 1}
    )


@pytest.mark.parametrize(
    ("style", "best", "across"),
    [
        # Group of five, m = 4, ranks by rating: B C E D A. Down from rank 5 costs nothing.
        # fold: B-D (1+4) and C-E (2+3) cost 0; B-C 2 and E-D 2.
        ("fold", [("B", "D"), ("C", "E")], [2, 2]),
        # slide: B-E (1, 3) and C-D (2, 4) cost 0; B-C and E-D: |2 - 4| = 2 each.
        ("slide", [("B", "E"), ("C", "D")], [2, 2]),
        # adjacent: B-C and E-D cost 0 both ways.
        ("adjacent", [("B", "C"), ("E", "D")], [0, 0]),
    ],
)
def test_pairing_styles(
    style: str, best: list[tuple[str, str]], across: list[int]
) -> None:
    players = field(
        "ABCDEFGH", "3 3 3 3 3 0 0 0", rating="- 2000 1900 1500 1500.5 10 30 20"
    )
    oracle = Oracle([], players, model({"kind": "pairing_style", "style": style}))
    # The group below is ranked G H F. A (5 of 5) with G (1 of 3) costs 0; H-F is (2, 3), m = 2.
    below = {"fold": 2, "slide": 0, "adjacent": 0}[style]
    rest = [("A", "G"), ("H", "F")]
    expected: Vector = {("pairing_style", 1): Fraction(below)} if below else {}
    assert oracle.vector([*best, *rest]) == expected
    total = sum(across) + below
    expected = {("pairing_style", 1): Fraction(total)} if total else {}
    assert oracle.vector([("B", "C"), ("E", "D"), *rest]) == expected
    # C (2 of 5) leaves downwards: 3; F (3 of 3) leaves upwards: 2.
    assert oracle.vector([("C", "F")]) == exact({("pairing_style", 1): 5})
    # The bye is a way down too: B (1 of 5) costs 4.
    assert oracle.vector([("B", None)]) == exact({("pairing_style", 1): 4})


def test_conflicts_soft_and_hard() -> None:
    players = field("ABCDEF", club="Oslo Oslo Oslo Bonn Bonn -")
    weighted = model(
        {"kind": "conflicts", "column": "club", "weights": {"Oslo": "0.5"}}
    )
    oracle = Oracle([], players, weighted, force=[("D", "E")])
    # D-E share Bonn (1). Of A, B, C one meets F, the two others share Oslo (1/2).
    assert oracle.optimum() == exact({("conflicts", 1): Fraction(3, 2)})
    assert Oracle([], players, weighted).optimum() == {}
    hard = Oracle([], players, model(conflicts=["club"], sides=()))
    # Nobody of Oslo meets Oslo: the three meet D, E and F in any order.
    assert len(list(hard.pairings())) == 6
    assert (
        Oracle([], players, model(conflicts=["club"]), force=[("D", "E")]).optimum()
        is None
    )
    # Two empty cells are no shared value.
    assert (
        Oracle([], field("AB", club="- -"), model(conflicts=["club"])).optimum() == {}
    )


def test_two_criteria_of_one_kind_are_two_levels() -> None:
    players = field("ABCD", club="Oslo Oslo Bonn Bonn", team="red blue red blue")
    rules = model(*({"kind": "conflicts", "column": name} for name in ("club", "team")))
    pairing: list[tuple[str, str | None]] = [("A", "B"), ("C", "D")]
    by_place = ByPlace([], players, rules)
    assert by_place.vector(pairing) == {(0, 1): 2}
    assert by_place.vector([("A", "C"), ("B", "D")]) == {(1, 1): 2}
    assert by_place.optimum() == {}
    assert by_place.vector([("A", "B"), ("C", "A")]) == {(0, 1): 1, (1, 1): 1}
    with pytest.raises(ValueError, match="two levels of one name"):
        Oracle([], players, rules).vector([("A", "B"), ("C", "A")])


def test_no_bye_after_a_win_without_playing() -> None:
    # A win is worth 2 here, the most anyone scored in one played match.
    rows = [
        game(1, "A", "B", "2-0"),
        forfeit(1, "C", "D", "1-0"),
        no_game(1, "E", "2", "requested"),
        no_game(1, "F", "1", "requested"),
        no_game(1, "G", "1"),
    ]
    rules = model(no_bye_after_forfeit_win=True)

    def with_bye(rules: Model) -> str:
        pairings = Oracle(rows, field("ABCDEFG"), rules).pairings()
        return "".join(
            sorted({arc[0] for pairing in pairings for arc in pairing if not arc[1]})
        )

    assert with_bye(rules) == "ABDFG"
    assert with_bye({**rules, "win": 1}) == "ABD"
    assert with_bye(model(no_repeat_bye=True)) == "ABCDEF"


def test_default_win_before_any_played_match() -> None:
    # One point without playing is a win's points only where a win is one point.
    rows = [forfeit(1, "A", "B", "1-0"), no_game(1, "C", "1", "requested")]
    for sides, banned in (
        (("white", "black"), {"A", "C"}),
        (("corp", "runner"), {"A"}),
        ((), {"A"}),
    ):
        oracle = Oracle(
            rows, field("ABC"), model(sides=sides, no_bye_after_forfeit_win=True)
        )
        byes = {
            arc[0] for pairing in oracle.pairings() for arc in pairing if arc[1] is None
        }
        assert byes == set("ABC") - banned


def test_forced_and_forbidden() -> None:
    rules = model(sides=())
    assert list(Oracle([], field("ABCD"), rules, force=[("D", "A")]).pairings()) == [
        [("A", "D"), ("B", "C")]
    ]
    assert (
        Oracle([], field("ABCD"), rules, bye="A").optimum() is None
    )  # nobody is left over
    assert (
        Oracle([], field("ABC"), rules, bye="A", force=[("A", "B")]).optimum() is None
    )
    assert Oracle([], field("ABC"), rules, force=[("A", "X")]).optimum() is None
    assert Oracle([], field("AB"), rules, forbid=[("B", "A")]).optimum() is None
    oracle = Oracle([], field("ABC"), rules, no_bye=["A", "B"])
    assert list(oracle.pairings()) == [[("A", "B"), ("C", None)]]
    for wrong in (
        [("A", "B")],
        [("A", None), ("B", None), ("C", None)],
        [("A", "B"), ("A", None)],
    ):
        assert not oracle.legal(wrong)


@pytest.mark.parametrize("seed", range(12))
def test_optimum_is_the_least_of_all_pairings(seed: int) -> None:
    rng = random.Random(seed)
    names = "ABCDEFG"[: rng.choice([5, 6, 7])]
    rows: list[Row] = []
    for number in (1, 2, 3):
        order = rng.sample(names, len(names))
        if len(order) % 2:
            rows.append(no_game(number, order.pop(), "3"))
        rows += [
            game(number, a, b, rng.choice(["3-0", "0-3", "1-1"]))
            for a, b in zip(order[::2], order[1::2], strict=True)
        ]
    oracle = Oracle(rows, field(names), model(*EXCALIBUR, max_side_streak=2))

    levels: list[tuple[str, object]] = [("rematches", k) for k in (3, 2, 1)]
    levels += [("bye_score", 1), ("side_difference", 4), ("side_difference", 3)]
    levels += [("side_streak", 4), ("side_streak", 3)]
    levels += [("score_groups", g) for g in range(7, 0, -1)]
    levels += [("side_difference", 2), ("same_side", 1)]

    vectors = [oracle.vector(pairing) for pairing in oracle.pairings()]
    assert all(set(vector) <= set(levels) for vector in vectors)
    least = min(
        vectors,
        key=lambda vector: [vector.get(level, 0) for level in levels],
        default=None,
    )
    assert oracle.optimum() == least

    # The same set, the slow way: every order of the players, read two by two.
    padded: list[str | None] = [*names, None] if len(names) % 2 else [*names]
    slow = {
        frozenset(zip(order[::2], order[1::2], strict=True))
        for order in itertools.permutations(padded)
        if None not in order[::2]
    }
    legal = {
        arcs
        for arcs in slow
        if oracle.legal([(a, b) for a, b in arcs if a is not None])
    }
    assert legal == {frozenset(pairing) for pairing in oracle.pairings()}
