"""Times rounds whose histories pairopt did not make; see README.md beside this file.

python tests/benchmarks/foreign.py -o tests/benchmarks/results/foreign.csv
python tests/benchmarks/foreign.py --summary tests/benchmarks/results/foreign.csv
"""

from __future__ import annotations

import csv
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import click
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from simulation import rounds

import pairopt
from pairopt.engines import abilities_of
from pairopt.event.event import Event

ROUNDS = 500
LIMIT = 60
"""Seconds after which a round is given up."""
COLUMNS = ("round", "player1", "player2", "side1", "score1", "score2", "status")
SIDED = ("white", "black")
Order = Callable[[list[str], dict[str, int], Random], list[str]]
"""Players in the order in which neighbours meet, by their points."""


def exact_models() -> tuple[str, ...]:
    """The shipped models whose pairings are proven."""
    models = Path(pairopt.__file__).parents[1] / "models"
    named = {path.stem: tomllib.loads(path.read_text()) for path in sorted(models.glob("*.toml"))}
    return tuple(
        name for name, model in named.items() if abilities_of(model.get("engine", "auto")).exact
    )


def by_lot(players: list[str], points: dict[str, int], chance: Random) -> list[str]:
    """Anybody meets anybody."""
    return chance.sample(players, len(players))


def monrad(players: list[str], points: dict[str, int], chance: Random) -> list[str]:
    """Neighbours in the standings."""
    return sorted(by_lot(players, points, chance), key=lambda player: -points[player])


def dutch(players: list[str], points: dict[str, int], chance: Random) -> list[str]:
    """In each score group the upper half meets the lower."""
    order: list[str] = []
    groups: dict[int, list[str]] = {}
    for player in sorted(players, key=lambda player: int(player[1:])):
        groups.setdefault(points[player], []).append(player)
    for score in sorted(groups, reverse=True):
        half = (len(groups[score]) + 1) // 2
        upper, lower = groups[score][:half], groups[score][half:]
        order += [p for both in zip(upper, lower, strict=False) for p in both]
        order += upper[len(lower) :]
    return order


