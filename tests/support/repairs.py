"""Open rounds that are paired again, by both doors, and what matches.csv has before and after.

The file is read here by the csv module, and never by the code under test. Of a round with few
players to pair, every pairing is tried.
"""

from __future__ import annotations

import csv
import html
import io
import random
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
from against import against_fide
from events import shipped
from oracle import CONSTRAINTS, Oracle
from organiser import client, fields, said
from starlette.testclient import TestClient
from telling import said_by

import pairopt.folder as verbs
from pairopt import UsageError, check_all, read_event
from pairopt.folder.stored_proofs import read_options_by_round
from pairopt.problem.model import model_names

ROUNDS, SMALL = 6, 8
BY_HAND = ("aesops-by-hand",)
"""Their rounds are repaired by an exact engine, but checked by the procedure."""
Row = dict[str, str]


# ---------------------------------------------------------------------- what the file has


@dataclass(frozen=True)
class Listed:
    """matches.csv as lines and as rows."""

    lines: tuple[str, ...]
    rows: tuple[Row, ...]

    @staticmethod
    def of(folder: Path) -> Listed:
        text = (folder / "matches.csv").read_bytes().decode()
        lines = text.splitlines()
        return Listed(tuple(lines[1:]), tuple(csv.DictReader(io.StringIO(text))))

    @property
    def last(self) -> int:
        return max(
            (int(row["round"]) for row in self.rows if row["status"] != "requested"),
            default=0,
        )

    def chosen(self, which: Callable[[Row], object]) -> list[str]:
        """The lines of some of the rows."""
        both = zip(self.lines, self.rows, strict=True)
        return [line for line, row in both if which(row)]

    @property
    def scored(self) -> list[str]:
        """The lines of matches with a result."""
        return self.chosen(lambda row: row["player2"] and row["score1"])

    @property
    def earlier(self) -> list[str]:
        """The lines of the rounds before the last."""
        return self.chosen(lambda row: int(row["round"]) < self.last)

    @property
    def here(self) -> list[Row]:
        """The tables and byes of the last round."""
        return [
            row
            for row in self.rows
            if int(row["round"]) == self.last and row["status"] != "requested"
        ]

    @property
    def open(self) -> list[Row]:
        return [row for row in self.here if row["player2"] and not row["score1"]]


def seats(row: Row) -> frozenset[str]:
    return frozenset(filter(None, (row["player1"], row["player2"])))


def first_of(row: Row) -> str:
    """Who has the first side; "" where there are none."""
    if not row["side1"]:
        return ""
    return row["player1" if row["side1"] in ("white", "corp") else "player2"]


# ---------------------------------------------------------------------- both doors


@dataclass
class Answer:
    """What a door said; `refused` where it did nothing."""

    text: str
    refused: bool = False


