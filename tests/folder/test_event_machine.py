"""Whole events by verbs alone, with a model of what was typed beside them.

`pytest tests/folder/test_event_machine.py` plays some events; 200 of them, of up to 60 players, are
`pytest -m slow tests/folder/test_event_machine.py`.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from events import REPEATABLE
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from telling import said_by
from test_killed import Killed, cut
from test_verbs import content
from tie_breaks_oracle import Crosstable

from pairopt import UsageError, read_event
from pairopt.event.standings import rank_players
from pairopt.folder import change, check_in, edit, undo
from pairopt.folder.create import new
from pairopt.folder.open_folder import Done
from pairopt.folder.pair_round import pair
from pairopt.folder.repair_round import repair
from pairopt.folder.results import result
from pairopt.folder.roster import back, bye, drop, enter

WIN, DRAW, LOSS, ABSENT, ASKED = (
    Fraction(3),
    Fraction(1),
    Fraction(0),
    Fraction(1),
    Fraction(1),
)
SCORES = {
    "3-0": (3, 0, False),
    "1-1": (1, 1, False),
    "0-3": (0, 3, False),
    "3F-0F": (3, 0, True),
    "0F-0F": (0, 0, True),
}
ROUNDS = 9


@dataclass
class Typed:
    """What has been typed and paired so far, in plain Python."""

    active: dict[str, bool] = field(default_factory=dict)
    paired: list[dict[int, tuple[str, str]]] = field(default_factory=list)
    byes: list[str | None] = field(default_factory=list)
    results: dict[tuple[int, int], tuple[int, int, bool]] = field(default_factory=dict)
    seats: dict[tuple[int, int], tuple[str, str, str]] = field(default_factory=dict)
    asked: set[tuple[int, str]] = field(default_factory=set)

    def open(self) -> list[int]:
        """The tables of the last round without a result."""
        number = len(self.paired)
        tables = self.paired[-1] if self.paired else {}
        return [table for table in tables if (number, table) not in self.results]

    def points(self, absent: set[tuple[int, str]]) -> dict[str, Fraction]:
        """Everybody's points; `absent` are the rounds that were given for nothing."""
        made = dict.fromkeys(self.active, Fraction(0))
        for number, tables in enumerate(self.paired, 1):
            for table, (one, two) in tables.items():
                got = self.results.get((number, table), (0, 0, False))
                made[one] += got[0]
                made[two] += got[1]
            if (lucky := self.byes[number - 1]) is not None:
                made[lucky] += WIN
        for number, player in self.asked | absent:
            made[player] += ASKED if number <= len(self.paired) else 0
        return made


