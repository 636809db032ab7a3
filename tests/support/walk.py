"""A walk over an event folder by every verb and every post of the page, some of them killed.

After each step the files are compared with those before it, by the csv module alone and by a law
that is written here once more.
"""

from __future__ import annotations

import csv
import io
import os
import random
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from against import against_fide
from organiser import client, said
from rating_files import PERSONS, text_list
from starlette.testclient import TestClient
from test_killed import Killed, cut

import pairopt.folder as verbs
from pairopt import InputError, UsageError, read_event
from pairopt.common.atomic_write import AGAINST
from pairopt.files.rating_lists.store import add_list
from pairopt.folder.journal import open_journal
from pairopt.folder.open_folder import read_folder_state
from pairopt.web.views.round import format_match

Row = dict[str, str]
Fact = tuple[str, ...]
MODELS = ("standard", "fide-basic", "fide-dutch", "monrad", "double-sided", "excalibur")
STEPS = 60
ANYTHING = {"undo", "mend"}
SCORES, ADDS = {"result"}, {"result", "pair", "repair", "bye"}


def rows(path: Path) -> list[Row]:
    if not path.exists():
        return []
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode())))


@dataclass(frozen=True)
class Facts:
    """Whole rows by what they are about: matches, byes of rounds before the last, the cut."""

    matches: Mapping[Fact, Fact]
    byes: Mapping[Fact, Fact]
    cut: Mapping[Fact, Fact]
    brought: Mapping[Fact, Fact]
    worth: tuple[str, ...]
    said: Mapping[str, Any] = field(compare=False)
    last: int = field(compare=False)

    @staticmethod
    def of(folder: Path) -> Facts:
        listed, drawn = rows(folder / "matches.csv"), rows(folder / "bracket.csv")
        last = max(
            (int(row["round"]) for row in listed if row["status"] != "requested"),
            default=0,
        )
        known = [
            {name: cell for name, cell in row.items() if not name.startswith("name")}
            for row in [*listed, *drawn]
        ]
        listed, drawn = known[: len(listed)], known[len(listed) :]
        people = rows(folder / "players.csv")
        lines = (folder / "event.toml").read_text().split("[points]")[-1].splitlines()
        return Facts(
            {
                (row["round"], *sorted((row["player1"], row["player2"]))): tuple(
                    row.values()
                )
                for row in listed
                if row["player2"] and row["score1"]
            },
            {
                (row["round"], row["player1"]): tuple(row.values())
                for row in listed
                if not row["player2"] and int(row["round"]) < last
            },
            {(row["match"],): tuple(row.values()) for row in drawn if row["score1"]},
            {(row["player"],): (row["score"],) for row in people if row.get("score")},
            tuple(
                line
                for line in lines
                if line.startswith(("win", "draw", "loss", "games"))
            ),
            tomllib.loads((folder / "event.toml").read_text()),
            last,
        )


def require_law(verb: str, before: Facts, after: Facts, told: str) -> None:
    """What a verb may do to the files, said once more."""
    if verb in ANYTHING:
        return
    if verb == "played":
        require_results_stay(before, after, told)
    for name in ("matches", "cut") if verb != "played" else ("cut",):
        old, new = getattr(before, name), getattr(after, name)
        others = {
            key for key in old.keys() | new.keys() if old.get(key) != new.get(key)
        }
        gone = old.keys() - new.keys()
        assert len(others - gone) <= (verb == "result"), (told, verb, others)
        for key in (
            gone
        ):  # later in the bracket than a match that is mended, by who was in that
            (mended,) = others - gone
            assert name == "cut", (told, verb, key)
            assert set(old[key][4:8:2]) & set(old[mended][4:8:2]), (told, verb, key)
        others -= gone
        for key in (
            others & old.keys()
        ):  # the score and the status of a row may be others
            assert old[key][:-3] == new[key][:-3], (told, verb, old[key], new[key])
    more = after.byes.keys() - before.byes.keys()
    assert not more or verb in ADDS, (told, verb, more)
    gone = {key[-1] for key, row in before.byes.items() if after.byes.get(key) != row}
    gone |= {key[-1] for key in before.brought.keys() - after.brought.keys()} - gone
    assert verb in ("edit", "remove") or not gone, (told, verb, gone)
    assert verb != "remove" or len(gone) <= 1, (told, verb, gone)
    assert verb in ("edit", "enter", "remove") or before.brought == after.brought, (
        told,
        verb,
    )
    assert verb == "set" or before.worth == after.worth, (told, verb)