class Verbs:
    """The verbs as Python has them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _done(self, verb: Callable[[], Any]) -> Answer:
        """What it did; what FIDE mode asks, once or twice, is asked before a file changes, and
        answered yes."""
        before = self._files()
        for times in range(3):
            try:
                with against_fide(times):
                    done = verb()
            except UsageError as error:
                refused = error
            else:
                conflicts = done.result.conflicts if done.result is not None else ()
                told = "\n".join((*map(str, conflicts), *said_by(done)))
                return Answer(told, done.step is None)
            assert self._files() == before, refused
            if not refused.kind.startswith("mode."):
                break
        return Answer(str(refused), True)

    def _files(self) -> dict[str, bytes]:
        return {
            path.name: path.read_bytes()
            for path in self.folder.iterdir()
            if path.is_file()
        }

    def pair(self) -> Answer:
        return self._done(partial(verbs.pair, self.folder, verify=False, sure=True))

    def result(self, table: str, score: str, number: int) -> Answer:
        return self._done(
            partial(verbs.result, self.folder, table, score, round=number)
        )

    def person(self, verb: str, player: str) -> Answer:
        return self._done(partial(getattr(verbs, verb), self.folder, player))

    def forbid(self, one: str, two: str) -> Answer:
        return self._done(partial(verbs.forbid, self.folder, one, two))

    def repair(self, keep: Sequence[int], again: bool) -> Answer:
        given: dict[str, Any] = {"again": again, "verify": False}
        try:
            shown = verbs.preview_repair(self.folder, keep, **given)
        except UsageError as error:
            return Answer(str(error), True)
        told = None if shown.changes is None else [*map(str, shown.changes.lines())]
        doing = partial(
            verbs.repair, self.folder, keep, shown=shown.result.pairs, **given
        )
        if (
            shown.question is not None
        ):  # of a bye, and it is asked when it is to be done
            asked = self._done(doing)
            assert asked == Answer(str(shown.question), True), asked
        made = self._done(partial(doing, sure=shown.question is not None))
        assert told is None or made.text.endswith("\n".join(told)), (told, made.text)
        return made


class Page:
    """The organiser's page, by its forms."""

    def __init__(self, folder: Path) -> None:
        self.page: TestClient = client(folder)

    def post(self, at: str, action: str, form: Mapping[str, Any]) -> Answer:
        """A form of a page, and yes where it asks."""
        text = self.page.get(at).text
        found = re.search(rf'action="({re.escape(action)}[^"]*)"', text)
        if found is None:
            return Answer(text, True)
        return self.sent(
            html.unescape(found[1]), action, {**fields(text, action), **form}
        )

    def sent(self, to: str, action: str, form: Mapping[str, Any]) -> Answer:
        """A form, and yes where its page asks, FIDE mode twice; what is done leads to another
        page."""
        done = self.page.post(to, data=form, follow_redirects=False)
        for _ in range(3):  # a bye may be asked about besides
            if "Please confirm" not in done.text:
                break
            form = {**fields(done.text, action), "sure": "yes"}
            done = self.page.post(to, data=form, follow_redirects=False)
        assert done.status_code in (303, 409, 422), (done.status_code, said(done.text))
        return Answer(said(done.text), done.status_code != 303)

    def pair(self) -> Answer:
        return self.post("/round/draft", "/round/draft/publish", {})

    def result(self, table: str, score: str, number: int) -> Answer:
        form = {"table": table, "score": score, "round": str(number)}
        return self.post(f"/results?round={number}", "/results/score", form)

    def person(self, verb: str, player: str) -> Answer:
        action = {"drop": "out", "back": "in", "enter": "enter"}[verb]
        form = {"name": player} if verb == "enter" else {"player": player}
        state = fields(self.page.get("/players").text, "/players/enter")["state"]
        return self.sent(
            f"/players/{action}", f"/players/{action}", {"state": state, **form}
        )

    def forbid(self, one: str, two: str) -> Answer:
        return self.post("/players", "/players/apart", {"player": one, "other": two})

    def repair(self, keep: Sequence[int], again: bool) -> Answer:
        query = [*(f"keep={table}" for table in keep), *["anew=1"] * again]
        at = f"/round/again?{'&'.join(query)}"
        shown = self.page.get(at).text
        head = re.search(r'<section class="worse".*?</section>', shown, re.DOTALL)
        told = html.unescape(re.sub(r"<[^>]*>|\s+", " ", head[0])) if head else ""
        made = self.post(at, "/round/again/publish", {})
        return Answer(
            html.unescape(re.sub(r"<[^>]*>", "", f"{told}\n{made.text}")), made.refused
        )


Door = Verbs | Page


# ---------------------------------------------------------------------- every pairing of few


def forbidden(said: Sequence[Any], number: int) -> list[tuple[str, str]]:
    """The pairs of event.toml that may not meet in a round; rounds are as 3, 2-4, or 6-500."""
    found = []
    for pair in said:
        both, rounds = (
            (pair["players"], pair["rounds"]) if isinstance(pair, dict) else (pair, "")
        )
        first, _, last = rounds.partition("-")
        if not rounds or int(first) <= number <= int(last or first):
            found.append((both[0], both[1]))
    return found


