"""Two desks on old pages: what is independent passes in any order, and nothing is written over."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any
from urllib.parse import quote

from founding import shown
from hands import Browser, Form, asked, form_for, forms_of
from laws import Breach
from outside import Seen, number
from trial import Trial, csv_text

SCORES = ("3-0", "1-1", "0-3")
UNDO = "/log/undo_last"
UNDONE = 0.2
"""How often a desk that has a message presses its Undo button."""
REFUSED = 409
KEYS = {"3-0": "1", "1-1": "2", "0-3": "3"}


@dataclass(frozen=True)
class Act:
    """One thing that a desk does: what it touches, its form, and how it is seen in the files."""

    rows: frozenset[str]
    view: str
    action: str
    values: tuple[tuple[str, str], ...]
    holds: Callable[[Seen], bool]

    def __str__(self) -> str:
        return f"{self.action} {dict(self.values)}"


def cell(seen: Seen, player: str, column: str) -> str:
    return next(
        (r.get(column, "") for r in seen.players if r["player"] == player), "(gone)"
    )


def score_of(seen: Seen, table: int) -> str:
    row = next(r for r in seen.tables if r.table == table)
    return "-".join("" if s is None else f"{float(s):g}" for s in row.scores)


def bye_of(seen: Seen, player: str, at: int) -> Fraction | None:
    """The points of a bye to come, wherever the folder keeps it."""
    for row in seen.rows:
        if row.round == at and row.first == player and row.status == "requested":
            return row.scores[0]
    for bye in seen.settings.get("byes", ()):
        if bye["player"] == player and bye["round"] == at:
            return number(str(bye.get("points", "")))
    return None


def acts(dice: Random, seen: Seen, fresh: Iterator[int]) -> Act:
    """Something that a desk may do now."""
    names = [n for n in seen.names if n.startswith("p")]
    one, two = dice.sample(names, 2)
    kind = dice.choice(
        (
            "slip",
            "score",
            "score",
            "out",
            "bye",
            "rating",
            "club",
            "enter",
            "table",
            "apart",
            "setting",
            "setting",
            "take",
        )
    )
    if kind in ("slip", "score") and seen.tables:
        table, score = int(dice.choice(seen.tables).table or 1), dice.choice(SCORES)
        rows = frozenset({f"table {table}"})
        holds: Callable[[Seen], bool] = lambda s: score_of(s, table) == score  # noqa: E731
        if kind == "slip":
            values = (("slip", f"{table} {KEYS[score]}"),)
            return Act(rows, "results", "/results/slip", values, holds)
        return Act(
            rows,
            "results",
            f"/results/score?round={seen.last}&at={table}",
            (("score", score),),
            holds,
        )
    if kind == "out":
        return Act(
            frozenset({f"player {one}"}),
            "players",
            "/players/out",
            (("player", one),),
            lambda s: cell(s, one, "active").lower() == "false",
        )
    if kind == "bye":
        at, points = seen.last + dice.randint(1, 2), dice.choice(("0", "0.5", "1"))
        return Act(
            frozenset({f"player {one}", f"bye {one} {at}"}),
            "players",
            "/players/bye",
            (("player", one), ("round", str(at)), ("points", points)),
            lambda s: bye_of(s, one, at) == number(points),
        )
    if kind in ("rating", "club"):
        value = (
            str(dice.randint(1000, 2000)) if kind == "rating" else f"club {next(fresh)}"
        )
        return Act(
            frozenset({f"cell {one} {kind}"}),
            f"players/edit?player={quote(one)}",
            f"/players/edit/change?player={one}",
            ((f"cell.{kind}", value),),
            lambda s: cell(s, one, kind) == value,
        )
    if kind in ("enter", "take"):
        name = f"new {'abcdefghijklmnopqrstuvwxyz'[next(fresh) % 26]}{next(fresh)}x"
        name = f"{dice.choice(('Quim', 'Zora', 'Ibo', 'Ulf', 'Xenia'))} {name}"
        field, text = (
            ("name", name) if kind == "enter" else ("players", f"player\n{name}")
        )
        return Act(
            frozenset({f"player {name}"}),
            "players",
            f"/players/{kind}",
            ((field, text),),
            lambda s: name in s.names,
        )
    if kind == "table":
        at = 20 + next(fresh)
        return Act(
            frozenset({f"cell {one} table"}),
            "players",
            "/players/table",
            (("player", one), ("table", str(at))),
            lambda s: cell(s, one, "table") == str(at),
        )
    if kind == "apart":
        pair = {one, two}
        return Act(
            frozenset({f"apart {sorted(pair)}"}),
            "players",
            "/players/apart",
            (("player", one), ("other", two)),
            lambda s: any(
                set(f["players"] if isinstance(f, dict) else f) == pair
                for f in s.settings.get("forbid", ())
            ),
        )
    key = dice.choice(
        ("title", "rounds", "points.requested_bye", "points.absent", "lookahead")
    )
    value = {
        "title": f"Title {next(fresh)}",
        "rounds": str(dice.randint(5, 12)),
        "points.requested_bye": dice.choice(("1", "0.5")),
        "points.absent": "0.5",
        "lookahead": "1",
    }[key]

    def set_so(s: Seen) -> bool:
        found: Any = s.settings
        for part in key.split("."):
            found = found.get(part, {}) if isinstance(found, dict) else {}
        return str(found) == value or (
            key.startswith("points") and number(str(found or 0)) == number(value)
        )

    return Act(
        frozenset({f"setting {key}"}),
        "settings",
        "/settings/change",
        ((key, value),),
        set_so,
    )


def found_form(text: str, act: Act) -> Form | None:
    """The form of the page that does so; a field of it, or a button with its value."""
    names = {name for name, _ in act.values}
    for form in forms_of(text):
        if form.action.split("?")[0] != act.action.split("?")[0]:
            continue
        if "at=" in act.action and form.action != act.action:
            continue
        typed = {c.name for c in form.controls if c.tag != "button"}
        pressed = {(c.name, c.value) for c in form.controls if c.tag == "button"}
        if names <= typed or set(act.values) <= pressed:
            return form
    return form_for(text, act.action, act.values) if "at=" in act.action else None


class Desk:
    """A browser with a name, whose pages are as old as it likes."""

    def __init__(self, trial: Trial, name: str) -> None:
        self.trial, self.name = trial, name
        self.browser = Browser(trial.path("event"))
        naming = form_for(self.browser.get("/log")[1], "/desk", (("name", name),))
        assert naming is not None
        self.browser.send(naming, (("name", name),), None)
        self.message = ""
        """The page with the last message on a change of this desk."""
        self.before = Seen({})
        """The event before that change."""
        self.steps = 0
        """How long the log was when the message came."""
        self.pages: dict[str, str] = {}
        self.step: dict[str, int] = {}
        """How long the log was when the page was read."""
        self.asked = False

    def page(self, view: str) -> str:
        if view not in self.pages or self.trial.dice.random() < 0.15:
            self.pages[view] = self.browser.get(f"/{view}")[1]
            self.step[view] = len(self.trial.seen().log)
        return self.pages[view]

    def do(self, act: Act) -> tuple[int, str]:
        form = found_form(self.page(act.view), act)
        if form is None:
            self.pages.pop(act.view)
            form = found_form(self.page(act.view), act)
        if form is None:
            return 0, ""
        self.trial.counts["steps"] += 1
        self.trial.counts[act.action.split("?")[0]] += 1
        self.trial.trail.append(f"{self.name}: POST {act}")
        status, text = self.browser.send(form, act.values, None)
        self.asked = False
        if question := asked(text, act.action):
            buttons = [
                (c.name, c.value)
                for c in question.controls
                if c.tag == "button" and c.name
            ]
            self.trial.counts["asked"] += 1
            self.asked = True
            status, text = self.browser.send(question, buttons[:1], None)
        return status, text

    def keep_message(self, text: str, before: Seen, after: Seen) -> None:
        """Keep a page with the Undo button of what this desk has just done."""
        if len(after.log) == len(before.log) + 1 and undo_form(text):
            self.message, self.before, self.steps = text, before, len(after.log)

    def undo_last(self) -> tuple[int, str]:
        """Press the Undo button of the message, which goes with it."""
        form = undo_form(self.message)
        assert form is not None
        self.message = ""
        self.trial.counts["steps"] += 1
        self.trial.counts[UNDO] += 1
        self.trial.trail.append(f"{self.name}: POST {UNDO} of step {self.steps}")
        return self.browser.send(form, (), None)


def undo_form(text: str) -> Form | None:
    """Return the form of the Undo button in a page's message."""
    forms = (each for each in forms_of(text) if each.action.split("?")[0] == UNDO)
    return next(forms, None)