def require_results_stay(before: Facts, after: Facts, told: str) -> None:
    """What was played differently: the tables of a round keep their results and their players."""
    tables = []
    for facts in (before, after):
        found: dict[Fact, tuple[str, ...]] = {}
        for row in facts.matches.values():
            found[row[:2]] = tuple(sorted(row[5:7]))
        tables.append(found)
    assert tables[0] == tables[1], told
    others = {row[0] for row in {*before.matches.values()} ^ {*after.matches.values()}}
    assert len(others) <= 1, (told, others)
    for number in others:
        seats = [
            sorted(
                player
                for row in facts.matches.values()
                if row[0] == number
                for player in row[2:4]
            )
            for facts in (before, after)
        ]
        assert seats[0] == seats[1], (told, seats)


def points_by_round(facts: Facts) -> dict[str, dict[str, str]]:
    """The points of each player from the matches of each round."""
    found: dict[str, dict[str, str]] = {}
    for row in facts.matches.values():
        found.setdefault(row[0], {}).update({row[2]: row[5], row[3]: row[6]})
    return found


def _ends_by_hand_unchanged(verb: str, before: Facts, after: Facts) -> bool:
    """Whether changes by hand may have ended without a change, which leaves no mark."""
    breaches = before.said.get("breaches", [])
    return (
        verb in ("drop", "pair", "changed_by_hand")
        and breaches[-1:] == [{"kind": "mode.by_hand", "round": before.last}]
        and (before.matches, before.byes) == (after.matches, after.byes)
        and after.said.get("breaches", []) == breaches[:-1]
    )


def require_mode(verb: str, before: Facts, after: Facts, told: str) -> None:
    """FIDE mode as a state of the files, said once more: what is broken stays, what breaks the
    rules of the event leaves it, and outside is outside."""
    one, two, last = before.said, after.said, before.last
    old, new = one.get("breaches", []), two.get("breaches", [])
    if verb == "undo":
        left = [each["round"] for each in old if each["kind"] in LEAVING]
        if one.get("fide") is False and left and last > left[0]:
            assert two["fide"] is False, told
            assert new[: len(old)] == old, told
        return
    if _ends_by_hand_unchanged(verb, before, after):
        old = old[:-1]
    assert new[: len(old)] == old, told
    if not one.get("fide"):
        same = one.get("fide") == two.get("fide") or verb in ("mend", "new", "pair")
        known = {*LEAVING} & {each["kind"] for each in old}
        free = verb == "set" and not known and (one.get("fide") is None or not last)
        assert same or free, told
        return
    rules = [
        "model",
        "sides",
        "tie_breaks",
        "forbid",
        "points",
        "initial_side",
        "conflicts",
    ]
    hurt = any(one.get(key, []) != two.get(key, []) for key in rules) and last
    hurt = hurt or (last and one.get("rounds") not in (None, two.get("rounds")))
    hurt = hurt or two["model"] != "fide-dutch" or two["sides"] != ["white", "black"]
    worth = two["points"]
    byes = (worth.get(name, 0) for name in ("bye", "requested_bye", "absent"))
    hurt = hurt or not {*byes} <= {0, worth["win"], worth["draw"], worth["loss"]}
    hurt = (
        hurt or 2 * two["points"]["draw"] > two["points"]["win"] + two["points"]["loss"]
    )
    for own, now in ((before.matches, after.matches), (before.byes, after.byes)):
        others = {key[0] for key in own if own[key] != now.get(key)}
        if verb == "played":
            was, became = points_by_round(before), points_by_round(after)
            others = {number for number in others if was[number] != became[number]}
        if verb == "remove":
            others = set()
        hurt = hurt or any(int(key) < last - 1 for key in others)
        corrected = [each for each in new if each["kind"] == "mode.correction"]
        assert {int(key) for key in others} & {last - 1} <= {
            each["round"] for each in corrected
        }
    more = [each["kind"] for each in new[len(old) :]]
    hurt = hurt or (verb == "set" and more == ["mode.asked"])  # nothing else is another
    assert two.get("fide") is (not hurt), (told, new)
    assert bool(len(new) > len(old)) >= bool(hurt), told


