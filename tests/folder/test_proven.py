"""A round is called proven only while it is: after whatever verb, by every pairing tried."""

from __future__ import annotations

import csv
import html
import random
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from events import shipped
from oracle import Arc, Oracle
from organiser import client

import pairopt.folder as verbs
from pairopt import UsageError, check_all, read_event
from pairopt.folder.open_folder import read_folder_state
from pairopt.folder.proofs import RoundProof, check_proofs, check_round_proof
from pairopt.folder.stored_proofs import read_options_by_round

MODELS = ("standard", "monrad", "excalibur", "top-first", "fide-dutch")
Rows = list[dict[str, str]]


def rows_of(folder: Path) -> Rows:
    path = folder / "matches.csv"
    return list(csv.DictReader(path.open(encoding="utf-8"))) if path.exists() else []


def in_round(rows: Rows, number: int) -> Rows:
    return [
        row
        for row in rows
        if row["round"] == str(number) and row["status"] != "requested"
    ]


class Evening:
    """An event whose files are changed by all that changes what is proven."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.rng, self.folder = random.Random(seed), folder
        model = MODELS[seed % len(MODELS)]
        listed = folder.with_suffix(".csv")
        names = range(self.rng.randint(5, 8))
        lines = "".join(f"p{k},{self.rng.randint(1000, 2200)}\n" for k in names)
        listed.write_text(f"player,rating\n{lines}")
        sides = ("white", "black") if model == "fide-dutch" or seed % 2 else ()
        made = {"rounds": 7} if model == "fide-dutch" else {}
        verbs.new(
            folder,
            listed,
            model=model,
            seed=seed,
            points="1-0.5-0",
            sides=sides,
            **made,
        )
        verbs.pair(folder)

    def score(self) -> str:
        return self.rng.choice(("1-0", "0.5-0.5", "0-1"))

    def player(self) -> str:
        return self.rng.choice(read_folder_state(self.folder).event.players)

    def pair(self) -> None:
        """With what is open finished; sometimes two are to meet."""
        desk = read_folder_state(self.folder)
        for row in in_round(rows_of(self.folder), desk.rounds()):
            if row["player2"] and not row["score1"]:
                verbs.result(self.folder, int(row["table"]), self.score())
        two = [(self.player(), self.player())] if self.rng.random() < 0.3 else []
        verbs.pair(self.folder, force=two, verify=False)

    def result(self) -> None:
        tables = [
            row
            for row in in_round(
                rows_of(self.folder), read_folder_state(self.folder).rounds()
            )
            if row["player2"]
        ]
        verbs.result(self.folder, int(self.rng.choice(tables)["table"]), self.score())

    def correct(self) -> None:
        number = self.rng.randint(
            1, max(1, read_folder_state(self.folder).rounds() - 1)
        )
        tables = [
            row for row in in_round(rows_of(self.folder), number) if row["player2"]
        ]
        table = int(self.rng.choice(tables)["table"])
        verbs.result(self.folder, table, self.score(), round=number)

    def repair(self) -> None:
        verbs.drop(self.folder, self.player())
        verbs.repair(self.folder, again=self.rng.random() < 0.3, verify=False)

    def undo(self) -> None:
        verbs.undo(self.folder, self.rng.randint(1, 2))

    def edit(self) -> None:
        """Two of the last round in each other's places, by hand; or a match turned."""
        rows = rows_of(self.folder)
        last = [
            row
            for row in in_round(rows, read_folder_state(self.folder).rounds())
            if row["player2"]
        ]
        one, two = self.rng.sample(last, 2)
        mine = self.rng.choice(("player1", "player2"))
        one[mine], two["player2"] = two["player2"], one[mine]
        for row in (one, two):
            row |= {name: "" for name in row if name.startswith("name")}
        self.write(rows)

    def write(self, rows: Rows) -> None:
        with (self.folder / "matches.csv").open(
            "w", encoding="utf-8", newline=""
        ) as file:
            table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            table.writeheader()
            table.writerows(rows)

    def model(self) -> None:
        verbs.change(self.folder, {"model": self.rng.choice(MODELS[:-1])})

    def points(self) -> None:
        verbs.change(
            self.folder, {"points.bye": self.rng.choice(("1", "0.5", "0"))}, sure=True
        )

    def forbid(self) -> None:
        verbs.forbid(self.folder, self.player(), self.player())


STEPS = (
    "pair",
    "pair",
    "pair",
    "result",
    "correct",
    "correct",
    "repair",
    "repair",
    "undo",
    "edit",
    "model",
    "points",
    "forbid",
)