def names_change(text: str, line: Mapping[str, str]) -> bool:
    """Return whether an answer says when, by whom and what a line of the log was done."""
    who = f"{line['time'][11:19]} {line['who']}: "
    _, found, change = text.partition(who)
    cells = [line["name1"], line["name2"]]
    if line["verb"] in ("result", "set", "edit"):
        cells.append(line["value"])
    return bool(found) and all(each in change for each in cells)


def step_of_files(seen: Seen) -> int:
    """Return the number of the step whose files the folder has, which an undo brings back."""
    files_of: dict[int, int] = {}
    step = 0
    for line in seen.log:
        step = int(line["step"])
        files_of[step] = (
            files_of[int(line["value"])] if line["verb"] == "undo" else step
        )
    return files_of[step]


def undone(desk: Desk, before: Seen) -> Iterator[Breach]:
    """Press Undo in a desk's message: it takes back that step alone, or nothing."""
    is_last = desk.steps == step_of_files(before)
    status, text = desk.undo_last()
    after = desk.trial.seen()
    desk.trial.counts["undone" if is_last else "refused to undo"] += 1
    if is_last:
        if after.told != desk.before.told:
            yield Breach("two desks", f"not undone: {status} {said(text)}")
        if [line["verb"] for line in after.log[len(before.log) :]] != ["undo"]:
            yield Breach("two desks", "an undo that is not one line of the log")
        return
    if status != REFUSED or after.told != before.told or after.log != before.log:
        yield Breach("two desks", f"undone after another change: {status} {said(text)}")
    elif not names_change(said(text), before.log[-1]):
        yield Breach("who did it", f"Undo does not say who: {said(text)!r}")


