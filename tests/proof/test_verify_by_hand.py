"""Each rule of a proof by hand: small proofs that hold, and others that break a rule each.

Those that break one of the rules of the verifier's first lines are false: their pairing is not
the best, and that rule alone says so.
"""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from places import ROOT

from pairopt.proof.file import format_proof
from pairopt.proof.verify import (
    InvalidProof,
    Work,
    format_json,
    list_bits,
    read,
    read_duals,
    verify,
    verify_file,
)

Content = dict[str, Any]
HEADING: Content = {
    "round": 1,
    "model": "m",
    "system": None,
    "seed": 0,
    "options": {},
    "settings": {"lookahead": 0},
    "made_by": [],
    "rules": "",
    "event": "",
}


AHEAD, ONE = {"lookahead": 2}, {"lookahead": 1}
ANYBODY = [[2, -4], [0, -3], [0, -2], [0, -1], [0]]
CLAIM = [
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
    "pairing",
    "further",
    "levels",
    "kinds",
    "rows",
    "unplayed",
]


def level(value: Any, offset: Any = 0) -> list[Any]:
    return ["c", 1, "words", value, offset, 1]


def file_of(claim: Content, witness: Any, **more: Any) -> Content:
    """A file; players are six where nothing else is said."""
    stated = {
        **HEADING,
        "players": [[str(k), f"Player {k}"] for k in range(6)],
        "further": [],
        **claim,
    }
    if stated["settings"] in (AHEAD, ONE):
        stated.setdefault("unplayed", ANYBODY)
    stated = {
        key: stated[key] for key in [*(key for key in CLAIM if key in stated), *stated]
    }
    head = {"format": "pairopt-proof", "version": 3, "program": "pairopt 1.0"}
    return {**head, "claim": stated, "witness": witness, **more}


THREE_CLAIM: Content = {
    "pairing": [[0, 1], [2, 3], [4, 5]],
    "levels": [level(1)],
    "kinds": [[[0]], [[1]]],
    "rows": [[2, -1, 3, -2], [0, -3], [3, -2], [2, -1], [0]],
}
"""Two groups of three. A match across costs 1, and there must be one: each group is odd."""
THREE_WITNESS: Content = {"shown": 1, "prices": [], "sets": [[[2], [0, 3]]]}
THREE = file_of(THREE_CLAIM, THREE_WITNESS)
STAR = file_of(
    {
        "players": [[str(k), ""] for k in range(4)],
        "pairing": None,
        "levels": [],
        "kinds": [[[]]],
        "rows": [[2, -2], [1, -1], [1]],
    },
    {"components": [[1, 1], [2, 1], [3, 1]]},
)
"""Three who may meet nobody but the first."""
OPTIMAL = "No pairing of these 6 players is better."


def three(
    witness: Content | None = None, settings: Any = None, **claim: Any
) -> Content:
    """`THREE` otherwise."""
    more = {} if settings is None else {"settings": settings}
    return file_of(
        {**THREE_CLAIM, **more, **claim}, {**THREE_WITNESS, **(witness or {})}
    )


def star(components: Any, **claim: Any) -> Content:
    return file_of({**STAR["claim"], **claim}, {"components": components})


FIRST: Content = {
    "levels": [0], "kinds": [[0], [1], [2]], "rows": [[0, 0, 0, 2, 1, 1], [1, 0, 1, -2],
    [2, 1, -2]], "prices": [], "sets": [[[2], [0, 3]]],
}  # fmt: skip
SECOND: Content = {
    "levels": [1], "kinds": [[0], [-3], [-9]], "rows": [[0, 0, 0, 1, 0]],
    "prices": [[[-3], [0, 1]], [[-3], [4, 1]]], "sets": [],
}  # fmt: skip
TWO_CLAIM: Content = {
    "system": "s",
    "pairing": [[0, 4], [1, 2], [3, 5]],
    "levels": [level(1), level(-3)],
    "kinds": [[[]]],
    "rows": [[2, -4], [0, -3], [0, -2], [0, -1], [0]],
}
TWO = file_of(TWO_CLAIM, {"steps": [FIRST, SECOND]})
"""The same, and then 0 meets 4. To meet 3 would be cheaper then, but was out of question before."""


def two(
    first: Content | None = None, second: Content | None = None, **claim: Any
) -> Content:
    steps = [{**FIRST, **(first or {})}, {**SECOND, **(second or {})}]
    return file_of({**TWO_CLAIM, **claim}, {"steps": steps})


