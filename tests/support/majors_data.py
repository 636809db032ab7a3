"""Stages of Counter-Strike Majors in shared data, as events and models of pairopt."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
from events import model_of
from majors_literal import Game
from places import REAL

from pairopt import Event, read_event, solve
from pairopt.problem.model import Model

FILE = REAL / "majors" / "stages.json"
FIRST = {"1v9": "slide", "1v16": "fold"}


def stages() -> list[dict[str, Any]]:
    """The stages, none where there is no file."""
    return json.loads(FILE.read_text("utf-8"))["stages"] if FILE.exists() else []


def event_after(rounds: list[list[Game]], teams: int = 16) -> Event:
    rows = [
        (number, f"T{winner}", f"T{loser}", 1, 0)
        for number, games in enumerate(rounds, 1)
        for winner, loser in games
    ]
    columns = ["round", "player1", "player2", "score1", "score2"]
    players = pd.DataFrame(
        {"player": [f"T{k}" for k in range(1, teams + 1)], "start": range(1, teams + 1)}
    )
    matches = pd.DataFrame(rows, columns=columns, dtype=object)
    return read_event(matches, players.assign(active=True))


def model_of_stage(stage: dict[str, Any]) -> Model:
    order = {"table": "table", "lexicographic": "highest"}[stage["order"]]
    return model_of(
        {
            "name": "stage",
            "win": 1,
            "advance_wins": stage["wins"],
            "eliminate_losses": stage["losses"],
            "constraints": {"no_rematch": True},
            "criteria": [
                {"kind": "score_groups"},
                {
                    "kind": "major_order",
                    "first_round": FIRST[stage["first_round"]],
                    "six": order,
                },
            ],
        }
    )


def pairs_of(event: Event, model: Any) -> set[frozenset[int]]:
    result = solve(event, model)
    assert result.proven
    return {
        frozenset(int(name.removeprefix("T")) for name in (one, two))
        for one, two in result.pairs
    }
