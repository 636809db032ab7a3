"""What each verb may do to the facts of an event, said of the files before and after.

A fact with a result is its round, its table, its two players and their sides, scores and status.
Each law takes what was done, the folder before and after, and what was said, and yields breaches.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hands import Said
from outside import Row, Seen, number

PAIRING = {"pair", "repair"}
KEEPS_ROWS = {
    "enter",
    "drop",
    "back",
    "forbid",
    "table",
    "check-in",
    "edit",
    "set",
    "standings",
}
"""Verbs that leave every match alone, played or not."""
MODE = ("fide", "breaches")
"""Settings that a hand's edit changes where it breaks FIDE mode."""
STAY = re.compile(
    r"(\w+) tables? changes?(?:, |\. )(\w+)(?: tables?)? stays?"
    r"|(No) match gets other players: (\w+) match(?:es)? stays?"
)
TURNED = re.compile(r"moves from table \d+|\d+ is now .*with the sides exch")
"""How a re-pairing names a match that stays at another table or with other sides."""


@dataclass(frozen=True)
class Breach:
    """A promise that did not hold."""

    law: str
    text: str

    def __str__(self) -> str:
        return f"[{self.law}] {self.text}"


def told(row: Row) -> str:
    """A fact in one line."""
    scores = "-".join("" if s is None else str(float(s)) for s in row.scores)
    where = f"round {row.round} table {row.table}"
    return f"{where}: {row.first} ({row.side}) {row.second} {scores} {row.status}"


def _lost(law: str, before: Counter[Row], after: Counter[Row]) -> Iterator[Breach]:
    for row in before - after:
        yield Breach(law, f"lost: {told(row)}")
    for row in after - before:
        yield Breach(law, f"came from nowhere: {told(row)}")


def same_facts(before: Seen, after: Seen) -> Iterator[Breach]:
    """No fact with a result is lost, turned, moved or changed, in the rounds or in the cut."""
    yield from _lost("facts", before.facts, after.facts)
    for row in before.cut - after.cut:
        yield Breach("bracket", f"lost: {row}")
    for row in after.cut - before.cut:
        yield Breach("bracket", f"came from nowhere: {row}")
    if not after.facts - before.facts and before.extras - after.extras:
        yield Breach("extra columns", f"lost: {list(before.extras - after.extras)[:2]}")


def same_rows(before: Seen, after: Seen) -> Iterator[Breach]:
    """No match is changed, nor a bye of a round that is over."""
    yield from same_facts(before, after)
    for row in _matches(before) - _matches(after):
        yield Breach("open tables", f"lost: {told(row)}")
    for row in _matches(after) - _matches(before):
        yield Breach("open tables", f"came from nowhere: {told(row)}")
    yield from same_byes(before, after)


def _matches(seen: Seen) -> Counter[Row]:
    return Counter(row for row in seen.rows if not row.bye and not row.scored)


def same_byes(before: Seen, after: Seen) -> Iterator[Breach]:
    """Byes of rounds that are over stay."""
    for row in before.byes - after.byes:
        yield Breach("byes", f"lost: {told(row)}")


def nothing_done(before: Seen, after: Seen, hand: bool) -> Iterator[Breach]:
    """What was refused has changed nothing; a hand's edit may have become a step of its own.

    That step also writes into event.toml where the edit broke FIDE mode.
    """
    gained = len(after.log) - len(before.log)
    for name in sorted({*before.told, *after.told}):
        if before.files.get(name) == after.files.get(name):
            continue
        taken_in = hand and gained == 1 and after.log[-1]["who"] == "by hand"
        if (
            name == "event.toml"
            and taken_in
            and without_mode(before) == without_mode(after)
        ):
            continue
        yield Breach("refused", f"{name} changed")
    if gained > hand:
        yield Breach("refused", f"the log gained {gained} lines")


def is_done(before: Seen, after: Seen) -> bool:
    """Return whether the log has a new line of what was asked for.

    A page that asks a question first can take in an edit by hand, as a step of its own.
    """
    return any(row["who"] != "by hand" for row in after.log[len(before.log) :])


def without_mode(seen: Seen) -> dict[str, Any]:
    """Return the settings but for FIDE mode, and what broke it."""
    return {name: value for name, value in seen.settings.items() if name not in MODE}