ROUNDS = [[[0, 2], [1, 4], [3, 5]], [[0, 3], [1, 5], [2, 4]]]
OPEN = three(
    {"shown": 1, "counter": [[1, 0], [2, 4], [3, 5]], "components": None},
    AHEAD,
    further=ROUNDS,
    levels=[level(1), level(1)],
    kinds=[[[0, 0]], [[1, 0]], [[1, 1]]],
    rows=[[2, -1, 3, -2], [0, -3], [4, 3, 0], [2, -1], [0]],
)
"""2 meets 3 at 1 in the second level, and need not, but for further rounds."""
HEXAGON = [[2, -1, 1, -2], [1, 0, 2, 0], [2, 1, 0], [0, 2], [0]]
"""Those who may still meet, of whom the counter-pairing takes two matches and leaves two paths."""
PATHS = [[0, 1, 1, 2], [1, 1, 2, 2]]
CLOSED = file_of(
    {**OPEN["claim"], "settings": ONE, "further": ROUNDS[:1], "unplayed": HEXAGON},
    {**OPEN["witness"], "components": PATHS},
)
"""The same before one further round; that the counter-pairing leaves none is shown."""
PAIRS: Content = {
    "players": [[str(k), ""] for k in range(4)],
    "pairing": [[0, 1], [2, 3]],
    "levels": [level(2)],
    "kinds": [[[1]]],
    "rows": [[2, 1, 1], [1, 1], [2]],
}
APART = [[[4], [0, 1]], [[-2], [1, 1]], [[4], [2, 1]], [[-2], [3, 1]]]
"""Two pairs who may meet nobody else; what others would have to pay is no matter."""
SIDED: Content = {
    "kinds": [[[2], [0]], [[3], [1]]],
    "pairing": [[1, 0], [3, 2], [5, 4]],
}

LEAF = [[2, -3, 1], [0, -2, 2], [0, -1, 1], [0, 2], [1]]
"""5 may still meet 1 and 3, whom the counter-pairing gives to 5."""

HOLD: dict[str, tuple[Content, str]] = {
    "two groups of three": (THREE, OPTIMAL),
    "the bye is one more player": (
        three(players=[[str(k), ""] for k in range(5)]),
        "No pairing of these 5 players is better.",
    ),
    # 1 is shared by both groups: a match across leaves both
    "two sets": (three({"sets": [[[1], [0, 3]], [[1], [3, 3]]]}), OPTIMAL),
    "sets of one": (three({"sets": [[[2], [0, 3]], [[0], [0, 1]]]}), OPTIMAL),
    # prices below 0 are for players: all matches cost 1, those of the second group -1
    "prices of any sign": (
        three(
            {"prices": [[[1], [0, 3]], [[-1], [3, 3]]], "sets": []},
            levels=[level(0)],
            kinds=[[[-1]], [[0]], [[1]]],
            rows=[[4, -1, 3, -2], [0, -3], [3, -2], [2, -1], [0]],
        ),
        OPTIMAL,
    ),
    # what costs more at the first level may cost less at the second
    "two levels": (
        three(
            {"shown": 2, "sets": [[[2, -10], [0, 3]]]},
            levels=[level(1), level(-5)],
            kinds=[[[0, 0]], [[1, -5]]],
        ),
        OPTIMAL,
    ),
    "everybody pays a half": (
        three(
            {"prices": [[[1], [0, 6]]], "sets": []},
            kinds=[[[1]]],
            levels=[level(3)],
            rows=[[2, -4], [0, -3], [0, -2], [0, -1], [0]],
        ),
        OPTIMAL,
    ),
    "no levels": (
        three({"shown": 0, "sets": [[[], [0, 3]]]}, levels=[], kinds=[[[]], [[]]]),
        OPTIMAL,
    ),
    "large numbers": (
        three(
            {"sets": [[[2 * 10**198], [0, 3]]]},
            kinds=[[[0]], [[10**198]]],
            levels=[level(10**198)],
        ),
        OPTIMAL,
    ),
    "a level with an offset": (three(levels=[level(-1, -2)]), OPTIMAL),
    "sides": (three(**SIDED), OPTIMAL),
    "only one way round": (
        three(kinds=[[None, [0]], [[1], None]], pairing=[[1, 0], [2, 3], [5, 4]]),
        OPTIMAL,
    ),
    "a step after another": (TWO, OPTIMAL),
    "rows of higher numbers": (
        two(second={"rows": [[3, 0, -3], [4, 1, 0, -2]]}),
        OPTIMAL,
    ),
    "who may not meet has any price": (
        file_of(PAIRS, {"shown": 1, "prices": APART, "sets": []}),
        "No pairing of these 4 players",
    ),
    "nor in a system": (
        file_of(
            {**PAIRS, "system": "s", "kinds": [[[]]]},
            {
                "steps": [
                    {
                        "levels": [0],
                        "kinds": [[0], [1]],
                        "rows": [[1, 1], [3, 1]],
                        "prices": APART,
                        "sets": [],
                    }
                ]
            },
        ),
        "No pairing of these 4 players",
    ),
    "a level again": (
        two(
            second={
                "levels": [0, 1],
                "kinds": [[0, 0], [0, -3], [1, 0], [1, -3]],
                "rows": [[0, 0, 0, 3, 2], [1, 0, 2, -2], [2, 2, -2]],
                "prices": [[[0, -3], [0, 1]], [[0, -3], [4, 1]]],
                "sets": [[[2, 0], [0, 3]]],
            }
        ),
        OPTIMAL,
    ),
    "both levels in a step": (
        file_of(
            {
                **TWO_CLAIM,
                "pairing": [[0, 1], [2, 3], [4, 5]],
                "levels": [level(1), level(0)],
            },
            {
                "steps": [
                    {
                        **FIRST,
                        "levels": [0, 1],
                        "kinds": [[0, 0], [1, 0], [2, 0]],
                        "sets": [[[2, 0], [0, 3]]],
                    }
                ]
            },
        ),
        OPTIMAL,
    ),
    "room for further rounds": (three(settings=AHEAD, further=ROUNDS), OPTIMAL),
    "levels of which nothing is shown": (
        OPEN,
        "in the first 1 levels; the other 1 are not proven, and the file does not show "
        "that a better pairing makes the lookahead rounds impossible.",
    ),
    "levels of which it is shown that more was asked for": (
        CLOSED,
        "the other 1 are not proven, but a pairing that is better in the next level makes",
    ),
    "nothing is shown": (
        file_of(
            {
                **OPEN["claim"],
                "kinds": [[[0, 0]], [[2, 0]], [[2, 1]]],
                "levels": [level(2), level(1)],
                "rows": [[2, -1, 3, -2], [0, -3], [4, 2, 0], [2, -1], [0]],
            },
            {
                "shown": 0,
                "prices": [],
                "sets": [],
                "counter": [[0, 1], [2, 4], [3, 5]],
                "components": None,
            },
        ),
        "in the first 0 levels; the other 2 are not proven",
    ),
    "what was asked": (
        three(
            options={
                "force": [["0", "1"]],
                "bye": "4",
                "no_bye": ["x", "2"],
                "strange": 7,
            }
        ),
        "among those with Player 0 - Player 1 forced; the bye for Player 4; no bye for x, "
        "Player 2; strange 7.",
    ),
    # two rounds would need two matches across
    "levels of which it is shown by one with too few opponents": (
        file_of(
            {**OPEN["claim"], "unplayed": LEAF},
            {**OPEN["witness"], "components": [[0, 5], [5, 1]]},
        ),
        "the other 1 are not proven, but a pairing that is better in the next level makes",
    ),
    "nobody for three": (STAR, "There is no pairing."),
    "nobody for three, the last one in between": (
        star([[0, 1], [1, 1], [2, 1]], rows=[[0, -1, 2], [0, -1], [0]]),
        "There is no pairing.",
    ),
    # nobody is outside of the components
    "a group of three": (
        star([[0, 3], [3, 1]], rows=[[2, -1, 1], [2, 1], [1]]),
        "There is no pairing.",
    ),
}
"""What is shown, and how."""

