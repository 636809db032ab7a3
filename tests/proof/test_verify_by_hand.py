"""Each rule of a proof by hand: small proofs that hold, and others that break a rule each.

Those that break one of the rules of the verifier's first lines are false: their pairing is not
the best, and that rule alone says so.
"""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest
from places import ROOT

from pairopt.proof.verify import Wrong, read, verify

Content = dict[str, Any]


def proof(types: list[list[int]], **more: Any) -> Content:
    """A proof about the players of these types, the last of whom is the bye in an odd field."""
    count = sum(map(len, types))
    return {
        "format": "pairopt-proof",
        "version": 1,
        "players": [[str(k), f"Player {k}"] for k in range(count)],
        "types": types,
        "kinds": [[0], [1]],
        "special": [],
        "sets": [],
        "set_prices": [],
        "prices": [["0"]] * len(types),
        **more,
    }


THREE = proof(
    [[0, 1, 2], [3, 4, 5]],
    arcs=[[0, 1], [0]],
    pairing=[[0, 1], [2, 3], [4, 5]],
    totals=[1],
    sets=[[0]],
    set_prices=[["1"]],
)
"""Two groups of three. A match across costs 1, and there must be one: each group is odd."""
STAR = {
    key: value
    for key, value in proof([[0], [1], [2], [3]], arcs=[[-1, 0, 0, 0], [-1] * 3, [-1] * 2, [-1]],
                            components=[[1], [2], [3]]).items()
    if key not in ("prices", "sets", "set_prices")
}  # fmt: skip
"""Three who may meet nobody but the fourth."""
OPTIMAL = "no pairing of these 6 players is better"

HOLD: dict[str, tuple[Content, str]] = {
    "two groups of three": (THREE, OPTIMAL),
    "the bye is one more player": (
        {**THREE, "players": THREE["players"][:5]},
        "no pairing of these 5 players is better",
    ),
    # 1 is shared by both groups: a match across leaves both
    "two sets": ({**THREE, "sets": [[0], [1]], "set_prices": [["1/2"], ["1/2"]]}, OPTIMAL),
    # matches of 0 leave the inner set, those of 0, 1, 2 with others the outer one
    "a set in a set": (
        proof([[0], [1, 2], [3, 4, 5]], kinds=[[0], [1], [2]], arcs=[[0, 1, 2], [0, 1], [0]],
              pairing=[[0, 1], [2, 3], [4, 5]], totals=[2], sets=[[0], [0, 1]],
              set_prices=[["1"], ["1"]]),
        OPTIMAL,
    ),
    # prices below 0 are for players: all matches cost 1, those of the second group -1
    "prices of any sign": (
        {**THREE, "kinds": [[1], [0], [-1]], "arcs": [[0, 1], [2]], "totals": [0],
         "prices": [["1/2"], ["-1/2"]], "set_prices": [["0"]]},
        OPTIMAL,
    ),
    # what costs more at the first level may cost less at the second
    "two levels": (
        {**THREE, "kinds": [[0, 0], [1, -5]], "totals": [1, -5], "prices": [["0", "0"]] * 2,
         "set_prices": [["1", "-5"]]},
        OPTIMAL,
    ),
    "a later level where an earlier one is dearer": (
        {**THREE, "kinds": [[0, 0], [1, 0], [2, -99]], "totals": [1, 0], "special": [[0, 4, 2]],
         "prices": [["0", "0"]] * 2, "set_prices": [["1", "0"]]},
        OPTIMAL,
    ),
    "everybody pays a half": (
        {**THREE, "arcs": [[1, 1], [1]], "totals": [3], "prices": [["1/2"]] * 2, "sets": [],
         "set_prices": []},
        OPTIMAL,
    ),
    "no levels": (
        {**THREE, "kinds": [[], []], "totals": [], "prices": [[], []], "set_prices": [[]]},
        OPTIMAL,
    ),
    "large numbers": (
        {**THREE, "kinds": [[0], [10**199]], "totals": [10**199],
         "set_prices": [["1" + "0" * 199]]},
        OPTIMAL,
    ),
    "nobody for three": (STAR, "there is no pairing"),
    "nobody for three, whoever is listed first": (
        {**STAR, "arcs": [[-1, -1, -1, 0], [-1, -1, 0], [-1, 0], [-1]],
         "components": [[0], [1], [2]]},
        "there is no pairing",
    ),
    # nobody is outside of the components
    "a group of three": (
        {**STAR, "types": [[0, 1, 2], [3]], "arcs": [[0, -1], [-1]], "components": [[0], [1]]},
        "there is no pairing",
    ),
}  # fmt: skip

