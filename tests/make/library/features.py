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
    "file": "folder or zip file with the event's files and proof.json, relative to this folder",
    "model": "model from pairopt's folder models/, or FIDE's system",
    "from": "how the round was generated, in words",
    "number": "seed: `make_library.py` makes the same round from it",
    "players": "players of the event",
    "active": "players to be paired",
    "number_of_round": "number of the round",
    "sides": "1 if matches have sides",
    "score_groups": "score groups of the players to be paired",
    "largest_group": "players in the largest score group",
    "games": "mean number of matches played so far per player to be paired",
    "pairs": "pairs of players to be paired",
    "met": "share of pairs that have met",
    "forbidden": "pairs that the organiser forbids",
    "legal": "pairs that break no constraint; in an odd field, a player with the bye is a pair, too",
    "legal_share": "share of pairs that are legal, including players with the bye",
    "fewest": "least number of legal opponents of a player, including the bye",
    "lookahead": "further rounds that must remain possible",
    "clubs": "1 if players of the same club are kept apart, by a constraint or a criterion",
    "levels": "number of levels",
    "positive": "number of levels above 0 in the optimum",
    "status": "`optimal`, or `infeasible` if there is no pairing",
    "optimum": "levels above 0, in order, as criterion:level=value, in points or matches",
    "optima": "number of optimal pairings; empty if unknown",
    "optima_low": "lower bound of the number of optimal pairings; empty if unknown",
    "optima_high": "upper bound of the number of optimal pairings; empty if unknown",
    "proof": "`certified` if the proof shows all levels, `open` if the last ones are open, "
    "`clash` if it shows that there is no pairing, `none` if there is no proof",
    "open": "number of open levels in the proof",
    "proven_by": "engines that each proved all levels",
    "bytes": "bytes of the event's files and proof, uncompressed",
    "facts": "first 16 digits of the SHA-256 of the event's files, in the order of their names",
    "version": "version of pairopt",
    "date": "date of the result",
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
