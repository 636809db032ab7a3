"""Document: the file of a proof, and what it says of the event and the rules.

Vertices are numbered from 0: the active players as the event lists them, then the bye in an odd
field.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from pairopt.event.arcs import IntArray
from pairopt.event.event import Event
from pairopt.problem.model import Model
from pairopt.problem.problem import Problem
from pairopt.wording import counted

FORMAT, VERSION = "pairopt-proof", 2


@dataclass(frozen=True)
class Proof:
    """Why no pairing of a round is better, or why there is none, for anybody to verify.

    `content` is what the file holds, see `pairopt.proof.verify`.
    """

    content: Mapping[str, Any]

    @property
    def certified(self) -> int:
        """Of how many levels it shows that none can be better."""
        return len({(level["criterion"], str(level["level"])) for step in self.content["steps"]
                    for level in step["levels"]})  # fmt: skip

    @property
    def open(self) -> int:
        """Of how many levels, after these, it shows nothing."""
        return len(self.content.get("open", ()))

    @property
    def said(self) -> str:
        """What it certifies, and what is only claimed."""
        if "components" in self.content:
            return "certified: there is no pairing"
        if not self.open:
            return "certified: no pairing is better"
        shown = counted(self.certified, "level", "levels")
        return (
            f"certified in the first {shown}; in the other {self.open} only the engine says that "
            "no pairing with room for the rounds asked for is better"
        )

    @property
    def digest(self) -> str:
        """SHA-256 of the file's bytes, in hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """What JSON says of it."""
        return {"certified": self.certified, "open": self.open, "sha256": self.digest}

    @cached_property
    def text(self) -> str:
        """The file: JSON, a line an entry of each list."""
        return _written(self.content, 0) + "\n"


def _written(value: Any, depth: int) -> str:
    """JSON, with the entries of objects that hold lists, and of these lists, in their own lines."""
    if not isinstance(value, Mapping) or not any(isinstance(v, list) for v in value.values()):
        return json.dumps(value, ensure_ascii=False)
    pad = "\n" + " " * depth
    parts = []
    for key, each in value.items():
        lines = isinstance(each, list) and len(each) > 1
        rows = [_written(row, depth + 2) for row in each] if isinstance(each, list) else []
        said = f"[{pad}  {f',{pad}  '.join(rows)}{pad} ]" if lines else f"[{''.join(rows)}]"
        if not isinstance(each, list):
            said = json.dumps(each, ensure_ascii=False)
        parts.append(f"{pad} {json.dumps(key)}: {said}")
    return f"{{{','.join(parts)}{pad}}}"


def listing(problem: Problem) -> IntArray:
    """The active players' positions in the state, in the order of the event."""
    return np.argsort(problem.state.player)


def vertex_of(problem: Problem) -> IntArray:
    """The number of each vertex of the state, that of the bye last."""
    n = len(problem)
    place = np.full(n + n % 2, n)
    place[listing(problem)] = np.arange(n)
    return place


def heading(problem: Problem) -> dict[str, Any]:
    """What a document says of the event and the rules."""
    state, model = problem.state, problem.model
    order = listing(problem)
    return {
        "format": FORMAT,
        "version": VERSION,
        "round": state.event.round,
        "event": _digest(_history(state.event)),
        "model": model.name,
        "rules": _digest(_rules(model)),
        "seed": problem.seed,
        "players": [[state.names[p], state.event.names[state.player[p]]] for p in order.tolist()],
    }


def _history(event: Event) -> list[Any]:
    """What is known of the players before the round, whatever else a file of it may hold."""
    rows, names = event.before, (*event.players, None)
    columns = "round", "first", "second", "side", "score1", "score2", "status"
    arrays = [getattr(rows, name).tolist() for name in columns]
    played = [
        [number, names[one], names[two], side, *map(event.points_text, scores), status]
        for number, one, two, side, *scores, status in zip(*arrays, strict=True)
    ]
    active = [
        [names[p], event.points_text(int(event.brought[p])), int(event.byes_brought[p]),
         *map(event.points_text, event.adjusted[p, : event.round - 1].tolist())]
        for p in np.flatnonzero(event.active).tolist()
    ]  # fmt: skip
    return [event.round, event.sides, sorted(active), sorted(played, key=repr)]


def _rules(model: Model) -> list[Any]:
    """What a model says, whatever it is called."""
    rules = [
        [rule.kind, {f.name: repr(getattr(rule, f.name)) for f in fields(rule)}]  # type: ignore[arg-type]
        for rule in (*model.constraints, *model.criteria)
    ]
    if model.weights is None:
        return rules
    return [*rules, model.objective, *map(str, model.weights)]


def _digest(content: list[Any]) -> str:
    return hashlib.sha256(json.dumps(content, ensure_ascii=True).encode()).hexdigest()