DEAR: Content = proof(
    [[0, 1], [2, 3]], arcs=[[1, 0], [1]], pairing=[[0, 1], [2, 3]], totals=[2],
    prices=[["1/2"], ["1/2"]],
)  # fmt: skip
"""A pairing at 2 where matches across cost nothing."""
EVEN: Content = proof(
    [[0, 1, 2, 3], [4, 5]], arcs=[[0, 1], [0]], pairing=[[0, 1], [2, 3], [4, 5]], totals=[1],
    special=[[0, 1, 1]], sets=[[0]], set_prices=[["1"]],
)  # fmt: skip
"""0 and 1 meet at 1. They need not, and nobody need leave the four of their type."""

FALSE: dict[str, tuple[Content, str]] = {
    "a match is cheaper than its prices": (DEAR, "types 0 and 1: a match costs less"),
    "a special one is": (
        {**DEAR, "arcs": [[1, 1], [1]], "special": [[0, 2, 0], [1, 3, 0]]},
        "types 0 and 1: a match costs less",
    ),
    "a match is cheaper than the set it leaves": (
        {**THREE, "special": [[0, 4, 1], [1, 3, 0]], "pairing": [[0, 4], [1, 2], [3, 5]]},
        "types 0 and 1: a match costs less",
    ),
    "a match is cheaper than both sets it leaves": (
        {**THREE, "kinds": [[0], [1], [2]], "special": [[2, 3, 2]], "totals": [2],
         "sets": [[0], [1]], "set_prices": [["1"], ["1"]]},
        "types 0 and 1: a match costs less",
    ),
    "a match is cheaper at the first level": (
        {**DEAR, "kinds": [[0, 9], [1, 0]], "totals": [2, 0], "prices": [["1/2", "0"]] * 2},
        "types 0 and 1: a match costs less",
    ),
    "a match is cheaper at the second level": (
        {**DEAR, "kinds": [[1, 0], [1, 1]], "totals": [2, 2], "prices": [["1/2", "1/2"]] * 2},
        "types 0 and 1: a match costs less",
    ),
    # all three may leave the set, which then gives back 1 each time
    "a set has a price below 0": (
        {**THREE, "arcs": [[1, 0], [1]], "totals": [2], "prices": [["1/2"], ["1/2"]],
         "set_prices": [["-1"]]},
        "set 0 is even, or its price is below 0",
    ),
    "a set has one at a later level": (
        {**THREE, "kinds": [[0, 0], [0, 1]], "arcs": [[1, 0], [1]], "totals": [0, 2],
         "prices": [["0", "1/2"], ["0", "1/2"]], "set_prices": [["0", "-1"]]},
        "set 0 is even, or its price is below 0",
    ),
    "a set is even": (EVEN, "set 0 is even"),
    "a set is even and says a type twice": (
        {**EVEN, "types": [[0, 1, 2], [3], [4, 5]], "arcs": [[0, 0, 1], [-1, 1], [0]],
         "prices": [["0"]] * 3, "sets": [[0, 0, 1]]},
        "set 0 is even",
    ),
    "the prices are too low": (
        {**THREE, "set_prices": [["0"]]}, "the prices are together no totals"
    ),
    "the pairing costs less than is said": ({**THREE, "totals": [2]}, r"the pairing costs \[1\]"),
    "nothing is said of what it costs": (
        {key: value for key, value in THREE.items() if key != "totals"},
        r"the pairing costs \[1\]",
    ),
    "it costs what is said, but that is no number": (
        {**THREE, "totals": [True]}, r"the pairing costs \[1\]"
    ),
    "a special match costs more": (
        {**THREE, "kinds": [[0], [1], [2]], "special": [[2, 3, 2]]}, r"the pairing costs \[2\]"
    ),
    "two of these types may not meet": (
        {**THREE, "arcs": [[0, -1], [0]]}, "two are paired who may not meet"
    ),
    "these two may not meet": (
        {**THREE, "special": [[2, 3, -1]]}, "two are paired who may not meet"
    ),
    "two of the three may meet": (
        {**STAR, "arcs": [[-1, 0, 0, 0], [-1, 0, -1], [-1, -1], [-1]]},
        r"matches join two components: of types \[\(1, 2\)\]",
    ),
    "two special ones may": (
        {**STAR, "special": [[2, 3, 1]]},
        r"matches join two components: of types \[\(2, 3\)\]",
    ),
    "two need two": ({**STAR, "components": [[1], [2]]}, "only 2 components are odd"),
    "two need two of a type": (
        {**STAR, "types": [[0, 1], [2], [3]], "arcs": [[-1, 0, 0], [-1, -1], [-1]],
         "components": [[1], [2]]},
        "only 2 components are odd",
    ),
    "two who may meet need nobody": (
        {**STAR, "arcs": [[-1, 0, 0, 0], [-1] * 3, [-1, 0], [-1]], "components": [[1], [2, 3]]},
        "only 1 components are odd",
    ),
}  # fmt: skip