def by_hand(players: list[str], points: dict[str, int], chance: Random) -> list[str]:
    """Neighbours in the standings, with players put in wrong places."""
    order = monrad(players, points, chance)
    for _ in range(len(order) // 12):
        order.insert(chance.randrange(len(order)), order.pop(chance.randrange(len(order))))
    return order


ORDERS: tuple[Order, ...] = (by_lot, monrad, dutch, by_hand)
SIDES = ("alternating", "by coin", "all equal")


def history(
    players: int, played: int, order: Order, sides: str, draws: float, byes: float, chance: Random
) -> Event:
    """An event after so many rounds; `byes` is the share of players who ask for one in each."""
    names = [f"p{k}" for k in range(players)]
    points, last = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    rows: list[tuple[object, ...]] = []
    for number in range(1, played + 1):
        away = {player for player in names if chance.random() < byes}
        rows += [(number, player, None, None, 1, None, "requested") for player in away]
        for player in away:
            points[player] += 1
        there = order([player for player in names if player not in away], points, chance)
        if len(there) % 2:
            rows.append((number, there[-1], None, None, 2, None, "bye"))
            points[there.pop()] += 2
        for one, two in list(pairwise(there))[::2]:
            if (sides == "alternating" and last[one] > last[two]) or (
                sides == "by coin" and chance.random() < 0.5
            ):
                one, two = two, one
            last[one], last[two] = number, 0
            score = 1 if chance.random() < draws else 2 * (chance.random() < 0.55)
            status = "forfeit" if score != 1 and chance.random() < 0.03 else None
            rows.append((number, one, two, SIDED[0], score, 2 - score, status))
            points[one] += score
            points[two] += 2 - score
    listed = pd.DataFrame(
        {"player": names, "rating": [chance.randint(1000, 2400) for _ in names], "active": "yes"}
    )
    event = pairopt.read_event(pd.DataFrame(rows, columns=list(COLUMNS), dtype=object), listed)
    return replace(event, settings=replace(event.settings, rounds=played + 3))


def drawn(number: int, model: str) -> tuple[str, Event, str]:
    """The round of that number: its history in words, the event, and the model."""
    chance = Random(number)
    players, played = chance.randint(40, 400), chance.randint(1, 14)
    order, sides = chance.choice(ORDERS), chance.choice(SIDES)
    draws, byes = chance.choice((0, 0.1, 0.3, 0.6)), chance.choice((0, 0.05, 0.3))
    event = history(players, played, order, sides, draws, byes, chance)
    said = f"{number}: {players} players, {played} rounds {order.__name__}, sides {sides}, "
    return f"{said}{draws:.0%} draws, {byes:.0%} byes", event, model


def slow(folder: Path) -> Iterator[tuple[str, Event, str]]:
    """Each NAMEm.csv of a folder, with NAMEp.csv, under models that were slow."""
    for path in sorted(folder.glob("*m.csv")):
        name = path.stem[:-1]
        event = pairopt.read_event(path, path.with_name(f"{name}p.csv"))
        models = ["leaguevine"] if name[:2] == "lv" else ["standard", "excalibur", "top-first"]
        for model in models:
            yield name, event, model


def shipped(sizes: tuple[int, ...], models: tuple[str, ...]) -> Iterator[tuple[str, Event, str]]:
    """Rounds 2, 5 and 9 of events that pairopt has paired, under each model."""
    for players in sizes:
        for number, (event, _) in enumerate(rounds(players, 9, 0), 1):
            if number in (2, 5, 9):
                event = replace(event, settings=replace(event.settings, rounds=12))
                for model in models:
                    yield f"{players} players, round {number}", event, model


def line(name: str, event: Event, model: str, engine: str | None) -> tuple[object, ...]:
    """One solve, measured in seconds of the processor."""
    start = time.process_time()
    try:
        status = pairopt.solve(event, model, engine=engine, time_limit=LIMIT).status
    except pairopt.PairoptError as error:  # numbers too large for the model, or for the engine
        status = type(error).__name__
    return name, model, engine, status, round(time.process_time() - start, 3)


def summary(frame: pd.DataFrame) -> str:
    """Seconds by model, and of all."""
    at = {"median": 0.5, "99%": 0.99, "worst": 1.0}
    groups = [*frame.groupby("model"), ("all", frame)]
    rows = [
        {"model": model, "rounds": len(part)}
        | {name: part["seconds"].quantile(share).round(3) for name, share in at.items()}
        | {"unproven": int((~part["status"].isin(["optimal", "infeasible"])).sum())}
        for model, part in groups
    ]
    return pd.DataFrame(rows).to_string(index=False) + "\n"


@click.command()
@click.option("-o", "--output", type=click.Path(dir_okay=False))
@click.option("--summary", "shown", type=click.Path(exists=True, dir_okay=False))
@click.option("--engine")
@click.option("--rounds", "number", default=ROUNDS, help="So many foreign rounds.")
@click.option("--model", "models", multiple=True)
@click.option("--tidy", multiple=True, type=int, help="Tidy events of so many players instead.")
@click.option("--slow", "folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(
    output: str | None,
    shown: str | None,
    engine: str | None,
    number: int,
    models: tuple[str, ...],
    tidy: tuple[int, ...],
    folder: Path | None,
) -> None:
    """Run the rounds one after the other in this process, or show a summary."""
    if shown is not None:
        click.echo(summary(pd.read_csv(shown)), nl=False)
        return
    models = models or exact_models()
    if folder is not None:
        cases = slow(folder)
    elif tidy:
        cases = shipped(tidy, models)
    else:
        cases = (drawn(k, models[k % len(models)]) for k in range(number))
    rows = []
    for case in cases:
        rows.append(line(*case, engine))
        click.echo("; ".join(map(str, rows[-1])), err=True)
    frame = pd.DataFrame(rows, columns=["round", "model", "engine", "status", "seconds"])
    if output is not None:
        frame.to_csv(output, index=False, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    click.echo(summary(frame), nl=False)


if __name__ == "__main__":
    main()
