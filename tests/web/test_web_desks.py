"""Two desks: what does not touch each other passes in any order, from pages however old."""

from __future__ import annotations

import csv
import random
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from organiser import HOST, client, event, said, scored
from starlette.testclient import TestClient

import pairopt.folder as verbs
from pairopt.folder.open_folder import read_folder_state
from pairopt.web.app import application
from pairopt.web.conflict_checks import READS
from pairopt.web.views import known_views
from pairopt.web.views.round import format_match

OTHER = "192.168.0.5:8440"
"""This machine as a second laptop calls it."""
PLAYERS = [f"p{k}" for k in range(8)]

SEEDS = [
    *range(6),
    *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 60)),
]


@dataclass(frozen=True)
class Post:
    """What a page sends, and what it changes or was decided by, said here once more."""

    path: str
    form: Mapping[str, Any]
    touches: frozenset[str]

    def apart_from(self, other: Post) -> bool:
        """Whether neither is anything to the other."""
        both = self.touches, other.touches
        if any("all but names" in touches for touches in both):
            return all(
                "names" in touches or "all but names" in touches for touches in both
            ) and (self.touches != other.touches)
        return not self.touches & other.touches


def post(path: str, form: Mapping[str, Any], *touches: str) -> Post:
    return Post(path, form, frozenset(touches))