DEAR = three({"sets": [], "prices": [[[1], [0, 6]]]}, levels=[level(3)],
             rows=[[3, 3, 2, 2, 3], [3, 2, 2, 2], [3, 2, 2], [3, 3], [3]])  # fmt: skip
"""A pairing at 3 where some matches cost nothing."""

FALSE: dict[str, tuple[Content, str]] = {
    "a match is cheaper than its prices": (DEAR, "costs less than its dual values"),
    "a match is cheaper than the set it leaves": (
        three(rows=[[2, -1, 3, -2], [0, 3, 2, 3], [3, -2], [2, -1], [0]]),
        "costs less than its dual values",
    ),
    "a match is cheaper than both sets it leaves": (
        three(
            {"sets": [[[2], [0, 3]], [[2], [3, 3]]]},
            kinds=[[[0]], [[1]], [[2]]],
            rows=[[2, -1, 3, -2], [0, -3], [4, 3, 3], [2, -1], [0]],
            levels=[level(2)],
        ),
        "costs less than its dual values",
    ),
    "a match is cheaper at the second level": (
        three(
            {"shown": 2, "sets": [[[2, 2], [0, 3]]]},
            levels=[level(1), level(1)],
            kinds=[[[0, 0]], [[1, 0]], [[1, 1]]],
            rows=[[2, -1, 3, -2], [0, -3], [4, 3, 3], [2, -1], [0]],
        ),
        "costs less than its dual values",
    ),
    "the other way round is cheaper": (
        three(kinds=[[[0]], [[1], [0]]]),
        "costs less than its dual values",
    ),
    "a set has a price below 0": (
        three({"sets": [[[2], [0, 3]], [[-2], [3, 1]]], "prices": [[[2], [5, 1]]]}),
        "set 1 has an even number of players or a negative dual value",
    ),
    "a set has one at a later level": (
        three(
            {
                "shown": 2,
                "sets": [[[2, 0], [0, 3]], [[0, -2], [3, 1]]],
                "prices": [[[0, 2], [5, 1]]],
            },
            levels=[level(1), level(0)],
            kinds=[[[0, 0]], [[1, 0]]],
        ),
        "set 1 has an even number of players or a negative dual value",
    ),
    "a set is even": (three({"sets": [[[2], [0, 2]]]}), "set 0 has an even number"),
    "a set of nobody": (
        three({"sets": [[[2], [0, 3]], [[0], []]]}),
        "set 1 has an even number",
    ),
    "the prices are too low": (
        three({"sets": []}),
        "the sum of all dual values differs",
    ),
    "the prices are too high": (
        three({"prices": [[[2], [0, 1]]]}),
        "the sum of all dual values differs",
    ),
    "the pairing costs less than is said": (
        three(levels=[level(2)]),
        r"the pairing's cost \[1\]",
    ),
    "a value without its offset": (
        three(levels=[level(1, 2)]),
        r"the pairing's cost \[1\]",
    ),
    "a match is turned round": (
        three(**{**SIDED, "pairing": [[1, 0], [2, 3], [5, 4]]}),
        r"the pairing's cost \[3\]",
    ),
    "a match is turned round, and its value given": (
        three(**{**SIDED, "pairing": [[1, 0], [2, 3], [5, 4]]}, levels=[level(3)]),
        "the sum of all dual values differs",
    ),
    "a match that may not be so": (
        three(kinds=[[None, [0]], [[1], None]]),
        "0 and 1 are paired, but may not meet with these sides",
    ),
    "a match that may not be": (
        three(rows=[[1, 2, 3, -2], [2, 0, -2], [3, -2], [2, -1], [0]]),
        "0 and 1 are paired, but may not meet with these sides",
    ),
    "a match of a system that may not be so": (
        two(kinds=[[None, []]]),
        "0 and 4 are paired, but may not meet with these sides",
    ),
    "what is left is cheaper in a later step": (
        two(second={"rows": [[0, 0, 0, 1, 2]]}),
        "a possible match of player 0 costs less than its dual values",
    ),
    "what is in no row is cheaper": (
        two(
            second={
                "prices": [
                    [[-3], [0, 1]],
                    [[-3], [4, 1]],
                    [[2], [1, 1]],
                    [[-2], [2, 1]],
                ]
            }
        ),
        "a possible match of player 1 costs less than its dual values",
    ),
    "a later step misses its value": (
        two(levels=[level(1), level(-4)]),
        r"the pairing's cost \[-3\]",
    ),
    "a step too few": (
        file_of(TWO_CLAIM, {"steps": [FIRST]}),
        "steps: expected all levels",
    ),
    "a step twice": (
        file_of(TWO_CLAIM, {"steps": [FIRST, FIRST, SECOND]}),
        "levels: not in order",
    ),
    "steps in another order": (
        file_of(TWO_CLAIM, {"steps": [SECOND, FIRST]}),
        "levels: not in order",
    ),
    "a step of no level": (
        file_of(TWO_CLAIM, {"steps": [{**FIRST, "levels": []}, SECOND]}),
        "levels: not in order",
    ),
    "a level too many": (
        file_of(TWO_CLAIM, {"steps": [FIRST, SECOND, {**SECOND, "levels": [2]}]}),
        "levels: not in order",
    ),
    "a level below 0": (two(second={"levels": [-1, 1]}), "levels: not in order"),
    "a level left out": (
        file_of(
            {**TWO_CLAIM, "levels": [level(1), level(-3), level(-3)]},
            {"steps": [FIRST, {**SECOND, "levels": [2]}]},
        ),
        "levels: not in order",
    ),
    "a level twice in a step": (two(second={"levels": [1, 1]}), "levels: not in order"),
    "levels in another order": (two(second={"levels": [1, 0]}), "levels: not in order"),
    "a further round repeats a match": (
        three(settings=AHEAD, further=[[[0, 1], [2, 4], [3, 5]], ROUNDS[1]]),
        "two players meet twice",
    ),
    "two further rounds do": (
        three(settings=AHEAD, further=[ROUNDS[0], ROUNDS[0]]),
        "two players meet twice",
    ),
    "a further round of two who met before": (
        three(settings=AHEAD, further=ROUNDS, unplayed=HEXAGON),
        "two players have met before",
    ),
    "a further round nobody asked for": (
        three(further=ROUNDS[:1]),
        "expected 0 rounds",
    ),
    "a further round too many": (
        three(settings=ONE, further=ROUNDS),
        "expected 1 rounds",
    ),
    "a counter that leaves room": (
        file_of({**CLOSED["claim"], "unplayed": ANYBODY}, CLOSED["witness"]),
        ". matches join two components",
    ),
    "a counter that leaves as many opponents as rounds": (
        file_of(
            {**OPEN["claim"], "unplayed": [*LEAF[:2], [0, -2], [0, -1], [1]]},
            {**OPEN["witness"], "components": [[0, 5], [5, 1]]},
        ),
        "2 matches join two components",
    ),
    "a counter that leaves room, and components that are even": (
        file_of(
            {**CLOSED["claim"], "unplayed": ANYBODY},
            {**CLOSED["witness"], "components": [[0, 6]]},
        ),
        "too few components are odd",
    ),
    "a further round too few": (
        three(settings=AHEAD, further=ROUNDS[:1]),
        "expected 2 rounds",
    ),
    "open levels without a lookahead": (
        file_of(
            {
                **{k: v for k, v in OPEN["claim"].items() if k != "unplayed"},
                "further": [],
                "settings": {"lookahead": 0},
            },
            OPEN["witness"],
        ),
        "open levels",
    ),
    "a counter that is as good": (
        file_of(
            OPEN["claim"], {**OPEN["witness"], "counter": [[0, 1], [2, 3], [4, 5]]}
        ),
        "counter: expected a counterexample that is better",
    ),
    "a counter that is worse before": (
        file_of(
            OPEN["claim"], {**OPEN["witness"], "counter": [[0, 3], [1, 4], [2, 5]]}
        ),
        "counter: expected a counterexample that is better",
    ),
    "a counter that may not be": (
        file_of(
            {
                **OPEN["claim"],
                "rows": [[2, -1, 3, -2], [0, -3], [4, 1, 3], [2, -1], [0]],
            },
            OPEN["witness"],
        ),
        "2 and 4 are paired, but may not meet with these sides",
    ),
    "two of the three may meet": (
        star(STAR["witness"]["components"], rows=[[2, -2], [2, 1], [1]]),
        ". matches join two components",
    ),
    "two need two": (star([[1, 1]]), "too few components are odd"),
    "two who may meet need nobody": (
        star([[1, 1], [2, 2]], rows=[[2, -2], [1, -1], [2]]),
        "too few components are odd",
    ),
}