class Events(RuleBasedStateMachine):
    """An event of a few players, played twice in two folders at once."""

    most = 12

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp())
        self.one, self.two = self.home / "one" / "event", self.home / "two" / "event"
        self.typed = Typed()
        self.steps: list[tuple[dict[str, bytes], Typed]] = []
        self.came = 0

    def teardown(self) -> None:
        shutil.rmtree(self.home)

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        n = data.draw(st.integers(5, self.most))
        rounds = data.draw(st.sampled_from([None, ROUNDS]))
        named = data.draw(st.booleans())
        sides = data.draw(st.sampled_from([(), ("white", "black"), ("corp", "runner")]))
        listed = self.home / "players.csv"
        frame = pd.DataFrame({"player": [str(k) for k in range(n)]})
        if named:
            frame["name"] = [f"Name {k // 2}" for k in range(n)]
        frame.to_csv(listed, index=False)
        for folder in (self.one, self.two):
            folder.parent.mkdir()
            new(folder, listed, points="3-1-0", rounds=rounds, sides=sides, id="event")
            toml = folder / "event.toml"
            text = toml.read_text().replace("absent = 0", "absent = 1")
            toml.write_text(text.replace("requested_bye = 0", "requested_bye = 1"))
            undo_point = bye(
                folder, "0", round=3
            )  # the edit by hand is a step before it
            assert undo_point.step == 3
            undo(folder)
        self.typed.active = dict.fromkeys(frame["player"], True)
        for _ in range(data.draw(st.integers(0, 3))):
            self.round(data)

    def do(self, verb: Callable[[Path], Done]) -> Done:
        """A verb on both folders; a step of it can be undone later."""
        before = content(self.one), deepcopy(self.typed)
        done, other = verb(self.one), verb(self.two)
        assert said_by(done) == tuple(
            line.replace(str(self.two), str(self.one)) for line in said_by(other)
        )
        if done.step is not None:
            self.steps.append(before)
        return done

    def player(self, data: st.DataObject, active: bool) -> str | None:
        found = [p for p, there in self.typed.active.items() if there == active]
        return data.draw(st.sampled_from(found)) if found else None

    # ------------------------------------------------------------------ verbs

    @precondition(
        lambda self: not self.typed.open() and len(self.typed.paired) < ROUNDS
    )
    @rule(seed=st.integers(0, 2), killed=st.sampled_from([None, None, None, *range(9)]))
    def pair(self, seed: int, killed: int | None) -> None:
        number = len(self.typed.paired) + 1
        here = {p for p, there in self.typed.active.items() if there}
        here -= {player for turn, player in self.typed.asked if turn == number}
        if len(here) < 2:
            return
        if killed is not None:
            before = content(self.one)
            with pytest.MonkeyPatch.context() as patch:
                cut(patch, killed)
                with pytest.raises(Killed):
                    pair(self.one, seed=seed, sure=True)
            if not (self.one / ".pairopt" / "pending.zip").exists():
                assert content(self.one) == before
                self.do(lambda folder: pair(folder, seed=seed, sure=True))
            else:  # it is begun, and what comes next ends it
                pair(self.two, seed=seed, sure=True)
                assert read_event(self.one, unfinished=True).round == number + 1
                self.steps.append((before, deepcopy(self.typed)))
                with pytest.raises(UsageError):
                    enter(self.one, "0")
        elif self.do(lambda folder: pair(folder, seed=seed, sure=True)).step is None:
            return  # no pairing satisfies the constraints
        self.typed.paired.append({})
        self.typed.byes.append(None)
        self.take()
        there = {p for match in self.typed.paired[-1].values() for p in match}
        assert there | ({self.typed.byes[-1]} - {None}) == here

    def take(self) -> None:
        """The last round as the file has it."""
        number, tables, lucky = len(self.typed.paired), {}, None
        for row in self.rows():
            if int(row["round"]) == number and row["status"] != "requested":
                if row["player2"]:
                    tables[int(row["table"])] = row["player1"], row["player2"]
                else:
                    assert lucky is None
                    lucky = row["player1"]
        self.typed.paired[-1], self.typed.byes[-1] = tables, lucky

    @precondition(lambda self: len(self.typed.paired) < ROUNDS)
    @rule(data=st.data())
    def round(self, data: st.DataObject) -> None:
        """What is open gets its results, and the next round is paired."""
        self.finish(data)
        self.pair(seed=0, killed=None)

    @precondition(lambda self: self.typed.open())
    @rule(data=st.data())
    def result(self, data: st.DataObject) -> None:
        table = data.draw(st.sampled_from(self.typed.open()))
        self.write(data, len(self.typed.paired), table)

    @precondition(lambda self: self.typed.open())
    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        for table in self.typed.open():
            self.write(data, len(self.typed.paired), table)

    @precondition(lambda self: self.typed.results)
    @rule(data=st.data())
    def correct(self, data: st.DataObject) -> None:
        number, table = data.draw(st.sampled_from(sorted(self.typed.results)))
        self.write(data, number, table)

    def write(self, data: st.DataObject, number: int, table: int) -> None:
        score = data.draw(st.sampled_from(sorted(SCORES)))
        self.do(lambda folder: result(folder, table, score, round=number))
        self.typed.results[number, table] = SCORES[score]
        self.typed.seats.setdefault((number, table), self.seats()[number, table])

    @rule()
    def enter(self) -> None:
        self.came += 1
        name = f"late {self.came}"
        self.do(lambda folder: enter(folder, name))
        self.typed.active[name] = True

    @precondition(lambda self: sum(self.typed.active.values()) > 4)
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        player = self.player(data, active=True)
        assert player is not None
        self.do(lambda folder: drop(folder, player))
        self.typed.active[player] = False
        following = len(self.typed.paired) + 1
        self.typed.asked = {
            (turn, one)
            for turn, one in self.typed.asked
            if one != player or turn < following
        }

    @rule(data=st.data())
    def back(self, data: st.DataObject) -> None:
        player = self.player(data, active=False)
        if player is not None:
            self.do(lambda folder: back(folder, player))
            self.typed.active[player] = True

    @precondition(lambda self: len(self.typed.paired) < ROUNDS)
    @rule(data=st.data(), later=st.integers(1, 2))
    def bye(self, data: st.DataObject, later: int) -> None:
        player = self.player(data, active=True)
        number = min(len(self.typed.paired) + later, ROUNDS)
        if player is not None and (number, player) not in self.typed.asked:
            self.do(lambda folder: bye(folder, player, round=number))
            self.typed.asked.add((number, player))

    @rule(data=st.data())
    def last_rounds_missed(self, data: st.DataObject) -> None:
        """A bye for a round that somebody was not in."""
        there = [
            {p for match in tables.values() for p in match} | {lucky}
            for tables, lucky in zip(self.typed.paired, self.typed.byes, strict=True)
        ]
        given = {(int(row["round"]), row["player1"]) for row in self.rows()}
        could = [
            (turn, player)
            for turn, here in enumerate(there, 1)
            for player in self.typed.active
            if player not in here and (turn, player) not in given
        ]
        if could:
            turn, player = data.draw(st.sampled_from(could))
            self.do(lambda folder: bye(folder, player, round=turn))
            self.typed.asked.add((turn, player))

    @rule(data=st.data(), cell=st.sampled_from(["1500", "1600.5", "", "x"]))
    def edit(self, data: st.DataObject, cell: str) -> None:
        """What is said of somebody changes nothing else: all invariants hold."""
        player = data.draw(st.sampled_from(sorted(self.typed.active)))
        self.came += 1
        columns = {"rating": cell} if cell != "x" else {"name": f"other {self.came}"}
        self.do(lambda folder: edit(folder, player, columns))

    @rule(
        model=st.sampled_from(["standard", "monrad", None]), title=st.sampled_from("AB")
    )
    def change(self, model: str | None, title: str) -> None:
        self.do(lambda folder: change(folder, {"model": model, "title": title}))

    @precondition(lambda self: not self.typed.paired)
    @rule(off=st.booleans())
    def check_in(self, off: bool) -> None:
        self.do(lambda folder: check_in(folder, off=off))
        first = {player for turn, player in self.typed.asked if turn == 1}
        self.typed.active = {p: off or p in first for p in self.typed.active}

    @precondition(lambda self: self.typed.open())
    @rule(data=st.data(), seed=st.integers(0, 1))
    def repair(self, data: st.DataObject, seed: int) -> None:
        number, tables = len(self.typed.paired), self.typed.paired[-1]
        keep = data.draw(st.sets(st.sampled_from(sorted(tables)), max_size=1))
        before = dict(tables)
        try:
            done = self.do(
                lambda folder: repair(folder, sorted(keep), seed=seed, sure=True)
            )
        except UsageError as error:
            assert "nobody is left" in str(error)  # noqa: PT017
            return
        if done.step is None:
            return
        self.take()
        for table, match in before.items():
            if table in keep or (number, table) in self.typed.results:
                assert self.typed.paired[-1][table] == match

    @precondition(lambda self: self.steps)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        count = data.draw(st.integers(1, min(3, len(self.steps))))
        for folder in (self.one, self.two):
            undo(folder, count)
        files, self.typed = self.steps[-count]
        del self.steps[-count:]
        assert content(self.one) == files

    # ------------------------------------------------------------------ invariants

    def rows(self) -> list[dict[str, Any]]:
        frame = pd.read_csv(self.one / "matches.csv", dtype=str, keep_default_na=False)
        return frame.to_dict("records")

    def seats(self) -> dict[tuple[int, int], tuple[str, str, str]]:
        """Who sits at each table, and with which side the first of them."""
        return {
            (int(row["round"]), int(row["table"])): (
                row["player1"],
                row["player2"],
                row["side1"],
            )
            for row in self.rows()
            if row["player2"]
        }

    @invariant()
    def who_has_played_has_the_same_side_for_good(self) -> None:
        here = self.seats() if self.one.exists() else {}
        assert {place: here[place] for place in self.typed.seats} == self.typed.seats

    @invariant()
    def the_same_steps_give_the_same_bytes(self) -> None:
        if self.two.exists():
            assert content(self.one) == content(self.two)

    @invariant()
    def nothing_is_lost(self) -> None:
        found: dict[tuple[int, int], tuple[int, int, bool]] = {}
        there: dict[tuple[int, int], tuple[str, str]] = {}
        given: set[tuple[int, str]] = set()
        for row in self.rows() if self.one.exists() else []:
            number = int(row["round"])
            if row["status"] == "requested":
                given.add((number, row["player1"]))
            if not row["player2"]:
                continue
            there[number, int(row["table"])] = row["player1"], row["player2"]
            if row["score1"]:
                score = (
                    int(row["score1"]),
                    int(row["score2"]),
                    row["status"] == "forfeit",
                )
                found[number, int(row["table"])] = score
        assert found == self.typed.results
        assert there == {
            (number, table): match
            for number, tables in enumerate(self.typed.paired, 1)
            for table, match in tables.items()
        }
        assert given >= self.typed.asked
        assert all(
            turn < len(self.typed.paired) + 1 for turn, _ in given - self.typed.asked
        )

    @invariant()
    def standings_are_right(self) -> None:
        if not self.typed.paired:
            return
        event = read_event(self.one, unfinished=True)
        rows = self.rows()
        players = [
            {"player": player, "score": None, "rating": None}
            for player in event.players
        ]
        table = rank_players(event, ("sos", "BH"))
        got = {line.player: line.points for line in table}
        asked = {
            (int(r["round"]), r["player1"]) for r in rows if r["status"] == "requested"
        }
        assert got == self.typed.points(asked - self.typed.asked)
        book = Crosstable(rows, players, len(self.typed.paired), WIN, DRAW)
        assert got == book.score
        if not self.typed.open():
            ours = {
                line.player: (line.tie_breaks["sos"], line.tie_breaks["BH"])
                for line in table
            }
            sos, buchholz = book.sos(), book.value("BH")
            assert ours == {player: (sos[player], buchholz[player]) for player in got}


class LargeEvents(Events):
    """Of up to 60 players."""

    most = 60


@pytest.mark.long
def test_events() -> None:
    few = settings(REPEATABLE, max_examples=4, stateful_step_count=12)
    run_state_machine_as_test(Events, settings=few)  # type: ignore[no-untyped-call]


@pytest.mark.slow
def test_two_hundred_events() -> None:
    many = settings(REPEATABLE, max_examples=200, stateful_step_count=25)
    run_state_machine_as_test(LargeEvents, settings=many)  # type: ignore[no-untyped-call]