def logged_matches(before: Seen, after: Seen) -> list[str]:
    """Return the matches of the cut that the new lines of the log name, in their order."""
    new = after.log[len(before.log) :]
    return [
        row["table"]
        for row in new
        if row["verb"] == "result" and row["table"][:1] == "B"
    ]


def reopened(before: Seen, after: Seen) -> set[str]:
    """Return the matches of the cut that an earlier match's new result has opened again.

    Each is a step of its own, before that of the new result.
    """
    opened = {row.match for row in before.cut - after.cut}
    return opened & {*logged_matches(before, after)[:-1]}


def log_goes_on(before: Seen, after: Seen, hand: bool) -> Iterator[Breach]:
    """The log keeps its lines, and gains one a step; steps are numbered one by one."""
    gained = len(after.log) - len(before.log)
    most = 1 + hand + len(reopened(before, after))
    if after.log[: len(before.log)] != before.log:
        yield Breach("log", "an older line changed")
    if gained > most or (gained < 1 and before.told != after.told):
        yield Breach("log", f"gained {gained} lines")
    if gained > 0 and not hand and before.told == after.told:
        last = after.log[-1]
        if last["verb"] not in ("undo", "repair", "pair", "set", "edit", "result"):
            yield Breach("log", f"a line for nothing: {last}")
    yield from log_numbered(after, unlogged(before))


def unlogged(seen: Seen) -> set[int]:
    """Return the steps that the log has lost: those whose numbers it leaves out."""
    numbers = {int(row["step"]) for row in seen.log}
    return {*range(1, max(numbers, default=0))} - numbers


def log_numbered(after: Seen, lost: set[int]) -> Iterator[Breach]:
    """Steps are numbered one by one, but for those that are lost."""
    numbers = [int(row["step"]) for row in after.log]
    due = {*range(1, max(numbers, default=0) + 1)} - lost
    if numbers != sorted({*numbers}) or due - {*numbers}:
        yield Breach("log", "steps are not numbered one by one")


def result(args: Sequence[str], before: Seen, after: Seen) -> Iterator[Breach]:
    """Only the table that is named has another result, and its players stay."""
    table, score = args[0], args[1]
    if table[:1] in "Bb":
        yield from same_facts_but_bracket(table.upper(), before, after)
        return
    at = int(args[args.index("--round") + 1]) if "--round" in args else before.last
    here = (at, int(table))
    for law, rows in (("facts", before.facts), ("open tables", _matches(before))):
        others = after.facts if law == "facts" else _matches(after)
        left = Counter({r: n for r, n in rows.items() if (r.round, r.table) != here})
        right = Counter({r: n for r, n in others.items() if (r.round, r.table) != here})
        yield from _lost(law, left, right)
    was = [row for row in before.rows if (row.round, row.table) == here and not row.bye]
    now = [row for row in after.rows if (row.round, row.table) == here and not row.bye]
    if [row.seat for row in was] != [row.seat for row in now]:
        yield Breach("facts", f"a result changed who sits at {here}: {was} {now}")
    elif (wanted := points(score)) and [row.scores for row in now] != [wanted]:
        yield Breach(
            "result", f"{score} was asked for, {[told(row) for row in now]} is written"
        )
    yield from same_byes(before, after)


def points(score: str) -> tuple[Fraction | None, Fraction | None]:
    """The points of a score as it is typed."""
    left, _, right = score.replace("F", "").partition("-")
    return number(left), number(right)


def same_facts_but_bracket(match: str, before: Seen, after: Seen) -> Iterator[Breach]:
    """A result of the cut changes its match alone."""
    yield from _lost("facts", before.facts, after.facts)
    for row in before.cut - after.cut:
        if row.match != match:
            yield Breach("bracket", f"{match} took the result of {row.match}")
    for row in after.cut - before.cut:
        if row.match != match:
            yield Breach("bracket", f"{match} gave {row.match} a result")


