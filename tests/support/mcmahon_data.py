"""Tournaments of OpenGotha in shared data, as events and models of pairopt."""

from __future__ import annotations

import gzip
import json
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from places import REAL

from pairopt import Event, read_event
from pairopt.event.arcs import Arcs, arcs_of
from pairopt.event.state import State
from pairopt.problem.model import Model, parse_model

FOLDER = REAL / "mcmahon"
TERMS = ("duplicate", "colour", "score", "draw", "seed", "geo", "total")
PLACES = {"TOP": "top", "MID": "middle", "BOT": "bottom"}
STYLES = {"SPLITANDSLIP": "slip", "SPLITANDFOLD": "fold"}


@cache
def tournament(name: str) -> dict[str, Any]:
    with gzip.open(FOLDER / f"{name}.json.gz") as file:
        return json.load(file)  # type: ignore[no-any-return]


def tournaments() -> list[str]:
    return sorted(path.name.split(".")[0] for path in FOLDER.glob("*.json.gz"))


def all_rounds() -> list[tuple[str, int]]:
    return [
        (name, int(number))
        for name in tournaments()
        for number in tournament(name)["rounds"]
    ]


def rank_text(rank: int) -> str:
    return f"{rank + 1}d" if rank >= 0 else f"{-rank}k"


def model(data: dict[str, Any]) -> Model:
    """The model with the parameters of the tournament's file."""
    given = data["parameters"]
    weights, geo, handicap = given["weights"], given["geo"], given["handicap"]
    rating = {
        (True, True): "always",
        (True, False): "first",
        (False, True): "then",
        (False, False): "never",
    }[given["seed_extra1"] == "Rating", given["seed_extra2"] == "Rating"]
    row = {
        "kind": "mcmahon",
        "system": given["system"],
        "floor": rank_text(given["floor"]),
        "bar": rank_text(given["bar"]),
        "rounds": given["rounds"],
        "duplicate": weights["duplicate"],
        "colour": weights["colour"],
        "score": weights["score"],
        "draw": weights["draw"],
        "seed": weights["seed"],
        "geography": weights["geo"],
        "draw_upper": PLACES[given["draw_upper"]],
        "draw_lower": PLACES[given["draw_lower"]],
        "seed_rounds": given["seed_until"],
        "seed_first": STYLES[given["seed1"]],
        "seed_then": STYLES[given["seed2"]],
        "seed_rating": rating,
        "country": geo["country"],
        "club": geo["club"],
        "no_geography": [name for name in ("bar", "wins") if geo[name]],
        "no_geography_from": rank_text(geo["rank"]),
        "handicap_by": "score" if handicap["on_mms"] else "rank",
        "handicap_below": rank_text(handicap["none_above"]),
        "handicap_correction": handicap["correction"],
        "handicap_most": handicap["ceiling"],
    }
    name = data["id"]
    return parse_model({"name": name, "sides": ["black", "white"], "criteria": [row]})


def event(data: dict[str, Any], number: int, played: bool = False) -> Event:
    """The event before a round, or with the pairing of this round, without results."""
    rows: list[dict[str, Any]] = []
    for game in data["games"]:
        if game["round"] > number or (game["round"] == number and not played):
            continue
        scores = {"white": (1, 0), "black": (0, 1)}[game["result"]]
        if game["round"] == number:
            scores = (None, None)
        rows.append(
            {
                "round": game["round"],
                "table": game["table"],
                "player1": game["white"],
                "player2": game["black"],
                "side1": "white",
                "score1": scores[0],
                "score2": scores[1],
                "status": "",
                "handicap": game["handicap"],
            }
        )
    byes = [(bye["round"], bye["player"], "bye") for bye in data["byes"]]
    byes += [
        (absent, player["id"], "requested")
        for player in data["players"]
        for absent in player["absent"]
    ]
    for bye_round, player, status in byes:
        if bye_round > number:
            continue
        if bye_round == number and status == "bye" and not played:
            continue
        rows.append(
            {
                "round": bye_round,
                "player1": player,
                "score1": 1 if status == "bye" else 0,
                "status": status,
                "handicap": "",
            }
        )
    columns = [
        "round",
        "table",
        "player1",
        "player2",
        "side1",
        "score1",
        "score2",
        "status",
        "handicap",
    ]
    matches = pd.DataFrame(rows, columns=columns, dtype=object)
    players = pd.DataFrame(
        [
            {
                "player": player["id"],
                "rank": rank_text(player["rank"]),
                "rating": player["rating"],
                "club": player["club"],
                "country": player["country"],
                "correction": player["corr"],
            }
            for player in data["players"]
        ]
    )
    return read_event(
        matches,
        players,
        round=number,
        model_sides=["black", "white"],
        relax=["byes"],
        unfinished=True,
    )


def pair_arcs(state: State, rows: list[list[Any]]) -> Arcs:
    """The matches of rows that begin with two players."""
    position = {name: k for k, name in enumerate(state.names)}
    first = np.array([position[row[0]] for row in rows])
    second = np.array([position[row[1]] for row in rows])
    return arcs_of(first, second)


def published(data: dict[str, Any], number: int) -> list[list[str]]:
    """The published matches of a round, Black first."""
    return [
        [game["black"], game["white"]]
        for game in data["games"]
        if game["round"] == number
    ]


def published_frame(data: dict[str, Any], number: int) -> pd.DataFrame:
    """The published pairing of a round as rows of matches.csv."""
    rows: list[dict[str, Any]] = [
        {"round": number, "player1": black, "player2": white, "side1": "black"}
        for black, white in published(data, number)
    ]
    rows += [
        {"round": number, "player1": bye["player"], "status": "bye"}
        for bye in data["byes"]
        if bye["round"] == number
    ]
    columns = ["round", "player1", "player2", "side1", "status"]
    return pd.DataFrame(rows, columns=columns, dtype=object)
