"""Who pairs by rules of its own in peers.py: what is made ready, and a job that is timed."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from contenders import pairopt_with
from contest import Case, Contender, Found, Job

from pairopt import Event, load_model, solve

WIN = 3
"""Points of the events of peers.py."""


def chess(event: Event) -> Event:
    """The same results at 1 point for a win and half a point for a draw."""
    rows = event.matches
    points = np.zeros(WIN + 1, np.int64)
    points[[1, WIN]] = 1, 2
    matches = replace(rows, score1=points[rows.score1], score2=points[rows.score2])
    return replace(
        event, matches=matches, scale=2, initial_side=0, declared_active=event.active
    )


def report(event: Event) -> str:
    """The chess event as a tournament report; the round to pair is not the last one."""
    from pairopt.files.formats.trf.writing import write16

    lines = write16(chess(event)).text.splitlines()
    stays = [line for line in lines if not line.startswith(("XXR", "XXC"))]
    return "\n".join([*stays, f"XXR {event.round + 1}", "XXC white1", ""])


def _pairs(pairs: Iterable[tuple[int, int]]) -> Found:
    """Start numbers, first the first side, 0 for a bye."""
    return Found("paired", [number for pair in sorted(pairs) for number in pair])


def dutch(case: Case) -> Job:
    """pairopt's own Dutch System, from the event in memory to the checked pairing."""
    event = chess(case.event)
    number = dict(zip(event.players, event.start_numbers.tolist(), strict=True))

    def job() -> Found:
        rows = solve(event, "fide-dutch").matches
        both = ((str(row["player1"]), row["player2"]) for row in rows)
        return _pairs(
            (number[one], number[str(two)] if two else 0) for one, two in both
        )

    return job