def oracle_of(folder: Path, number: int, options: Mapping[str, Any]) -> Oracle:
    """The event before a round, read from its files and from nothing else."""
    said, rows = tomllib.loads((folder / "event.toml").read_text()), rows_of(folder)
    there = {
        row[name] for row in in_round(rows, number) for name in ("player1", "player2")
    }
    listed = csv.DictReader((folder / "players.csv").open(encoding="utf-8"))
    players = [
        {
            "player": row["player"],
            "score": None,
            "rating": row["rating"],
            "active": row["player"] in there,
        }
        for row in listed
    ]
    past = [row for row in rows if int(row["round"]) < number]
    forbidden = []
    for each in said.get("forbid", []):
        rounds = str(each.get("rounds", "1-")) if isinstance(each, dict) else "1-"
        first, _, last = rounds.partition("-")
        if int(first) <= number <= int(last or (first if "-" not in rounds else 99)):
            forbidden.append(tuple(each["players"] if isinstance(each, dict) else each))
    model = {
        **shipped(options.get("model", said["model"])),
        "sides": said.get("sides", []),
        "win": str(said["points"]["win"]),
    }
    return Oracle(
        past,
        players,
        model,
        force=[tuple(pair) for pair in options.get("force", ())],
        forbid=forbidden,
    )


def arcs_of(rows: Rows, sides: list[str]) -> list[Arc]:
    made: list[Arc] = []
    for row in rows:
        ends = row["player1"], row["player2"] or None
        turned = ends[1] and sides and row.get("side1") == sides[1]
        made.append((row["player2"], row["player1"]) if turned else ends)
    return made


Seat = Callable[[Any], Any]


def true_of(folder: Path, found: RoundProof) -> bool:
    """Whether no pairing is better, by trying them all; with the tables that stay if it says so."""
    options = read_options_by_round(folder)[found.round]
    oracle = oracle_of(folder, found.round, options)
    sides = tomllib.loads((folder / "event.toml").read_text()).get("sides", [])
    mine = arcs_of(in_round(rows_of(folder), found.round), sides)
    seat: Seat = tuple if sides else frozenset  # a table that is turned is another
    tables = {seat(arc) for arc in mine}
    stay = {
        seat(pair) for name in ("fixed", "published") for pair in options.get(name, ())
    }
    held = {seat(pair) for pair in options.get("fixed", ())}
    assert stay or found.stated.kind != "tables stay"
    if found.stated.kind == "now":  # whatever stayed
        stay = held = set()
    assert held <= tables
    if not oracle.legal(mine):
        return bool(held)  # a table with a result stays, whatever the rules say of it
    value = oracle._total(mine)
    others = (
        each
        for each in oracle.pairings()
        if stay & tables <= {seat(arc) for arc in each}
    )
    return all(oracle._total(each) >= value for each in others)


def look(folder: Path, tally: Counter[str]) -> None:
    """The law: what is called proven is so, and all doors say the same of it."""
    desk = read_folder_state(folder)
    if not desk.rounds():
        return
    found = list(check_proofs(folder))
    checks = {
        each.round: each.agrees
        for each in check_all(
            read_event(folder, unfinished=True),
            paired_with=read_options_by_round(folder),
        )
    }
    for each in found:
        stated = each.stated
        tally[stated.kind] += 1
        assert check_round_proof(desk, each.round) == each
        if stated.kind in ("now", "tables stay"):
            assert stated.kind == "now" or "with the tables that stay" in stated.words
            assert checks[each.round], (stated, each)
            under = {desk.event.settings.model, each.paired_with.get("model")}
            assert "fide-dutch" in under or true_of(folder, each), (stated, each)
        elif stated.kind == "then":
            assert f"(step {each.step})" in stated.words
    page = html.unescape(re.sub(r"<[^>]*>", "", client(folder).get("/round").text))
    last = found[-1]
    assert (last.stated.words in page) == last.holds
    assert "no pairing" not in page.replace(last.stated.words, "")


@pytest.mark.sweep
@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(k, marks=pytest.mark.long if k < 7 else pytest.mark.slow)
        for k in range(40)
    ],
)
def test_what_is_called_proven_is_so_after_every_step(
    tmp_path: Path, seed: int
) -> None:
    evening, tally = Evening(tmp_path / "event", seed), Counter[str]()
    look(evening.folder, tally)
    for _ in range(10):
        before = {
            path.name: path.read_bytes()
            for path in evening.folder.glob("*.*")
            if path.is_file()
        }
        step = evening.rng.choice(STEPS)
        with suppress(UsageError, ValueError, IndexError):
            getattr(evening, step)()
        try:
            read_folder_state(evening.folder).event  # noqa: B018 - whether the files are an event
        except Exception:  # a hand edit may make it none
            for name, content in before.items():
                (evening.folder / name).write_bytes(content)
        look(evening.folder, tally)
    assert tally["now"]