MALFORMED: dict[str, tuple[Any, str]] = {
    "no object": ([], "expected a proof"),
    "another format": ({**THREE, "format": "other"}, "expected a proof"),
    "version 1": (
        {"format": "pairopt-proof", "version": 1},
        "version 1 has no claim",
    ),
    "version 2": ({**THREE, "version": 2}, "version 2 has no claim"),
    "another version": ({**THREE, "version": 4}, "version: expected 3"),
    "a version that is true": ({**THREE, "version": True}, "version: expected 3"),
    "another program": ({**THREE, "program": "another 1"}, "program: expected"),
    "a key more": ({**THREE, "more": 1}, "the file: expected more"),
    "no claim": ({**THREE, "claim": 1}, "claim: expected"),
    "a key more in the claim": (three(more=1), "claim: expected more"),
    "no witness": ({**THREE, "witness": []}, "shown: expected"),
    "a key more in the witness": (three({"more": 1}), "witness: expected more"),
    "a counter of nothing open": (
        three({"counter": THREE_CLAIM["pairing"]}),
        "witness: expected counter",
    ),
    "no counter": (
        file_of(OPEN["claim"], {"shown": 1, "prices": [], "sets": []}),
        "witness: expected components, counter",
    ),
    "a counter of some": (
        file_of(OPEN["claim"], {**OPEN["witness"], "counter": [[0, 1]]}),
        "counter: expected each",
    ),
    "one further round, and no components": (
        file_of(CLOSED["claim"], {**CLOSED["witness"], "components": None}),
        "components: expected",
    ),
    "a lookahead below 0": (
        three(settings={"lookahead": -1}),
        "settings: expected a number of",
    ),
    "no lookahead, but matches for it": (
        three(unplayed=ANYBODY),
        "claim: expected unplayed",
    ),
    "matches of further rounds of a kind": (
        three(settings=AHEAD, further=ROUNDS, unplayed=[[3, -4], *ANYBODY[1:]]),
        "unplayed: found 3",
    ),
    "matches of further rounds of some": (
        three(settings=AHEAD, further=ROUNDS, unplayed=ANYBODY[1:]),
        "unplayed: expected one list",
    ),
    "a pairing in another order": (
        three(pairing=[[2, 3], [0, 1], [4, 5]]),
        "pairing: expected ascending order of the lower",
    ),
    "a pairing in the order of those who have the first side": (
        three(**{**SIDED, "pairing": [[5, 4], [1, 0], [3, 2]]}),
        "pairing: expected ascending order of",
    ),
    "further rounds in another order": (
        three(settings=AHEAD, further=ROUNDS[::-1]),
        "further: expected ascending order",
    ),
    "a further round in another order": (
        three(settings=AHEAD, further=[ROUNDS[0], ROUNDS[1][::-1]]),
        "further: expected ascending",
    ),
    "a match of a further round turned": (
        three(settings=AHEAD, further=[[[0, 2], [1, 4], [5, 3]], ROUNDS[1]]),
        "further: expected as",
    ),
    "keys in another order": (
        dict(reversed(THREE.items())),
        "the file: expected keys in another order",
    ),
    "keys of a claim in another order": (
        {**THREE, "claim": dict(reversed(THREE["claim"].items()))},
        "claim: expected keys in an",
    ),
    "steps of a model": (file_of(THREE_CLAIM, {"steps": [FIRST]}), "shown: expected"),
    "prices of a system": (file_of(TWO_CLAIM, THREE_WITNESS), "witness: expected"),
    "steps that are none": (file_of(TWO_CLAIM, {"steps": [1]}), "steps: expected"),
    "a key more in a step": (two(second={"more": 1}), "step: expected more"),
    "levels shown below 0": (three({"shown": -1}), "shown: expected a number"),
    "more levels shown": (three({"shown": 2}), "shown: expected a number"),
    "true is no number of levels": (three({"shown": True}), "shown: expected"),
    "no players": (three(players=[]), "players: expected at most"),
    "a player twice": (
        three(players=[*THREE["claim"]["players"][:5], ["0", "x"]]),
        "players: a name twice",
    ),
    "players without names": (three(players=[["0"]] * 6), "players: expected"),
    "players that are numbers": (three(players=[[0, 1]] * 6), "players: expected"),
    "players that are none": (three(players="ab"), "players: expected"),
    "very many players": (
        three(players=[[str(k), ""] for k in range(3001)]),
        "players: expected at most",
    ),
    "a system that is none": (three(system=3), "system: expected"),
    "levels of nothing": (three(levels=[None]), "levels: expected"),
    "a level of five": (three(levels=[level(1)[:5]]), "levels: expected"),
    "a value that is true": (three(levels=[level(True)]), "levels: expected"),
    "kinds of two widths": (
        three(kinds=[[[0]], [[1, 1]]]),
        "kinds: expected 1 numbers",
    ),
    "a kind of no way": (
        three(kinds=[[[0]], [None]]),
        "kinds: expected one way or two",
    ),
    "a kind of three": (
        three(kinds=[[[0]], [[1]] * 3]),
        "kinds: expected one way or two",
    ),
    "a kind that is a number": (three(kinds=[[[0]], [1]]), "kinds: expected"),
    "rows too few": (
        three(rows=THREE_CLAIM["rows"][:4]),
        "rows: expected one list per player",
    ),
    "rows too many": (
        three(rows=[*THREE_CLAIM["rows"], []]),
        "rows: expected one list per player",
    ),
    "a row too short": (
        three(rows=[[2, -1, 3, -1], *THREE_CLAIM["rows"][1:]]),
        "expected 5",
    ),
    "a row too long": (
        three(rows=[[2, -1, 3, -3], *THREE_CLAIM["rows"][1:]]),
        "found -3",
    ),
    "a row of one more": (
        three(rows=[[2, -1, 3, -2, 2], *THREE_CLAIM["rows"][1:]]),
        "found 2",
    ),
    "a row that begins with more": (
        three(rows=[[-4], *THREE_CLAIM["rows"][1:]]),
        "found -4 first",
    ),
    "a kind that is not there": (
        three(rows=[[4, -4], *THREE_CLAIM["rows"][1:]]),
        "found 4",
    ),
    "nobody paired": (three(pairing=[]), "pairing: expected each of 6 once"),
    "a match too few": (three(pairing=[[0, 1], [2, 3]]), "pairing: expected each of 6"),
    "a match twice": (
        three(pairing=[[0, 1], [2, 3], [4, 5], [4, 5]]),
        "pairing: expected each",
    ),
    "a player with themselves": (
        three(pairing=[[0, 0], [1, 2], [3, 4]]),
        "pairing: expected each",
    ),
    "somebody else paired": (
        three(pairing=[[0, 1], [2, 3], [4, 6]]),
        "pairing: expected each",
    ),
    "three in a match": (
        three(pairing=[[0, 1, 2], [3, 4, 5]]),
        "pairing: expected a list",
    ),
    "further rounds of one": (
        three(settings=ONE, further=[[[0]]]),
        "further: expected",
    ),
    "further rounds that are none": (three(further=1), "further: expected"),
    "settings of nothing": (three(settings=1), "settings: expected an object"),
    "settings without a lookahead": (three(settings={}), "settings: expected"),
    "options of nothing": (three(options=[]), "options: expected an object"),
    "sets that are none": (three({"sets": 1}), "sets: expected"),
    "a set of three": (three({"sets": [[[2], [0, 3], 1]]}), "sets: expected"),
    "a set of a negative length": (
        three({"sets": [[[2], [4, -1, 3]]]}),
        "sets: expected lengths",
    ),
    "a set too long": (
        three({"sets": [[[2], [0, 7]]]}),
        "sets: expected no more than 6",
    ),
    "very many sets": (three({"sets": [[[0], [0, 1]]] * 7}), "sets: expected no more"),
    "a player with two prices": (
        three({"prices": [[[0], [0, 2]], [[0], [1, 1]]]}),
        "prices: player 1 twice",
    ),
    "a price of two levels": (
        three({"prices": [[[0, 0], [0, 1]]]}),
        "prices: expected 1",
    ),
    "a price that is text": (three({"prices": [[["0"], [0, 1]]]}), "prices: expected"),
    "the first kind of a step costs": (
        two(first={"kinds": [[1], [1], [2]]}),
        "kinds: expected only zeros in the first cost",
    ),
    "a step of no kinds": (two(first={"kinds": []}), "kinds: expected only zeros"),
    "a kind of a step of two levels": (
        two(first={"kinds": [[0], [1, 2]]}),
        "kinds: expected 1",
    ),
    "a row of nobody": (two(second={"rows": [[]]}), "rows: expected players"),
    "a row of somebody else": (
        two(second={"rows": [[6]]}),
        "rows: expected players, each once",
    ),
    "a row below 0": (
        two(second={"rows": [[-1]]}),
        "rows: expected players, each once",
    ),
    "two rows of a player": (
        two(second={"rows": [[0, 0, 0, 1, 0], [0]]}),
        "rows: expected players, each once",
    ),
    "a row of a match out of question": (
        two(second={"rows": [[0, 0, 0, 0, 1, 0]]}),
        "rows: found 0",
    ),
    "a kind of a step that is not there": (
        two(second={"rows": [[0, 0, 0, 3, 0]]}),
        "rows: found 3",
    ),
    "components that are none": (star(3), "components: expected"),
    "a component of somebody else": (
        star([[4, 1]]),
        "components: expected no more than 4",
    ),
    "two components of a player": (
        star([[1, 1], [1, 1]]),
        "components: player 1 twice",
    ),
    "levels of no pairing": (
        star(STAR["witness"]["components"], levels=[level(0)], kinds=[[[0]]]),
        "expected none, because there is no pairing",
    ),
    "rounds after no pairing": (
        star(STAR["witness"]["components"], further=[[[0, 1], [2, 3]]]),
        "expected none, because there is no pairing",
    ),
    "a key more beside components": (
        file_of(STAR["claim"], {**STAR["witness"], "more": 1}),
        "witness: expected more",
    ),
}