@dataclass(frozen=True)
class Choice:
    """Who may meet in the open round: `free` are to be paired, `held` are tables that stay."""

    free: tuple[str, ...]
    held: tuple[frozenset[str], ...]
    legal: frozenset[frozenset[str]]
    published: frozenset[frozenset[str]]

    @staticmethod
    def of(folder: Path, before: Listed, keep: Sequence[int]) -> Choice:
        """Read with the oracle of tests, by the constraints of the model alone."""
        said = tomllib.loads((folder / "event.toml").read_text())
        number = before.last
        raw = shipped(said["model"], number == said.get("rounds"))
        own = {
            kind: value
            for kind, value in raw["constraints"].items()
            if kind in CONSTRAINTS
        }
        model = {
            "constraints": own,
            "criteria": [],
            "sides": said["sides"],
            "win": str(said["points"]["win"] * said["points"].get("games", 1)),
        }
        frame = pd.read_csv(folder / "players.csv", dtype=str, keep_default_na=False)
        held = [
            seats(row)
            for row in before.here
            if row["player2"] and (row["score1"] or int(row["table"]) in keep)
        ]
        seated = frozenset[str]().union(*held)
        players = [
            {
                "player": row["player"],
                "score": None,
                "rating": None,
                "active": row["active"] == "true" or row["player"] in seated,
            }
            for row in frame.to_dict("records")
        ]
        past = [
            row
            for row in before.rows
            if int(row["round"]) < number or row["status"] == "requested"
        ]
        there = {(int(row["round"]), name) for row in past for name in seats(row)}
        absent = str(said["points"]["absent"])
        here = [
            row["player"] for row in frame.to_dict("records") if row["active"] == "true"
        ]
        past += [
            {
                **dict.fromkeys(past[0] if past else (), ""),
                "round": str(turn),
                "player1": name,
                "score1": absent,
                "status": "requested",
            }
            for name in here
            for turn in range(1, number)
            if absent != "0" and (turn, name) not in there
        ]
        oracle = Oracle(
            past, players, model, forbid=forbidden(said.get("forbid", []), number)
        )
        legal = {
            frozenset(filter(None, pair))
            for pair, arcs in oracle.legal_arcs.items()
            if arcs
        }
        free = tuple(name for name in oracle.active if name not in seated)
        published = {seats(row) for row in before.open} - {*held}
        return Choice(free, tuple(held), frozenset(legal), frozenset(published))

    def pairings(
        self, left: Sequence[str] | None = None
    ) -> Iterator[list[frozenset[str]]]:
        """Every legal pairing of the free players."""
        left = self.free if left is None else left
        if not left:
            yield []
            return
        one, *others = left
        for partner in [*others, *[None] * (len(left) % 2)]:
            match = frozenset(filter(None, (one, partner)))
            if match in self.legal:
                rest = [other for other in others if other != partner]
                for tail in self.pairings(rest):
                    yield [match, *tail]

    def least(self) -> int | None:
        """How few published tables can change; None where there is no pairing."""
        kept = (len(self.published & {*made}) for made in self.pairings())
        most = max(kept, default=None)
        return None if most is None else len(self.published) - most

    def to_open(self, present: set[str]) -> int | None:
        """How few tables that stay would have to be opened, of those whose players are here."""
        could = [table for table in self.held if table <= present]
        for count in range(1, len(could) + 1):
            for opened in combinations(could, count):
                left = [*self.free, *frozenset[str]().union(*opened)]
                if next(self.pairings(left), None) is not None:
                    return count
        return None


# ---------------------------------------------------------------------- whole events


@dataclass
class Tally:
    """What was seen."""

    counts: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)


