"""Answer test vectors with pairopt: one line of JSON in, one line of JSON out.

python run.py '*' python answer.py [ENGINE]
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from pairopt import Result, read_event, solve
from pairopt.problem.model import parse_model

COLUMNS = ("round", "player1", "player2", "side1", "score1", "score2", "status")
Facts = Mapping[str, Any]


def result(facts: Facts, **options: Any) -> Result:
    """The round of a vector, paired."""
    if facts["trf"]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "round.trf")
            path.write_text(facts["trf"], encoding="utf-8")
            return solve(read_event(path), "fide-dutch", **options)
    rows = [
        (m["round"], m["first"], m["second"], _side(facts, m), *m["scores"], _status(m))
        for m in facts["matches"]
    ]
    players = pd.DataFrame(
        [
            {
                "player": p["id"],
                "rating": p.get("rating"),
                "club": p.get("club"),
                "active": "yes",
            }
            for p in facts["players"]
        ],
        dtype=object,
    )
    event = read_event(pd.DataFrame(rows, columns=list(COLUMNS), dtype=object), players)
    rules = facts["rules"]
    model = parse_model({"name": "vector", "win": facts["points"]["win"], **rules})
    forbid = [tuple(pair) for pair in facts["forbidden"]]
    return solve(event, model, forbid=forbid, **options)


def _side(facts: Facts, match: Facts) -> str | None:
    return facts["sides"][0] if facts["sides"] and match["second"] else None


def _status(match: Facts) -> str:
    return "" if match["status"] == "played" else match["status"]


def pairing(found: Result) -> list[list[str | None]]:
    """The matches of a result; none where there is no pairing."""
    rows = (row for row in found.matches if row["status"] != "requested")
    return [
        [str(row["player1"]), row["player2"] and str(row["player2"])] for row in rows
    ]


if __name__ == "__main__":
    engine = sys.argv[1] if len(sys.argv) > 1 else None
    for line in sys.stdin:
        print(
            json.dumps(pairing(result(json.loads(line)["facts"], engine=engine))),
            flush=True,
        )
