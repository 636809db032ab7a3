"""Records the levels of many rounds, to compare before and after the code is moved or rewritten.

python tests/benchmarks/levels.py ../shared/data -o before.csv
python tests/benchmarks/levels.py ../shared/data --against before.csv

Every round of the real events below a folder (CSV, NRTM JSON, TRF), and 500 random events, under
models that fit them; only the package's front door is used. Which of several equally good pairings
came out is not recorded: levels, status and what clashes are.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import click
import pandas as pd

import pairopt

RANDOM_EVENTS = 500
CHESS = ("standard", "fide-basic", "monrad", "top-first")
NETRUNNER = ("double-sided", "monrad", "cobra")
RANDOM = (
    "standard",
    "excalibur",
    "top-first",
    "fide-basic",
    "aesops",
    "aesops-2025",
    "cobra",
    "gatherling",
    "bakert",
    "monrad",
    "leaguevine",
    "double-sided",
    "random",
)
PER_PLAYER = ("monrad", "leaguevine", "random")


def real(folder: Path) -> Iterator[tuple[str, pairopt.Event, str]]:
    """Name, event and model of every round of the real events."""
    for path in sorted(folder.glob("csv/*/matches.csv")):
        event = pairopt.read_event(path, path.with_name("players.csv"))
        for number in range(1, event.round + 1):
            for model in CHESS if event.sides else NETRUNNER:
                yield f"{path.parent.name} {number}", event.at_round(number), model
    for path in sorted(folder.glob("nrtm/*.json")):
        event = pairopt.read_event(path)
        for number in range(1, event.round + 1):
            yield f"{path.stem} {number}", event.at_round(number), "double-sided"
    for path in sorted(folder.glob("trf/*/*.trf")):
        for model in ("fide-basic", "standard"):
            yield path.stem, pairopt.read_event(path), model


def drawn(number: int) -> tuple[str, pairopt.Event, str]:
    """A random event: rounds paired by lot, results, byes, forfeits and drops."""
    chance = Random(number)
    model = RANDOM[number % len(RANDOM)]
    sided = (
        model not in ("double-sided", "gatherling", "bakert") or chance.random() < 0.2
    )
    players = [f"p{k}" for k in range(chance.randint(6, 40))]
    rows: list[dict[str, object]] = []
    for turn in range(1, chance.randint(0, 6) + 1):
        if len(players) > 6 and chance.random() < 0.2:
            players.remove(chance.choice(players))
        order = list(players)
        if turn > 1 and chance.random() < 0.3:
            out = chance.choice(order)
            order.remove(out)
            rows.append(
                {"round": turn, "player1": out, "score1": 0, "status": "requested"}
            )
        chance.shuffle(order)
        if chance.random() < 0.5:  # as a Swiss would, more or less
            points = dict.fromkeys(order, 0.0)
            for row in rows:
                for seat in "12":
                    if row.get(f"player{seat}") in points:
                        points[str(row[f"player{seat}"])] += float(
                            str(row[f"score{seat}"])
                        )
            order.sort(key=lambda player: -points[player])
        if len(order) % 2:
            rows.append(
                {"round": turn, "player1": order.pop(), "score1": 3, "status": "bye"}
            )
        for one, two in zip(order[::2], order[1::2], strict=True):
            score = chance.choices(((3, 0), (0, 3), (1, 1)), (45, 40, 15))[0]
            row = {
                "round": turn,
                "player1": one,
                "player2": two,
                "score1": score[0],
                "score2": score[1],
                "side1": "corp" if sided else None,
            }
            if chance.random() < 0.03 and score != (1, 1):
                row["status"] = "forfeit"
            rows.append(row)
    columns = ["round", "player1", "player2", "side1", "score1", "score2", "status"]
    listed = pd.DataFrame(
        {"player": players, "rating": [chance.randint(1000, 2400) for _ in players]}
    )
    everyone = sorted(
        {str(r[c]) for r in rows for c in ("player1", "player2") if r.get(c)}
    )
    gone = [player for player in everyone if player not in players]
    listed["active"] = "yes"
    more = pd.DataFrame({"player": gone, "rating": "", "active": "no"})
    matches = pd.DataFrame(rows, columns=columns, dtype=object)
    return (
        f"random {number}",
        pairopt.read_event(matches, pd.concat([listed, more])),
        model,
    )


def line(name: str, event: pairopt.Event, model: str) -> list[str]:
    """The levels of an optimal pairing, as text."""
    engine = "matching" if model in PER_PLAYER else "cpsat"
    try:
        result = pairopt.solve(event, model, engine=engine, seed=3)
    except pairopt.PairoptError as error:
        return [name, model, type(error).__name__, ""]
    found = result.levels
    values = "; ".join(
        f"{row.criterion} {row.level} {row.value}/{row.scale}"
        for row in found.itertuples()
    )
    clash = " ".join(sorted(result.clash.rules)) if result.clash else ""
    return [name, model, result.status, clash or values]


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False))
@click.option("--against", type=click.Path(exists=True, dir_okay=False))
def main(folder: Path, output: str | None, against: str | None) -> None:
    """Write the levels, or compare them with those of an earlier run."""
    cases = [*real(folder), *(drawn(k) for k in range(RANDOM_EVENTS))]
    rows = [["round", "model", "status", "levels"]]
    with click.progressbar(cases, file=sys.stderr) as bar:
        rows += [line(*case) for case in bar]
    if output is not None:
        with Path(output).open("w", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows(rows)
    if against is not None:
        with Path(against).open(newline="") as before:
            known = list(csv.reader(before))
        different = [
            f"{old}\n{new}" for old, new in zip(known, rows, strict=True) if old != new
        ]
        click.echo(
            "\n".join(
                [*different, f"{len(different)} of {len(rows) - 1} rounds differ"]
            )
        )
        sys.exit(bool(different))


if __name__ == "__main__":
    main()