def said(text: str) -> str:
    """What a page answers in its alerts."""
    found = re.findall(
        r'(?s)<(\w+)[^>]*(?:role="alert"|class="[^"]*(?:error|refused|asks))[^>]*>(.*?)</\1>',
        text,
    )
    return " | ".join(words for _, part in found if (words := shown(part)))[:4000]


def play(trial: Trial) -> Iterator[Breach]:
    dice = trial.dice
    size = dice.choice((6, 7, 8, 10))
    rows: list[list[object]] = [["player", "rating", "club"]]
    rows += [[f"p{k}", 2000 - 10 * k, f"c{k % 3}"] for k in range(size)]
    trial.file("p.csv", csv_text(rows))
    folder = trial.path("event")
    trial.run(
        "new",
        folder,
        "--players",
        trial.path("p.csv"),
        "--points",
        "3-1-0",
        "--rounds",
        "4",
        "--seed",
        "1",
        "--sides",
        "none",
    )
    trial.run("pair", folder)
    desks = Desk(trial, "Ida"), Desk(trial, "Table by the door")
    for desk in desks:
        for view in ("results", "players", "settings"):
            desk.page(view)
    fresh = iter(range(1, 10_000))
    done: list[tuple[Act, Desk, int]] = []
    for _ in range(dice.randint(6, 16)):
        before = trial.seen()
        messages = [desk for desk in desks if desk.message]
        if messages and dice.random() < UNDONE:
            desk = dice.choice(messages)
            yield from undone(desk, before)
            step = step_of_files(trial.seen())
            done = [each for each in done if each[2] <= step]
            continue
        act, desk = acts(dice, before, fresh), dice.choice(desks)
        near = [(a, d, k) for a, d, k in done if a.rows & act.rows]
        rival = near[-1][1] if near else None
        when = max(
            (k for a, d, k in near if a.rows == act.rows and d is not desk), default=0
        )
        status, text = desk.do(act)
        if status == 0:
            trial.counts["no form"] += 1
            continue
        after = trial.seen()
        desk.keep_message(text, before, after)
        if status >= 500:
            yield Breach("two desks", f"{status}: {said(text)}")
        # What was so already is an earlier step's, and stays when the last one is undone.
        is_logged = len(after.log) > len(before.log)
        step = len(after.log) if is_logged else max((k for *_, k in near), default=0)
        if rival is None:
            trial.counts["independent"] += 1
            if not act.holds(after):
                yield Breach(
                    "two desks", f"independent, not done: {status} {said(text)}"
                )
            done.append((act, desk, step))
        elif not act.holds(after):
            trial.counts["refused a rival"] += 1
            if after.told != before.told:
                yield Breach("two desks", f"refused ({said(text)}) and changed")
            latest = max((k for _, d, k in near if d is not desk), default=0)
            stale = desk.step.get(act.view, 0) < latest
            if stale and not names_change(said(text), before.log[latest - 1]):
                yield Breach(
                    "who did it", f"does not say who was there before: {said(text)!r}"
                )
        else:
            trial.counts["passed a rival"] += 1
            unseen = desk.step.get(act.view, 0) < when and not desk.asked
            if unseen and after.told != before.told:
                trial.counts["over a rival"] += 1
                yield Breach("two desks", f"written over what it had not seen: {act}")
            over = (
                act.action == "/players/out"
            )  # and their byes to come are off, which is said
            done = [
                one
                for one in done
                if one[0].rows != act.rows and not (over and one[0].rows & act.rows)
            ]
            done.append((act, desk, step))
        for earlier, _, _ in list(done):
            if not earlier.holds(after):
                yield Breach("two desks", f"lost by this: {earlier}")
                done = [one for one in done if one[0] is not earlier]
        if len(after.log) - len(before.log) > 1:
            yield Breach("two desks", "more than one line in the log")
    checked = trial.run("check", "--all", folder)
    rounds = re.findall(r"(?m)^Round \d+: .*", checked.out)
    agree = rounds and all("agrees with" in each for each in rounds)
    if checked.code not in (0, 1) or bool(agree) != (checked.code == 0):
        yield Breach("two desks", f"check --all: {checked.text[-300:]}")
