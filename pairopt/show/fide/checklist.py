"""-l: the check-list, what the system reads of each player, and whom they meet."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from pairopt.event.arcs import BYE, Arcs, arcs_of
from pairopt.event.fide import ABSOLUTE, DOWN, MILD, STRONG, UP, Fide
from pairopt.problem.problem import Problem

HEAD = ("ID", "Pts", "Sides", "Pref", "C2", "-1R", "-2R", "Now")
PREFERENCES = {ABSOLUTE: "{}", STRONG: "({})", MILD: "({})"}
FLOATS = {DOWN: "D", UP: "U"}


def checklist_of(problem: Problem, arcs: Arcs | None) -> str:
    """A line a player, best first, a blank line between scores; `arcs` are the round's, if any.
    Sides played; the preference as W for absolute, (W) for strong, (w) for mild, A for none; if the
    bye may be had; floats of the last two rounds; the opponents, of now with the own side."""
    state = problem.state
    event, fide = state.event, state.fide
    met, meets = np.where(event.turns.played, event.turns.opponent, -1), _meetings(problem, arcs)
    names = (*event.players, "")  # of nobody, -1, the last
    may = problem.legal(arcs_of(np.arange(len(state)), np.full(len(state), BYE)))
    rows, last = [[*HEAD, *(f"R{turn}" for turn in range(1, event.round))]], None
    for k in np.argsort(fide.rank).tolist():
        if last not in (None, int(fide.score[k])):
            rows.append([])
        last = int(fide.score[k])
        rows.append([
            state.names[k], f"{float(Fraction(last, state.scale)):.1f}",
            "".join("WB"[side] for side in fide.latest[k].tolist() if side >= 0),
            _preference(fide, k), "Y" if may[k] else "N",
            *(FLOATS.get(each, "") for each in fide.floats[k].tolist()),
            meets.get(k, ""), *(names[p] for p in met[state.player[k]].tolist()),
        ])  # fmt: skip
    widths = [max(len(row[k]) for row in rows if row) for k in range(len(rows[0]))]
    lines = ("  ".join(f"{c:>{w}}" for c, w in zip(row, widths, strict=False)) for row in rows)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _preference(fide: Fide, k: int) -> str:
    side, strength = int(fide.preferred[k]), int(fide.strength[k])
    letters = "wb" if strength == MILD else "WB"
    return "A" if side < 0 else PREFERENCES[strength].format(letters[side])


def _meetings(problem: Problem, arcs: Arcs | None) -> dict[int, str]:
    """Whom each player meets now, and with which side."""
    if arcs is None:
        return {}
    names, found = problem.state.names, {}
    for one, two in zip(arcs.first.tolist(), arcs.second.tolist(), strict=True):
        if two == BYE:
            found[one] = "(bye)"
        else:
            found[one], found[two] = f"({names[two]}W)", f"({names[one]}B)"
    return found
