"""Words: what decided in a bracket, as an arbiter says it, by article."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pairopt.event.arcs import BYE, Arcs, IntArray
from pairopt.event.state import State
from pairopt.fide.dutch.ranking import RankedPlayers
from pairopt.fide.dutch.sentences import floats_said, names_of, points, side_said
from pairopt.fide.dutch.sequence import PARTS
from pairopt.wording import counted, difference_text, listed

if TYPE_CHECKING:
    from pairopt.fide.dutch.system import Dutch

SIDES = {
    "5.2.1": "as preferences are granted (5.2.1)",
    "5.2.2": "as the stronger preference is granted (5.2.2)",
    "5.2.3": "as they alternate from the last round in which one had each (5.2.3)",
    "5.2.4": "as the preference of the higher ranked is granted (5.2.4)",
    "5.2.5": "by the start number, as neither has a preference (5.2.5)",
}
"""Why a player has a side, by the article that decided."""


class _Bracket:
    """The bracket of a group in a whole pairing of ranks a < b.

    `members` are its players by rank: their places from 1 are the sequence numbers (BSN).
    """

    def __init__(self, ranking: RankedPlayers, s: int, a: IntArray, b: IntArray) -> None:
        upper, lower = ranking.group_of(a), ranking.group_of(b)
        reached = a[(upper < s) & (lower >= s)]
        residents = np.flatnonzero(ranking.group == s)
        self.members = np.append(np.sort(reached), residents)
        self.moved = np.sort(reached)
        here = lower == s
        order = np.argsort(a[here])
        self.upper, self.lower = a[here][order], b[here][order]
        self.floats = np.sort(a[(upper <= s) & (lower > s)])

    def numbers(self, ranks: IntArray) -> str:
        """The sequence numbers of some of its players."""
        return " ".join(str(k + 1) for k in np.searchsorted(self.members, ranks).tolist())

    def part(self, part: str) -> tuple[str, str]:
        """What of the candidate a part of the order is about, and the sequence numbers there."""
        of_moved = np.isin(self.upper, self.moved)
        if part == "4.4":
            return "the moved-down players who are paired", self.numbers(self.upper[of_moved])
        if part == "4.2 MDP":
            opponents = self.numbers(self.lower[of_moved])
            return "the opponents of the moved-down players", opponents
        if part == "4.2":
            return "S2", self.numbers(self.lower[~of_moved])
        return "S1", self.numbers(self.upper[~of_moved])


def worse(system: Dutch, index: int, other: Arcs, best: Arcs) -> str:
    """How another whole pairing is worse than the best one in `index`, the first level it is."""
    level = system.levels[index]
    if level.criterion not in PARTS:
        value, least = (int(system.costs(arcs)[:, index].sum()) for arcs in (other, best))
        return "worse in " + difference_text(level.words, value, least, level.scale)
    s = int(np.searchsorted(system.starts, index, side="right")) - 1
    ranking = system.ranking
    now, then = (_Bracket(ranking, s, *ranking.pairs(arcs)) for arcs in (other, best))
    article = level.criterion.removesuffix(" MDP")
    what, numbers = now.part(level.criterion)
    group = points(ranking, system.scale, s)
    return (
        f"the same quality, but a later candidate in the bracket of {group}: "
        f"{what} would be {numbers}, not {then.part(level.criterion)[1]} ({article})"
    )


def brackets(system: Dutch, state: State, arcs: Arcs) -> Iterator[str]:
    """A line for each bracket: who is in it, who floats, and the criteria that are not 0."""
    ranking = system.ranking
    a, b = ranking.pairs(arcs)
    for s, keys in enumerate(system.keys):
        bracket = _Bracket(ranking, s, a, b)
        if not len(bracket.members):
            continue
        pairs = counted(len(bracket.upper), "pair", "pairs")
        said = [f"{counted(len(bracket.members), 'player', 'players')}, {pairs}"]
        if len(bracket.moved):
            said.append(f"moved down: {listed(names_of(ranking, state, bracket.moved))}")
        if len(bracket.floats):
            said.append(f"float down: {listed(names_of(ranking, state, bracket.floats))}")
        values = system.quality(s, a, b, arcs.bye).sum(axis=0).tolist()
        words = system.levels[system.starts[s] : system.starts[s] + len(keys)]
        said += [
            f"{key.criterion} {value}: {level.words.partition(': ')[2].rpartition(' (')[0]}"
            for key, value, level in zip(keys, values, words, strict=True)
            if value and key.criterion not in ("C6", "C7", "C8")
        ]
        if len(bracket.upper):
            said.append(f"{bracket.numbers(bracket.upper)} meet {bracket.numbers(bracket.lower)}")
        yield f"{points(ranking, system.scale, s)}: {'; '.join(said)}"


def remarks(system: Dutch, state: State, arcs: Arcs, k: int) -> list[str]:
    """What decided about a match: its float, and its sides."""
    one, two, said = int(arcs.first[k]), int(arcs.second[k]), list[str]()
    if two == BYE:
        return said
    ranking = system.ranking
    a, b = ranking.pairs(arcs)
    ends = np.array([a[k], b[k]])
    s, below = ranking.group_of(ends).tolist()
    if s != below:
        bracket = _Bracket(ranking, s, a, b)
        of, floats = len(bracket.members), len(bracket.floats)
        upper, lower = names_of(ranking, state, ends)
        said += floats_said(upper, lower, of, floats, points(ranking, system.scale, s), "C6")
    return said + side_said(state, state.fide, one, two, SIDES)
