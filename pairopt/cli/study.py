"""Options and output that the commands about studies share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any

import click

from pairopt.cli.options import Command
from pairopt.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from pairopt.problem.model import Model
    from pairopt.study.world import World

PROBABILITY = click.FloatRange(0, 1)

WORLD_OPTIONS = [
    click.option("--rounds", type=click.IntRange(1), default=7, show_default=True),
    click.option("--spread", type=click.FloatRange(0), default=200.0, show_default=True,
                 help="Standard deviation of true strength, in Elo points."),
    click.option("--shape", type=click.Choice(["normal", "uniform"]), default="normal",
                 show_default=True, help="Distribution of true strength."),
    click.option("--rating-error", type=click.FloatRange(0), default=0.0, show_default=True,
                 help="Standard deviation of ratings about the strength."),
    click.option("--unrated", is_flag=True, help="Nobody has a rating."),
    click.option("--draws", type=PROBABILITY, default=0.03, show_default=True,
                 help="Probability of a draw between equals."),
    click.option("--first-side", type=float, default=0.0, show_default=True,
                 help="Advantage of the first side, in Elo points."),
    click.option("--drops", type=PROBABILITY, default=0.0, show_default=True,
                 help="Probability of leaving after each round."),
    click.option("--late", type=PROBABILITY, default=0.0, show_default=True,
                 help="Probability of entering in the second round."),
    click.option("--points", default="3,1", show_default=True, metavar="WIN,DRAW"),
    click.option("--sides", default="corp,runner", show_default=True, metavar="A,B",
                 help="Labels of both sides; none for a game without."),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
                 help="Of players, results and pairings."),
]  # fmt: skip

WORLD_NAMES = ("rounds", "spread", "shape", "rating_error", "unrated", "draws", "first_side",
               "drops", "late", "points", "sides")  # fmt: skip


def world_options(command: Command) -> Command:
    """The options that say what tournaments are drawn from."""
    return reduce(lambda made, option: option(made), reversed(WORLD_OPTIONS), command)


def world_of(players: int, options: dict[str, Any]) -> World:
    """The world of these options, which are taken out."""
    from pairopt.study.world import World

    given = {name: options.pop(name) for name in WORLD_NAMES}
    if given.pop("unrated"):
        given["rating_error"] = None
    sides = given.pop("sides")
    points = given.pop("points")
    try:
        win, draw = (Fraction(part.strip()) for part in points.split(","))
    except ValueError:
        raise UsageError(f"--points {points}: expected two numbers, as 3,1") from None
    labels = () if sides == "none" else tuple(part.strip() for part in sides.split(","))
    return World(players=players, win=win, draw=draw, sides=labels, **given)


def models_of(names: str, permute: str | None, sample: int | None, seed: int) -> list[Model]:
    """The models of a comma-separated list, the first one in other orders if wanted."""
    from pairopt.problem.model import load_model
    from pairopt.study.permuting import orderings

    models = [load_model(name.strip()) for name in names.split(",")]
    if permute is None:
        if sample is not None:
            raise UsageError("--sample needs --permute")
        return models
    kinds = () if permute == "all" else [kind.strip() for kind in permute.split(",")]
    return [*orderings(models[0], kinds, sample, seed), *models[1:]]


@contextmanager
def progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, where that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("")
        yield lambda done, total: bar.update(task, completed=done, total=total)


def summary(frame: pd.DataFrame, baseline: str | None) -> str:
    """Means and paired differences as tables for people."""
    from pairopt.cli.show import table_text
    from pairopt.study.intervals import differences, means

    level = means(frame)
    first = str(frame["model"].iloc[0]) if baseline is None else baseline
    against = differences(frame, first)
    text = table_text(
        ["model", "metric", "mean", "95 % interval", "n"],
        [[r.model, r.metric, f"{r.mean:.4g}", _range(r), r.n] for r in level.itertuples()],
        "mean,n",
    )
    if against.empty:
        return text
    rows = [
        [r.model, r.metric, f"{r.difference:+.4g}", _range(r), r.n] for r in against.itertuples()
    ]
    heads = ["model", "metric", "difference", "95 % interval", "n"]
    return f"{text}\nPaired differences to {first}\n\n{table_text(heads, rows, 'difference,n')}"


def _range(row: Any) -> str:
    return f"{row.low:.4g} to {row.high:.4g}"


def names_of(models: Sequence[Model]) -> str:
    """The models with what their names stand for, one a line; only those that were permuted."""
    return "".join(f"{model.name}: {model.title}\n" for model in models if "/" in model.name)