READ = [
    ('{"a": 1, "a": 1}', "expected each key once"),
    ('{"a": {"b": 1, "b": 2}}', "expected each key once"),
    ('{"a": 1.0}', "expected a whole number"),
    ('{"a": 1e3}', "expected a whole number"),
    ('{"a": NaN}', "expected a whole number"),
    ('{"a": -Infinity}', "expected a whole number"),
    (f'{{"a": {"1" * 201}}}', "expected a whole number"),
    ("[" + "[]," * 1_500_000 + "[]]", "expected fewer lists"),
    ("[" + "{}," * 30_000 + "{}]", "expected fewer lists"),
    (" " * 100_000_001, "expected a smaller file"),
]
"""Texts that are no such JSON."""


@pytest.mark.parametrize("name", HOLD)
def test_what_holds(name: str) -> None:
    content, said = HOLD[name]
    assert said in verify(content).said


@pytest.mark.parametrize("name", FALSE)
def test_what_does_not_hold(name: str) -> None:
    content, said = FALSE[name]
    with pytest.raises(InvalidProof, match=said):
        verify(content)


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_malformed(name: str) -> None:
    content, said = MALFORMED[name]
    with pytest.raises(ValueError, match=said):
        verify(content)


@pytest.mark.parametrize("part", ["", "claim", "witness"])
@pytest.mark.parametrize("whole", [THREE, TWO, STAR, OPEN])
def test_what_is_missing(whole: Content, part: str) -> None:
    for key in whole[part] if part else whole:
        inside = whole[part] if part else whole
        less = {name: value for name, value in inside.items() if name != key}
        with pytest.raises(ValueError, match="expected"):
            verify({**whole, part: less} if part else less)