PRICE = "prices: expected fractions"
MALFORMED: dict[str, tuple[Any, str]] = {
    "no object": ([], "expected a proof"),
    "another format": ({**THREE, "format": "other"}, "expected a proof"),
    "another version": ({**THREE, "version": 2}, "version: expected 1"),
    "a version that is true": ({**THREE, "version": True}, "version: expected 1"),
    "no players": ({**THREE, "players": []}, "players: a name twice"),
    "a player twice": (
        {**THREE, "players": [*THREE["players"][:5], ["0", "x"]]}, "players: a name twice"
    ),
    "players without names": ({**THREE, "players": [["0"]] * 6}, "players: expected lists"),
    "players that are numbers": ({**THREE, "players": [[0, 1]]}, "players: found 0"),
    "players that are none": ({**THREE, "players": "ab"}, "players: expected lists"),
    "a player who is none": ({**THREE, "players": ["ab"]}, "players: expected lists"),
    "a player of no type": ({**THREE, "types": [[0, 1, 2], [3, 4]]}, "types: expected each of 6"),
    "a player of two": (
        {**THREE, "types": [[0, 1, 2], [2, 3, 4, 5]]}, "types: expected each of 6 once"
    ),
    "a player too many": ({**THREE, "types": [[0, 1, 2], [3, 4, 5, 6]]}, "types: found 6"),
    "the bye of no type": (
        {**THREE, "players": THREE["players"][:5], "types": [[0, 1, 2], [3, 4]]},
        "types: expected each of 6 once",
    ),
    "true is no number": ({**THREE, "types": [[0, True, 2], [3, 4, 5]]}, "types: found True"),
    "kinds of two widths": (
        {**THREE, "kinds": [[0], [1, 1]]}, "kinds: expected as many levels in each"
    ),
    "an arc too few": ({**THREE, "arcs": [[0, 1], []]}, "arcs: expected ever shorter lists"),
    "an arc too many": ({**THREE, "arcs": [[0, 1], [0, 0]]}, "arcs: expected ever shorter"),
    "arcs of a type too many": ({**THREE, "arcs": [[0, 1], [0], []]}, "arcs: expected ever"),
    "arcs of a type too few": ({**THREE, "arcs": [[0, 1]]}, "arcs: expected ever"),
    "a kind that is not there": ({**THREE, "arcs": [[0, 2], [0]]}, "arcs: found 2"),
    "a kind below -1": ({**THREE, "arcs": [[0, 1], [-2]]}, "arcs: found -2"),
    "a special pair twice": (
        {**THREE, "special": [[2, 3, 0], [2, 3, 1]]}, "special: a pair twice"
    ),
    "a special pair turned round": ({**THREE, "special": [[3, 2, 0]]}, "special: found 3, 2, 0"),
    "a special player alone": ({**THREE, "special": [[2, 2, 0]]}, "special: found 2, 2, 0"),
    "a special player below 0": ({**THREE, "special": [[-1, 2, 0]]}, "special: found -1, 2, 0"),
    "a special player too many": ({**THREE, "special": [[2, 6, 0]]}, "special: found 2, 6, 0"),
    "a special kind": ({**THREE, "special": [[2, 3, 2]]}, "special: found 2, 3, 2"),
    "a special kind below -1": ({**THREE, "special": [[2, 3, -2]]}, "special: found 2, 3, -2"),
    "special pairs of two": ({**THREE, "special": [[2, 3]]}, "special: expected lists"),
    "nobody paired": ({**THREE, "pairing": []}, "pairing: expected each of 6 once"),
    "a match too few": ({**THREE, "pairing": [[0, 1], [2, 3]]}, "pairing: expected each of 6"),
    "a match twice": (
        {**THREE, "pairing": [[0, 1], [2, 3], [4, 5], [4, 5]]}, "pairing: expected each of 6"
    ),
    "a player paired with themselves": (
        {**THREE, "pairing": [[0, 0], [1, 2], [3, 4]]}, "pairing: expected each of 6 once"
    ),
    "somebody else paired": (
        {**THREE, "pairing": [[0, 1], [2, 3], [4, 6]]}, "pairing: found 6"
    ),
    "three in a match": ({**THREE, "pairing": [[0, 1, 2], [3, 4, 5]]}, "pairing: expected lists"),
    "a set of no types": ({**THREE, "sets": [[2]]}, "sets: found 2"),
    "a price too few": ({**THREE, "prices": [["0"]], "set_prices": []}, "prices: expected one"),
    "a set without a price": ({**THREE, "set_prices": []}, "prices: expected one a type"),
    "a price without a set": ({**THREE, "sets": []}, "prices: expected one a type"),
    "more sets than types": (
        {**THREE, "sets": [[0]] * 3, "set_prices": [["1"], ["0"], ["0"]]},
        "prices: expected one a type",
    ),
    "a price of two levels": ({**THREE, "prices": [["0", "0"]] * 2}, "prices: expected lists"),
    "a set price of two": ({**THREE, "set_prices": [["1", "0"]]}, "set_prices: expected lists"),
    "a price that is a number": ({**THREE, "prices": [[0], [0]]}, "prices: found 0"),
    "a decimal price": ({**THREE, "set_prices": [["1.0"]]}, PRICE),
    "a price with an exponent": ({**THREE, "set_prices": [["1e0"]]}, PRICE),
    "a price over 0": ({**THREE, "set_prices": [["1/0"]]}, PRICE),
    "a price of many digits": ({**THREE, "set_prices": [["1" * 201]]}, PRICE),
    "a price over many": ({**THREE, "set_prices": [["1/1" + "0" * 13]]}, PRICE),
    # 10**6 and 10**6 + 1 have no common factor
    "prices over many together": (
        {**THREE, "prices": [["1/1000000"], ["1/1000001"]]}, "expected smaller denominators"
    ),
    "a component of two": (
        {**STAR, "components": [[1], [1], [2], [3]]}, "components: expected each of 4 once"
    ),
    "a component of nobody": ({**STAR, "components": [[4]]}, "components: found 4"),
    "components that are none": ({**STAR, "components": 3}, "components: expected lists"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOLD)
def test_what_holds(name: str) -> None:
    content, said = HOLD[name]
    assert said in verify(content)


@pytest.mark.parametrize("name", FALSE)
def test_what_does_not_hold(name: str) -> None:
    content, said = FALSE[name]
    with pytest.raises(Wrong, match=said):
        verify(content)


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_malformed(name: str) -> None:
    content, said = MALFORMED[name]
    with pytest.raises(ValueError, match=said):
        verify(content)


@pytest.mark.parametrize("key", [*(key for key in THREE if key != "totals"), "components"])
def test_what_is_missing(key: str) -> None:
    whole = STAR if key == "components" else THREE
    with pytest.raises(ValueError, match="expected"):
        verify({name: value for name, value in whole.items() if name != key})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1, "a": 1}', "expected each key once"),
        ('{"a": {"b": 1, "b": 2}}', "expected each key once"),
        ('{"a": 1.0}', "expected a whole number"),
        ('{"a": 1e3}', "expected a whole number"),
        ('{"a": NaN}', "expected a whole number"),
        ('{"a": -Infinity}', "expected a whole number"),
        (f'{{"a": {"1" * 201}}}', "expected a whole number"),
    ],
)
def test_what_cannot_be_read(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(text)


def test_what_can_be_read() -> None:
    assert read(f'{{"a": [-1, {"1" * 200}], "b": "1.5"}}') == {
        "a": [-1, int("1" * 200)], "b": "1.5",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (THREE, 0, "The proof holds"),
        (DEAR, 1, "No proof: Wrong"),
        ({**THREE, "sets": 1}, 3, "No proof: ValueError"),
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
        file.write_text(json.dumps(content))
    monkeypatch.setattr(sys, "argv", ["verify.py", str(file)])
    try:
        runpy.run_path(str(ROOT / "pairopt" / "proof" / "verify.py"), run_name="__main__")
        assert code == 0
    except SystemExit as done:
        assert done.code == code  # noqa: PT017
    assert capsys.readouterr().out.startswith(said)
