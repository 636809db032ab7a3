"""The fewest published tables that a repair can change, by every pairing tried.

The constraints are those that `pairopt models NAME` prints in brackets, read once more from the
rules; a model with others is not counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from hands import command
from outside import Row, Seen

MOST = 10
"""More players than that are not tried."""
KNOWN = {
    "no_rematch",
    "no_repeat_bye",
    "no_bye_after_forfeit_win",
    "max_side_difference",
    "max_side_streak",
    "no_same_sides_rematch",
    "no_equal_absolute_preference",
    "allocated_sides",
    "allocated_sides_by_opposition",
}


class Fewest(NamedTuple):
    """How many published tables have to change (None: no pairing is legal), and of what."""

    tables: int | None
    why: str


@dataclass
class Past:
    """What a player has done in the rounds before."""

    sides: list[str] = field(default_factory=list)
    met: set[str] = field(default_factory=set)
    met_as: set[tuple[str, str]] = field(default_factory=set)
    byes: int = 0
    given: bool = False
    """A win's points without playing."""


@cache
def constraints(model: str, last: bool) -> tuple[tuple[str, int], ...]:
    """The constraints of a model, with their numbers, as its description has them."""
    text = command("models", model).out
    first, _, ending = text.partition("In the last round")
    part = ending if last and ending else first
    found = re.findall(r"^  - .*\[(\w+)(?: \w+=(\d+))?\]$", part, re.MULTILINE)
    return tuple((name, int(most or 0)) for name, most in found)


def pasts(seen: Seen, labels: Sequence[str]) -> dict[str, Past]:
    """What everybody has done before the last round."""
    win = seen.settings.get("points", {}).get("win")
    past = {name: Past() for name in seen.names}
    for row in sorted(
        (r for r in seen.rows if r.round < seen.last), key=lambda r: r.round
    ):
        one = past[row.first]
        if row.bye:
            one.byes += row.status in ("", "bye")
            one.given |= win is not None and float(row.scores[0] or 0) >= win
            continue
        two = past[row.second]
        if row.status == "forfeit":
            left, right = (float(s or 0) for s in row.scores)
            one.given |= left > right
            two.given |= right > left
            continue
        one.met.add(row.second)
        two.met.add(row.first)
        if row.side and labels:
            other = labels[1 - labels.index(row.side)]
            one.sides.append(row.side)
            two.sides.append(other)
            one.met_as.add((row.second, row.side))
            two.met_as.add((row.first, other))
    return past


def fewest(seen: Seen, kept: set[str]) -> Fewest | None:
    """The answer by brute force; None where this counts no such event."""
    said = seen.settings
    rules = dict(
        constraints(str(said.get("model", "standard")), said.get("rounds") == seen.last)
    )
    if set(rules) - KNOWN or "lookahead" in said or not seen.tables:
        return None
    if any("place" not in one for one in said.get("conflicts", ())):
        return None
    if any(isinstance(pair, dict) for pair in said.get("forbid", ())):
        return None  # players who may not meet in some rounds
    if kept and any(str(r.table) in kept and not r.scored for r in seen.tables):
        return None  # what somebody holds may itself be illegal
    labels = said.get("sides") or []
    if any(not row.side for row in seen.tables):
        labels = []
    if "no_equal_absolute_preference_below_topscorers" in rules:
        return None
    over = {name for row in seen.tables if row.scored for name in row.pair}
    asked = {b["player"] for b in said.get("byes", ()) if b["round"] == seen.last}
    asked |= {row.first for row in seen.round if row.status == "requested"}
    pool = sorted(seen.active - over - asked)
    if len(pool) > MOST:
        return None
    past = pasts(seen, labels)
    apart = {
        frozenset(pair) for pair in said.get("forbid", ()) if isinstance(pair, list)
    }
    legal = {
        frozenset((a, b))
        for k, a in enumerate(pool)
        for b in pool[k + 1 :]
        if frozenset((a, b)) not in apart and may_meet(a, b, past, rules, labels)
    }
    free = {a for a in pool if may_bye(past[a], rules)}
    published = {row.pair for row in seen.tables}
    counts = [
        len(published - pairs - done(seen.tables))
        for pairs in pairings(pool, legal, free)
    ]
    why = f"{len(pool)} players free, {len(counts)} pairings"
    return Fewest(min(counts, default=None), why)


def done(tables: Sequence[Row]) -> set[frozenset[str]]:
    """The pairs that have a result."""
    return {row.pair for row in tables if row.scored}


def pairings(
    pool: Sequence[str], legal: set[frozenset[str]], free: set[str]
) -> Iterator[frozenset[frozenset[str]]]:
    """Every legal pairing of these players: its matches; one bye where they are odd."""
    if not pool:
        yield frozenset()
        return
    one, rest = pool[0], pool[1:]
    if len(pool) % 2 and one in free:
        for others in pairings(rest, legal, set()):
            yield others
    for k, two in enumerate(rest):
        if frozenset((one, two)) in legal:
            for others in pairings([*rest[:k], *rest[k + 1 :]], legal, free):
                yield others | {frozenset((one, two))}


def may_bye(one: Past, rules: dict[str, int]) -> bool:
    """Whether a player may have the bye."""
    if "no_repeat_bye" in rules and one.byes:
        return False
    return not ("no_bye_after_forfeit_win" in rules and one.given)


def may_meet(
    a: str, b: str, past: dict[str, Past], rules: dict[str, int], labels: Sequence[str]
) -> bool:
    """Whether two players may meet, either way round."""
    one, two = past[a], past[b]
    if "no_rematch" in rules and b in one.met:
        return False
    if not labels:
        return True
    if "no_equal_absolute_preference" in rules:
        wants = {absolute(one.sides, labels), absolute(two.sides, labels)}
        if len(wants) == 1 and wants != {""}:
            return False
    return any(
        may_have(one, b, side, other, rules) and may_have(two, a, other, side, rules)
        for side, other in (tuple(labels), tuple(reversed(labels)))
    )


def may_have(
    one: Past, opponent: str, side: str, other: str, rules: dict[str, int]
) -> bool:
    """Whether a player may have this side against this opponent."""
    if "no_same_sides_rematch" in rules and (opponent, side) in one.met_as:
        return False
    balance = one.sides.count(side) - one.sides.count(other)
    if (most := rules.get("max_side_difference")) and balance + 1 > max(
        most, abs(balance)
    ):
        return False
    streak = 1
    for earlier in reversed(one.sides):
        if earlier != side:
            break
        streak += 1
    return not ((most := rules.get("max_side_streak")) and streak > most)


def absolute(sides: Sequence[str], labels: Sequence[str]) -> str:
    """The side that a player must have under FIDE's systems, if any."""
    balance = sides.count(labels[0]) - sides.count(labels[1])
    if balance > 1:
        return labels[1]
    if balance < -1:
        return labels[0]
    if len(sides) > 1 and sides[-1] == sides[-2]:
        return labels[1 - labels.index(sides[-1])]
    return ""
