"""Whole events by commands and by the page, at random, with the laws asked after every step.

`python tests/attack/machine.py --steps 20000 --seed 1` prints counts and what was broken, each with
the fewest steps that break it. With `--law NAME` one promise of `outer` is played.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import quote

import fewest
import laws
import outer
import spoiling
from hands import (
    PULLED,
    Browser,
    Form,
    Said,
    apart,
    asked,
    chosen,
    command,
    form_for,
    forms_of,
    full_disk,
    pulled,
    shot,
)
from laws import Breach
from outside import Seen, journal, look, table_of

COUNTED = 8
"""With so many players the fewest tables that can change are counted by brute force."""
VIEWS = (
    "players",
    "round",
    "results",
    "standings",
    "log",
    "settings",
    "round/draft",
    "round/again",
    "models",
    "hall",
    "files",
)
WEIGHED = (4, 6, 8, 1, 1, 2, 4, 4, 1, 1, 1)


ASKED = "would now get the bye, which is worth"
"""What a round asks before somebody has a bye who was away."""
AGAINST = "--against-fide"
"""What FIDE mode asks for before a round is not as the rules pair it."""
GONE = re.compile(r"\bwas removed\b")
"""How a command names a result that a hand has deleted."""
BEGUN = re.compile(r"begun|finish")
"""How a step is named that a full disk has stopped, and the next command finishes."""
INTACT = "The folder is intact. There is nothing to recover."
"""What `mend` says of a folder without damage."""
ADVISED = re.compile(r'id = "\w+"')
"""The line of event.toml that `mend` advises."""
SAID = {"numbers", "preview", "taken by hand", "extra columns"}
"""Laws of what is said; the event goes on after a breach."""


class Op(NamedTuple):
    """One thing that somebody does; all that it needs is in it, so that it can be done again."""

    kind: str
    args: tuple[Any, ...]

    def __str__(self) -> str:
        if self.kind == "run":
            return "pairopt " + " ".join(
                [self.args[0], "FOLDER", *map(repr, self.args[1:])]
            )
        return f"{self.kind} {self.args}"


@dataclass
class Event:
    """An event folder, and what is remembered of it."""

    home: Path
    seen: Seen = field(default_factory=lambda: Seen({}))
    hand: bool = False
    """Somebody has edited a file, and no verb has been done since."""
    at: dict[int, int] = field(default_factory=lambda: {0: 0})
    """Of each line of the log the step whose files hold after it (an undo leads back to one)."""
    before: dict[int, int] = field(default_factory=dict)
    """Of each step the one that it came after."""
    states: dict[int, dict[str, bytes]] = field(default_factory=dict)
    ever: list[dict[str, bytes]] = field(default_factory=list)
    """All that the folder has been."""
    target: int | None = None
    """The step that an undo is to lead back to."""
    free: set[str] = field(default_factory=set)
    """Who an option of the last pairing had out of the round, or is at a table that was kept."""
    waived: bool = False
    """The last round was paired with a rule left out, which holds for its repair too."""
    gone: bool = False
    """A row with a result was taken away by hand, and nobody has said so yet."""
    counts: Counter[str] = field(default_factory=Counter)
    browser: Browser | None = None

    @property
    def folder(self) -> Path:
        return self.home / "event"

    def page(self) -> Browser:
        self.browser = self.browser or Browser(self.folder)
        return self.browser

    def do(self, op: Op) -> list[Breach]:
        """Do it, and say which laws it broke."""
        before = self.seen
        self.counts[f"{op.kind} {op.args[0]}" if op.kind == "run" else op.kind] += 1
        return list(getattr(self, op.kind)(before, *op.args))

    # what commands do

    def run(self, before: Seen, *args: str) -> Iterator[Breach]:
        said = command(args[0], str(self.folder), *args[1:])
        yield from self.judged(before, args, said)

    def judged(self, before: Seen, args: Sequence[str], said: Said) -> Iterator[Breach]:
        """The laws of a command, asked of the folder as it is now."""
        self.seen = after = look(self.folder)
        verb = args[0]
        self.counts["steps"] += 1
        if said.code not in (0, 1, 2, 3, 4):
            yield Breach("exit code", f"{said.code} of {args}: {said.err[-600:]}")
        if "Traceback" in said.text:
            yield Breach("traceback", f"{args}: {said.err[-600:]}")
        if not said.done and said.code != 4:
            self.counts["refused"] += 1
            yield from laws.nothing_done(before, after, self.hand)
            yield from laws.log_goes_on(before, after, self.hand)
            yield from self.remembered(before, after, "")
            if verb == "repair" and said.code == 1:
                yield from self.least(before, None, args[1:], set())
            return
        if "--preview" in args or verb == "standings":
            yield from laws.nothing_done(before, after, self.hand)
            yield from self.remembered(before, after, "")
            if "--preview" in args:
                yield from self.previewed(args, said)
            return
        yield from laws.log_goes_on(before, after, self.hand)
        yield from self.law(verb, args, before, after, said)
        if self.gone and len(after.log) > len(
            before.log
        ):  # what does nothing takes no edit in
            self.gone = False
            came_back = verb == "mend" and after.facts - before.facts
            if not came_back and not GONE.search(said.text):
                yield Breach(
                    "taken by hand",
                    f"a result was deleted by hand: {verb} says nothing",
                )
        yield from self.remembered(before, after, verb)

    def law(
        self, verb: str, args: Sequence[str], before: Seen, after: Seen, said: Said
    ) -> Iterator[Breach]:
        given = args[1:]
        if verb == "result":
            yield from laws.result(given, before, after)
        elif verb == "pair":
            self.wished(args)
            yield from laws.paired(before, after, self.free)
        elif verb == "repair":
            self.wished(args)
            kept = {given[k + 1] for k, word in enumerate(given) if word == "--keep"}
            held = {
                p for row in before.tables if str(row.table) in kept for p in row.pair
            }
            self.counts["repairs"] += 1
            yield from laws.repaired(before, after, said, self.free | held)
            yield from self.as_json(before, after, said)
            yield from self.least(before, after, given, kept)
        elif verb == "rename":
            yield from laws.renamed(given[0], given[1], before, after)
            yield from self.bracket_kept(before, after)
        elif verb == "undo":
            yield from self.undone(given, before, after)
        elif verb == "bye":
            yield from laws.same_facts(before, after)
        elif verb == "mend" and self.hand:
            yield from laws.mended(
                before, after, [Seen(files).facts for files in self.ever]
            )
        else:
            yield from laws.same_rows(before, after)

    def wished(self, args: Sequence[str]) -> None:
        """What the options of a pairing say that holds for its repairs, too."""
        if args[0] == "pair":
            self.free = out_of(args)
            self.waived = bool({"--relax", "--allow", "--last-round"} & set(args))
        elif args[0] == "repair":
            self.free |= out_of(args)

    def bracket_kept(self, before: Seen, after: Seen) -> Iterator[Breach]:
        if len(before.cut) != len(after.cut):
            yield Breach("bracket", "a rename lost results of the cut")

    def least(
        self, before: Seen, after: Seen | None, given: Sequence[str], kept: set[str]
    ) -> Iterator[Breach]:
        """As few tables change as can be, by every pairing tried."""
        if {word for word in given if word.startswith("--")} - {
            "--keep",
            "--seed",
            "--format",
        } or self.waived:
            return
        if after is None and "--keep" in given:
            return
        best = fewest.fewest(before, kept)
        if best is None:
            return
        self.counts["counted by brute force"] += 1
        if after is None:
            if best.tables is not None:
                yield Breach(
                    "fewest", f"refused, and {best.tables} tables would do ({best.why})"
                )
            return
        gone, _, _ = laws.changed(before, after)
        if best.tables is None:
            yield Breach("fewest", f"repaired where no pairing is legal ({best.why})")
        elif gone != best.tables:
            yield Breach(
                "fewest", f"{gone} tables change, {best.tables} would do ({best.why})"
            )

    def as_json(self, before: Seen, after: Seen, said: Said) -> Iterator[Breach]:
        """The numbers for programs are those of the files, too."""
        if not said.out.startswith("{"):
            return
        counts = json.loads(said.out)["changes"]
        gone, stay, turned = laws.changed(before, after)
        numbers = counts["changed"], counts["kept"] + counts["fixed"]
        if numbers not in {(gone, stay + turned), (gone + turned, stay)}:
            yield Breach(
                "numbers", f"JSON {counts}; files: {gone}, {stay}, {turned} turned"
            )

    def previewed(self, args: Sequence[str], said: Said) -> Iterator[Breach]:
        """What a preview says is what the repair does, tried on a copy."""
        with self.copy() as copy:
            verb = [word for word in args if word != "--preview"]
            done = command(verb[0], str(copy), *verb[1:])
            for question, answer in ((ASKED, "--sure"), (AGAINST, AGAINST)):
                if question in said.text and done.code == 2 and question in done.text:
                    verb.append(answer)
                    done = command(verb[0], str(copy), *verb[1:])
            after = look(copy)
        if done.code != said.code:
            yield Breach(
                "preview", f"exit code {said.code}, and {done.code} when it is done"
            )
        elif done.done:
            gone, stay, turned = laws.changed(self.seen, after)
            numbers = laws.stated(said)
            if not laws.agree(numbers, (gone, stay, turned), said):
                yield Breach(
                    "preview",
                    f"said {numbers}, files: {gone} change, {stay} stay, {turned} turned",
                )

    def copy(self) -> _Copy:
        return _Copy(self.home)

    # memory: the way back

    def remembered(self, before: Seen, after: Seen, verb: str) -> Iterator[Breach]:
        """Each step's files, and which came after which."""
        new = after.log[len(before.log) :]
        previous = last_step(before)
        for k, row in enumerate(new):
            is_last = k == len(new) - 1
            number = int(row["step"])
            if row["verb"] == "undo":
                known = self.target if is_last else None
                self.at[number] = self.led_back(after) if known is None else known
            else:
                self.at[number] = number
                self.before[number] = self.at.get(previous, 0)
                self.states[number] = after.told if is_last else before.told
            previous = number
        self.target = None
        self.ever.append(after.told)
        if new:
            self.hand = False
        yield from ()

    def led_back(self, after: Seen) -> int:
        """Return the step that an undo led back to, 0 where none is known that left these files.

        It is the nearest one in the past. Steps from before a damage are not known.
        """
        for step in sorted(self.states, reverse=True):
            if self.states[step] == after.told:
                return step
        return 0

    def undone(
        self, given: Sequence[str], before: Seen, after: Seen
    ) -> Iterator[Breach]:
        """Exactly the files of an earlier step; the one that was asked for, where all are known."""
        if len(after.log) == len(before.log):
            if after.told != before.told:
                yield Breach("undo", "changed files without a line in the log")
            return
        if self.hand:
            return  # the hand's edit is taken in first, as a step of its own
        if "--to" in given:
            target = self.at.get(int(given[given.index("--to") + 1]))
        else:
            target = self.at.get(last_step(before))
            for _ in range(
                int(given[given.index("--steps") + 1]) if "--steps" in given else 1
            ):
                target = self.before.get(target) if target is not None else None
        self.target = target
        if target in self.states and self.states[target] != after.told:
            names = [
                n for n in after.told if after.told[n] != self.states[target].get(n)
            ]
            yield Breach("undo", f"{given}: not the files after step {target}: {names}")
        elif target not in self.states and after.told not in self.ever:
            yield Breach("undo", f"{given}: files that were never there")

    # what the page does

    def post(
        self,
        before: Seen,
        view: str,
        action: str,
        values: tuple[tuple[str, str], ...],
        upload: tuple[str, bytes] | None,
        sure: bool,
        meanwhile: tuple[str, ...] = (),
    ) -> Iterator[Breach]:
        page = self.page()
        _, text = page.get(f"/{view}")
        form = form_for(text, action, values)
        if form is None:
            return
        if meanwhile:
            yield from self.run(before, *meanwhile)
            self.counts["posts of an old page"] += 1
        middle, shown = self.seen, text
        code, text = page.send(form, values, upload)
        yield from self.answered(middle, action, (*form.filled(), *values), code)
        yield from self.as_shown(middle, action, shown)
        if meanwhile:
            yield from self.stale(before, middle, self.seen, action)
        if form.method == "get" and (again := publishing(text)):
            middle, shown = self.seen, text
            code, text = page.send(again, (), None)
            yield from self.answered(middle, again.action, again.filled(), code)
            yield from self.as_shown(middle, again.action, shown)
            action, form = again.action, again
        if sure and (question := asked(text, action)):
            self.counts["asked: sure"] += 1
            middle = self.seen
            buttons = [
                (c.name, c.value)
                for c in question.controls
                if c.tag == "button" and c.name
            ]
            code, text = page.send(question, buttons[:1], None)
            yield from self.answered(
                middle, question.action, (*question.filled(), *values), code
            )

    def answered(
        self, before: Seen, action: str, values: Sequence[tuple[str, str]], code: int
    ) -> Iterator[Breach]:
        """The laws of a post, by the line that it wrote into the log."""
        self.counts[f"post {action.split('?')[0]}"] += 1
        self.counts["steps"] += 1
        self.seen = after = look(self.folder)
        if code >= 500:
            yield Breach("page", f"{code} at {action} {values}")
        if code >= 400:
            yield from laws.nothing_done(before, after, self.hand)
        yield from laws.log_goes_on(before, after, self.hand)
        path = action.split("?")[0].strip("/")
        gained = len(after.log) > len(before.log)
        if not gained:
            if before.told != after.told:
                yield Breach(
                    "page", f"{action} changed files without a line in the log"
                )
        elif not laws.is_done(before, after):
            yield from laws.nothing_done(before, after, self.hand)
        elif path.startswith("results/"):
            yield from self.one_result(before, after)
        elif path.startswith("round/draft/publish"):
            self.wished(("pair",))
            self.waived = "allow" in action or any(
                "allow" in name for name, _ in values
            )
            yield from laws.paired(before, after, self.free)
        elif path.startswith("round/again/publish"):
            self.counts["repairs"] += 1
            kept = {value for name, value in values if name == "keep"}
            held = {
                p for row in before.tables if str(row.table) in kept for p in row.pair
            }
            yield from laws.same_rows_before(after.last, before, after)
            yield from laws.everybody_once(after, self.free | held)
        elif path.startswith("log/"):
            step = next(
                (int(value) for name, value in reversed(values) if name == "step"), 0
            )
            yield from self.undone(("--to", str(step)), before, after)
        elif path.startswith("players/bye"):
            yield from laws.same_facts(before, after)
        else:
            yield from laws.same_rows(before, after)
        yield from self.remembered(before, after, "")
        self.gone = self.gone and not gained

    def as_shown(self, before: Seen, action: str, text: str) -> Iterator[Breach]:
        """A round that is published again changes as many tables as the page said before."""
        if "again/publish" not in action or not laws.is_done(before, self.seen):
            return
        said = Said(0, re.sub(r"<[^>]*>", "", text), "")
        numbers, files = laws.stated(said), laws.changed(before, self.seen)
        if not laws.agree(numbers, files, said):
            yield Breach("preview", f"the page said {numbers}, files: {files}")

    def stale(
        self, shown: Seen, before: Seen, after: Seen, action: str
    ) -> Iterator[Breach]:
        """A result is not written for others than those who were shown, nor a round for others."""
        table = re.search(r"score\?.*\bat=(\d+)", action)
        if table and after.facts != before.facts:
            here = int(table[1])
            was = [row.seat for row in shown.tables if row.table == here]
            now = [row.seat for row in after.tables if row.table == here]
            if was != now or shown.last != after.last:
                yield Breach("old page", f"{action}: shown {was}, written for {now}")
        if (
            "publish" in action
            and shown.told != before.told
            and after.told != before.told
        ):
            yield Breach(
                "old page", f"{action} published on another event than was shown"
            )

    def one_result(self, before: Seen, after: Seen) -> Iterator[Breach]:
        """A result is written for one table, or for one match of the cut, and all else stays."""
        seats = Counter((row.round, *row.seat) for row in before.rows if not row.bye)
        now = Counter((row.round, *row.seat) for row in after.rows if not row.bye)
        if seats != now:
            yield Breach(
                "facts", f"a result changed who sits where: {list(seats - now)[:3]}"
            )
        if len(before.facts - after.facts) > 1 or len(after.facts - before.facts) > 1:
            yield Breach("facts", "more than one result changed")
        unnamed = {row.match for row in before.cut - after.cut}
        unnamed -= {*laws.logged_matches(before, after)}
        if unnamed or len(after.cut - before.cut) > 1:
            yield Breach("bracket", "more than one result changed")

    def imported(self, before: Seen) -> Iterator[Breach]:
        """The next event of this folder has its people and no rounds, and takes none from here."""
        other = self.home / "other"
        shutil.rmtree(other, ignore_errors=True)
        said = command("new", str(other), "--players", str(self.folder))
        self.counts["imported"] += said.done
        self.counts["steps"] += 1
        self.seen = after = look(self.folder)
        yield from laws.nothing_done(before, after, self.hand)
        yield from self.remembered(before, after, "")
        if said.done:
            made = look(other)
            if made.rows or made.cut or sorted(made.names) != sorted(before.names):
                yield Breach(
                    "import", f"{before.names} became {made.names}, {made.rows[:1]}"
                )

    # what hands do

    def edit(self, before: Seen, what: str, *given: Any) -> Iterator[Breach]:
        """Somebody edits matches.csv; the next verb takes it in as it is."""
        path = self.folder / "matches.csv"
        if "matches.csv" not in before.files:
            return
        content = edited(before.files["matches.csv"], what, given)
        if content is None or content == before.files["matches.csv"]:
            return
        path.write_bytes(content)
        self.counts[f"by hand: {what}"] += 1
        self.counts["steps"] += 1
        self.seen = look(self.folder)
        self.ever.append(self.seen.told)
        self.hand = True
        self.gone = self.gone or what == "delete"
        yield from ()

    # what fate does

    def kill(self, before: Seen, how: str, at: float, *args: str) -> Iterator[Breach]:
        """A plug is pulled in the middle of a command: it is done, or it is not."""
        if self.hand:
            return
        with self.copy() as copy:
            command(args[0], str(copy), *args[1:])
            done = look(copy)
        given = (args[0], str(self.folder), *args[1:])
        code = pulled(int(at), *given) if how == "pull" else shot(at, *given)
        self.counts["killed"] += code in (PULLED, -9)
        self.counts["steps"] += 1
        told = self.recovered()
        self.seen = after = look(self.folder)
        if told.code in (3, 70):
            yield Breach("kill", f"{args} killed at {at}: {told.err[-300:]}")
        if after.told not in (before.told, done.told):
            names = [
                n
                for n in after.told
                if after.told[n] not in (before.files.get(n), done.files.get(n))
            ]
            yield Breach(
                "kill", f"{args} killed at {at}: half done, {names or 'mixed'}"
            )
        wanted = len(done.log if after.told == done.told else before.log)
        if len(after.log) not in (wanted, len(before.log)) or (
            before.told != done.told and len(after.log) != wanted
        ):
            yield Breach(
                "kill", f"{args} killed at {at}: {len(after.log)} lines, not {wanted}"
            )
        if after.told == done.told:
            self.wished(args)
        yield from self.remembered(before, after, args[0])

    def recovered(self) -> Said:
        """What the next command finishes and says; this one is refused, whatever is there."""
        return command("drop", str(self.folder), "nobody of this name")

    def full(self, before: Seen, at: int, *args: str) -> Iterator[Breach]:
        """The disk is full in the middle of a command."""
        if self.hand:
            return
        said = full_disk(at, args[0], str(self.folder), *args[1:])
        self.counts["steps"] += 1
        middle = look(self.folder)
        told = self.recovered()
        self.seen = after = look(self.folder)
        self.counts["disk full"] += not said.done
        if said.code not in (0, 1, 2, 3, 4):
            yield Breach(
                "exit code", f"{said.code} of {args} on a full disk: {said.err[-400:]}"
            )
        if not said.done and said.code != 4:
            begun = BEGUN.search(said.text + told.text)
            if middle.told != before.told and not begun:
                yield Breach(
                    "full disk",
                    f"{args} at {at}: failed (exit {said.code}) and changed",
                )
            elif after.told != before.told and not begun:
                yield Breach(
                    "full disk",
                    f"{args} at {at}: failed (exit {said.code}), done by the next command, unsaid",
                )
        elif after.told != before.told:
            self.wished(args)
        yield from self.remembered(before, after, args[0])

    def damage(self, before: Seen, what: str, where: float) -> Iterator[Breach]:
        """A file is damaged, and mended: the facts of all that is whole, and no others."""
        if self.hand or not before.log:
            return
        steps = dict(journal(self.folder))
        last = max(steps.items(), default=(0, {}), key=lambda step: step[0])
        lost = (
            laws.unlogged(before)
            | {int(row["step"]) for row in before.log} - steps.keys()
        )
        if not broken(self.folder, what, where):
            return
        self.counts[f"damaged: {what}"] += 1
        first = self.asked_first()
        if first:
            yield first
        said = command("mend", str(self.folder), *agreed("mend"))
        self.counts["steps"] += 1
        self.seen = after = look(self.folder)
        if said.code == 70:
            yield Breach("mend", f"{what}: {said.err[-400:]}")
        if said.done:
            whole = last[1].get("matches.csv") == before.files.get("matches.csv")
            if whole or "matches.csv" not in what:
                yield from (
                    Breach("mend", f"{what}: {b.text}")
                    for b in laws.same_facts(before, after)
                )
            elif after.facts - before.facts:
                yield Breach(
                    "mend",
                    f"{what}: facts of nowhere {list(after.facts - before.facts)[:2]}",
                )
            yield from laws.log_numbered(after, lost)
        # what was damaged may have cost steps of the journal: begin to remember anew
        number = last_step(after)
        self.at, self.before, self.states = {number: number}, {}, {}
        if said.done:
            self.states[number] = after.told
            self.hand = (
                "journal" in what
            )  # files of which the journal has no step are a hand's
        else:
            self.counts["mend gave up"] += 1
            shutil.rmtree(self.folder)
            self.seen = Seen({})

    def asked_first(self) -> Breach | None:
        """Where `mend` asks, nothing is done before somebody has said yes."""
        if not agreed("mend"):
            return None
        was = look(self.folder)
        said = command("mend", str(self.folder))
        if look(self.folder).files != was.files:
            return Breach("mend", f"not asked, and changed: {said.text[-200:]}")
        return None

    def spoil(
        self, before: Seen, faults: tuple[str, ...], seed: int
    ) -> Iterator[Breach]:
        """Files are another's or damaged, the steps are intact: mend loses no result."""
        if self.hand or not before.log:
            return
        steps = [number for number, _ in journal(self.folder)]
        if len(steps) == 1 or steps != [*range(len(before.log), 0, -1)]:
            return  # a step was lost before: the log alone has its line
        dice = Random(seed)
        other = self.another(
            before.names if dice.random() < 0.7 else ["Xa", "Xb", "Xc", "Xd"]
        )
        intact = self.home / "intact"
        shutil.rmtree(intact, ignore_errors=True)
        shutil.copytree(self.folder, intact)
        spoiling.spoil(self.folder, other, faults, dice)
        for name in faults:
            self.counts[f"spoiled: {name}"] += 1

        spoiled = everything(self.folder)
        preview = command("mend", str(self.folder))
        yield from self.same_as(spoiled, "mend", f"{faults}: not asked, and changed")
        said = command("mend", str(self.folder), *agreed("mend"))
        self.counts["steps"] += 1
        yield from self.mended_well(before, faults, intact, preview, said)
        if not said.done:
            yield from self.same_as(spoiled, "mend", f"{faults}: refused, and changed")
            yield from self.advised(before, faults, said)
            shutil.rmtree(self.folder)
            shutil.copytree(intact, self.folder)
        if not any(
            (self.folder / ".pairopt" / "steps").glob("[0-9][0-9][0-9][0-9].zip")
        ):
            shutil.rmtree(
                self.folder
            )  # a folder without its journal is no event to go on with
            shutil.copytree(intact, self.folder)
        self.seen = after = look(self.folder)

        # What was damaged may have cost lines of the log: begin to remember anew.
        number = last_step(after)
        self.at, self.before = {number: number}, {}
        self.states = {number: after.told}
        self.ever.append(after.told)

    def mended_well(
        self,
        before: Seen,
        faults: tuple[str, ...],
        intact: Path,
        preview: Said,
        said: Said,
    ) -> Iterator[Breach]:
        """The law of `spoil`, asked of the folder as it is now."""
        for text in (preview.text, said.text):
            if re.search(r"/pairopt mend \w|Traceback", text):
                yield Breach("mend", f"{faults}: it says {text[-400:]}")
        if said.code not in (0, 3):
            yield Breach("mend", f"{faults}: exit code {said.code}, {said.err[-400:]}")
        vouched = spoiling.is_vouched(faults)
        if not said.done:
            self.counts["mend refused"] += 1
            if vouched:
                yield Breach("mend", f"{faults}: refused, {said.err[-600:]}")
            return
        yield from (
            Breach("mend", f"{faults}: {each.text}")
            for each in laws.same_facts(before, look(self.folder))
        )
        yield from laws.log_numbered(look(self.folder), set())
        if vouched:
            steps = everything(intact / ".pairopt" / "steps")
            now = everything(self.folder / ".pairopt" / "steps")
            if missing := [name for name in steps if now.get(name) != steps[name]]:
                yield Breach("mend", f"{faults}: steps are lost, {missing}")
        once_more = command("mend", str(self.folder))
        if not once_more.err.startswith(INTACT):
            yield Breach("mend", f"{faults}: mended, and again {once_more.text[-300:]}")

    def same_as(self, files: dict[str, bytes], law: str, text: str) -> Iterator[Breach]:
        """Nothing in the folder has changed."""
        if everything(self.folder) != files:
            yield Breach(law, text)

    def advised(
        self, before: Seen, faults: tuple[str, ...], said: Said
    ) -> Iterator[Breach]:
        """Where `mend` names the line with the id, that line helps."""
        found = ADVISED.search(said.err)
        if found is None:
            return
        path = self.folder / "event.toml"
        content = path.read_bytes() if path.is_file() else b""
        if found[0].encode() in content:
            yield Breach(
                "mend", f"{faults}: it advises what is there already, {said.err[-300:]}"
            )
        if not spoiling.ID.search(content):
            content = found[0].encode() + b"\n" + content
        path.write_bytes(spoiling.ID.sub(found[0].encode(), content))
        again = command("mend", str(self.folder), *agreed("mend"))
        self.counts["advice followed"] += 1
        if not again.done:
            yield Breach(
                "mend", f"{faults}: the advice does not help, {again.err[-400:]}"
            )
        elif found[0].encode() in before.files["event.toml"]:
            yield from (
                Breach("mend", f"{faults}, as advised: {each.text}")
                for each in laws.same_facts(before, look(self.folder))
            )

    def another(self, names: Sequence[str]) -> Path:
        """Another event with these players, and the results of one round."""
        other = self.home / "other"
        shutil.rmtree(other, ignore_errors=True)
        players = self.home / "other.csv"
        players.write_text("player\n" + "".join(f'"{n}"\n' for n in names))
        command("new", str(other), "--players", str(players), "--seed", "9")
        command("pair", str(other))
        score = full_score(look(other).settings, 0)
        for row in look(other).tables:
            command("result", str(other), str(row.table), score)
        return other

    def foreign(self, before: Seen, seed: int, damaged: bool) -> Iterator[Breach]:
        """The journal of another event lies in the folder; mend takes nothing from it."""
        if self.hand or not before.log:
            return
        dice = Random(seed)
        other = self.another(before.names)
        shutil.rmtree(self.folder / ".pairopt")
        shutil.copytree(other / ".pairopt", self.folder / ".pairopt")
        if damaged:
            broken(self.folder, "matches.csv cut", dice.random())
        said = command("mend", str(self.folder), *agreed("mend"))
        self.counts["another's journal"] += 1
        self.counts["steps"] += 1
        self.seen = after = look(self.folder)
        if said.done:
            for row in after.facts - before.facts:
                yield Breach("another's journal", f"mend took {laws.told(row)}")
            if not damaged:
                for row in before.facts - after.facts:
                    yield Breach("another's journal", f"mend lost {laws.told(row)}")
        shutil.rmtree(self.folder)
        self.seen = Seen({})


