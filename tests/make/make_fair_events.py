"""The events of `tests/support/fair-events.json`, whose optimal pairings are known: what is missing
of `fair_draws.EVENTS` is played, by lot, and kept; what is there stays as it is.

python tests/make/make_fair_events.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import fair_draws
import numpy as np
from simulation import rounds

PATH = Path(fair_draws.__file__).with_name("fair-events.json")


def kept(players: int, number: int, model: str, seed: int) -> dict[str, Any]:
    """The matches before a round of a simulated event, and who is there."""
    *_, (event, _) = rounds(players, number, seed, model, choose="uniform")
    rows = event.matches
    names = ("round", "first", "second", "side", "score1", "score2", "status")
    cells = np.array([getattr(rows, name) for name in names]).T
    return {"active": np.flatnonzero(event.active).tolist(), "rows": cells.tolist()}


if __name__ == "__main__":
    found = json.loads(PATH.read_text(encoding="utf-8"))
    found += [kept(*each) for each in fair_draws.EVENTS[len(found) :]]
    lines = ",\n ".join(json.dumps(each, separators=(",", ":")) for each in found)
    PATH.write_text(f"[\n {lines}\n]\n", encoding="utf-8")
