"""Criteria C5 to C21 and the order of candidates of the Dutch System, an article at a time.

Players are numbered from 1 by rank, and 0 is the bye. A bracket is named by its score group, from
0, the highest. What is not said of a player is nothing: no preference, no float.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from pairopt.event.arcs import BYE, IntArray, arcs_of
from pairopt.event.fide_attributes import (
    ABSOLUTE,
    DOWN,
    MILD,
    NONE,
    STRONG,
    UP,
    FideAttributes,
)
from pairopt.fide.dutch.bracket_pairs import RankedPlayers, rank_players
from pairopt.fide.dutch.criteria import (
    PARTS,
    CriterionLevel,
    compute_bracket_costs,
    iterate_quality_keys,
)
from pairopt.fide.dutch.system import Dutch
from pairopt.rules.constraints.preferences import article_of, has_first_side

WHITE, BLACK = 0, 1
Facts = Mapping[int, Any]
"""What is known of some players, by their numbers."""


def ranking(scores: Sequence[int], **facts: Facts) -> RankedPlayers:
    """Players of these scores; `floats` are (one round ago, two rounds ago)."""
    n = len(scores)
    nothing: dict[str, Any] = {
        "difference": 0,
        "preferred": -1,
        "strength": NONE,
        "repeated": -1,
        "latest": (-1,),
        "floats": (0, 0),
        "unplayed": 0,
        "topscorer": False,
        "own_first": True,
    }
    known = {
        name: np.array([facts.get(name, {}).get(k, value) for k in range(1, n + 1)])
        for name, value in nothing.items()
    }
    return rank_players(
        FideAttributes(
            score=np.array(scores),
            number=np.arange(1, n + 1),
            rank=np.arange(n),
            **known,
        )
    )


def pairs_of(text: str, n: int) -> tuple[IntArray, IntArray]:
    """The ranks of "1-3 2-4 5-0", the upper ones first."""
    both = [[int(number) for number in pair.split("-")] for pair in text.split()]
    ends = [sorted((one - 1) % (n + 1) for one in pair) for pair in both]
    return np.array([one for one, _ in ends]), np.array([two for _, two in ends])


def level(of: RankedPlayers, s: int, criterion: str, text: str, group: int = -1) -> int:
    """What a whole pairing has in a level of the bracket of group `s`."""
    a, b = pairs_of(text, len(of))
    keys = (*iterate_quality_keys(of, s),)
    found = compute_bracket_costs(of, s, keys, a, b, b == len(of)).sum(axis=0)
    return int(found[keys.index(CriterionLevel(criterion, group))])


def preferences(
    one: tuple[int, int], two: tuple[int, int], **more: Facts
) -> RankedPlayers:
    """Two players of one score with these preferences: side and strength."""
    return ranking(
        [1, 1],
        preferred={1: one[0], 2: two[0]},
        strength={1: one[1], 2: two[1]},
        difference={1: 2, 2: 2} | dict(more.pop("difference", {})),
        **more,
    )


# ---------------------------------------------------------------------- sides

GRANTED = {
    "5.2.1 both are granted": ("W2- B2-", "W", "5.2.1"),
    "5.2.1 only the lower one has a preference": ("--- B1-", "W", "5.2.1"),
    "5.2.1 only the higher one has a preference": ("B1- ---", "B", "5.2.1"),
    "5.2.2 strong before mild": ("W2- W1-", "W", "5.2.2"),
    "5.2.2 strong before mild, of black": ("B2- B1-", "B", "5.2.2"),
    "5.2.2 absolute before strong": ("B3- B2-", "B", "5.2.2"),
    "5.2.2 absolute before mild": ("W3- W1-", "W", "5.2.2"),
    "5.2.2 absolute by two in a row before strong": ("W4- W2-", "W", "5.2.2"),
    "5.2.2 of two absolute ones the wider difference": ("W5- W3-", "W", "5.2.2"),
    "5.2.2 of two absolute ones the wider difference, of black": (
        "B5- B3-",
        "B",
        "5.2.2",
    ),
    "5.2.2 of two absolute ones, one by two in a row": ("W3- W4-", "W", "5.2.2"),
    "5.2.2 comes before 5.2.3": ("B5W B3B", "B", "5.2.2"),
    "5.2.3 as they last had different ones": ("W2W W2B", "B", "5.2.3"),
    "5.2.3 of equally absolute ones": ("B5B B5W", "W", "5.2.3"),
}
"""Side preferred, strength and side they last had of two players; the first one's side, article.