def last_step(seen: Seen) -> int:
    """Return the number of the last step in the log."""
    return int(seen.log[-1]["step"]) if seen.log else 0


class _Copy:
    """The folder a second time, for as long as it is asked."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __enter__(self) -> Path:
        shutil.rmtree(self.home / "copy", ignore_errors=True)
        return Path(shutil.copytree(self.home / "event", self.home / "copy" / "event"))

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.home / "copy", ignore_errors=True)


def everything(folder: Path) -> dict[str, bytes]:
    """All files below a folder, but for the lock."""
    paths = (
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "lock"
    )
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@cache
def agreed(verb: str) -> tuple[str, ...]:
    """The option that says yes to what a verb asks, if it asks."""
    text = command(verb, "--help").out
    return tuple(
        word for word in ("--yes", "--sure") if re.search(rf"\s{word}\b", text)
    )


def out_of(given: Sequence[str]) -> set[str]:
    """Who an option has out of the round."""
    options = ("--drop", "--request-bye")
    return {given[k + 1] for k, word in enumerate(given) if word in options}


def publishing(text: str) -> Form | None:
    """The form that publishes the round that a page shows, if it shows one."""
    return next((f for f in forms_of(text) if "publish" in f.action), None)


def edited(content: bytes, what: str, given: Sequence[Any]) -> bytes | None:
    """A matches.csv as a hand leaves it."""
    rows = table_of(content)
    if not rows:
        return None
    names = list(rows[0])
    cut = ","
    if what in ("score", "delete", "turn", "swap"):
        scored = [
            r for r in rows if r.get("player2") and r.get("score1") and r.get("score2")
        ]
        if not scored:
            return None
        row = scored[given[0] % len(scored)]
        if what == "delete":
            rows.remove(row)
        elif what == "score":
            row["score1"], row["score2"] = row["score2"], row["score1"]
        else:
            row["player1"], row["player2"] = row["player2"], row["player1"]
            row["score1"], row["score2"] = row["score2"], row["score1"]
            others = [r["side1"] for r in rows if r.get("side1")]
            if row.get("side1"):
                row["side1"] = next(
                    (o for o in others if o != row["side1"]), row["side1"]
                )
    elif what == "semicolons":
        cut = ";"
    elif what == "column":
        if "note" in names:
            return None
        names.append("note")
        for k, row in enumerate(rows):
            row["note"] = f"seen {k}"
    elif what == "heads":
        out = content.decode("utf-8-sig").split("\n", 1)
        return (out[0].upper() + "\n" + out[1]).encode()
    elif what == "mark":
        return b"\xef\xbb\xbf" + content if not content.startswith(b"\xef") else None
    elif what == "order":
        rows.reverse()
    text = io.StringIO()
    writer = csv.DictWriter(text, names, delimiter=cut, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def broken(folder: Path, what: str, where: float) -> bool:
    """Damage a file of a folder; False where it is not there."""
    name, _, how = what.partition(" ")
    if name == "journal":
        steps = sorted((folder / ".pairopt" / "steps").glob("*.zip"))
        path = steps[int(where * len(steps))] if steps else folder / "none"
    else:
        path = folder / name
    if not path.is_file():
        return False
    content = path.read_bytes()
    middle = int(where * len(content))
    if how == "cut":
        path.write_bytes(content[:middle])
    elif how == "zeros":
        path.write_bytes(
            content[:middle]
            + bytes(min(40, len(content) - middle))
            + content[middle + 40 :]
        )
    elif how == "gone":
        path.unlink()
    return True


# what is done next


@dataclass
class Gambler:
    """Draws what is done next, so that an event goes on."""

    dice: Random
    models: Sequence[str]
    fates: bool = True
    restless: bool = False
    fresh: int = 0

    def founding(self, home: Path) -> Op:
        """A new event: 4 to 16 players, most of them few, under any model."""
        dice = self.dice
        size = dice.choice((4, 5, 6, 6, 7, 7, 8, 8, 9, 10, 12, 13, 16))
        kind = dice.randrange(4)
        rows = []
        for k in range(size):
            name = f"p{k}" if kind < 2 else f"Ann {k}" if kind == 2 else f"Wéber, {k}"
            rows.append((name, 2000 - 10 * k, f"c{k % 3}"))
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("player", "rating", "club"))
        writer.writerows(rows)
        model = dice.choice(self.models)
        args = ["--model", model, "--seed", str(dice.randrange(100))]
        if dice.random() < 0.7:
            args += ["--rounds", str(dice.randint(2, 6))]
        if dice.random() < 0.3:
            args += ["--sides", dice.choice(("none", "white,black", "corp,runner"))]
        if dice.random() < 0.1:
            args += ["--page", "yes"]
        if dice.random() < 0.2:
            args += ["--points", dice.choice(("3-1-0", "1-½-0", "2-1-0", "6-3-0"))]
        return Op("found", (text.getvalue(), *args))

    def next(self, event: Event) -> Op:
        """What is done next in this event."""
        dice, seen = self.dice, event.seen
        roll = dice.random()
        if roll < 0.2:
            return self.browsing(event)
        if roll < 0.24 and seen.facts:
            what = dice.choice(
                (
                    "score",
                    "delete",
                    "turn",
                    "semicolons",
                    "column",
                    "heads",
                    "mark",
                    "order",
                )
            )
            return Op("edit", (what, dice.randrange(1000)))
        if roll < 0.25 and seen.facts and not seen.open:
            return Op("imported", ())
        if self.fates and roll < 0.27:
            return Op("kill", ("pull", dice.randrange(12), *self.verb(seen)))
        if self.fates and roll < 0.275:
            return Op("kill", ("shoot", dice.random() * 0.08, *self.verb(seen)))
        if self.fates and roll < 0.285:
            return Op("full", (dice.randrange(10), *self.verb(seen)))
        if self.fates and roll < 0.29:
            name = dice.choice(
                (
                    "matches.csv cut",
                    "matches.csv zeros",
                    "matches.csv gone",
                    "players.csv cut",
                    "log.csv cut",
                    "log.csv zeros",
                    "log.csv gone",
                    "journal cut",
                    "journal gone",
                    "event.toml cut",
                )
            )
            return Op("damage", (name, dice.random()))
        if self.fates and roll < 0.31:
            return Op("spoil", (spoiling.drawn(dice), dice.randrange(1000)))
        if self.fates and roll < 0.312:
            return Op("foreign", (dice.randrange(1000), dice.random() < 0.5))
        return Op("run", self.verb(seen))

    def verb(self, seen: Seen) -> tuple[str, ...]:
        """A command that is likely to be done."""
        dice = self.dice
        if seen.bracket and dice.random() < 0.6:
            return self.cut_result(seen)
        few = len(seen.open) * 2 <= len(seen.tables) + 1
        if self.restless and seen.open and dice.random() < 0.6:
            return self.repairing(seen)
        if seen.open and dice.random() < (0.3 if few else 0.65):
            row = dice.choice(seen.open)
            return ("result", str(row.table), self.score(seen))
        if not seen.open and dice.random() < 0.6:
            if seen.last >= seen.settings.get("rounds", 6) and dice.random() < 0.7:
                best = str(dice.randint(2, max(2, len(seen.active))))
                return (
                    "bracket",
                    "--cut",
                    best,
                    "--by-lot",
                    "--seed",
                    "1",
                    *(("--double",) if dice.random() < 0.4 else ()),
                )
            self.restless = False
            return ("pair", *self.wishes(seen))
        return self.other(seen)

    def other(self, seen: Seen) -> tuple[str, ...]:
        dice = self.dice
        kinds = {
            "drop": 4,
            "back": 2,
            "enter": 2,
            "repair": 4,
            "correct": 3,
            "undo": 3,
            "bye": 2,
            "forbid": 1,
            "table": 1,
            "check-in": 0.4,
            "rename": 1,
            "edit": 1,
            "set": 2,
            "mend": 0.5,
            "early": 1,
        }
        kind = dice.choices(list(kinds), list(kinds.values()))[0]
        one = dice.choice(seen.names or ["p0"])
        two = dice.choice(seen.names or ["p0"])
        if kind in ("drop", "back", "enter", "bye"):
            self.restless = bool(seen.open)
        if kind in ("drop", "back"):
            return (kind, one)
        if kind == "enter":
            self.fresh += 1
            return (
                "enter",
                f"new {self.fresh}",
                *(("--set", "rating=1500") if dice.random() < 0.4 else ()),
            )
        if kind == "repair":
            return self.repairing(seen)
        if kind == "correct" and seen.facts:
            row = dice.choice(sorted(seen.facts, key=str))
            return (
                "result",
                str(row.table),
                self.score(seen),
                "--round",
                str(row.round),
            )
        if kind == "undo":
            roll = dice.random()
            if roll < 0.5 or not seen.log:
                return ("undo",)
            if roll < 0.75:
                return ("undo", "--steps", str(dice.randint(1, 3)))
            return ("undo", "--to", str(dice.randint(1, len(seen.log))))
        if kind == "bye":
            number = dice.randint(max(1, seen.last - 1), seen.last + 2)
            more = (
                ("--points", dice.choice(("0", "0.5", "1")))
                if dice.random() < 0.4
                else ()
            )
            return ("bye", one, "--round", str(number), *more)
        if kind == "forbid":
            return ("forbid", one, two, *(("--off",) if dice.random() < 0.3 else ()))
        if kind == "table":
            return (
                ("table", one, "--off")
                if dice.random() < 0.3
                else ("table", one, str(dice.randint(1, 9)))
            )
        if kind == "check-in":
            return ("check-in", *(("--off",) if dice.random() < 0.4 else ()))
        if kind == "rename":
            self.fresh += 1
            return ("rename", one, f"other {self.fresh}")
        if kind == "edit":
            cell = dice.choice(("rating=1234", "club=Riga", "start=1", "start=3"))
            return ("edit", one, "--set", cell)
        if kind == "set":
            sure = agreed("set") if dice.random() < 0.5 else ()
            return (
                "set",
                *sure,
                *dice.choice(
                    (
                        ("title", "Another"),
                        ("rounds", "6"),
                        ("rounds", "--off"),
                        ("seed", "7"),
                        ("points", "3-1-0"),
                        ("points", "1-0.5-0"),
                        ("points.requested_bye", "0.5"),
                        ("points.bye", "0.5"),
                        ("points.absent", "0"),
                        ("tie_breaks", "sos,esos"),
                        ("proofs", "true"),
                        ("proofs", "false"),
                        ("sides", "none"),
                        ("sides", "white,black"),
                        ("lookahead", "1"),
                        ("lookahead", "--off"),
                        ("conflicts", "club:2"),
                        ("conflicts", "--off"),
                        ("model", dice.choice(self.models)),
                    )
                ),
            )
        if kind == "mend":
            return ("mend", *(agreed("mend") if dice.random() < 0.5 else ()))
        if kind == "early":
            return dice.choice((("pair",), ("bracket", "--cut", "2", "--by-lot")))
        return ("standings",)

    def repairing(self, seen: Seen) -> tuple[str, ...]:
        dice = self.dice
        args = ["repair"]
        roll = dice.random()
        if roll < 0.15:
            args.append("--again")
        if roll > 0.8 and seen.tables:
            args += ["--keep", str(dice.choice(seen.tables).table)]
        if dice.random() < 0.2:
            args.append("--preview")
        if dice.random() < 0.1:
            args += [dice.choice(("--drop", "--request-bye")), dice.choice(seen.names)]
        if dice.random() < 0.1:
            args += ["--format", "json"]
        if dice.random() < 0.05:
            args += ["--seed", str(dice.randrange(9))]
        return tuple(args)

    def wishes(self, seen: Seen) -> tuple[str, ...]:
        dice = self.dice
        one, two = dice.choice(seen.names or ["p0"]), dice.choice(seen.names or ["p0"])
        wishes = {
            (): 12,
            ("--seed", "5"): 1,
            ("--last-round",): 1,
            ("--drop", one): 1,
            ("--request-bye", one): 1,
            ("--force", f"{one}:{two}"): 1,
            ("--forbid", f"{one}:{two}"): 1,
            ("--bye", one): 1,
            ("--no-bye", one): 1,
            ("--no-keep-proof",): 1,
            ("--relax", "no_rematch"): 1,
            ("--allow", f"{one}:{two}"): 1,
        }
        return dice.choices(list(wishes), list(wishes.values()))[0]

    def score(self, seen: Seen) -> str:
        """A score that the event's points give, now and then a forfeit."""
        return full_score(
            seen.settings, self.dice.choice((0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5))
        )

    def cut_result(self, seen: Seen) -> tuple[str, ...]:
        row = self.dice.choice(seen.bracket)
        return (
            "result",
            row.match or "B1",
            self.dice.choice(("2-0", "2-1", "0-2", "1-2", "1-0")),
        )

    def browsing(self, event: Event) -> Op:
        """A form of the page, found in its HTML, with random values."""
        dice = self.dice
        view = dice.choices(VIEWS, WEIGHED)[0]
        if view == "players" and dice.random() < 0.3 and event.seen.names:
            view = f"players/edit?player={quote(dice.choice(event.seen.names))}"
        _, text = event.page().get(f"/{view}")
        found = [f for f in forms_of(text) if f.action and f.controls]
        found = [
            f
            for f in found
            if f.method == "post" or "draft" in f.action or "again" in f.action
        ]
        event.counts.update(
            {f"seen {f.action.split('?')[0]}": 1 for f in found if len(f.filled()) > 1}
        )
        if not found:
            return Op("run", self.verb(event.seen))
        form = dice.choice(found)
        if "undo" in form.action and dice.random() < 0.5:
            return Op("run", self.verb(event.seen))
        values = chosen(form, dice, event.seen.names)
        upload = None
        for k, (name, _) in enumerate(values):
            if name in ("name",):
                self.fresh += 1
                values[k] = (name, f"new {self.fresh}")
            elif name == "slip" and event.seen.tables:
                row = dice.choice(event.seen.tables)
                values[k] = (name, f"{row.table} {dice.choice('123fgx')}")
            elif name == "players" and dice.random() < 0.5:
                self.fresh += 1
                values[k] = (name, f"new {self.fresh}")
            elif name == "title":
                values[k] = (name, dice.choice(("Friday", "Évening")))
            elif name == "message":
                values[k] = (name, "ten minutes")
        if any(c.kind == "file" for c in form.controls) and dice.random() < 0.5:
            self.fresh += 1
            values = [v for v in values if v[0] != "players"]
            upload = ("list.csv", f"player,rating\nnew {self.fresh},1400\n".encode())
        meanwhile = self.verb(event.seen) if dice.random() < 0.12 else ()
        sure = dice.random() < 0.85
        return Op("post", (view, form.action, tuple(values), upload, sure, meanwhile))


