"""What is known of each round: a row of rounds.csv, and what each column says."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from library.families import Made
from library.writing import PLAIN, Files
from pairopt import Event, Result
from pairopt.errors import PairoptError
from pairopt.problem.levels import LevelValue
from pairopt.round.solve import solve

COUNTING = 10.0
"""Seconds for a count of optimal pairings."""
COLUMNS = {
    "round": "name of the round: its family and number",
    "family": "family, see families.csv",
    "file": "folder, or zip of one, with the event's files and proof.json, from this folder on",
    "model": "rules: a model of pairopt's models/ folder, or FIDE's system",
    "from": "how it was drawn, in words",
    "number": "number that it was drawn by: `make_library.py` makes the same from it",
    "players": "players of the event",
    "active": "players to be paired",
    "number_of_round": "which round it is",
    "sides": "1 where matches have sides",
    "score_groups": "score groups of those to be paired",
    "largest_group": "players of the largest score group",
    "games": "matches played so far by those to be paired, on average of each",
    "pairs": "pairs of those to be paired",
    "met": "share of pairs that have met",
    "forbidden": "pairs that may not meet by the organiser's wish",
    "legal": "pairs (a player and the bye is one, in an odd field) that break no constraint",
    "legal_share": "share of pairs, and of players for the bye, that are legal",
    "fewest": "legal opponents (and the bye) of the player who has the fewest",
    "lookahead": "further rounds for which room is kept",
    "clubs": "1 where players of a club are kept apart, always or as a criterion",
    "levels": "levels that are compared",
    "positive": "levels that are above 0 in the optimum",
    "status": "`optimal`, or `infeasible` where there is no pairing",
    "optimum": "levels above 0, in order, as criterion:level=value, in points or matches",
    "optima": "how many pairings are optimal; empty where it is not known",
    "optima_low": "at least so many; empty as above",
    "optima_high": "at most so many; empty as above",
    "proof": "`certified` where the proof settles all levels, `open` where the last ones are open, "
    "`clash` where it shows that there is no pairing, `none` where there is none",
    "open": "levels that the proof leaves open",
    "proven_by": "engines that each settled all levels by themselves",
    "bytes": "bytes of the event's files and proof, not zipped",
    "facts": "first 16 digits of the SHA-256 of the event's files, in the order of their names",
    "version": "version of pairopt that found it",
    "date": "when it was found",
}


@dataclass(frozen=True)
class Described:
    """A round with what was found."""

    name: str
    family: str
    number: int
    made: Made
    files: Files
    event: Event
    result: Result


def row(one: Described, version: str, date: str) -> dict[str, Any]:
    """The round's row of rounds.csv."""
    result, made = one.result, one.made
    problem = result.problem
    state, arcs = problem.state, _legal(one)
    n = len(state)
    groups = np.unique(state.score, return_counts=True)[1]
    pairs = n * (n - 1) // 2
    proof = result.proof
    optima = _optima(one) if result.status == "optimal" else ("", "", "")
    settings = one.event.settings
    slots = pairs + (n if n % 2 else 0)
    degree = np.bincount(
        np.concatenate([arcs[:, 0], arcs[:, 1][arcs[:, 1] >= 0]]), minlength=n
    )
    return {
        "round": one.name,
        "family": one.family,
        "file": f"{one.family}/{one.name}"
        + ("" if len(one.event.players) <= PLAIN else ".zip"),
        "model": made.model,
        "from": made.said,
        "number": one.number,
        "players": len(one.event.players),
        "active": n,
        "number_of_round": one.event.round,
        "sides": int(one.event.sided),
        "score_groups": len(groups),
        "largest_group": int(groups.max()),
        "games": _digits(float(_games(one.event, state.player)) / n),
        "pairs": pairs,
        "met": _digits(len(state.meetings.pairs()) / pairs),
        "forbidden": len(one.event.prohibited),
        "legal": len(arcs),
        "legal_share": _digits(len(arcs) / slots),
        "fewest": int(degree.min()),
        "lookahead": settings.lookahead or 0,
        "clubs": int(bool(settings.apart)),
        "levels": len(result.level_values),
        "positive": sum(bool(v.value) for v in result.level_values),
        "status": result.status,
        "optimum": said(result.level_values),
        "optima": optima[0],
        "optima_low": optima[1],
        "optima_high": optima[2],
        "proof": _verdict(one),
        "open": proof.open if proof else "",
        "proven_by": " ".join(result.proven_by),
        "bytes": 0,
        "facts": facts(one.files),
        "version": version,
        "date": date,
    }


def facts(files: Files) -> str:
    """A short name of the event's files."""
    joined = "".join(
        text for name, text in sorted(files.items()) if name != "proof.json"
    )
    return hashlib.sha256(joined.encode()).hexdigest()[:16]


def said(levels: tuple[LevelValue, ...]) -> str:
    """Levels above 0."""
    return "; ".join(f"{v.criterion}:{v.level}={_exact(v)}" for v in levels if v.value)


def _exact(level: LevelValue) -> str:
    value, scale = level.value or 0, level.scale
    return str(value // scale) if value % scale == 0 else f"{value}/{scale}"


def _legal(one: Described) -> Any:
    """The pairs that somebody may play, and who may have the bye: shape (k, 2), -1 for the bye."""
    from pairopt.engines.single_pairs import all_pairs

    columns = all_pairs(one.result.problem)
    n = len(one.result.problem.state)
    second = np.where(columns.b >= n, -1, columns.b)
    return np.unique(np.stack([columns.a, second], axis=1), axis=0)


def _games(event: Event, players: Any) -> int:
    rows = event.matches
    played = rows.second >= 0
    both = np.concatenate([rows.first[played], rows.second[played]])
    return int(np.isin(both, players).sum())


def _verdict(one: Described) -> str:
    proof = one.result.proof
    if proof is None:
        return "none"
    if one.result.status == "infeasible":
        return "clash"
    return "open" if proof.open else "certified"


def _optima(one: Described) -> tuple[str, str, str]:
    """How many pairings are optimal, and between what numbers; empty where nobody can say."""
    try:
        result = solve(one.event, one.made.model, count=True, time_limit=COUNTING)
    except PairoptError:
        return "", "", ""
    count = result.choice.count if result.choice is not None else None
    if count is None or result.status != "optimal":
        return "", "", ""
    if count.low == count.high:
        return (str(count.value),) * 3
    return "", str(count.low), str(count.high)


def _digits(number: float) -> str:
    return f"{number:.3f}"
