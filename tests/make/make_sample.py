"""Make the sample event in examples/weekly: 41 players, five rounds, all that happens in one.

python tests/make/make_sample.py
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import numpy as np
import pandas as pd
from places import SAMPLE

import pairopt

FOLDER = SAMPLE
SEED, ROUNDS = 7, 5
NAMES = """
Aiko Tanaka|Amara Okafor|Anton Berg|Beatriz Souza|Bram de Wit|Camille Laurent|Chidi Eze
Clara Novák|Dana Levi|Diego Ramos|Elif Demir|Emil Sørensen|Fatima Zahra|Femi Adeyemi
Finn O'Brien|Grace Kim|Hana Yusuf|Hugo Martin|Imran Aziz|Ingrid Dahl|Ivan Petrov
Jonas Weber|Kaia Tamm|Kwame Mensah|Lena Fischer|Liam Walsh|Lucía Gómez|Mei Lin
Milan Horvat|Nadia Haddad|Nils Åkesson|Noor Jansen|Olga Ivanova|Pedro Alves|Priya Nair
Rosa Marino|Samir Khan|Tomás Vega|Uma Iyer|Wren Carter|Zofia Król
"""
CLUBS = ["Jinteki Cellar", "Open Source Pub", "The Click Compiler", "Station One", ""]
LEAVING = {2: ["Hugo Martin"], 3: ["Olga Ivanova", "Bram de Wit"], 4: ["Pedro Alves"]}
"""Who leaves after which round."""
ASKED_FOR_A_BYE = {3: "Priya Nair"}
FORFEIT_ROUND = 2


def main() -> None:
    """Play the event and write both files."""
    rng = np.random.default_rng(SEED)
    names = [
        name.strip()
        for line in NAMES.split("\n")
        for name in line.split("|")
        if name.strip()
    ]
    players = pd.DataFrame({"player": names, "club": rng.choice(CLUBS, len(names))})
    strength = dict(zip(names, rng.normal(0, 200, len(names)), strict=True))
    left: list[str] = []
    matches: pd.DataFrame | None = None
    for number in range(1, ROUNDS + 1):
        roster = players.assign(
            active=[str(name not in left).lower() for name in names]
        )
        event = pairopt.read_event(
            roster if matches is None else matches, None if matches is None else roster
        )
        asked = [ASKED_FOR_A_BYE[number]] if number in ASKED_FOR_A_BYE else []
        result = pairopt.solve(event, seed=SEED, request_bye=asked)
        assert result.proven
        rows = [_played(dict(row), strength, rng) for row in result.matches]
        if number == FORFEIT_ROUND:
            rows[-4] |= {"score1": 0, "score2": 3, "status": "forfeit"}
        matches = pd.concat(
            [matches, pd.DataFrame(rows, dtype=object)], ignore_index=True
        )
        left += LEAVING.get(number, [])
    assert matches is not None
    players["active"] = [str(name not in left).lower() for name in names]
    FOLDER.mkdir(parents=True, exist_ok=True)
    matches.to_csv(FOLDER / "matches.csv", index=False, lineterminator="\n")
    players.to_csv(FOLDER / "players.csv", index=False, lineterminator="\n")


def _played(
    row: dict[str, object], strength: dict[str, float], rng: np.random.Generator
) -> dict[str, object]:
    """The row with a result: 3 for a win, 1 each for a draw."""
    if row["player2"] is None:
        return row
    gap = strength[str(row["player2"])] - strength[str(row["player1"])]
    expected = 1 / (1 + 10 ** (gap / 400))
    chance = rng.random()
    if chance < 0.04:
        return row | {"score1": 1, "score2": 1}
    won = (chance - 0.04) / 0.96 < expected
    return row | {"score1": 3 if won else 0, "score2": 0 if won else 3}


if __name__ == "__main__":
    main()