@dataclass
class Evening:
    """An event in which somebody always comes late, or not at all, or a result was wrong."""

    folder: Path
    seed: int
    tally: Tally
    rng: random.Random = field(init=False)
    door: Door = field(init=False)
    scores: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        names = model_names()
        self.model = names[self.seed % len(names)]
        listed = self.folder.with_suffix(".csv")
        count = self.rng.choice((4, 5, 6, 7, 8, 9, 10, 12, 14))
        listed.write_text(
            "player,rating\n"
            + "".join(f"p{k},{self.rng.randint(1000, 2200)}\n" for k in range(count))
        )
        made = {"rounds": self.rng.choice((None, ROUNDS, ROUNDS - 1))}
        systems = ("fide-dutch", "fide-burstein")
        if self.model in systems:
            made |= {"points": "1-0.5-0", "rounds": ROUNDS}
        elif self.model != "double-sided":
            made |= {"points": self.rng.choice(("1-0.5-0", "3-1-0", "2-1-0"))}
            made |= self.rng.choice(
                ({}, {}, {"sides": ("white", "black")}, {"sides": ()})
            )
        verbs.new(self.folder, listed, model=self.model, seed=self.seed, **made)
        toml = self.folder / "event.toml"
        if self.rng.random() < 0.5:
            toml.write_text(toml.read_text().replace("absent = 0", "absent = 0.5"))
        worth = tomllib.loads(toml.read_text())["points"]
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
        self.door = (
            Page(self.folder) if self.rng.random() < 1 / 4 else Verbs(self.folder)
        )

    def play(self) -> None:
        for number in range(1, ROUNDS + 1):
            if self.door.pair().refused or Listed.of(self.folder).last != number:
                self.tally.counts["no such round"] += 1
                return
            self.results(len(Listed.of(self.folder).open) // 2)
            for _ in range(self.rng.choice((1, 2))):
                for _ in range(self.rng.choice((1, 1, 2))):
                    self.disturb()
                self.repair()
            self.results(len(Listed.of(self.folder).open), Verbs(self.folder))
            if (
                number == ROUNDS - 1
                and "rounds = 5" in (self.folder / "event.toml").read_text()
            ):
                return

    def results(self, count: int, door: Door | None = None) -> None:
        """So many results at tables by lot."""
        before = Listed.of(self.folder)
        for row in self.rng.sample(before.open, count):
            done = (door or self.door).result(
                row["table"], self.rng.choice(self.scores), before.last
            )
            assert not done.refused, done.text

    def disturb(self) -> None:
        """Somebody goes, comes, comes back; a result is corrected; two may not meet."""
        frame = pd.read_csv(
            self.folder / "players.csv", dtype=str, keep_default_na=False
        )
        here = frame["player"][frame["active"] == "true"].tolist()
        gone = frame["player"][frame["active"] != "true"].tolist()
        before, lot = Listed.of(self.folder), self.rng.random()
        if lot < 0.5 and len(here) > 3:
            waiting = [
                name for row in before.open for name in seats(row) if name in here
            ]
            self.door.person("drop", self.rng.choice(waiting or here))
        elif lot < 0.65:
            self.door.person("enter", f"late{len(frame)}")
        elif lot < 0.75 and gone:
            self.door.person("back", self.rng.choice(gone))
        elif lot < 0.8:
            self.door.forbid(*self.rng.sample(frame["player"].tolist(), 2))
        else:
            there = [row for row in before.rows if row["player2"] and row["score1"]]
            if there:
                row = self.rng.choice(there)
                score = self.rng.choice(self.scores)
                self.door.result(row["table"], score, int(row["round"]))

    def repair(self) -> None:
        """Pair the open round again, and compare the files."""
        before = Listed.of(self.folder)
        if not before.open:
            return
        tables = [int(row["table"]) for row in before.open]
        keep = [self.rng.choice(tables)] if self.rng.random() < 0.2 else []
        again, count = self.rng.random() < 0.25, self.tally.counts
        choice = Choice.of(self.folder, before, keep)
        frame = pd.read_csv(
            self.folder / "players.csv", dtype=str, keep_default_na=False
        )
        present = {*frame["player"][frame["active"] == "true"]}
        done = self.door.repair(keep, again)
        after = Listed.of(self.folder)
        count["repairs"] += 1
        count[f"by {type(self.door).__name__.lower()}"] += 1
        self.tally.models[self.model] += 1
        where = f"seed {self.seed}, {self.model}, round {before.last}: {done.text}"
        small = len(choice.free) <= SMALL
        if done.refused:
            assert after == before, where
            self.refused(done.text, choice, present, small, where)
            return
        kept = before.chosen(
            lambda row: (
                int(row["round"]) == before.last
                and row["player2"]
                and row["table"] in map(str, keep)
            )
        )
        count["results"] += len(before.scored)
        count["results of the round"] += sum(
            bool(row["player2"] and row["score1"]) for row in before.here
        )
        assert before.scored == [
            line for line in after.lines if line in {*before.scored}
        ], where
        assert Counter(before.scored) == Counter(after.scored), where
        assert not Counter([*before.earlier, *kept]) - Counter(after.lines), where
        new = Counter(after.earlier) - Counter(before.earlier)
        assert all(line.split(",")[-1] == "requested" for line in new), where
        named = [name for row in after.here for name in seats(row)]
        assert sorted(named) == sorted(
            [*choice.free, *(p for pair in choice.held for p in pair)]
        )
        numbers = [row["table"] for row in after.here if row["player2"]]
        assert len({*numbers}) == len(numbers), where
        self.counted(before, after, choice, done, again, where)
        if small and not again:
            least = choice.least()
            changed = len(choice.published - {seats(row) for row in after.here})
            assert changed == least, (
                f"{where}\n{changed} tables change, {least} would do"
            )
            count["brute force"] += 1
        if self.rng.random() < 0.1:
            (proof,) = verbs.check_proofs(self.folder, round=before.last)
            assert proof.digest is None or (proof.holds and proof.step is None), (
                where,
                proof,
            )
            event = read_event(self.folder, unfinished=True)
            found = [*check_all(event, paired_with=read_options_by_round(self.folder))][
                -1
            ]
            if proof.digest is not None and self.model not in BY_HAND:
                assert found.agrees, (where, found.notes)
                count["proofs"] += 1

    def refused(
        self, text: str, choice: Choice, present: set[str], small: bool, where: str
    ) -> None:
        """A round that cannot be: there is no pairing, and the fewest tables are named."""
        count = self.tally.counts
        if not choice.free or "nobody is left" in text or "what is open" in text:
            assert not choice.free, where
            count["nobody left"] += 1
            return
        if not small:
            count["none, of many"] += 1
            return
        assert choice.least() is None, where
        opened = choice.to_open(present)
        found = re.search(
            r"[Aa]t least (?:this kept table|these (\d+) kept tables) must also be re-paired",
            text,
        )
        assert (opened is None) == (found is None), f"{where}\n{opened} would do"
        if found is not None:
            assert int(found[1] or 1) == opened, f"{where}\n{opened} would do"
            count["tables named that leave no pairing"] += 1
        count["no pairing"] += 1

    def counted(
        self,
        before: Listed,
        after: Listed,
        choice: Choice,
        done: Answer,
        again: bool,
        where: str,
    ) -> None:
        """What was said is what the files say."""
        now = {seats(row): row for row in after.here}
        tables = {seats(row): row for row in before.here if row["player2"]}
        stay = sum(pair in now for pair in tables)
        turned = sum(
            first_of(row) != first_of(now[pair])
            for pair, row in tables.items()
            if pair in now
        )
        changed = len(tables) - stay
        head = re.search(
            r"(\d+|no) (?:tables? changes?|match gets other players)[,.:] (\d+) ",
            done.text,
            re.I,
        )
        assert head is not None, where
        assert (head[1].lower(), head[2]) == (str(changed or "no"), str(stay)), where
        assert done.text.count(", with the sides exchanged") == turned, where
        self.tally.counts["tables stay"] += stay
        self.tally.counts["tables change"] += changed
        self.tally.counts["tables turned"] += turned
        self.tally.counts["again"] += again
