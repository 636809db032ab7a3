"""Excalibur's order to the letter: small rounds in which one rule is traded for another.

In each there are two pairings: `chosen` is better in the level that decides, `other` in a
later one. Only levels are compared, never which of several equal pairings came out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import pytest
from events import event_of, model_of, shipped, vector_of
from oracle import ByKind as Oracle
from oracle import Model, Pairing, Player, Row, Vector, by_kind

from pairopt import solve
from pairopt.problem.build import prepare
from pairopt.problem.options import Formulation

EXCALIBUR = shipped("excalibur")
KINDS = [
    "rematches",
    "bye_score",
    "side_difference",
    "side_streak",
    "score_groups",
    "side_difference",
    "same_side",
]
Decision = tuple[tuple[str, int], int, int]
"""A level, its value in the pairing chosen, and in the other one."""


@dataclass(frozen=True)
class Event:
    """A small event: `rounds` such as "A>B C-D E" (A first against B, no sides, a bye for E).

    All games end 0-0; the points are those brought in (`scores`, one for each active
    player from A on). Players in lower case are fillers who have left.
    """

    rounds: list[str]
    scores: str

    @property
    def rows(self) -> list[Row]:
        return [
            _row(number, match)
            for number, matches in enumerate(self.rounds, start=1)
            for match in matches.split()
        ]

    @property
    def players(self) -> list[Player]:
        points = self.scores.split()
        active = [
            {"player": name, "active": True, "score": score}
            for name, score in zip("ABCDEF", points, strict=False)
        ]
        seen = {
            str(row[key])
            for row in self.rows
            for key in ("player1", "player2")
            if row[key]
        }
        fillers = sorted(name for name in seen if name.islower())
        return active + [
            {"player": name, "active": False, "score": None} for name in fillers
        ]

    def oracle(self, model: Model) -> Oracle:
        return Oracle(self.rows, self.players, model)

    def levels(
        self, model: str | Model, formulation: Formulation = "classes"
    ) -> Vector:
        """The nonzero levels of a solved round."""
        chosen = model if isinstance(model, str) else model_of(model)
        result = solve(
            event_of(self.rows, self.players), chosen, formulation=formulation
        )
        assert result.status == "optimal"
        kinds = [rule.kind for rule in result.problem.criteria]
        return by_kind(vector_of(result.level_values), kinds)


@dataclass(frozen=True)
class Trade(Event):
    """An event with the two pairings; `swap` is the rule that takes turns with the next."""

    chosen: str
    other: str
    decides: Decision
    gives_up: Decision
    swap: int | None = None


def _row(number: int, match: str) -> Row:
    one, _, two = match.replace("-", ">").partition(">")
    return {
        "round": number,
        "player1": one,
        "player2": two or None,
        "side1": "corp" if ">" in match else None,
        "score1": "0",
        "score2": "0" if two else None,
        "status": "" if two else "bye",
    }


def pairing(text: str) -> Pairing:
    """ "A>B C" is A first against B, and the bye for C."""
    arcs = (match.replace("-", ">").partition(">") for match in text.split())
    return [(one, two or None) for one, _, two in arcs]


def sides(**games: str) -> list[str]:
    """Rounds against fillers: A="CCR" is first, first, second."""
    fillers = iter("abcdefghijklmnopqrstuvwxyz")
    rounds = []
    against = {player: next(fillers) for player in games}
    for k in range(max(map(len, games.values()))):
        matches = []
        for player, played in games.items():
            if k < len(played):
                other = against[player] + str(k)
                matches.append(
                    f"{player}>{other}" if played[k] == "C" else f"{other}>{player}"
                )
        rounds.append(" ".join(matches))
    return rounds


TRADES = {
    "a fourth meeting before third ones": Trade(
        rounds=["A-B"] * 3 + ["A-C B-D"] * 2 + ["A-D B-C"] * 3,
        scores="0 0 0 0",
        chosen="A-C B-D",
        other="A-B C-D",
        decides=(("rematches", 3), 0, 1),
        gives_up=(("rematches", 2), 2, 0),
    ),
    "a third meeting before second ones": Trade(
        rounds=["A-B"] * 2 + ["A-C B-D"] + ["A-D B-C"] * 2,
        scores="0 0 0 0",
        chosen="A-C B-D",
        other="A-B C-D",
        decides=(("rematches", 2), 0, 1),
        gives_up=(("rematches", 1), 2, 0),
    ),
    "a third bye before second meetings": Trade(
        rounds=["A B-C", "A", "B A-C", "B", "C A-B", "A-x0"],
        scores="0 0 0",
        chosen="C A-B",
        other="A B-C",
        decides=(("rematches", 2), 0, 1),
        gives_up=(("rematches", 1), 2, 1),
    ),
    "a rematch before the bye's score": Trade(
        rounds=["A-B"],
        scores="6 3 0",
        chosen="B A-C",
        other="C A-B",
        decides=(("rematches", 1), 0, 1),
        gives_up=(("bye_score", 1), 3, 0),
        swap=0,
    ),
    "a second bye before the bye's score": Trade(
        rounds=["C A-x B-y"],
        scores="6 3 0",
        chosen="B A-C",
        other="C A-B",
        decides=(("rematches", 1), 0, 1),
        gives_up=(("bye_score", 1), 3, 0),
        swap=0,
    ),
    "the bye's score before a difference of three": Trade(
        rounds=sides(A="CRCC", B="CRCC", C="RC"),
        scores="3 3 0",
        chosen="C A>B",
        other="A C>B",
        decides=(("bye_score", 1), 0, 3),
        gives_up=(("side_difference", 3), 1, 0),
        swap=1,
    ),
    "a difference of four before threes": Trade(
        rounds=sides(A="CCRCCRC", B="CCRCCRC", C="CCRC", D="CCRC"),
        scores="0 0 0 0",
        chosen="C>A D>B",
        other="A>B C>D",
        decides=(("side_difference", 4), 0, 1),
        gives_up=(("side_difference", 3), 2, 1),
    ),
    "a difference of three before a streak of three": Trade(
        rounds=sides(A="CCCR", B="RRCC"),
        scores="0 0",
        chosen="B>A",
        other="A>B",
        decides=(("side_difference", 3), 0, 1),
        gives_up=(("side_streak", 3), 1, 0),
        swap=2,
    ),
    "the bye player's difference counts": Trade(
        # A keeps a difference of three with the bye, and comes down to two as second.
        rounds=sides(A="CCRCCRC", B="R", C="C"),
        scores="0 0 0",
        chosen="C B>A",
        other="A B>C",
        decides=(("side_difference", 3), 0, 1),
        gives_up=(("side_difference", 2), 1, 0),
    ),
    "a streak of four before threes": Trade(
        rounds=sides(A="RRRCCC", B="RRRCCC", C="RRCC", D="RRCC"),
        scores="0 0 0 0",
        chosen="C>A D>B",
        other="A>B C>D",
        decides=(("side_streak", 4), 0, 1),
        gives_up=(("side_streak", 3), 2, 1),
    ),
    "a streak of three before score groups": Trade(
        rounds=sides(A="RRCC", B="RRCC", C="CR", D="CR"),
        scores="3 3 0 0",
        chosen="C>A D>B",
        other="A>B C>D",
        decides=(("side_streak", 3), 0, 1),
        gives_up=(("score_groups", 1), 2, 0),
        swap=3,
    ),
    "three groups apart before two": Trade(
        rounds=["A-B C-D"],
        scores="9 6 3 0",
        chosen="A-C B-D",
        other="A-D B-C",
        decides=(("score_groups", 3), 0, 1),
        gives_up=(("score_groups", 2), 2, 0),
    ),
    "two groups apart before one": Trade(
        rounds=["A-x"],
        scores="9 3 3 0",
        chosen="A-B C-D",
        other="A-D B-C",
        decides=(("score_groups", 2), 0, 1),
        gives_up=(("score_groups", 1), 2, 0),
    ),
    "score groups before a difference of two": Trade(
        rounds=sides(A="C", B="C", C="R", D="R"),
        scores="3 3 0 0",
        chosen="A>B C>D",
        other="C>A D>B",
        decides=(("score_groups", 1), 0, 2),
        gives_up=(("side_difference", 2), 2, 0),
        swap=4,
    ),
    "a difference of two before the same side": Trade(
        rounds=sides(A="CCR", B="RRC"),
        scores="0 0",
        chosen="B>A",
        other="A>B",
        decides=(("side_difference", 2), 0, 2),
        gives_up=(("same_side", 1), 2, 0),
        swap=5,
    ),
}


def rank(level: tuple[str, object]) -> tuple[int, int]:
    """Its place in the published order: the rule, then the largest number first."""
    kind, number = level[0], int(str(level[1]))
    place = KINDS.index(kind)
    if kind == "side_difference" and number == 2:
        place = 5
    return place, -number


def ordered(vector: Vector, levels: Iterable[tuple[str, object]]) -> list[Fraction]:
    return [vector.get(level, Fraction(0)) for level in sorted(levels, key=rank)]


@pytest.mark.parametrize("name", TRADES)
def test_each_case_is_a_trade(name: str) -> None:
    trade = TRADES[name]
    oracle = trade.oracle(EXCALIBUR)
    chosen, other = (
        oracle.vector(pairing(text)) for text in (trade.chosen, trade.other)
    )
    for level, in_chosen, in_other in (trade.decides, trade.gives_up):
        assert (chosen.get(level, 0), other.get(level, 0)) == (in_chosen, in_other)
    assert trade.decides[1] < trade.decides[2]
    assert trade.gives_up[1] > trade.gives_up[2]
    deciding = rank(trade.decides[0])
    assert deciding < rank(trade.gives_up[0])
    for level in {*chosen, *other}:
        if rank(level) < deciding:
            assert chosen.get(level) == other.get(level)


@pytest.mark.parametrize("formulation", ["classes", "pairs"])
@pytest.mark.parametrize("name", TRADES)
def test_the_more_important_rule_wins(name: str, formulation: Formulation) -> None:
    trade = TRADES[name]
    expected = trade.oracle(EXCALIBUR).vector(pairing(trade.chosen))
    assert trade.levels("excalibur", formulation) == expected


@pytest.mark.parametrize(
    "name", [name for name, trade in TRADES.items() if trade.swap is not None]
)
def test_with_the_two_rules_swapped_the_other_pairing_wins(name: str) -> None:
    trade = TRADES[name]
    assert trade.swap is not None
    criteria = list(EXCALIBUR["criteria"])
    k = trade.swap
    criteria[k : k + 2] = criteria[k + 1], criteria[k]
    swapped = {**EXCALIBUR, "criteria": criteria}
    assert trade.levels(swapped) == trade.oracle(swapped).vector(pairing(trade.other))


def test_every_rule_is_traded_against_the_next() -> None:
    swaps = {trade.swap for trade in TRADES.values()} - {None}
    assert swaps == set(range(len(KINDS) - 1))


def test_levels_stand_in_the_published_order() -> None:
    # A and B met twice; A was first three times, and in a row; there are five groups.
    event = Event(["A>B", "A>B", "A>x C y>D"], "9 6 3 1 0")
    problem = prepare(event_of(event.rows, event.players), "excalibur")
    assert [(level.criterion, level.label) for level in problem.levels] == [
        ("rematches", 2),
        ("rematches", 1),
        ("bye_score", 1),
        ("side_difference", 4),
        ("side_difference", 3),
        ("side_streak", 4),
        ("side_streak", 3),
        ("score_groups", 4),
        ("score_groups", 3),
        ("score_groups", 2),
        ("score_groups", 1),
        ("side_difference", 2),
        ("same_side", 1),
    ]


def test_a_first_game_and_a_bye_are_no_same_side() -> None:
    # A was first, B had the bye, C was second; nobody has met. B has had one: A or C has it now.
    event = Event(["A>x B y>C"], "0 0 0")
    assert event.levels("excalibur") == {}


def test_a_bye_does_not_end_a_streak() -> None:
    # A: first, first, then a bye; first again would make three in a row.
    event = Event(["A>x y>B", "A>z B>u", "A v>B"], "0 0")
    oracle = event.oracle(EXCALIBUR)
    assert oracle.vector(pairing("A>B"))["side_streak", 3] == 1
    assert event.levels("excalibur") == oracle.vector(pairing("B>A"))
    assert ("side_streak", 3) not in event.levels("excalibur")


def test_top_first_gives_up_distance_below_for_a_nearer_match_on_top() -> None:
    # A and B, the two highest groups, may meet; then C, who met D and E, has only F, three apart.
    event = Event(["C-D", "C-E"], "15 12 9 6 3 0")
    assert event.levels("excalibur") == {("score_groups", 2): 2, ("score_groups", 1): 1}
    assert event.levels("top-first") == {
        ("score_groups", "1:1"): 1,
        ("score_groups", "3:3"): 1,
        ("score_groups", "4:1"): 1,
    }
