"""Speed of small fields: rounds and tournaments of 32 players, 7 rounds, beside py4swiss.

python tests/benchmarks/study_speed.py [--tournaments 40]

Last come rounds from an event in memory to the checked pairing, in seconds of the processor: all of
32 players by matching, and the ninth of 40 players by cpsat; of each the least of five times.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from py4swiss.engines import DutchEngine

from pairopt import load_model, solve
from pairopt.study import World
from pairopt.study.play import tournament
from pairopt.study.tasks import Simulated, Study
from pairopt.study.world import Field

WORLD = World(players=32, rounds=7, sides=("white", "black"), rating_error=0.0)
IN_MEMORY = ((32, 2, 7, "matching"), (40, 9, 9, "cpsat"))
"""Players, first and last round, engine."""
MODELS = ("excalibur", "fide-basic", "double-sided", "fide-dutch", "fide-dutch-2017-py4swiss")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tournaments", type=int, default=40)
    count = parser.parse_args().tournaments
    alone: list[float] = []
    DutchEngine.generate_pairings = _timed(DutchEngine.generate_pairings, alone)  # type: ignore[method-assign]
    for name in MODELS:
        model, rounds = load_model(name), []
        Simulated(Study(model, WORLD, 2), 0, 3).texts()  # warms up imports
        alone.clear()
        for k in range(count):
            rounds += [made.seconds for made, _ in tournament(Field(WORLD, 1, k), model)]
        if alone:
            print(f"{'py4swiss alone':15} {1000 * statistics.median(alone):6.2f} ms a round")
        start = time.perf_counter()
        Simulated(Study(model, WORLD, 1), 0, count).texts()
        each = (time.perf_counter() - start) / count
        print(
            f"{name:15} {1000 * statistics.median(rounds):6.2f} ms a round, "
            f"{1000 * each:6.1f} ms a tournament with results and metrics, {1 / each:.0f} a second"
        )
    for players, first, last, engine in IN_MEMORY:
        world, model = replace(WORLD, players=players, rounds=last), load_model(MODELS[0])
        played = [list(tournament(Field(world, 1, k), model)) for k in range(5)]
        events = [after for rounds in played for _, after in rounds if first <= after.round <= last]
        seconds = [_least(partial(solve, event, model, engine=engine)) for event in events]
        print(
            f"{engine:15} {1000 * statistics.mean(seconds):6.2f} ms a round of {players} players, "
            f"rounds {first} to {last}"
        )


def _least(call: Callable[[], Any]) -> float:
    """The least of the processor's seconds of five calls."""
    times = []
    for _ in range(5):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def _timed(function: Callable[..., Any], seconds: list[float]) -> Any:
    """The function, noting how long each call took."""

    def call(*arguments: Any) -> Any:
        start = time.perf_counter()
        made = function(*arguments)
        seconds.append(time.perf_counter() - start)
        return made

    return staticmethod(call)


if __name__ == "__main__":
    main()