class Evening(Gambler):
    """Rounds of which half of the results are in when somebody comes, goes or is corrected."""

    def founding(self, home: Path) -> Op:
        """Most games have sides."""
        op = super().founding(home)
        if "--sides" in op.args or self.dice.random() < 0.25:
            return op
        return op._replace(args=(*op.args, "--sides", "white,black"))

    def next(self, event: Event) -> Op:
        dice, seen = self.dice, event.seen
        if seen.last == 0 or (not seen.open and not self.restless):
            self.restless = dice.random() < 0.9
            return Op("run", ("pair",))
        played = len(seen.tables) - len(seen.open)
        if self.restless and played * 2 >= len(seen.tables) - dice.randrange(3):
            return self.surprise(event)
        if seen.open:
            return Op(
                "run", ("result", str(dice.choice(seen.open).table), self.score(seen))
            )
        self.restless = False
        return Op("run", ("pair",))

    def surprise(self, event: Event) -> Op:
        """Somebody does not come, or comes late; an earlier result was another; then a repair."""
        dice, seen = self.dice, event.seen
        roll = dice.random()
        if roll < 0.55 and seen.tables:
            self.restless = dice.random() < 0.4
            if dice.random() < 0.3:
                view = "round/again" if dice.random() < 0.7 else "round/again?anew=1"
                return Op("post", (view, "/round/again/publish", (), None, True))
            roll = dice.random()
            kept = ("--keep", str(dice.choice(seen.tables).table)) if roll < 0.1 else ()
            return Op("run", ("repair", *kept, *(("--again",) if roll > 0.9 else ())))
        if roll < 0.75:
            return Op("run", ("drop", dice.choice(seen.names)))
        if roll < 0.82:
            return Op("run", ("back", dice.choice(seen.names)))
        if roll < 0.9:
            self.fresh += 1
            return Op("run", ("enter", f"new {self.fresh}"))
        if seen.facts:
            row = dice.choice(sorted(seen.facts, key=str))
            score = self.score(seen)
            return Op(
                "run", ("result", str(row.table), score, "--round", str(row.round))
            )
        return Op("run", ("drop", dice.choice(seen.names)))


