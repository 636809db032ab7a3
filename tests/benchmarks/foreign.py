"""Times rounds whose histories pairopt did not make; see README.md beside this file.

python tests/benchmarks/foreign.py -o tests/benchmarks/results/foreign.csv
python tests/benchmarks/foreign.py --summary tests/benchmarks/results/foreign.csv
"""

from __future__ import annotations

import csv
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import click
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from apart import apart
from foreign_fields import KINDS, Span, drawn
from simulation import opening, rounds

import pairopt
from pairopt.engines import abilities_of
from pairopt.event.event import Event

ROUNDS = 500
LIMIT = 60
"""Seconds after which a round is given up."""
PATIENCE = 4 * LIMIT
"""Seconds after which the process of a round that has not been given up is ended."""
SLOW = {
    "lv": ("leaguevine",),
    "slow2003": ("excalibur",),
    "slow2008": ("top-first",),
    "slow3012": ("fide-basic",),
    "": ("standard", "excalibur", "top-first"),
}
"""The models that were slow, by how the name begins."""


OF_OTHER_DATA = ("draw", "major", "major-fold", "mcmahon", "swiss-go")
"""Models that need data which the drawn fields lack: pots, seeds or Go ranks."""


@dataclass(frozen=True)
class Case:
    """A round to pair: its history in words, the model, and whether its optima are counted."""

    name: str
    event: Event
    model: str
    count: bool = False


Line = tuple[str, str, str | None, str, float]
"""Round, model, engine, status, and seconds of the processor."""


def exact_models() -> tuple[str, ...]:
    """The shipped models whose pairings are proven, for fields of any game."""
    models = Path(pairopt.__file__).parents[1] / "models"
    named = {
        path.stem: tomllib.loads(path.read_text())
        for path in sorted(models.glob("*.toml"))
    }
    return tuple(
        name
        for name, model in named.items()
        if name not in OF_OTHER_DATA and abilities_of(model.get("engine", "auto")).exact
    )


def foreign(
    number: int, kinds: tuple[str, ...], sizes: Span | None, models: tuple[str, ...]
) -> Iterator[Case]:
    """So many rounds: the kinds in turn, each with the models in turn or the model it is for."""
    for k in range(number):
        place, kind = k // len(kinds), kinds[k % len(kinds)]
        field = drawn(place, kind, sizes)
        own = models or ((field.model,) if field.model else exact_models())
        yield Case(field.name, field.event, own[place % len(own)])


def slow(folder: Path) -> Iterator[Case]:
    """Each NAMEm.csv of a folder, with NAMEp.csv, under models that were slow.

    What is named for its count is paired under the folder's clubs.toml, too, and counted.
    """
    for path in sorted(folder.glob("*m.csv")):
        stem = path.stem[:-1]
        name = stem.rstrip("_")
        event = pairopt.read_event(path, path.with_name(f"{stem}p.csv"))
        for model in next(
            models for start, models in SLOW.items() if name.startswith(start)
        ):
            yield Case(name, event, model)
        if name.startswith("cnt"):
            clubs = str(folder / "clubs.toml")
            yield from (Case(name, event, clubs, count) for count in (False, True))


def shipped(sizes: tuple[int, ...], models: tuple[str, ...]) -> Iterator[Case]:
    """Rounds 2, 5 and 9 of events that pairopt has paired, under each model."""
    for players in sizes:
        for number, (event, _) in enumerate(rounds(players, 9, 0), 1):
            if number in (2, 5, 9):
                event = replace(event, settings=replace(event.settings, rounds=12))
                for model in models:
                    yield Case(f"{players} players, round {number}", event, model)


def line(case: Case, engine: str | None) -> Line:
    """One solve, measured in seconds of the processor."""
    start = time.process_time()
    try:
        status: str = pairopt.solve(
            case.event, case.model, engine=engine, time_limit=LIMIT, count=case.count
        ).status
    except (
        pairopt.PairoptError
    ) as error:  # numbers too large for the model, or for the engine
        status = type(error).__name__
    model = Path(case.model).stem + " counted" * case.count
    return case.name, model, engine, status, round(time.process_time() - start, 3)


def line_apart(case: Case, engine: str | None) -> tuple[object, ...]:
    """One solve in a process of its own, with its peak memory; no seconds where it is ended."""
    ended = apart(lambda: line(case, engine), PATIENCE)
    if ended.ended is not None:
        model = Path(case.model).stem + " counted" * case.count
        return case.name, model, engine, ended.ended, None, ended.peak_mb
    return *ended.value, ended.peak_mb


def warmed_up() -> None:
    """Load what a process of its own would load in the time that is measured."""
    for engine, count in product(("matching", "cpsat"), (False, True)):
        pairopt.solve(opening(12), "excalibur", engine=engine, count=count)


def summary(frame: pd.DataFrame) -> str:
    """Seconds by model, and of all; the largest peak memory where it was measured."""
    at = {"median": 0.5, "99%": 0.99, "worst": 1.0}
    groups = [*frame.groupby("model"), ("all", frame)]
    rows = [
        {"model": model, "rounds": len(part)}
        | {name: part["seconds"].quantile(share).round(3) for name, share in at.items()}
        | {"unproven": int((~part["status"].isin(["optimal", "infeasible"])).sum())}
        | ({"peak_mb": part["peak_mb"].max()} if "peak_mb" in part else {})
        for model, part in groups
    ]
    return pd.DataFrame(rows).to_string(index=False) + "\n"


@click.command()
@click.option("-o", "--output", type=click.Path(dir_okay=False))
@click.option("--summary", "shown", type=click.Path(exists=True, dir_okay=False))
@click.option("--engine")
@click.option("--rounds", "number", default=ROUNDS, help="So many foreign rounds.")
@click.option("--model", "models", multiple=True)
@click.option("--kind", "kinds", multiple=True, type=click.Choice([*KINDS, "all"]))
@click.option(
    "--players", "sizes", type=(int, int), help="Fields of so many, least and most."
)
@click.option(
    "--memory", is_flag=True, help="Each in a process of its own, with its peak memory."
)
@click.option(
    "--tidy", multiple=True, type=int, help="Tidy events of so many players instead."
)
@click.option(
    "--slow", "folder", type=click.Path(exists=True, file_okay=False, path_type=Path)
)
def main(
    output: str | None,
    shown: str | None,
    engine: str | None,
    number: int,
    models: tuple[str, ...],
    kinds: tuple[str, ...],
    sizes: Span | None,
    memory: bool,
    tidy: tuple[int, ...],
    folder: Path | None,
) -> None:
    """Run the rounds one after the other, or show a summary."""
    if shown is not None:
        click.echo(summary(pd.read_csv(shown)), nl=False)
        return
    if folder is not None:
        cases = slow(folder)
    elif tidy:
        cases = shipped(tidy, models or exact_models())
    else:
        kinds = tuple(KINDS) if "all" in kinds else kinds or ("mixed",)
        cases = foreign(number, kinds, sizes, models)
    memory = memory or folder is not None
    if memory:
        warmed_up()
    rows = []
    for case in cases:
        rows.append(line_apart(case, engine) if memory else line(case, engine))
        click.echo("; ".join(map(str, rows[-1])), err=True)
    columns = ["round", "model", "engine", "status", "seconds", "peak_mb"]
    frame = pd.DataFrame(rows, columns=columns[: 5 + memory])
    if output is not None:
        frame.to_csv(
            output, index=False, lineterminator="\n", quoting=csv.QUOTE_MINIMAL
        )
    click.echo(summary(frame), nl=False)


if __name__ == "__main__":
    main()
