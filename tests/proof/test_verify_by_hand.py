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


def flat(types: list[list[int]], **more: Any) -> Content:
    """A proof of one step about the players of these types; see `written`."""
    count = sum(map(len, types))
    return {
        "players": [[str(k), f"Player {k}"] for k in range(count)],
        "types": types,
        "kinds": [[0], [1]],
        "special": [],
        "sets": [],
        "set_prices": [],
        "prices": [["0"]] * len(types),
        **more,
    }


def written(given: Any) -> Any:
    """The file of one step: the last type is of all others, values are `totals`.

    A kind that is one list of numbers costs that both ways round.
    """
    if not isinstance(given, dict) or "steps" in given:
        return given
    step = {key: given[key] for key in STEP if key in given}
    step["types"] = step.get("types", [[]])[:-1]
    step["kinds"] = [kind if any(not isinstance(each, int) for each in kind) else [kind]
                     for kind in given.get("kinds", [])]  # fmt: skip
    totals = given.get("totals", [])
    values = [{"value": total, "offset": 0, "scale": 1} for total in totals]
    step["levels"] = given.get("levels", values)
    for key in {"types", "kinds"} - given.keys():
        del step[key]
    rest = {key: each for key, each in given.items() if key not in (*step, "totals")}
    end = {} if "components" in given else {"further": [], "open": []}
    return {"format": "pairopt-proof", "version": 2, "steps": [step], **end, **rest}


STEP = ("types", "kinds", "arcs", "special", "prices", "sets", "set_prices")
THREE = flat(
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
    for key, value in flat([[0], [1], [2], [3]], arcs=[[-1, 0, 0, 0], [-1] * 3, [-1] * 2, [-1]],
                            kinds=[[]], components=[[1], [2], [3]]).items()
    if key not in ("prices", "sets", "set_prices")
}  # fmt: skip
"""Three who may meet nobody but the fourth."""
OPTIMAL = "no pairing of these 6 players is better"

FIRST = written({**THREE, "kinds": [[0], [1], [2]], "special": [[0, 3, 2]]})
SECOND = written({
    **THREE, "types": [[0], [4], [1, 2, 3, 5]], "kinds": [[0], [-3], [-9]],
    "arcs": [[-1, 1, 0], [-1, 0], [0]], "special": [[0, 3, 2]], "totals": [-3],
    "prices": [["-3/2"], ["-3/2"], ["0"]], "sets": [], "set_prices": [],
})  # fmt: skip
TWO = {
    **FIRST,
    "pairing": [[0, 4], [1, 2], [3, 5]],
    "steps": [*FIRST["steps"], *SECOND["steps"]],
}
"""The same, and then 0 meets 4. To meet 3 would be cheaper then, but was out of question before."""