def full_score(settings: dict[str, Any], which: int) -> str:
    """Win, draw, loss, forfeits: as the event's points have them."""
    said = settings.get("points", {})
    two_games = settings.get("model") == "double-sided" and said.get("win") == 3
    if two_games and "best_of" not in settings:  # with it 3-3 are games
        said = {"win": 6, "draw": 3, "loss": 0}
    win, draw, loss = (
        f"{said.get(k, d):g}" for k, d in (("win", 3), ("draw", 1), ("loss", 0))
    )
    played = (f"{win}-{loss}", f"{loss}-{win}", f"{draw}-{draw}")
    return (*played, f"{win}F-{loss}F", f"{loss}F-{win}F", "0F-0F")[which]


# whole runs


def found(event: Event, text: str, *args: str) -> list[Breach]:
    """A new folder from a list of players."""
    shutil.rmtree(event.folder, ignore_errors=True)
    players = event.home / "players.csv"
    players.write_text(text)
    if "--page" in args:
        by_page(event.folder, text, dict(zip(args[::2], args[1::2], strict=True)))
        event.counts["post /new/event"] += 1
    else:
        said = command("new", str(event.folder), "--players", str(players), *args)
        if said.code == 70:
            return [Breach("exit code", said.err[-400:])]
    event.seen = look(event.folder) if event.folder.is_dir() else Seen({})
    event.counts["steps"] += 1
    event.counts["events"] += bool(event.seen.names)
    event.hand = event.gone = False
    event.free = set()
    event.browser = None
    event.at, event.before, event.states = {0: 0, 1: 1}, {1: 0}, {1: event.seen.told}
    event.ever = [event.seen.told]
    return []