def paired(before: Seen, after: Seen, free: set[str]) -> Iterator[Breach]:
    """One more round, open, with everybody who is in once; older rounds are as they were."""
    yield from same_rows_before(after.last, before, after)
    if after.last != before.last + 1:
        yield Breach("pair", f"round {after.last} after {before.last}")
    if any(row.scored for row in after.round):
        yield Breach("pair", "a new match has a result")
    yield from everybody_once(after, free)


def same_rows_before(round: int, before: Seen, after: Seen) -> Iterator[Breach]:
    """Rounds before this one are as they were, row by row."""
    yield from same_facts(before, after)
    was = Counter(row for row in before.rows if row.round < round)
    now = Counter(row for row in after.rows if row.round < round)
    for row in (was - now) + (now - was):
        yield Breach("older rounds", f"changed: {told(row)}")


def everybody_once(after: Seen, free: set[str]) -> Iterator[Breach]:
    """Nobody is in a round twice, and nobody who is out is at an open table."""
    who = Counter(p for row in after.round for p in (row.first, row.second) if p)
    for name in [name for name, times in who.items() if times > 1]:
        yield Breach("once", f"{name} is in round {after.last} {who[name]} times")
    for row in after.open:
        for name in {row.first, row.second} - after.active - free:
            yield Breach("who is out", f"{name} is out, and at table {row.table}")
    for name in after.active - set(who) - free:
        yield Breach("who is in", f"{name} is in, and not in round {after.last}")
    tables = Counter(row.table for row in after.tables)
    for table in [table for table, times in tables.items() if times > 1]:
        yield Breach("tables", f"table {table} is there {tables[table]} times")


def stated(said: Said) -> tuple[int, int] | None:
    """How many tables are said to change, and to stay."""
    words = {"no": 0, "one": 1}
    match = STAY.search(said.text)
    if match is None:
        return None
    one, two = (words.get(w.lower(), w) for w in match.groups() if w)
    return int(one), int(two)


def changed(before: Seen, after: Seen) -> tuple[int, int, int]:
    """How many published tables are others now, how many are as they were, how many are turned."""
    pairs = {row.pair for row in after.tables}
    seats = {row.seat for row in after.tables}
    gone = sum(row.pair not in pairs for row in before.tables)
    stay = sum(row.seat in seats for row in before.tables)
    return gone, stay, len(before.tables) - gone - stay


def repaired(before: Seen, after: Seen, said: Said, free: set[str]) -> Iterator[Breach]:
    """Tables with a result stay; what is said to change and to stay is what does."""
    yield from same_rows_before(after.last, before, after)
    if after.last != before.last:
        yield Breach("repair", f"round {before.last} became {after.last}")
    yield from everybody_once(after, free)
    if (numbers := stated(said)) is None:
        yield Breach("numbers", "no numbers of tables are said")
        return
    gone, stay, turned = changed(before, after)
    if not agree(numbers, (gone, stay, turned), said):
        yield Breach(
            "numbers",
            f"said: {numbers[0]} change, {numbers[1]} stay; "
            f"files: {gone} change, {stay} stay, {turned} turned or moved",
        )


def agree(
    stated: tuple[int, int] | None, files: tuple[int, int, int], said: Said
) -> bool:
    """Whether what is said is so; what stays with other sides or another number is named."""
    gone, stay, turned = files
    named = len(TURNED.findall(said.text))
    if stated == (gone, stay + turned):
        return named >= turned
    return stated == (gone + turned, stay)


def mended(before: Seen, after: Seen, ever: Sequence[Counter[Row]]) -> Iterator[Breach]:
    """What is whole stays; what comes back, after a hand was there, was there once."""
    for row in before.facts - after.facts:
        yield Breach("mend", f"lost: {told(row)}")
    for row in after.facts - before.facts:
        if not any(facts[row] for facts in ever):
            yield Breach("mend", f"came from nowhere: {told(row)}")


def renamed(old: str, new: str, before: Seen, after: Seen) -> Iterator[Breach]:
    """Another name, and the same facts."""

    def other(row: Row) -> Row:
        first, second = (
            new if name == old else name for name in (row.first, row.second)
        )
        return row._replace(first=first, second=second)

    for candidate in (Counter(before.rows), Counter(map(other, before.rows))):
        if candidate == Counter(after.rows):
            return
    yield Breach("rename", f"{old} to {new} changed more than names")