def by_rules(*steps: Content) -> Any:
    """What steps cost by the rules, whatever their levels and the matches in question."""
    known = iter(steps)
    return lambda *_: (lambda at: (at["kinds"], at["rows"]))(next(known))


BESIDE = [
    ((FIRST, SECOND), "better"),
    ((FIRST, {**SECOND, "rows": []}), "differ from those by the rules"),
    ((FIRST, {**SECOND, "kinds": [[0]]}), "differ from those by the rules"),
]
"""What the steps of `TWO` cost by the rules, and what is said then."""


@pytest.mark.parametrize(("steps", "said"), BESIDE)
def test_what_steps_cost_is_compared(steps: Any, said: str) -> None:
    if said == "better":
        assert said in verify(TWO, by_rules(*steps)).said
        return
    with pytest.raises(InvalidProof, match=said):
        verify(TWO, by_rules(*steps))


@pytest.mark.parametrize(("text", "said"), READ)
def test_what_cannot_be_read(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(text)


def test_what_can_be_read() -> None:
    assert read(f'{{"a": [-1, {"1" * 200}], "b": "1.5"}}') == {
        "a": [-1, int("1" * 200)],
        "b": "1.5",
    }


NAMED = format_proof(three(options={"force": [["é", "ß"]]}))
OTHERWISE: dict[str, Callable[[bytes], bytes]] = {
    "a byte order mark": lambda file: b"\xef\xbb\xbf" + file,
    "CRLF": lambda file: file.replace(b"\n", b"\r\n"),
    "CR": lambda file: file.replace(b"\n", b"\r"),
    "a blank at the end": lambda file: file + b" ",
    "a line at the end": lambda file: file + b"\n",
    "a blank at the end of a line": lambda file: file.replace(b"\n", b" \n", 1),
    "no line break at the end": lambda file: file[:-1],
    "a blank at the beginning": lambda file: b" " + file,
    "a blank in the witness": lambda file: file.replace(b'"sets":', b'"sets": '),
    "a line break in the witness": lambda file: file.replace(b"[2],", b"[2],\n"),
    "no line breaks": lambda file: file.replace(b"\n", b"") + b"\n",
    "a number below nothing": lambda file: file.replace(
        b'"prices":[],', b'"prices":[[[-0],[]]],'
    ),
    "another encoding": lambda file: file.decode().encode("cp1252"),
    "UTF-16": lambda file: file.decode().encode("utf-16"),
    "letters by their number": lambda file: json.dumps(json.loads(file)).encode(),
    "another escape": lambda file: file.replace("é".encode(), b"\\u00e9"),
    "nothing": lambda _: b"",
}
"""A file that says the same in other bytes."""


FILES = [NAMED, format_proof(TWO), format_proof(STAR)]


@pytest.mark.parametrize("file", FILES)
def test_a_file_is_as_it_was_written(file: str) -> None:
    assert verify_file(file.encode()).open == 0


FORMATTED: list[tuple[Any, str]] = [
    ({"a": [1, {"b": 2, "c": 3}], "d": "é"}, '{"a":[1,{"b":2,"c":3}],\n"d":"é"}'),
    (
        {"options": {"force": [["0", "1"]], "bye": "4"}, "settings": {"lookahead": 0}},
        '{"options":{"force":[["0","1"]],"bye":"4"},\n"settings":{"lookahead":0}}',
    ),
    (
        {"witness": {"steps": [{"levels": [0], "sets": []}, {"levels": [1]}]}},
        '{"witness":{"steps":[{"levels":[0],"sets":[]},\n{"levels":[1]}]}}',
    ),
    (
        {"settings": {"lookahead": 0, "steps": 7}},
        '{"settings":{"lookahead":0,\n"steps":7}}',
    ),
]
"""Contents of files, and how they are written.

Each key and each step has a line of its own, but not in options.
"""


@pytest.mark.parametrize(("content", "text"), FORMATTED)
def test_how_a_file_is_written(content: Any, text: str) -> None:
    assert format_json(content) == text


class Mask(int):
    """Bits that end an endless loop: after 100 uses of `&` they raise an error."""

    uses = 0

    def __and__(self, other: int) -> int:
        self.uses += 1
        if self.uses > 100:
            raise RuntimeError("endless")
        return int(self) & other


BITS = [
    (0, []),
    (0b1011, [0, 1, 3]),
    (2**6, [6]),
    (2**7, [7]),
    (2**8, [8]),
    (2**30 + 2**20 + 2, [1, 20, 30]),
]
"""The positions of the bits of numbers."""


@pytest.mark.parametrize(("mask", "positions"), BITS)
def test_which_bits_a_number_has(mask: int, positions: list[int]) -> None:
    assert list_bits(Mask(mask)) == positions


# The model: 1 + 3 + 1 for the set with its 3 players and 1 dual value, 1 + 1 for the sum of the
# set, and 1 + 1 for each of three: both groups, and the matches between them.
#
# A set of one with the dual value 0 adds 1 + 1 + 1, and no class of players of its own.
#
# The system's first step: 6 + 5 + 4 for the rows, 5 + 2 for the set, 3 + 2 + 1 for opponents in
# the rows by class and kind, and 3 for the pairs of two classes: 31. Its second step: 5 for the
# row, 3 for each of two dual values, 2 for opponents in the row, 6 for the pairs of three classes,
# 4 for the players in no row who may meet player 4, and 1 for player 4: 24.
WORK = [(THREE, 13), (HOLD["sets of one"][0], 16), (TWO, 55)]
"""How many numbers a verification reads, counted by hand."""


@pytest.mark.parametrize(("content", "numbers"), WORK)
def test_how_many_numbers_are_read(content: Content, numbers: int) -> None:
    work = Work(numbers)
    verify(content, None, work)
    assert work.done == numbers
    with pytest.raises(ValueError, match=f"reads fewer than {numbers - 1} numbers"):
        verify(content, None, Work(numbers - 1))


def test_duals_are_read_without_a_limit_given() -> None:
    duals = read_duals(THREE_WITNESS, 6, [1])
    assert (duals.class_of, duals.class_duals) == ([0, 0, 0, 1, 1, 1], [[2], [0]])
    assert duals.work.done == 7


@pytest.mark.parametrize("how", OTHERWISE)
def test_a_file_in_other_bytes_is_malformed(how: str) -> None:
    other = OTHERWISE[how](NAMED.encode())
    assert other != NAMED.encode()
    with pytest.raises(ValueError, match=r"expected|decode|Expecting|Unexpected"):
        verify_file(other)


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (CLOSED, 4, "The proof holds"),
        (THREE, 0, "The proof holds"),
        (OPEN, 4, "The proof holds"),
        (DEAR, 1, "No proof: InvalidProof"),
        (three({"sets": 1}), 3, "No proof: ValueError"),
        (None, 3, "No proof: FileNotFoundError"),
    ],
)
def test_exit_codes(
    content: Content | None,
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "proof.json"
    if content is not None:
        file.write_text(format_proof(content), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["verify.py", str(file)])
    with pytest.raises(SystemExit) as done:
        runpy.run_path(
            str(ROOT / "pairopt" / "proof" / "verify.py"), run_name="__main__"
        )
    assert done.value.code == code
    assert capsys.readouterr().out.startswith(said)