def by_page(folder: Path, text: str, said: dict[str, str]) -> None:
    """A new event by its form, and the yes to what it says before."""
    page = Browser(folder)
    form = form_for(page.get("/new")[1], "/new/event", ())
    assert form is not None
    names = ("model", "seed", "rounds", "sides", "points")
    values = [(name, said[f"--{name}"]) for name in names if f"--{name}" in said]
    _, text = page.send(form, [("players", text), ("title", "By page"), *values], None)
    question = form_for(text, form.action, ())
    if question and (
        yes := re.search(r'form="founding" name="sure" value="(\w+)"', text)
    ):
        page.send(question, [("sure", yes[1])], None)


@dataclass
class Found:
    """A breach, with all that was done before it in its event."""

    breach: Breach
    ops: list[Op]


def exact_models() -> list[str]:
    """The shipped models that prove their pairings, as `pairopt models` lists them.

    Those that let players advance or be eliminated are left out: the laws on who is in
    a round know only players who have dropped.
    """
    lines = command("models").out.splitlines()
    listed = [line.split(None, 1) for line in lines if line.startswith("  ")]
    proving = [name for name, title in listed if not re.search("heuristic", title)]
    return [
        name
        for name in proving
        if "is not paired any more" not in command("models", name).out
    ]


def run(
    steps: int,
    seed: int,
    home: Path,
    fates: bool = True,
    models: Sequence[str] = (),
    player: type[Gambler] = Gambler,
    goal: str = "steps",
    heard: Callable[[Found], None] | None = None,
) -> tuple[Counter[str], list[Found]]:
    """So many steps (or whatever is the goal) of random events: counts, and what was broken."""
    apart(home)
    dice = Random(seed)
    event = Event(home)
    breaches: list[Found] = []
    gambler = player(dice, models or exact_models(), fates)
    ops: list[Op] = []
    left = 0
    while event.counts[goal] < steps:
        if left == 0 or not event.seen.names:
            gambler = player(dice, gambler.models, fates)
            ops = [gambler.founding(home)]
            broken = found(event, *ops[0].args)
            left = dice.randint(20, 90)
            event.counts[f"model {ops[0].args[2]}"] += bool(event.seen.names)
        else:
            op = gambler.next(event)
            ops.append(op)
            broken = event.do(op)
            left -= 1
        new = [Found(breach, list(ops)) for breach in broken]
        breaches += new
        for one in new if heard else ():
            heard(one)
        if any(breach.law not in SAID for breach in broken):
            left = 0  # what follows from a breach is none
    return event.counts, breaches