class Wishes:
    """What somebody may want of an event at a page, by lot."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.rng, self.desk = rng, read_folder_state(folder)
        self.players = list(PLAYERS)
        self.tables = [*map(str, self.desk.rows.table[self.desk.rows.open].tolist())]
        rng.shuffle(self.players)
        rng.shuffle(self.tables)
        self.new = 0

    def one(self) -> Post:
        """Of somebody or something that nobody has wanted anything of yet."""
        kinds = [
            self.out,
            self.bye,
            self.edit,
            self.place,
            self.enter,
            self.setting,
            self.apart,
        ]
        if self.tables:
            kinds += [self.score, self.slip] * 3
        return self.rng.choice(kinds)()

    def same(self, first: Post) -> Post:
        """Of the same, but another: dependent on it."""
        form = dict(first.form)
        if "score" in form:
            form["score"] = "0-3" if form["score"] != "0-3" else "3-0"
        elif "slip" in form:
            form["slip"] = form["slip"].split()[0] + (
                " 3" if form["slip"][-1] == "1" else " 1"
            )
        elif first.path == "/players/out":
            return post("/players/bye", {"player": form["player"]}, *first.touches)
        elif first.path == "/players/bye":
            return post("/players/out", form, *first.touches)
        elif "cell.club" in form:
            form["cell.club"] = "Bonn"
        elif "table" in form:
            form["table"] = str(int(form["table"]) + 50)
        elif first.path == "/players/enter":
            form["rating"] = "1999"
        elif "rounds" in form and "other" in form:
            return post("/players/together", form, *first.touches)
        else:
            (key,) = form
            form[key] = {"title": "Another", "rounds": "8", "seed": "9"}[key]
        return Post(first.path, form, first.touches)

    def player(self) -> str:
        return self.players.pop()

    def score(self) -> Post:
        table, score = self.tables.pop(), self.rng.choice(("3-0", "1-1", "0-3"))
        form = {"table": table, "score": score, "round": "1"}
        return post("/results/score", form, f"table {table}")

    def slip(self) -> Post:
        table = self.tables.pop()
        form = {"slip": f"{table} {self.rng.choice('123')}", "round": "1"}
        return post("/results/slip", form, f"table {table}")

    def out(self) -> Post:
        player = self.player()
        return post("/players/out", {"player": player}, f"in {player}")

    def bye(self) -> Post:
        player = self.player()
        return post("/players/bye", {"player": player}, f"in {player}")

    def edit(self) -> Post:
        player = self.player()
        form = {"player": player, "cell.name": player, "cell.club": "Riga"}
        return post(f"/players/edit/change?player={player}", form, f"club {player}")

    def place(self) -> Post:
        self.new += 1
        player = self.player()
        form = {"player": player, "table": str(20 + self.new)}
        return post("/players/table", form, f"place {player}")

    def enter(self) -> Post:
        self.new += 1
        return post("/players/enter", {"name": f"new {self.new}"}, f"new {self.new}")

    def setting(self) -> Post:
        key = self.rng.choice(("title", "rounds", "seed"))
        names = ["names"] * (key == "title")
        value = {"title": "Friday", "rounds": "7", "seed": "3"}[key]
        return post("/settings/change", {key: value}, key, *names)

    def apart(self) -> Post:
        one, two = self.player(), self.player()
        form = {"player": one, "other": two, "rounds": "3"}
        return post("/players/apart", form, f"pair {one} {two}")

    def publish(self) -> Post:
        shown = [
            *map(format_match, verbs.preview(self.desk, verify=False).result.pairs)
        ]
        return post(
            "/round/draft/publish", {"match": shown}, "all but names", "publish"
        )


@dataclass
class Desks:
    """A folder with two pages, each as old as the first."""

    folder: Path
    state: str

    @staticmethod
    def of(made: Path, place: Path) -> Desks:
        shutil.copytree(made, place)
        return Desks(place, read_folder_state(place).state)

    def send(self, wish: Post, second: bool) -> tuple[int, str]:
        host = OTHER if second else HOST
        app = application(self.folder, {HOST, OTHER})
        page = TestClient(app, f"http://{host}", headers={"origin": f"http://{host}"})
        form = {**wish.form, "state": self.state, "sure": "yes"}
        answer = page.post(wish.path, data=form)
        return answer.status_code, said(answer.text)

    def files(self) -> dict[str, Any]:
        """What the files say, whatever the order of their rows and columns."""
        found: dict[str, Any] = {}
        for name in ("players.csv", "matches.csv"):
            rows = csv.DictReader((self.folder / name).read_text().splitlines())
            found[name] = sorted(
                sorted((key, cell) for key, cell in row.items() if cell) for row in rows
            )
        toml = tomllib.loads((self.folder / "event.toml").read_text())
        return {
            **found,
            "event.toml": {**toml, "forbid": sorted(map(str, toml.get("forbid", [])))},
        }


def an_event(place: Path, seed: int, finished: bool) -> Path:
    """Eight players in round 1, with a result, or with all of them."""
    folder = event(place, PLAYERS, rounds=1, seed=seed)
    verbs.result(folder, 1, "3-0")
    if finished:
        scored(folder)
    return folder


@pytest.mark.sweep
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_apart_passes_in_any_order_and_comes_to_the_same(
    tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    made = an_event(tmp_path / "made", seed, finished=seed % 2 == 1)
    wishes = Wishes(made, rng)
    some = [wishes.one() for _ in range(4)]
    some = [wish for k, wish in enumerate(some) if all(map(wish.apart_from, some[:k]))]
    ends = []
    for turn in range(2):
        desks = Desks.of(made, tmp_path / f"turn{turn}")
        for wish in rng.sample(some, len(some)):
            status, told = desks.send(wish, second=rng.random() < 0.5)
            assert status == 200, f"{told} {wish}"
            assert "Not saved" not in told, (wish, told)
        ends.append(desks.files())
    assert ends[0] == ends[1]
    assert ends[0] != Desks(made, "").files()


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_what_touches_the_same_is_refused_with_who_did_what(
    tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    made = an_event(tmp_path / "made", seed, finished=seed % 2 == 1)
    wishes = Wishes(made, rng)
    first = wishes.one()
    then = wishes.same(first)
    if seed % 4 == 3:
        first, then = (
            (wishes.publish() if seed == 3 else wishes.out()),
            wishes.publish(),
        )
    desks = Desks.of(made, tmp_path / "desks")
    status, told = desks.send(first, second=True)
    assert status == 200, (first, told)
    before = desks.files()
    status, told = desks.send(then, second=False)
    if (
        then.path == "/results/slip"
    ):  # where there is a result it asks, and this page said yes
        assert (status, "before:" in told) == (200, True), (then, told)
        return
    assert (status, "second desk: " in told) == (409, True), (first, then, told)
    assert desks.files() == before


def test_every_action_declares_what_it_reads() -> None:
    every = {
        f"{view.path}/{name}"
        for view in known_views()
        for name in view.changes
        if not view.beside and view.package == "pairopt.web"
    }
    assert every == READS.keys()
    assert all(said.keys() <= {"reads", "sure", "shows"} for said in READS.values())


@pytest.mark.long
def test_the_bracket_has_the_keys_of_the_rounds_and_a_quarter_final_is_mended(
    tmp_path: Path,
) -> None:
    folder = event(tmp_path / "event", PLAYERS, rounds=1)
    scored(folder)
    verbs.bracket(folder, 8, by_lot=True)
    page = client(folder)

    def send(slip: str, **more: str) -> str:
        state = read_folder_state(folder).state
        answer = page.post("/results/slip", data={"slip": slip, "state": state, **more})
        return said(answer.text)

    played = ("B1 1", "B2 3", "b3+w", "B4 l", "B5 1", "B6 3", "B7 1")
    assert all("Not saved" not in send(slip) for slip in played)
    scores = [row["score1"] for row in csv.DictReader((folder / "bracket.csv").open())]
    assert scores == ["3", "0", "3", "0", "3", "0", "3"]
    assert "Not saved" in send("B4 2")  # a draw, as in the rounds
    told = send("B4 1")
    assert "Please confirm" in told
    assert "B6 0-3, B7 3-0" in told
    told = send("B4 1", sure="yes")
    assert (
        "Other players now play in these matches, so pairopt removed their results: B6 0-3, B7 3-0."
        in told
    ), told
    scores = [row["score1"] for row in csv.DictReader((folder / "bracket.csv").open())]
    assert scores == ["3", "0", "3", "3", "3", "", ""]
    before = (folder / "bracket.csv").read_bytes()
    verbs.undo(folder, 3)  # the matches that were opened, and the correction
    scores = [row["score1"] for row in csv.DictReader((folder / "bracket.csv").open())]
    assert scores == ["3", "0", "3", "0", "3", "0", "3"]
    verbs.undo(
        folder,
        to=max(step.number for step in read_folder_state(folder).journal.steps()) - 1,
    )
    assert (folder / "bracket.csv").read_bytes() == before