Strengths: 1 mild, 2 strong, 3 absolute by a difference of 2, 4 by two in a row, at 1, 5 by 3.
"""
STRENGTHS = {
    "1": (MILD, 0),
    "2": (STRONG, 1),
    "3": (ABSOLUTE, 2),
    "4": (ABSOLUTE, 1),
    "5": (ABSOLUTE, 3),
    "-": (NONE, 0),
}
LETTERS = {"W": WHITE, "B": BLACK, "-": -1}


def two_with(text: str, own_first: bool = True) -> FideAttributes:
    """Two players with the preferences that a text has, the first ranks higher."""
    told = [
        (LETTERS[side], *STRENGTHS[how], LETTERS[last])
        for side, how, last in text.split()
    ]
    side, strength, far, last = (np.array(column) for column in zip(*told, strict=True))
    sign = np.where(side == WHITE, -1, 1)  # who has had black more often prefers white
    nothing = np.zeros(2, np.int64)
    return FideAttributes(
        score=nothing,
        number=np.array([1, 2]),
        rank=np.array([0, 1]),
        difference=sign * far,
        preferred=side,
        strength=strength,
        repeated=nothing - 1,
        latest=last[:, None],
        floats=np.zeros((2, 2), np.int64),
        unplayed=nothing,
        topscorer=nothing > 0,
        own_first=np.array([own_first, not own_first]),
    )


@pytest.mark.parametrize(("text", "side", "article"), GRANTED.values(), ids=GRANTED)
@pytest.mark.parametrize("turned", [False, True])
def test_5_2_who_has_which_side(
    text: str, side: str, article: str, turned: bool
) -> None:
    """By hand, whichever of the two ranks higher, and whichever is asked about first."""
    if turned:
        text = " ".join(reversed(text.split()))
    one, two = (
        (np.array([1]), np.array([0])) if turned else (np.array([0]), np.array([1]))
    )
    of = two_with(text)
    first = side == "W"
    assert has_first_side(of, one, two) == [first]
    assert has_first_side(of, two, one) == [not first]
    assert article_of(of, int(one[0]), int(two[0])) == article


@pytest.mark.parametrize(
    ("text", "side"), [("W2- W2-", "W"), ("B5- B5-", "B"), ("W4- W4-", "W")]
)
def test_5_2_4_the_preference_of_who_ranks_higher(text: str, side: str) -> None:
    of, higher, lower = two_with(text), np.array([0]), np.array([1])
    assert has_first_side(of, higher, lower) == [side == "W"]
    assert has_first_side(of, lower, higher) == [side != "W"]
    assert article_of(of, 0, 1) == "5.2.4"


@pytest.mark.parametrize("own_first", [True, False])
def test_5_2_5_without_preferences_the_number_of_who_ranks_higher(
    own_first: bool,
) -> None:
    of, higher, lower = two_with("--- ---", own_first), np.array([0]), np.array([1])
    assert has_first_side(of, higher, lower) == [own_first]
    assert has_first_side(of, lower, higher) == [not own_first]
    assert article_of(of, 0, 1) == "5.2.5"


# ---------------------------------------------------------------------- criteria


def test_c5_the_score_of_who_has_the_bye() -> None:
    system = Dutch(ranking([4, 2, 2, 1, 0]), scale=2)
    for player, score in ((1, 4), (3, 2), (5, 0)):
        arcs = arcs_of(np.array([player - 1]), np.array([BYE]))
        assert system.levels[0].criterion == "C5"
        assert system.costs(arcs)[0, 0] == score
    assert (
        Dutch(ranking([4, 2]), scale=2).levels[0].criterion == "C6"
    )  # an even field has no bye


def test_c6_who_floats_down() -> None:
    three = ranking([2, 2, 2, 1, 1, 1])
    assert level(three, 0, "C6", "1-2 3-4 5-6") == 1
    assert level(three, 0, "C6", "1-4 2-5 3-6") == 3
    assert level(three, 1, "C6", "1-2 3-4 5-6") == 0
    # the bye is below everybody: who has it floats out of each bracket from their own on
    odd = ranking([2, 2, 1])
    assert [level(odd, s, "C6", "1-0 2-3") for s in (0, 1)] == [2, 1]


def test_c7_the_scores_of_who_floats_down() -> None:
    # in the bracket of 2 and 3, with 1 moved down, 3 or 1 goes on to 4
    now = ranking([3, 2, 2, 1])
    for text, moved in (("1-2 3-4", 0), ("1-4 2-3", 1)):
        assert level(now, 1, "C6", text) == 1
        assert level(now, 1, "C7", text, group=0) == moved
    # highest scores first: of two moved-down players, 1 counts before 2
    now = ranking([4, 3, 2, 1])
    assert [key for key in iterate_quality_keys(now, 2) if key.criterion == "C7"] == [
        CriterionLevel("C7", 0),
        CriterionLevel("C7", 1),
    ]
    assert [level(now, 2, "C7", "1-4 2-3", group=x) for x in (0, 1)] == [1, 0]
    assert [level(now, 2, "C7", "1-3 2-4", group=x) for x in (0, 1)] == [0, 1]


def test_c8_what_the_next_bracket_leaves_over() -> None:
    # 1 or 2 floats; if 1 meets 3, and 4 meets 5, the next bracket is paired in full
    now = ranking([3, 3, 2, 2, 1, 1])
    for text, (every, top, own) in {
        "1-2 3-4 5-6": (0, 0, 0),
        "1-3 2-4 5-6": (0, 0, 0),
        "1-3 2-5 4-6": (2, 1, 1),
        "1-5 2-6 3-4": (2, 2, 0),
    }.items():
        assert level(now, 0, "C8", text) == every
        assert level(now, 0, "C8", text, group=0) == top
        if own:  # those of the next group itself follow from all and the others
            assert every - top == own
    assert not [
        key for key in iterate_quality_keys(now, 2) if key.criterion == "C8"
    ]  # the last bracket
    now = ranking([4, 3, 2, 1])
    assert [
        key.group for key in iterate_quality_keys(now, 1) if key.criterion == "C8"
    ] == [
        -1,
        0,
        1,
    ]
    assert [level(now, 1, "C8", "1-4 2-3", group=x) for x in (-1, 0, 1)] == [1, 1, 0]
    assert [level(now, 1, "C8", "1-3 2-4", group=x) for x in (-1, 0, 1)] == [1, 0, 1]


def test_c9_the_unplayed_games_of_who_has_the_bye() -> None:
    now = ranking([1, 1, 1], unplayed={2: 1, 3: 2})
    for text, games in (("1-0 2-3", 0), ("1-3 2-0", 1), ("1-2 3-0", 2)):
        assert level(now, 0, "C9", text) == games
    # who has the bye is in a bracket further down
    assert level(ranking([2, 2, 1], unplayed={3: 1}), 0, "C9", "1-2 3-0") == 0
    # only if nobody else floats: here 1 and 2 do, and one of them has the bye
    system = Dutch(ranking([2, 2, 1], unplayed={1: 3, 2: 1}), scale=1)
    for text, games in (("1-0 2-3", 0), ("1-2 3-0", 0)):
        a, b = pairs_of(text, 3)
        found = system.compute_quality(0, a, b, b == 3)
        assert (
            found[:, system.quality_keys[0].index(CriterionLevel("C9"))].sum() == games
        )
    # 1 alone floats, and has the bye
    system = Dutch(ranking([2, 1, 1], unplayed={1: 3}), scale=1)
    a, b = pairs_of("1-0 2-3", 3)
    assert (
        system.compute_quality(0, a, b, b == 3)[
            :, system.quality_keys[0].index(CriterionLevel("C9"))
        ].sum()
        == 3
    )
    assert CriterionLevel("C9") not in iterate_quality_keys(ranking([1, 1]), 0)


@pytest.mark.parametrize(
    ("differences", "count"),
    [((2, 2), 1), ((3, 2), 1), ((2, 1), 0), ((1, 1), 0), ((-2, -3), 1)],
)
def test_c10_two_topscorers_with_two_games_more_on_a_side(
    differences: tuple[int, int], count: int
) -> None:
    """One of the two will have three more; where the difference is 1, two in a row were one."""
    side = BLACK if differences[0] > 0 else WHITE
    now = ranking(
        [1] * 4,
        preferred={1: side, 2: side},
        strength={1: ABSOLUTE, 2: ABSOLUTE},
        difference={1: differences[0], 2: differences[1], 3: 2},
    )
    assert level(now, 0, "C10", "1-2 3-4") == count
    assert level(now, 0, "C10", "1-3 2-4") == 0  # 3 and 4 prefer nothing


@pytest.mark.parametrize(
    ("differences", "repeated", "count"),
    [
        ((2, 2), (WHITE, WHITE), 1),  # whoever has White has it a third time
        ((2, 2), (WHITE, -1), 0),  # 2 can have it
        ((2, 2), (-1, WHITE), 0),  # 1 can
        ((2, 2), (-1, -1), 0),
        ((3, 2), (WHITE, WHITE), 1),  # 1 has the larger difference: 2 has White
        ((3, 2), (WHITE, -1), 0),
        ((3, 2), (-1, WHITE), 1),
        ((2, 3), (WHITE, -1), 1),
        ((2, 3), (-1, WHITE), 0),
        ((1, 1), (WHITE, WHITE), 1),
    ],
)
def test_c11_two_topscorers_and_a_side_three_times_running(
    differences: tuple[int, int], repeated: tuple[int, int], count: int
) -> None:
    """Both must have Black; one of them will not."""
    now = preferences(
        (BLACK, ABSOLUTE),
        (BLACK, ABSOLUTE),
        difference=dict(enumerate(differences, 1)),
        repeated=dict(enumerate(repeated, 1)),
    )
    assert level(now, 0, "C11", "1-2") == count


def test_c11_of_other_preferences() -> None:
    for two in ((WHITE, ABSOLUTE), (BLACK, STRONG)):
        now = preferences((BLACK, ABSOLUTE), two, repeated={1: WHITE, 2: WHITE})
        assert level(now, 0, "C11", "1-2") == 0


@pytest.mark.parametrize(
    ("one", "two", "refused", "strong"),
    [
        ((-1, NONE), (-1, NONE), 0, 0),  # nobody prefers anything
        ((WHITE, MILD), (-1, NONE), 0, 0),
        ((WHITE, MILD), (BLACK, MILD), 0, 0),
        ((WHITE, MILD), (WHITE, MILD), 1, 0),
        ((WHITE, STRONG), (WHITE, MILD), 1, 0),  # the mild one is not granted
        ((WHITE, MILD), (WHITE, ABSOLUTE), 1, 0),
        ((BLACK, STRONG), (BLACK, STRONG), 1, 1),
        ((BLACK, STRONG), (WHITE, STRONG), 0, 0),
        ((BLACK, ABSOLUTE), (BLACK, STRONG), 1, 1),  # the strong one is not granted
        ((BLACK, STRONG), (BLACK, ABSOLUTE), 1, 1),
        (
            (BLACK, ABSOLUTE),
            (BLACK, ABSOLUTE),
            1,
            0,
        ),  # what is not granted is absolute: C10, C11
    ],
)
def test_c12_c13_preferences_that_are_not_granted(
    one: tuple[int, int], two: tuple[int, int], refused: int, strong: int
) -> None:
    now = preferences(one, two)
    assert level(now, 0, "C12", "1-2") == refused
    if CriterionLevel("C13") in iterate_quality_keys(now, 0):
        assert level(now, 0, "C13", "1-2") == strong
    else:
        assert strong == 0


def test_c12_counts_in_the_bracket_of_the_lower_player() -> None:
    now = ranking(
        [2, 1], preferred={1: WHITE, 2: WHITE}, strength={1: STRONG, 2: STRONG}
    )
    assert [level(now, s, "C12", "1-2") for s in (0, 1)] == [0, 1]
    assert [level(now, s, "C13", "1-2") for s in (0, 1)] == [0, 1]


@pytest.mark.parametrize(
    ("ago", "own", "moved"), [(0, "C14", "C18"), (1, "C16", "C20")]
)
def test_c14_c16_c18_c20_who_floats_down_again(ago: int, own: str, moved: str) -> None:
    """1 is moved down to 2 and 3; 1 and 2 have floated down before, 3 up, and 4 is below."""
    floats = (DOWN, 0) if ago == 0 else (0, DOWN)
    now = ranking([3, 2, 2, 1], floats={1: floats, 2: floats, 3: (UP, UP)})
    for text, residents, others in (
        ("1-4 2-3", 0, 1),  # 1 floats again, who is no resident
        ("1-3 2-4", 1, 0),  # 2 does, who is one
        ("1-2 3-4", 0, 0),  # 3 had not floated down
    ):
        assert level(now, 1, own, text) == residents
        assert level(now, 1, moved, text, group=0) == others
    # in the bracket of 1 alone, 1 is a resident
    assert level(now, 0, own, "1-4 2-3") == 1
    # two rounds ago is another level than one round ago
    other = {"C14": "C16", "C16": "C14"}[own]
    assert CriterionLevel(other) not in iterate_quality_keys(now, 1)
    up = ranking([3, 2, 2, 1], floats={1: (UP, UP), 2: (UP, UP)})
    assert CriterionLevel(own) not in iterate_quality_keys(up, 1)


@pytest.mark.parametrize(
    ("ago", "every", "by_group"), [(0, "C15", "C19"), (1, "C17", "C21")]
)
def test_c15_c17_c19_c21_who_floats_up_again(
    ago: int, every: str, by_group: str
) -> None:
    """1 and 2 of two higher scores are moved down; 3 has floated up before."""
    floats = (UP, 0) if ago == 0 else (0, UP)
    now = ranking([4, 3, 2, 2, 2, 2], floats={3: floats})
    for text, total, of_groups in (
        ("1-3 2-4 5-6", 1, (1, 0)),
        ("1-4 2-3 5-6", 1, (0, 1)),
        ("1-4 2-5 3-6", 0, (0, 0)),  # 3 meets a resident
        ("1-2 3-4 5-6", 0, (0, 0)),
    ):
        assert level(now, 2, every, text) == total
        assert (
            tuple(level(now, 2, by_group, text, group=x) for x in (0, 1)) == of_groups
        )
    # 4 would have floated up again to 1 or 2, but meets 3
    assert (
        level(ranking([4, 3, 2, 2, 2, 2], floats={4: floats}), 2, every, "1-5 2-6 3-4")
        == 0
    )
    # who is moved down is no opponent of that kind, whatever they floated before
    now = ranking([4, 3, 2, 2], floats={1: floats, 2: floats, 3: floats})
    assert level(now, 2, every, "1-4 2-3") == 1
    down = ranking([4, 3, 2, 2], floats={3: (DOWN, DOWN)})
    assert CriterionLevel(every) not in iterate_quality_keys(down, 2)


def test_the_criteria_are_in_the_order_of_article_2() -> None:
    both = (DOWN, DOWN)
    now = ranking(
        [3, 2, 2, 2, 1],
        floats={1: both, 2: both, 3: (UP, UP)},
        strength={1: ABSOLUTE, 2: ABSOLUTE},
        preferred={1: WHITE, 2: WHITE},
        difference={1: -2, 2: -2},
    )
    names = [key.criterion for key in iterate_quality_keys(now, 1)]
    assert [*dict.fromkeys(names)] == [f"C{k}" for k in range(6, 22)]
    assert names == sorted(names, key=lambda name: int(name[1:]))


# ---------------------------------------------------------------------- order of candidates


def order(of: RankedPlayers, s: int, text: str) -> dict[str, int]:
    """The parts of the order that are not 0."""
    found = Dutch(of, 1).compute_order_values(s, *pairs_of(text, len(of)))
    return {part: number for part, number in zip(PARTS, found, strict=True) if number}


SIX = ranking([1] * 6)
MOVED = ranking([2, 2, 1, 1, 1, 1])
"""Two players moved down to four."""


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1-4 2-5 3-6", 0),
        ("1-4 2-6 3-5", 1),
        ("1-5 2-4 3-6", 2),
        ("1-5 2-6 3-4", 3),
        ("1-6 2-4 3-5", 4),
        ("1-6 2-5 3-4", 5),
    ],
)
def test_4_2_transpositions_in_the_order_of_a_lexicon(text: str, number: int) -> None:
    """S2 is 4 5 6 456 465 546 564 645 654."""
    assert order(SIX, 0, text) == ({"4.2": number} if number else {})


def test_4_3_2_an_exchange_taken_apart() -> None:
    # 4 for 3: S1 is 1 2 4, S2 is 3 5 6; one is exchanged, at a distance of 1; of S1 the players 1
    # and 2 stay (bits 1 and 2), of S2 5 and 6 do (bits 2 and 1)
    assert order(SIX, 0, "1-3 2-5 4-6") == {
        "4.3.2.1": 1,
        "4.3.2.2": 1,
        "4.3.2.3": 3,
        "4.3.2.4": 3,
    }
    # the same exchange, S2 as 3 6 5: the second transposition
    assert order(SIX, 0, "1-3 2-6 4-5")["4.2"] == 1
    # 5 and 6 for 3 and 4 are two, at a distance of 11 - 7
    eight = ranking([1] * 8)
    assert order(eight, 0, "1-3 2-4 5-7 6-8") == {
        "4.3.2.1": 2,
        "4.3.2.2": 4,
        "4.3.2.3": 3,
        "4.3.2.4": 3,
    }


def test_4_3_2_the_order_of_single_exchanges() -> None:
    """The least distance first; of equal ones that in which the last of S1 leaves it (4.3.2.3).

    1 cannot leave S1, nor 6 enter it: nobody is above the one, or below the other.
    """
    exchanges = {
        "3 for 5": "1-3 2-4 5-6",
        "2 for 5": "1-2 3-4 5-6",
        "2 for 4": "1-2 3-5 4-6",
        "none": "1-4 2-5 3-6",
        "3 for 4": "1-3 2-5 4-6",
    }
    places = {
        name: Dutch(SIX, 1).compute_order_values(0, *pairs_of(text, 6))
        for name, text in exchanges.items()
    }
    assert sorted(places, key=lambda name: places[name]) == [
        "none",
        "3 for 4",
        "3 for 5",
        "2 for 4",
        "2 for 5",
    ]
    assert [places[name][3] for name in exchanges] == [2, 3, 2, 0, 1]


def test_4_3_2_4_who_enters_s1_decides_last() -> None:
    """Of ten, 4 and 5 leave for 6 and 9, or for 7 and 8: both at a distance of 15 - 9."""
    ten = ranking([1] * 10)
    lower, higher = (
        order(ten, 0, text) for text in ("1-4 2-5 3-7 6-8 9-10", "1-4 2-5 3-6 7-9 8-10")
    )
    # bits of 6 to 10: 16 8 4 2 1, of those who stay in S2
    assert (lower.pop("4.3.2.4"), higher.pop("4.3.2.4")) == (8 + 4 + 1, 16 + 2 + 1)
    assert lower == higher == {"4.3.2.1": 2, "4.3.2.2": 6, "4.3.2.3": 1 + 2 + 4}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1-3 2-4 5-6", 0),
        ("1-3 2-5 4-6", 1),
        ("1-3 2-6 4-5", 2),
        ("1-4 2-3 5-6", 3),
        ("1-4 2-5 3-6", 4),
        ("1-6 2-5 3-4", 11),
    ],
)
def test_4_2_the_opponents_of_moved_down_players(text: str, number: int) -> None:
    """Two of 3 4 5 6: 34 35 36 43 45 46 and so on to 65, the twelfth."""
    assert order(MOVED, 1, text) == ({"4.2 MDP": number} if number else {})


def test_4_2_what_is_left_after_the_moved_down_players() -> None:
    # 3 and 4 are taken; of 5 6 7 8 the first half is S1
    now = ranking([2, 2, 1, 1, 1, 1, 1, 1])
    assert order(now, 1, "1-3 2-4 5-7 6-8") == {}
    assert order(now, 1, "1-3 2-4 5-8 6-7") == {"4.2": 1}
    assert order(now, 1, "1-3 2-4 5-6 7-8") == {
        "4.3.2.1": 1,
        "4.3.2.2": 1,
        "4.3.2.3": 1,
        "4.3.2.4": 1,
    }
    # 3 and 8 are: S1 is 4 5
    assert order(now, 1, "1-3 2-8 4-6 5-7") == {"4.2 MDP": 4}


def test_4_4_which_moved_down_players_are_paired() -> None:
    # of 1 2 3 one meets 4, two float on to 5 and 6: first {1}, then {2}, then {3}
    now = ranking([2, 2, 2, 1, 0, 0])
    sets = ["1-4 2-5 3-6", "1-5 2-4 3-6", "1-5 2-6 3-4"]
    numbers = [order(now, 1, text)["4.4"] for text in sets]
    assert numbers == [0b011, 0b101, 0b110]
    assert (
        order(now, 1, "1-4 2-6 3-5")["4.4"] == numbers[0]
    )  # the next bracket's affair


def test_4_the_parts_are_compared_in_the_order_of_article_3() -> None:
    assert PARTS == (
        "4.4",
        "4.2 MDP",
        "4.3.2.1",
        "4.3.2.2",
        "4.3.2.3",
        "4.3.2.4",
        "4.2",
    )