def again(ops: Sequence[Op], law: str, home: Path) -> str:
    """What breaks this law when it is done again; nothing where it holds."""
    apart(home)
    event = Event(home)
    found(event, *ops[0].args)
    for op in ops[1:]:
        with suppress(IndexError):
            for breach in event.do(op):
                if breach.law == law:
                    return breach.text
        if not event.seen.names:
            return ""
    return ""


def smallest(one: Found, home: Path, seconds: float = 20) -> tuple[list[Op], str]:
    """The fewest of these steps that still break the law."""
    ops, end = list(one.ops), time.monotonic() + seconds
    text = again(ops, one.breach.law, home)
    if not text:
        return ops, "(not found again) " + one.breach.text
    size = max(1, len(ops) // 2)
    while size:
        k = 1
        while k < len(ops) and time.monotonic() < end:
            fewer = ops[:k] + ops[k + size :]
            if said := again(fewer, one.breach.law, home):
                ops, text = fewer, said
            else:
                k += size
        size //= 2
    return ops, text


def main() -> None:
    """Run, and print counts and the smallest cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--no-fates", action="store_true", help="no kills, full disks or damage"
    )
    parser.add_argument(
        "--repairs", action="store_true", help="evenings of repairs alone"
    )
    parser.add_argument(
        "--law", choices=outer.PLAYED, help="one of an evening's promises alone"
    )
    parser.add_argument("--models", default="", help="names, with commas")
    parser.add_argument("--without", default="", help="laws that are not reported")
    parser.add_argument(
        "--cases", type=int, default=2, help="smallest cases of each law"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as there:
        home = Path(there)
        begun = time.monotonic()
        models = tuple(filter(None, given.models.split(",")))
        shown: Counter[str] = Counter()

        def told(one: outer.Broken) -> None:
            law = one.breach.law
            shown[law] += 1
            if law not in given.without.split(",") and shown[law] <= given.cases:
                print(one, flush=True)

        def heard(one: Found) -> None:
            law = one.breach.law
            shown[law] += 1
            if law in given.without.split(",") or shown[law] > given.cases:
                return
            ops, text = smallest(one, home / "smallest")
            print(f"[{law}] {text}", *map(str, ops), sep="\n    ", flush=True)

        breaches: Sequence[object]
        if given.law:
            counts, breaches = outer.play(
                given.law, given.steps, given.seed, home / "run", told
            )
        else:
            counts, breaches = run(
                given.steps,
                given.seed,
                home / "run",
                not given.no_fates,
                models,
                player=Evening if given.repairs else Gambler,
                heard=heard,
            )
        for name, count in sorted(counts.items()):
            print(f"{count:7} {name}")
        print(f"{time.monotonic() - begun:.0f} s; breaches: {len(breaches)}")
        for law, times in shown.most_common():
            print(f"{times:7} {law}")
    sys.exit(bool(breaches))


if __name__ == "__main__":
    main()