def step_of_two(**more: Any) -> Content:
    """`TWO` with its second step otherwise."""
    first, second = TWO["steps"]
    return {**TWO, "steps": [first, {**second, **more}]}


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
        flat([[0], [1, 2], [3, 4, 5]], kinds=[[0], [1], [2]], arcs=[[0, 1, 2], [0, 1], [0]],
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
        {**THREE, "arcs": [[0, 0], [0]], "totals": [3], "prices": [["1/2"]] * 2, "sets": [],
         "kinds": [[1]], "set_prices": []},
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
    "a level with an offset": (
        {**THREE, "levels": [{"value": -1, "offset": -2, "scale": 2}]}, OPTIMAL
    ),
    # 0 and 1, or 3 and 5, at 2 if the lower number has the first side
    "sides": (
        {**THREE, "kinds": [[[2], [0]], [[3], [1]]],
         "pairing": [[1, 0], [3, 2], [5, 4]]},
        OPTIMAL,
    ),
    "only one way round": (
        {**THREE, "kinds": [[None, [0]], [[1], None]], "pairing": [[1, 0], [2, 3], [5, 4]]},
        OPTIMAL,
    ),
    "a special pair turned round": (
        {**THREE, "kinds": [[0], [1], [[5], [-5]]], "totals": [-4], "special": [[2, 1, 2]],
         "pairing": [[3, 0], [1, 2], [4, 5]],
         "types": [[0], [1], [2], [3, 4, 5]],
         "arcs": [[-1, 0, 0, 1], [-1, -1, 1], [-1, 1], [0]],
         "prices": [["0"], ["-5/2"], ["-5/2"], ["0"]], "sets": [[0, 1, 2]]},
        OPTIMAL,
    ),
    "a step after another": (TWO, OPTIMAL),
    "a level again": ({**TWO, "steps": [TWO["steps"][0], *TWO["steps"]]}, OPTIMAL),
    "twice as many sets as types": (
        {**THREE, "sets": [[0]] * 4, "set_prices": [["1"], *[["0"]] * 3]}, OPTIMAL
    ),
    "room for further rounds": (
        {**THREE, "further": [[[0, 2], [1, 4], [3, 5]],
                              [[0, 3], [1, 5], [2, 4]]]},
        OPTIMAL,
    ),
    "levels of which nothing is shown": (
        {**THREE, "open": [{}, {}]},
        "is better in 1 levels; of 2 more nothing is shown",
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

DEAR: Content = flat(
    [[0, 1], [2, 3]], arcs=[[1, 0], [1]], pairing=[[0, 1], [2, 3]], totals=[2],
    prices=[["1/2"], ["1/2"]],
)  # fmt: skip
"""A pairing at 2 where matches across cost nothing."""
EVEN: Content = flat(
    [[0, 1, 2, 3], [4, 5]], arcs=[[0, 1], [0]], pairing=[[0, 1], [2, 3], [4, 5]], totals=[1],
    special=[[0, 1, 1]], sets=[[0]], set_prices=[["1"]],
)  # fmt: skip
"""0 and 1 meet at 1. They need not, and nobody need leave the four of their type."""


FALSE: dict[str, tuple[Content, str]] = {
    "a match is cheaper than its prices": (DEAR, "costs less than prices"),
    "a special one is": (
        {**DEAR, "arcs": [[1, 1], [1]], "special": [[0, 2, 0], [1, 3, 0]]},
        "costs less than prices",
    ),
    "a match is cheaper than the set it leaves": (
        {**THREE, "special": [[0, 4, 1], [1, 3, 0]], "pairing": [[0, 4], [1, 2], [3, 5]]},
        "costs less than prices",
    ),
    "a match is cheaper than both sets it leaves": (
        {**THREE, "kinds": [[0], [1], [2]], "special": [[2, 3, 2]], "totals": [2],
         "sets": [[0], [1]], "set_prices": [["1"], ["1"]]},
        "costs less than prices",
    ),
    "a match is cheaper at the first level": (
        {**DEAR, "kinds": [[0, 9], [1, 0]], "totals": [2, 0], "prices": [["1/2", "0"]] * 2},
        "costs less than prices",
    ),
    "a match is cheaper at the second level": (
        {**DEAR, "kinds": [[1, 0], [1, 1]], "totals": [2, 2], "prices": [["1/2", "1/2"]] * 2},
        "costs less than prices",
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
        {**THREE, "set_prices": [["0"]]}, "all prices together are not the values"
    ),
    "the pairing costs less than is said": ({**THREE, "totals": [2]}, r"the pairing has \[1\]"),
    "a match is turned round": (
        {**THREE, "kinds": [[[2], [0]], [[3], [1]]], "pairing": [[1, 0], [2, 3], [5, 4]]},
        r"the pairing has \[3\]",
    ),
    "a match is turned round, and its value given": (
        {**THREE, "kinds": [[[2], [0]], [[3], [1]]], "pairing": [[1, 0], [2, 3], [5, 4]],
         "totals": [3]},
        "all prices together are not the values",
    ),
    "the other way round is cheaper": (
        {**THREE, "kinds": [[0], [[1], [0]]]}, "costs less than prices"
    ),
    "the bye has the first side": (
        {**THREE, "players": THREE["players"][:5], "types": [[0, 1, 2], [3, 4], [5]],
         "kinds": [[0], [1], [[0], None]], "arcs": [[0, 1, 1], [0, 2], [-1]],
         "pairing": [[0, 1], [2, 3], [5, 4]], "prices": [["0"]] * 3},
        "5 and 4 are paired, who may not meet so",
    ),
    "a value without its offset": (
        {**THREE, "levels": [{"value": 1, "offset": 2, "scale": 1}]}, r"the pairing has \[1\]"
    ),
    "what is left is cheaper in a later step": (
        step_of_two(special=[[1, 4, 2]]), "1, 4: a match in question costs less than prices"
    ),
    "a match in question is left out of a later step": (
        step_of_two(arcs=[[-1, 1, -1], [-1, 0], [0]]), "costs less than prices"
    ),
    "a later step misses its value": (
        step_of_two(levels=[{"value": -4, "offset": 0, "scale": 1}]), r"the pairing has \[-3\]"
    ),
    "a further round repeats a match": (
        {**THREE, "further": [[[1, 0], [2, 4], [3, 5]]]}, "two meet twice"
    ),
    "two further rounds do": (
        {**THREE, "further": [[[0, 2], [1, 4], [3, 5]], [[2, 0], [1, 3], [4, 5]]]},
        "two meet twice",
    ),
    "a special match costs more": (
        {**THREE, "kinds": [[0], [1], [2]], "special": [[2, 3, 2]]}, r"the pairing has \[2\]"
    ),
    "two of these types may not meet": (
        {**THREE, "arcs": [[0, -1], [0]], "special": [[0, 3, 1]]},
        "2 and 3 are paired, who may not meet so",
    ),
    "these two may not meet": (
        {**THREE, "special": [[2, 3, -1]]}, "2 and 3 are paired, who may not meet so"
    ),
    "two of the three may meet": (
        {**STAR, "arcs": [[-1, 0, 0, 0], [-1, 0, -1], [-1, -1], [-1]]},
        "matches of types 1 and 2 join two components",
    ),
    "two special ones may": (
        {**STAR, "special": [[2, 3, 0]]},
        "matches of types 2 and 3 join two components",
    ),
    "two need two": ({**STAR, "components": [[1], [2]]}, "too few components are odd"),
    "two need two of a type": (
        {**STAR, "types": [[0, 1], [2], [3]], "arcs": [[-1, 0, 0], [-1, -1], [-1]],
         "components": [[1], [2]]},
        "too few components are odd",
    ),
    "two who may meet need nobody": (
        {**STAR, "arcs": [[-1, 0, 0, 0], [-1] * 3, [-1, 0], [-1]], "components": [[1], [2, 3]]},
        "too few components are odd",
    ),
}  # fmt: skip

PRICE = "prices: expected fractions"
MALFORMED: dict[str, tuple[Any, str]] = {
    "no object": ([], "expected a proof"),
    "another format": ({**THREE, "format": "other"}, "expected a proof"),
    "another version": ({**THREE, "version": 1}, "version: expected 2"),
    "a version that is true": ({**THREE, "version": True}, "version: expected 2"),
    "no players": ({**THREE, "players": []}, "players: a name twice"),
    "a player twice": (
        {**THREE, "players": [*THREE["players"][:5], ["0", "x"]]}, "players: a name twice"
    ),
    "players without names": ({**THREE, "players": [["0"]] * 6}, "players: expected"),
    "players that are numbers": ({**THREE, "players": [[0, 1]]}, "players: found 0"),
    "players that are none": ({**THREE, "players": "ab"}, "players: expected"),
    "a player who is none": ({**THREE, "players": ["ab"]}, "players: expected"),
    "a player of two": (
        {**THREE, "types": [[0, 1, 1], [3, 4, 5]]}, "types: expected each of 6 once"
    ),
    "a player too many": ({**THREE, "types": [[0, 1, 6], []]}, "types: found 6"),
    "true is no number": ({**THREE, "types": [[0, True, 2], [3, 4, 5]]}, "types: found True"),
    "kinds of two widths": (
        {**THREE, "kinds": [[0], [1, 1]]}, "kinds: expected 1 in each"
    ),
    "an arc too few": ({**THREE, "arcs": [[0, 1], []]}, "arcs: expected ever shorter lists"),
    "an arc too many": ({**THREE, "arcs": [[0, 1], [0, 0]]}, "arcs: expected ever shorter"),
    "arcs of a type too many": ({**THREE, "arcs": [[0, 1], [0], []]}, "arcs: expected ever"),
    "arcs of a type too few": ({**THREE, "arcs": [[0, 1]]}, "arcs: expected ever"),
    "a kind that is not there": ({**THREE, "arcs": [[0, 2], [0]]}, "arcs: found 2"),
    "a kind below -1": ({**THREE, "arcs": [[0, 1], [-2]]}, "arcs: found -2"),
    "a kind of no way": ({**THREE, "kinds": [[0], [None]]}, "kinds: expected one way or two"),
    "a kind of three": (
        {**THREE, "kinds": [[0], [[1], [1], [1]]]}, "kinds: expected one way or two"
    ),
    "a kind that nobody has": (
        {**THREE, "kinds": [[0], [1], [2]]}, "kinds: expected those that there are"
    ),
    "a value that is true": (
        {**THREE, "levels": [{"value": True, "offset": 0, "scale": 1}]}, "levels: found True"
    ),
    "no value": ({**THREE, "levels": [{"offset": 0, "scale": 1}]}, "levels: found None"),
    "levels of nothing": ({**THREE, "levels": [None]}, "levels: expected"),
    "no steps": ({**written(THREE), "steps": []}, "steps: expected one"),
    "a step too many": (
        {**written(STAR), "steps": 2 * written(STAR)["steps"]}, "steps: expected one"
    ),
    "steps of nothing": ({**written(THREE), "steps": [None]}, "steps: expected"),
    "no list of open levels": ({**THREE, "open": 1}, "open: expected"),
    "further rounds of one": ({**THREE, "further": [[[0]]]}, "pairing: expected"),
    "a special pair twice": ({**THREE, "special": [[2, 3, 0], [2, 3, 1]]}, "special: found 2, 3"),
    "a special pair twice, turned round": (
        {**THREE, "special": [[2, 3, 0], [3, 2, 1]]}, "special: found 3, 2"
    ),
    "a special player alone": ({**THREE, "special": [[2, 2, 0]]}, "special: found 2, 2, 0"),
    "a special player below 0": ({**THREE, "special": [[-1, 2, 0]]}, "special: found -1, 2, 0"),
    "a special player too many": ({**THREE, "special": [[2, 6, 0]]}, "special: found 2, 6, 0"),
    "a special kind": ({**THREE, "special": [[2, 3, 2]]}, "special: found 2, 3, 2"),
    "a special kind below -1": ({**THREE, "special": [[2, 3, -2]]}, "special: found 2, 3, -2"),
    "special pairs of two": ({**THREE, "special": [[2, 3]]}, "special: expected"),
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
    "three in a match": ({**THREE, "pairing": [[0, 1, 2], [3, 4, 5]]}, "pairing: expected"),
    "a set of no types": ({**THREE, "sets": [[2]]}, "sets: found 2"),
    "a price too few": ({**THREE, "prices": [["0"]], "set_prices": []}, "prices: expected one"),
    "a set without a price": ({**THREE, "set_prices": []}, "prices: expected one a type"),
    "a price without a set": ({**THREE, "sets": []}, "prices: expected one a type"),
    "more sets than types": (
        {**THREE, "sets": [[0]] * 5, "set_prices": [["1"], *[["0"]] * 4]},
        "prices: expected one a type",
    ),
    "a price of two levels": ({**THREE, "prices": [["0", "0"]] * 2}, "prices: expected"),
    "a set price of two": ({**THREE, "set_prices": [["1", "0"]]}, "set_prices: expected"),
    "a price that is a number": ({**THREE, "prices": [[0], [0]]}, "prices: found 0"),
    "a decimal price": ({**THREE, "set_prices": [["1.0"]]}, PRICE),
    "a price with an exponent": ({**THREE, "set_prices": [["1e0"]]}, PRICE),
    "a price over 0": ({**THREE, "set_prices": [["1/0"]]}, PRICE),
    "a price of many digits": ({**THREE, "set_prices": [["1" * 201]]}, PRICE),
    "a price over many": ({**THREE, "set_prices": [["1/1" + "0" * 13]]}, PRICE),
    # 10**6 and 10**6 + 1 have no common factor
    "prices over many together": (
        {**THREE, "prices": [["1/1000000"], ["1/1000001"]]}, "prices: too fine"
    ),
    "a price over just too many": (
        {**THREE, "prices": [["1/1000000000000"], ["0"]]}, "prices: too fine"
    ),
    "a component of two": (
        {**STAR, "components": [[1], [1], [2], [3]]}, "components: expected each of 4 once"
    ),
    "a component of nobody": ({**STAR, "components": [[4]]}, "components: found 4"),
    "components that are none": ({**STAR, "components": 3}, "components: expected"),
}  # fmt: skip


READ = [
    ('{"a": 1, "a": 1}', "expected each key once"),
    ('{"a": {"b": 1, "b": 2}}', "expected each key once"),
    ('{"a": 1.0}', "expected a whole number"),
    ('{"a": 1e3}', "expected a whole number"),
    ('{"a": NaN}', "expected a whole number"),
    ('{"a": -Infinity}', "expected a whole number"),
    (f'{{"a": {"1" * 201}}}', "expected a whole number"),
]
"""Texts that are no such JSON."""


@pytest.mark.parametrize("name", HOLD)
def test_what_holds(name: str) -> None:
    content, said = HOLD[name]
    assert said in verify(written(content))


@pytest.mark.parametrize("name", FALSE)
def test_what_does_not_hold(name: str) -> None:
    content, said = FALSE[name]
    with pytest.raises(Wrong, match=said):
        verify(written(content))


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_malformed(name: str) -> None:
    content, said = MALFORMED[name]
    with pytest.raises(ValueError, match=said):
        verify(written(content))


@pytest.mark.parametrize("key", [*(key for key in THREE if key != "totals"), "components"])
def test_what_is_missing(key: str) -> None:
    whole = STAR if key == "components" else THREE
    with pytest.raises(ValueError, match="expected"):
        verify(written({name: value for name, value in whole.items() if name != key}))


@pytest.mark.parametrize(("text", "said"), READ)
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
        file.write_text(json.dumps(written(content)))
    monkeypatch.setattr(sys, "argv", ["verify.py", str(file)])
    try:
        runpy.run_path(str(ROOT / "pairopt" / "proof" / "verify.py"), run_name="__main__")
        assert code == 0
    except SystemExit as done:
        assert done.code == code  # noqa: PT017
    assert capsys.readouterr().out.startswith(said)