LEAVING = (
    "mode.asked",
    "mode.setting",
    "mode.rounds",
    "mode.tie_breaks",
    "mode.prohibition",
    "mode.older",
)


@dataclass
class Walk:
    """Some sixty steps on one event."""

    folder: Path
    seed: int
    counts: Counter[str] = field(default_factory=Counter)
    known: dict[int, Facts] = field(default_factory=dict)
    came: int = 0

    def __post_init__(self) -> None:
        self.rng, self.sure = random.Random(self.seed), random.Random(self.seed)
        self.model = self.rng.choice(MODELS)
        made: dict[str, Any] = {"rounds": self.rng.choice((None, 5))}
        if self.model == "fide-dutch":
            made |= {"points": "1-0.5-0", "rounds": 6, "sides": ("white", "black")}
        elif self.model != "double-sided":
            made |= {"points": self.rng.choice(("1-0.5-0", "3-1-0"))}
            made |= {
                "sides": self.rng.choice((("white", "black"), ("corp", "runner"), ()))
            }
        listed = self.folder.with_suffix(".csv")
        count = self.rng.randint(4, 9)
        listed.write_text(
            "player,rating\n" + "".join(f"p{k},{2000 - k}\n" for k in range(count))
        )
        verbs.new(self.folder, listed, model=self.model, seed=self.seed, **made)
        toml = self.folder / "event.toml"
        if self.rng.random() < 0.5:
            toml.write_text(toml.read_text().replace("absent = 0", "absent = 0.5"))
        os.environ["PAIROPT_LISTS"] = str(self.folder.with_name("lists"))
        listed_persons = self.folder.with_name("persons.txt")
        listed_persons.write_bytes(text_list())
        add_list(listed_persons, month="2026-11")
        self.page: TestClient = client(self.folder)
        worth = {
            line.split()[0]: float(line.split()[2])
            for line in toml.read_text().splitlines()
            if line.startswith(("win", "draw", "loss", "games"))
        }
        games = worth.get("games", 1)
        win, draw, loss = (
            f"{worth[name] * games:g}" for name in ("win", "draw", "loss")
        )
        self.scores = (
            f"{win}-{loss}",
            f"{loss}-{win}",
            f"{draw}-{draw}",
            f"{win}F-0F",
            "0F-0F",
        )

    # ------------------------------------------------------------------ what can be chosen

    def player(self, active: str | None = None) -> str:
        found = [
            row["player"]
            for row in rows(self.folder / "players.csv")
            if active is None or row["active"] == active
        ]
        return self.rng.choice(found or ["p0"])

    def new_name(self) -> str:
        self.came += 1
        return f"new {self.came}"

    def tables(self) -> list[Row]:
        return [row for row in rows(self.folder / "matches.csv") if row["player2"]]

    def table(self) -> tuple[str, int]:
        """A table that is open, or any that there was."""
        every = self.tables()
        waiting = [row for row in every if not row["score1"]]
        row = self.rng.choice(
            (waiting if self.rng.random() < 0.8 else every) or every or [{}]
        )
        return row.get("table", "1"), int(row.get("round", "1"))

    def match(self) -> str:
        every = rows(self.folder / "bracket.csv")
        waiting = [
            row["match"]
            for row in every
            if row["player1"] and row["player2"] and not row["score1"]
        ]
        return self.rng.choice(waiting or [row["match"] for row in every] or ["B1"])

    def kept(self) -> list[int]:
        here = self.tables()[-1:]
        return [int(here[0]["table"])] if here and self.rng.random() < 0.2 else []

    def listed(self) -> Any:
        path = self.folder.with_name("more.csv")
        path.write_text(f"player\n{self.player()}\n{self.new_name()}\n")
        return read_event(path)

    def cells(self) -> dict[str, str]:
        return self.rng.choice(
            (
                {"rating": str(self.rng.randint(1000, 2000))},
                {"club": "Riga"},
                {"name": self.new_name()},
                {"score": self.rng.choice(("", "1"))},
            )
        )

    def setting(self) -> dict[str, str | None]:
        return self.rng.choice(
            (
                {"title": self.new_name()},
                {"rounds": "9"},
                {"rounds": None},
                {"points": "4-1-0"},
                {"model": "monrad"},
                {"points.bye": "1"},
                {"sides": "none"},
                {"tie_breaks": "wins"},
                {"fide": "true"},
                {"fide": "false"},
                {"fide": None},
                {"model": "fide-dutch"},
            )
        )

    def spare_list(self) -> dict[str, str]:
        """A list that no step needs, to be removed."""
        path = self.folder.with_name("spare.csv")
        path.write_text("Name,Rating\nSpare,1500\n")
        add_list(path, month="2026-10")
        return {"list": "spare-2026-10"}

    def step(self) -> int:
        return self.rng.choice([*self.known] or [1])

    def last_step(self) -> int:
        """The last step of the log, or rarely any other one."""
        numbers = [int(row["step"]) for row in rows(self.folder / "log.csv")]
        return numbers[-1] if numbers and self.rng.random() < 0.8 else self.step()

    # ------------------------------------------------------------------ every verb

    def verbs(self) -> dict[str, Callable[[], Any]]:
        """Each verb of `pairopt.folder`, with something to do."""
        at, rng = self.folder, self.rng
        some = {"verify": False}
        return {
            "pair": lambda: verbs.pair(at, **some),
            "publish": lambda: verbs.publish(
                at, verbs.preview(at, **some).result.pairs
            ),
            "changed_by_hand": lambda: verbs.changed_by_hand(
                at, off=rng.random() < 0.5
            ),
            "exchange": lambda: verbs.exchange(
                at, [self.player(), self.player()], sure=rng.random() < 0.5
            ),
            "repair": lambda: verbs.repair(
                at, self.kept(), again=rng.random() < 0.3, **some
            ),
            "result": self.result,
            "drop": lambda: verbs.drop(at, self.player("true")),
            "remove": lambda: verbs.remove(at, self.player()),
            "back": lambda: verbs.back(at, self.player("false")),
            "enter": lambda: verbs.enter(at, self.new_name()),
            "enter_all": lambda: verbs.enter_all(at, self.listed()),
            "enter_listed": lambda: verbs.enter_listed(
                at, str(rng.choice(PERSONS).number)
            ),
            "ratings": lambda: verbs.ratings(at, apply=True, sure=True),
            "update_ratings": lambda: verbs.update_ratings(
                at, verbs.compare_ratings(at).changes, sure=True
            ),
            "bye": lambda: verbs.bye(
                at, self.player(), round=rng.choice((None, 1, 2, 4))
            ),
            "check_in": lambda: verbs.check_in(at, off=rng.random() < 0.7),
            "edit": lambda: verbs.edit(at, self.player(), self.cells()),
            "rename": lambda: verbs.rename(at, self.player(), self.new_name()),
            "forbid": lambda: verbs.forbid(
                at, self.player(), self.player(), off=rng.random() < 0.6
            ),
            "table": lambda: verbs.table(
                at, self.player(), rng.choice((None, 1, 2, 3))
            ),
            "change": lambda: verbs.change(at, self.setting(), sure=rng.random() < 0.5),
            "bracket": lambda: verbs.bracket(at, rng.choice((None, 2, 3)), by_lot=True),
            "undo": lambda: verbs.undo(at, **rng.choice(({}, {"to": self.step()}))),
            "mend": self.mended,
            "new": lambda: verbs.new(at, self.folder.with_suffix(".csv")),
        }

    def result(self) -> Any:
        table, number = self.table()
        if (self.folder / "bracket.csv").exists() and self.rng.random() < 0.7:
            score = self.rng.choice(("2-0", "0-2"))
            return verbs.result(self.folder, self.match(), score)
        return verbs.result(
            self.folder, table, self.rng.choice(self.scores), round=number
        )

    def mended(self) -> Any:
        if self.rng.random() < 0.5:
            (self.folder / "log.csv").write_bytes(b"step,time\n?\n")
        return verbs.mend(self.folder)

    # ------------------------------------------------------------------ every post

    def posts(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """What each form of the page sends."""
        rng = self.rng

        def score() -> dict[str, Any]:
            if (self.folder / "bracket.csv").exists():
                return {"table": self.match(), "score": rng.choice(("2-0", "0-2"))}
            table, number = self.table()
            return {"table": table, "score": rng.choice(self.scores), "round": number}

        def replayed() -> dict[str, Any]:
            table, number = self.table()
            chosen = rng.choice(({"reversed": "yes"}, {"opponent": self.player()}))
            return {"table": table, "round": number, **chosen}

        def slip() -> dict[str, Any]:
            table, number = self.table()
            return {"slip": f"{table} {rng.choice('123fx')}", "round": number}

        def draft() -> dict[str, Any]:
            shown = verbs.preview(self.folder, verify=False).result.pairs
            return {"match": [*map(format_match, shown)]}

        def again() -> dict[str, Any]:
            anew = rng.random() < 0.3
            shown = verbs.preview_repair(self.folder, again=anew).result.pairs
            return {
                "match": [*map(format_match, shown)],
                **({"anew": "1"} if anew else {}),
            }

        def named(active: str | None = None) -> Callable[[], dict[str, Any]]:
            return lambda: {"player": self.player(active)}

        def two() -> dict[str, Any]:
            return {"player": self.player(), "other": self.player()}

        return {
            "results/score": score,
            "results/slip": slip,
            "results/played/record": replayed,
            "players/remove": named(),
            "round/draft/publish": draft,
            "round/again/publish": again,
            "players/enter": lambda: {"name": self.new_name(), "rating": "1500"},
            "players/take": lambda: {"players": f"{self.new_name()}\n{self.player()}"},
            "players/lists/remove": self.spare_list,
            "players/ratings/apply": lambda: {
                "change": [
                    each.key for each in verbs.compare_ratings(self.folder).changes
                ],
                "sure": "yes",
            },
            "players/ratings/renumber": lambda: {"sure": "yes"},
            "players/in": named("false"),
            "players/out": named("true"),
            "round/gone/out": named("true"),
            "round/away/out": named("true"),
            "players/bye": lambda: {
                "player": self.player(),
                "round": rng.choice(("", "1", "4")),
            },
            "players/begin": dict,
            "players/all": dict,
            "players/table": lambda: {
                "player": self.player(),
                "table": rng.choice(("", "2")),
            },
            "players/apart": two,
            "players/together": two,
            "players/edit/change": lambda: {
                "player": self.player(),
                **{f"cell.{name}": cell for name, cell in self.cells().items()},
            },
            "settings/change": lambda: {
                key: text or "" for key, text in self.setting().items()
            },
            "round/begin": dict,
            "round/all": lambda: {"numbers": rng.choice(("", "list"))},
            "round/add": dict,
            "round/exchange": lambda: {"swap": [self.player(), self.player()]},
            "round/end": dict,
            "standings/cut": lambda: {"cut": rng.choice("23"), "by_lot": "1"},
            "log/undo": lambda: {"step": self.step()},
            "log/undo_last": lambda: {"step": self.last_step()},
            "hall/message": lambda: {"message": "Pizza"},
            "hall/start": lambda: {"minutes": "50"},
            "hall/pause": dict,
            "hall/resume": dict,
            "hall/add": lambda: {"minutes": "5"},
            "hall/away": dict,
            "new/event": lambda: {"players": "Ann\nBob"},
        }

    # ------------------------------------------------------------------ steps

    def go(self, steps: int = STEPS) -> None:
        for _ in range(steps):
            lot = self.rng.random()
            if lot < 0.06:
                self.by_hand()
            elif lot < 0.6:
                self.by_verb()
            else:
                self.by_post()

    def by_verb(self) -> None:
        every = self.verbs()
        often = ["result"] * 12 + ["pair", "repair"] * 3
        verb = self.rng.choice([*every, *often])
        after = self.rng.choice((None, None, None, None, 0, 1, 2, 3, 4, 5, 7))
        self.taken(OF_VERB.get(verb, verb), verb, every[verb], after)

    def by_post(self) -> None:
        every = self.posts()
        often = (
            ["results/score"] * 8
            + ["results/slip", "results/played/record"] * 4
            + ["round/again/publish"] * 3
        )
        name = self.rng.choice([*every, *often, *["round/draft/publish"] * 3])

        def post() -> None:
            form = {
                **every[name](),
                "state": read_folder_state(self.folder).state,
                "sure": "yes",
            }
            form["against"] = str(AGAINST.get())
            done = self.page.post(f"/{name}", data=form, follow_redirects=False)
            assert done.status_code in (200, 303, 409, 422), (name, done.text)
            if done.status_code != 303:
                raise UsageError(said(done.text))

        self.taken(OF_POST.get(name, "drop"), name, post, None)

    def by_hand(self) -> None:
        """A line with a result goes, or has another score: the next step says so."""
        path = self.folder / "matches.csv"
        scored = [row for row in self.tables() if row["score1"]]
        if not scored or (self.folder / "bracket.csv").exists():
            return
        gone = self.rng.choice(scored)
        lines = path.read_text().splitlines(keepends=True)
        of_it = next(
            line for line in lines if line.split(",")[:4] == [*gone.values()][:4]
        )
        same = [row for row in rows(path) if row["round"] == gone["round"]]
        if len(same) < 3:  # a round without rows is none
            return
        path.write_text("".join(line for line in lines if line != of_it))
        before = Facts.of(self.folder)
        verbs.enter(self.folder, self.new_name())
        self.counts["by hand"] += 1
        log = rows(self.folder / "log.csv")
        assert log[-2]["verb"] == "edited by hand", log[-2:]
        assert "was removed" in log[-2]["value"], log[-2]
        self.known = {}
        require_law("enter", before, Facts.of(self.folder), "after an edit by hand")

    def taken(
        self, verb: str, name: str, do: Callable[[], Any], killed: int | None
    ) -> None:
        """One step, maybe cut off; then the law."""
        before, ended = Facts.of(self.folder), "done"
        steps = self.sure.choice((0, 0, 1, 2, 2))
        with pytest.MonkeyPatch.context() as patch, against_fide(steps):
            if killed is not None:
                cut(patch, killed)
            try:
                do()
            except Killed:
                ended = "killed"
            except (UsageError, InputError):
                ended = "refused"
        with open_journal(self.folder):
            pass  # what was begun is finished
        if verb == "mend" and ended == "killed":
            verbs.mend(self.folder)
        after = Facts.of(self.folder)
        told = f"seed {self.seed}, {self.model}: {name} {ended} {killed}"
        require_law(verb, before, after, told)
        require_mode(verb, before, after, told)
        if after.said.get("fide") is False and before.said.get("fide"):
            assert verb in ANYTHING or steps == 2, told
            self.counts["(FIDE mode left)"] += 1
        if ended == "refused" and killed is None:
            assert before == after, told
        self.counts[name] += ended == "done"
        self.counts[f"({ended})"] += 1
        log = rows(self.folder / "log.csv")
        if verb == "undo" and ended == "done" and log and log[-1]["verb"] == "undo":
            self.counts["(undone)"] += 1
        if log and log[-1]["step"].isdecimal():
            self.known.setdefault(int(log[-1]["step"]), after)
        for row in log[-1:]:
            if row["verb"] != "undo" and row["step"].isdecimal():
                assert self.known[int(row["step"])] == after, told


OF_VERB = {
    "publish": "pair",
    "enter_all": "enter",
    "enter_listed": "enter",
    "update_ratings": "ratings",
    "change": "set",
    "rename": "edit",
}
OF_POST = {
    "results/score": "result",
    "results/slip": "result",
    "results/played/record": "played",
    "players/remove": "remove",
    "round/draft/publish": "pair",
    "round/again/publish": "repair",
    "players/enter": "enter",
    "players/take": "enter",
    "players/ratings/apply": "ratings",
    "players/ratings/renumber": "ratings",
    "players/bye": "bye",
    "players/edit/change": "edit",
    "settings/change": "set",
    "round/add": "set",
    "round/all": "pair",
    "log/undo": "undo",
    "log/undo_last": "undo",
}
"""The verbs that posts are; what is not among them may change nothing, as `drop`."""