def bbp(case: Case) -> Job:
    """bbpPairings, a program: a ready file to a file of pairs, its start included."""
    folder = Path(tempfile.mkdtemp())
    (folder / "in.trf").write_text(report(case.event), encoding="utf-8")

    def job() -> Found:
        command = [case.place, "--dutch", "in.trf", "-p", "out"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        lines = (folder / "out").read_text(encoding="utf-8").split("\n")[1:]
        both = (line.split() for line in lines if line.strip())
        return _pairs((int(one), int(two)) for one, two in both)

    return job


def gacrux(case: Case) -> Job:
    """Gacrux, networkx inside: a report that has been read to pairs."""
    from gacrux.pairingdutch import pairing_dutch
    from gacrux.trf2json import trf2json

    file = trf2json()
    file.parse_file(report(case.event), False)
    event = file.get_tournament(1)
    how = {
        "experimental": [],
        "top_color": "w",
        "maxmeets": "0",
        "verbose": 0,
        "unpaired": [],
    }

    def job() -> Found:
        brackets = pairing_dutch(event, case.event.round, how).compute_pairing(
            False, True
        )
        found = [
            pair for bracket in brackets if bracket for pair in bracket.get("pairs", [])
        ]
        return _pairs((pair["w"], pair["b"]) for pair in found)

    return job


def caissify(case: Case) -> Job:
    """caissify-pairings, networkx inside, on ready players."""
    from caissify_pairings import generate_pairings

    from pairopt.event.tie_breaks.base import history_of

    event = chess(case.event)
    number = [*event.start_numbers.tolist(), 0]
    history = history_of(event)
    totals = [np.cumsum([0, *(turn.points for turn in own)]) for own in history.turns]
    players, met = [], set()
    for k in np.flatnonzero(event.active).tolist():
        colors, floats = [], []
        for at, turn in enumerate(history.turns[k]):
            lower = (
                int(np.sign(totals[k][at] - totals[turn.opponent][at]))
                if turn.played
                else 1
            )
            floats.append(("none", "down", "up")[lower])
            if turn.played:
                colors.append(("white", "black")[turn.side])
                met.add(tuple(sorted((number[k], number[turn.opponent]))))
        players.append(
            {
                "id": number[k],
                "name": "",
                "score": totals[k][-1] / event.scale,
                "rating": 0,
                "starting_number": number[k],
                "color_hist": colors,
                "float_history": floats,
                "bye_count": sum(not turn.played for turn in history.turns[k]),
            }
        )

    def job() -> Found:
        found = generate_pairings(
            "dutch", players, met, event.round, event.round + 1, initial_color="white"
        )
        return _pairs((pair["white_id"], pair["black_id"] or 0) for pair in found)

    return job


def py4swiss(case: Case) -> Job:
    """py4swiss, C++ inside, on a ready report of the event."""
    from py4swiss.engines import DutchEngine
    from py4swiss_peer import report_of

    ready = report_of(chess(case.event))

    def job() -> Found:
        DutchEngine.generate_pairings(ready)
        return Found("paired")

    return job


def swisspair(case: Case) -> Job:
    """swisspair, Magic's rules, C++ inside, on ready players."""
    import swisspair as sp

    from pairopt.problem.problem import problem_of

    state = problem_of(case.event, load_model("double-sided")).state
    met: list[set[str]] = [set() for _ in range(len(state))]
    for one, two in state.meetings.pairs().tolist():
        met[one].add(state.names[two])
        met[two].add(state.names[one])
    players = [
        sp.Player(
            state.names[k],
            int(state.score[k]),
            int(state.overall_rank[k]),
            bool(state.byes[k] == 0),
            met[k],
        )
        for k in np.argsort(state.overall_rank)
    ]

    def job() -> Found:
        sp.create_matches(players)
        return Found("paired")

    return job


def aesops(case: Case) -> Job:
    """Aesop's Tables' own code for a round, its database in memory included."""
    import flask

    # its package opens the whole site when it is imported: only the parts are wanted
    package = ModuleType("aesops")
    package.__path__ = [str(Path(case.place) / "aesops")]
    sys.modules.setdefault("aesops", package)
    if case.place not in sys.path:
        sys.path.append(case.place)
    import data_models.model_store as store  # first: the others ask for it
    from aesops.business_logic.matchmaking import pair_round
    from data_models.match import Match
    from data_models.players import Player
    from data_models.tournaments import Tournament

    db = store.db
    app: Any = flask.Flask("peers")
    app.config["SQLALCHEMY_DATABASE_URI"] = "sqlite://"
    db.init_app(app)
    app.app_context().push()
    db.create_all()
    event, rows = case.event, case.event.matches
    had = set(rows.first[rows.second < 0].tolist())
    table = Tournament(name="peers", current_round=event.round - 1)
    db.session.add(table)
    db.session.commit()
    db.session.add_all(
        Player(
            id=k + 1,
            name=name,
            tid=table.id,
            active=bool(event.active[k]),
            score=int(
                rows.score1[rows.first == k].sum() + rows.score2[rows.second == k].sum()
            ),
            received_bye=k in had,
        )
        for k, name in enumerate(event.players)
    )
    for k in range(len(rows.first)):
        bye, corp = rows.second[k] < 0, rows.side[k] != 1
        both = (int(rows.first[k]) + 1, None if bye else int(rows.second[k]) + 1)
        one, two = both if corp else both[::-1]
        won = int(np.sign(rows.score1[k] - rows.score2[k])) * (1 if corp else -1)
        db.session.add(
            Match(
                tid=table.id,
                rnd=int(rows.round[k]),
                corp_player_id=one,
                runner_player_id=two,
                result=won,
                concluded=True,
                is_bye=bool(bye),
            )
        )
    db.session.commit()

    def job() -> Found:
        pair_round(table)
        return Found("paired")

    return job


def cobra(case: Case) -> Job:
    """Cobra's own classes for a single-sided round, in Ruby, its start included."""
    from pairopt.event.tie_breaks.base import history_of

    history = history_of(case.event)
    players = [
        {
            "id": k,
            "points": history.score[k],
            "had_bye": any(not turn.played for turn in history.turns[k]),
            "games": [
                [turn.opponent, ("corp", "runner")[turn.side]]
                for turn in history.turns[k]
                if turn.played
            ],
        }
        for k in np.flatnonzero(case.event.active).tolist()
    ]
    file = Path(tempfile.mkdtemp()) / "players.json"
    file.write_text(json.dumps(players), encoding="utf-8")
    script = str(Path(__file__).with_name("cobra.rb"))

    def job() -> Found:
        command = ["ruby", script, case.place, str(file)]
        subprocess.run(command, check=True, capture_output=True)
        return Found("paired")

    return job


CONTENDERS = {
    "pairopt fide-dutch": Contender(dutch, 1000, "Dutch"),
    "bbpPairings": Contender(bbp, 301, "Dutch", "its executable"),
    "gacrux": Contender(gacrux, 301, "Dutch"),
    "caissify": Contender(caissify, 100, "Dutch"),
    "py4swiss": Contender(py4swiss, 301, "Dutch until 2026"),
    "swisspair": Contender(swisspair, 301, "Magic"),
    "pairopt aesops-2025": Contender(pairopt_with("aesops-2025"), 1000, "Aesop's"),
    "Aesop's Tables": Contender(
        aesops, 301, "Aesop's, sides by lot", "the folder of its sources", once=True
    ),
    "pairopt cobra": Contender(pairopt_with("cobra"), 1000, "Cobra's"),
    "Cobra": Contender(
        cobra, 301, "Cobra's, sides by lot", "the folder of its sources"
    ),
}
"""In the order of the table; beside a program pairopt by the same rules."""
