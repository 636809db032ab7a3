"""Words: what decided in a bracket, as an arbiter says it, by article."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pairopt.event.arcs import BYE, Arcs
from pairopt.event.state import State
from pairopt.fide.burstein.order import members
from pairopt.fide.dutch.sentences import floats_said, names_of, points, side_said
from pairopt.wording import counted, difference_text, listed

if TYPE_CHECKING:
    from pairopt.fide.burstein.system import Burstein

REFUSED = "players who do not have the side they prefer"
"""What C8 counts."""
SIDES = {
    "5.2.5": "by the start number, as neither has played (5.2.1)",
    "5.2.1": "as preferences are granted (5.2.2)",
    "5.2.2": "as the stronger preference is granted (5.2.3)",
    "5.2.3": "as they alternate from the last round in which one had each (5.2.4)",
    "5.2.4": "as the preference of the higher ranked is granted (5.2.5)",
}
"""Why a player has a side, by the article of the Dutch System that says the same."""


class _Bracket:
    """The bracket of a group of a system in which nobody has the bye, in a whole pairing.

    `members` are its players by rank in the order of their sequence numbers (BSN).
    """

    def __init__(self, system: Burstein, s: int, arcs: Arcs) -> None:
        ranking = system.ranking
        a, b = ranking.pairs(arcs)
        upper, lower = ranking.group_of(a), ranking.group_of(b)
        self.points = points(ranking, system.scale, s)
        self.members = members(ranking, s, a, b)
        self.moved = self.members[ranking.group[self.members] < s]
        self.floats = np.sort(a[(upper <= s) & (lower > s)])
        self._pairs = a[lower == s].tolist(), b[lower == s].tolist()

    @property
    def pairing(self) -> str:
        """Its pairs by BSN, as article 4.3 writes them; 0 for who floats."""
        bsn = {rank: k for k, rank in enumerate(self.members.tolist(), 1)}
        pairs = [sorted((bsn[a], bsn[b])) for a, b in zip(*self._pairs, strict=True)]
        pairs += [[bsn[a], 0] for a in self.floats.tolist()]
        return " ".join(f"{one}-{two}" for one, two in sorted(pairs))


def worse(system: Burstein, index: int, other: Arcs, best: Arcs) -> str:
    """How another whole pairing is worse than the best one in `index`, the first level it is."""
    level = system.levels[index]
    if level.criterion != "4.3":
        value, least = (int(system.costs(arcs)[:, index].sum()) for arcs in (other, best))
        return "worse in " + difference_text(level.words, value, least, level.scale)
    rest, columns, _ = system.apart(best)
    own = np.searchsorted(columns, index)
    s = int(np.searchsorted(rest.starts, own, side="right")) - 1
    now, then = (_Bracket(rest, s, system.apart(arcs)[2]) for arcs in (other, best))
    return (
        f"the same quality, but a later pairing in the bracket of {now.points}: "
        f"{now.pairing}, not {then.pairing} (4.3)"
    )


def brackets(system: Burstein, state: State, arcs: Arcs) -> Iterator[str]:
    """A line for each bracket: who is in it, who floats, C8 if it is not 0, and the pairing."""
    rest, _, matches = system.apart(arcs)
    values = rest.costs(matches).sum(axis=0).tolist()
    for s, keys in enumerate(rest.keys):
        bracket = _Bracket(rest, s, matches)
        said = [counted(len(bracket.members), "player", "players")]
        if len(bracket.moved):
            said.append(f"moved down: {listed(names_of(rest.ranking, state, bracket.moved))}")
        if len(bracket.floats):
            said.append(f"float down: {listed(names_of(rest.ranking, state, bracket.floats))}")
        if refused := values[rest.starts[s] + len(keys) - 1]:
            said.append(f"C8 {refused}: {REFUSED}")
        players = enumerate(names_of(rest.ranking, state, bracket.members), 1)
        said.append(f"by opposition {listed([f'{k} {name}' for k, name in players])}")
        yield f"{bracket.points}: {'; '.join(said)}; {bracket.pairing}"


def remarks(system: Burstein, state: State, arcs: Arcs, k: int) -> list[str]:
    """What decided about a match: its float, and its sides."""
    one, two, said = int(arcs.first[k]), int(arcs.second[k]), list[str]()
    if two == BYE:
        return said
    ranking = system.ranking
    ends = np.array([int(each[k]) for each in ranking.pairs(arcs)])
    scores = ranking.fide.score[ends].tolist()
    if scores[0] != scores[1]:
        rest, _, matches = system.apart(arcs)
        bracket = _Bracket(rest, rest.ranking.scores.index(scores[0]), matches)
        of, floats = len(bracket.members), len(bracket.floats)
        upper, lower = names_of(ranking, state, ends)
        said += floats_said(upper, lower, of, floats, bracket.points, "C5")
    return said + side_said(state, state.fide_by_opposition, one, two, SIDES)
