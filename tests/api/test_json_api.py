"""One request of a program, one answer: random and hostile ones, with a check of their own."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import asking
import jsonschema
import make_door
import pytest
from click.testing import CliRunner
from places import ROOT

from pairopt.api import response
from pairopt.api.request import SECONDS
from pairopt.api.response import reply_to
from pairopt.cli import main
from pairopt.common.budget import Budget
from pairopt.messages import message
from pairopt.round.result import Result

CONTENT = json.loads((ROOT / "docs" / "door.json").read_text(encoding="utf-8"))
SCHEMA = jsonschema.Draft202012Validator(CONTENT)
REQUESTS = jsonschema.Draft202012Validator(
    {**CONTENT["$defs"]["Request"], "$defs": CONTENT["$defs"]}
)
FOUR: dict[str, Any] = {
    "version": 1,
    "players": [{"player": name} for name in "ABCD"],
    "rounds": [
        [
            {"player1": "A", "player2": "B", "score1": 3, "score2": 0},
            {"player1": "C", "player2": "D", "score1": 1, "score2": 1},
        ]
    ],
}


def told(content: Any) -> Any:
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    answer = json.loads(reply_to(raw).text)
    SCHEMA.validate(answer)
    return answer


def where(content: Any) -> dict[str, str]:
    """The kinds of errors by their places."""
    return {error["where"]: error["kind"] for error in told(content)["errors"]}


def changed(**keys: Any) -> dict[str, Any]:
    return {**FOUR, **keys}


def test_an_error_has_the_keys_of_version_1_0() -> None:
    """`said` is what was expected, and `rows` counts the rows with that fault."""
    (version,) = told(changed(version=2))["errors"]
    assert version["kind"] == "key.unfit"
    assert version["found"] == "2"
    assert version["text"].startswith(version["said"])
    assert version["found"] not in version["said"]

    players = [{"player": name, "rating": "new"} for name in "AB"]
    errors = told(changed(players=players, rounds=[]))["errors"]
    for error in errors:
        assert (error["kind"], error["found"]) == ("cell.unfit", "new")
        assert (error["rows"], error["said"]) == (2, str(message("cell.no_number")))

    players = [{"player": name, "rating": "new"} for name in "ABCDEFGH"]
    (error,) = told(changed(players=players, rounds=[]))["errors"]
    assert (error["kind"], error["found"]) == ("cell.unfit_all", "new")
    assert (error["rows"], error["said"]) == (8, str(message("cell.no_number")))


@pytest.mark.long
def test_the_schema_in_the_docs_is_what_the_declarations_say() -> None:
    jsonschema.Draft202012Validator.check_schema(CONTENT)
    stored = (ROOT / "docs" / "door.json").read_text(encoding="utf-8")
    assert stored == make_door.text(), "run `python tests/make/make_door.py`"


def test_every_key_of_the_schema_has_words() -> None:
    for name, form in CONTENT["$defs"].items():
        for key, value in form["properties"].items():
            assert value.get("description"), (name, key)


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 60, 10))
def test_random_requests_are_paired_as_they_ask(first: int) -> None:
    for seed in range(first, first + 10):
        wish = asking.wish(seed)
        REQUESTS.validate(wish.content)
        assert not asking.wrong(wish, told(wish.content)), seed


@pytest.mark.slow
def test_two_thousand_random_requests() -> None:
    for seed in range(2_000):
        wish = asking.wish(seed)
        assert not asking.wrong(wish, told(wish.content)), seed


@pytest.mark.parametrize("first", range(0, 100, 20))
@pytest.mark.long
def test_hostile_requests_are_answered_or_refused_by_kind(first: int) -> None:
    for seed in range(first, first + 20):
        raw, refuse = asking.hostile(seed)
        answer = told(raw)
        assert "errors" in answer or not refuse, seed
        assert all(
            error["kind"] and error["text"] for error in answer.get("errors", ())
        ), seed


@pytest.mark.parametrize("first", range(0, 100, 20))
@pytest.mark.long
def test_what_the_schema_refuses_is_refused(first: int) -> None:
    for seed in range(first, first + 20):
        raw, _ = asking.hostile(seed)
        try:
            content = json.loads(raw)
        except (ValueError, RecursionError):
            continue
        if len(raw) < 100_000 and not REQUESTS.is_valid(content):
            assert "errors" in told(raw), seed


@pytest.mark.parametrize(("kind", "change"), [*asking.SPECIAL.items()])
@pytest.mark.sweep
def test_each_kind_of_hostile_request(kind: str, change: Any) -> None:
    import random

    for seed in range(3):
        raw, refuse = change(random.Random(seed), asking.wish(seed).content)
        assert ("errors" in told(raw)) or not refuse, kind


def test_errors_say_where_they_are() -> None:
    assert where(
        changed(rounds=[[{"player1": "A", "player2": "Q", "score1": 1, "score2": "x"}]])
    ) == {"rounds[0][0].score2": "cell.unfit"}
    assert where(changed(players=[{"player": "A"}, {"player": "A"}])) == {
        "players[1].player": "roster.again"
    }
    assert where(changed(options={"forbid": [["A", "Z"]]})) == {
        "options.forbid[0][1]": "event.player_mistyped"
    }
    assert where(changed(options={"seed": -1, "nothing": 1})) == {
        "options.seed": "key.unfit",
        "options.nothing": "key.unknown",
    }
    assert where(changed(event={"points": {"win": 1}})) == {
        "event.points.draw": "key.missing"
    }
    assert where(changed(event={"forbid": [["A", "Z"]]})) == {
        "event.forbid[0]": "cell.no_player"
    }
    assert where(changed(model={"name": "m", "criteria": [{"kind": "nothing"}]})) == {
        "model": "model.unknown_kind"
    }
    assert where(changed(ask={"why_bye": ["Z"]})) == {
        "ask.why_bye[0]": "event.player_mistyped"
    }
    assert where(changed(rounds=[[{"player1": "A", "player2": "B"}]])) == {
        "rounds[0][0].score1": "event.no_score"
    }
    assert where(b"{") == {"line 1, column 2": "nrtm.no_json"}
    assert where(b'{"version": 1, "version": 1}') == {"": "request.twice"}
    assert where(b'{"version": 1, "players": [{"player": NaN}]}') == {
        "": "request.no_number"
    }
    assert where(b"\xff") == {"": "request.no_utf8"}
    assert where(b"[" * 100_000) == {"": "nrtm.too_deep"}
    assert where(b" " * 6_000_000) == {"": "request.too_large"}
    many = [{"player": f"P{k}"} for k in range(2_001)]
    assert where(changed(players=many)) == {"players": "key.unfit"}
    assert where(changed(rounds=[[]] * 101)) == {"rounds": "key.unfit"}
    assert where(changed(ask={"why_bye": ["A"] * 21})) == {"ask.why_bye": "key.unfit"}
    wide = {"player": "A", **{f"k{k}": 1 for k in range(100)}}
    assert where(changed(players=[wide, {"player": "B"}], rounds=[])) == {
        "": "cell.columns"
    }
    assert where({"version": 2}) == {"version": "key.unfit", "players": "key.missing"}


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "models/standard.toml", "../models/standard", "nothing", ""]
)
def test_no_path_is_looked_at(name: str) -> None:
    assert where(changed(model=name)) == {"model": "key.unfit"}


def test_all_that_can_be_asked_for() -> None:
    answer = told(
        changed(
            also=["reasons", "costs", "proof"],
            ask={"why_not": [["A", "B"]]},
            model="standard",
        )
    )
    assert answer["status"] == "optimal"
    assert [match["sentence"] for match in answer["matches"]]
    assert {each["kind"] for each in answer["answers"]} <= {
        "impossible",
        "free",
        "worse",
    }
    assert answer["unavoidable"]
    assert answer["proof"]["open"] == 0
    assert json.loads(answer["proof"]["file"])["format"] == "pairopt-proof"


def test_where_there_is_no_pairing_it_says_what_clashes_and_what_to_allow() -> None:
    answer = told(changed(model="monrad", options={"force": [["A", "B"]]}))
    assert answer["status"] == "infeasible"
    assert "clash.nobody_left" in answer["conflicts"][0]["kind"]
    assert answer["ways"][0]["options"]["allow"] == [["A", "B"], ["C", "D"]]
    again = told(
        changed(
            model="monrad",
            options={"force": [["A", "B"]], **answer["ways"][0]["options"]},
        )
    )
    assert again["status"] == "optimal"


def test_remedies_do_not_delay_the_deadline_of_the_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]
    deadlines: list[float | None] = []

    def slow_remedies(*_: Any) -> tuple[()]:
        now[0] = 0.75 * SECONDS
        return ()

    def prove(_: Result, budget: Budget) -> None:
        deadlines.append(budget.deadline)

    monkeypatch.setattr(response, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(response, "find_remedies", slow_remedies)
    monkeypatch.setattr(Result, "prove", prove)
    told(changed(model="monrad", options={"force": [["A", "B"]]}, also=["proof"]))
    assert deadlines == [SECONDS]


def test_an_unavoidable_rematch_is_named() -> None:
    rounds = [
        FOUR["rounds"][0],
        [
            {"player1": "A", "player2": "C", "score1": 3, "score2": 0},
            {"player1": "B", "player2": "D", "score1": 3, "score2": 0},
        ],
        [
            {"player1": "A", "player2": "D", "score1": 3, "score2": 0},
            {"player1": "B", "player2": "C", "score1": 3, "score2": 0},
        ],
    ]
    answer = told(changed(rounds=rounds))
    level = answer["levels"][answer["unavoidable"][0]["level"]]
    assert (level["criterion"], level["value"], level["bound"]) == ("rematches", 2, 2)
    assert len(answer["unavoidable"][0]["matches"]) == 2


def test_what_the_event_says_is_kept() -> None:
    """Pairs forbidden for good, by round, and a bye known in advance."""
    free = {
        frozenset((row["player1"], row["player2"])) for row in told(FOUR)["pairings"]
    }
    pair = sorted(next(iter(free)))
    for forbid in ([pair], [{"players": pair, "rounds": "2-4"}]):
        rows = told(changed(event={"forbid": forbid}))["pairings"]
        assert set(pair) not in [{row["player1"], row["player2"]} for row in rows]
    rows = told(changed(event={"forbid": [{"players": pair, "rounds": "3"}]}))[
        "pairings"
    ]
    assert {frozenset((row["player1"], row["player2"])) for row in rows} == free
    points = {"win": 3, "draw": 1, "requested_bye": 1}
    byes = told(
        changed(event={"byes": [{"player": "D", "round": 2}], "points": points})
    )["pairings"]
    assert [row["player1"] for row in byes if row["status"] == "requested"] in (
        [],
        ["D"],
    )
    assert not any(
        "D" in (row["player1"], row["player2"]) and row["player2"] for row in byes
    )


def test_null_is_as_if_it_were_not_there() -> None:
    plain = told(FOUR)
    players = [
        {**each, "rating": None, "active": None, "name": None}
        for each in FOUR["players"]
    ]
    nothing = changed(
        players=players, model=None, options=None, ask=None, also=None, event=None
    )
    assert told(nothing) == plain


def test_nobody_is_dropped_in_silence() -> None:
    """Who was not in the last round is paired, unless the request says otherwise."""
    players = [*FOUR["players"], {"player": "E"}, {"player": "F", "active": False}]
    names = {
        row[key]
        for row in told(changed(players=players))["pairings"]
        for key in ("player1", "player2")
    }
    assert names - {None} == {*"ABCDE"}


def test_the_same_request_has_the_same_answer() -> None:
    raw = json.dumps(
        {**asking.wish(7).content, "also": ["reasons", "costs", "proof"]}
    ).encode()
    assert reply_to(raw).text == reply_to(raw).text


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (FOUR, 0),
        (changed(model="monrad", options={"force": [["A", "B"]]}), 1),
        ({}, 3),
        (b"\xff", 3),
    ],
)
def test_the_command_line(content: Any, code: int) -> None:
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    done = CliRunner().invoke(main, ["pair", "--json"], input=raw)
    assert done.exit_code == code
    SCHEMA.validate(json.loads(done.stdout))
    assert done.stdout == reply_to(raw).text
    assert done.stderr == ""


def test_a_request_names_no_folder() -> None:
    done = CliRunner().invoke(main, ["pair", "--json", "friday"], input=b"{}")
    assert done.exit_code == 2
    assert "can't be combined with a folder" in done.stderr


def test_nothing_is_written(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    raw = json.dumps({**FOUR, "also": ["reasons", "costs", "proof"]}).encode()
    assert CliRunner().invoke(main, ["pair", "--json"], input=raw).exit_code == 0
    assert [*tmp_path.rglob("*")] == []
