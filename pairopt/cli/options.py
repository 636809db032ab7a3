"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pairopt.engines import ENGINES
from pairopt.errors import UsageError

if TYPE_CHECKING:
    from pairopt.event import Event

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.Path(exists=False, dir_okay=False)

EVENT_OPTIONS = [
    click.argument("event", type=FILE),
    click.option("--players", type=FILE, help="players.csv: who plays, ratings, clubs, drops."),
    click.option("--model", default="standard", show_default=True, metavar="NAME|FILE",
                 help="A shipped model (see `pairopt models`) or a .toml file."),
    click.option("--objective", type=click.Choice(["lexicographic", "weighted"]),
                 help="Level by level, or one weighted sum. Default: the model's."),
    click.option("--engine", type=click.Choice(ENGINES), default="cpsat", show_default=True),
    click.option("--round", type=click.IntRange(1), metavar="N",
                 help="Pair round N from the rounds before it."),
    click.option("--last-round", is_flag=True, help="With what the model changes in it."),
    click.option("--lookahead", type=click.IntRange(0), metavar="K",
                 help="Leave room for K more rounds without a rematch."),
    click.option("--force", multiple=True, metavar="A:B", help="These two meet. Repeatable."),
    click.option("--forbid", multiple=True, metavar="A:B", help="These two may not. Repeatable."),
    click.option("--bye", metavar="A", help="This player has the bye."),
    click.option("--no-bye", multiple=True, metavar="A", help="Not the bye for A. Repeatable."),
    click.option("--request-bye", multiple=True, metavar="A",
                 help="A asked for a bye: out of this round. Repeatable."),
    click.option("--drop", multiple=True, metavar="A", help="A has left. Repeatable."),
    click.option("--relax", multiple=True, metavar="CONSTRAINT",
                 help="Leave out a constraint of the model (or: history). Repeatable."),
    click.option("--sides", metavar="A,B", help="Labels of the first and the second side."),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
                 help="Which of equally good pairings."),
    click.option("--time-limit", type=click.FloatRange(0, min_open=True), metavar="S",
                 help="Stop after S seconds with the best pairing so far."),
    click.option("--workers", type=click.IntRange(1), default=1, show_default=True,
                 help="Threads of the solver."),
]  # fmt: skip


def event_options(command: Command) -> Command:
    """The argument EVENT and the options that say how its round is to be paired."""
    return reduce(lambda made, option: option(made), reversed(EVENT_OPTIONS), command)


def read(event: str, players: str | None, options: dict[str, Any]) -> tuple[Event, dict[str, Any]]:
    """The event, and the options as `pairopt.solve` takes them."""
    from pairopt.io import read_event

    sides = options.pop("sides")
    labels = None if sides is None else [label.strip() for label in sides.split(",")]
    relax = options.pop("relax")
    given = read_event(event, players, round=options.pop("round"), sides=labels, relax=relax)
    options["relax"] = [kind for kind in relax if kind != "history"]
    options["sides"] = labels
    for name in ("force", "forbid"):
        options[name] = [pair_of(given, text, f"--{name}") for text in options[name]]
    return given, options


def pair_of(event: Event, text: str, option: str) -> tuple[str, str]:
    """A:B as two players; names may hold colons themselves as long as one reading fits."""
    parts = text.split(":")
    splits = [(":".join(parts[:k]), ":".join(parts[k:])) for k in range(1, len(parts))]
    fitting = [pair for pair in splits if pair[0] in event.index and pair[1] in event.index]
    if len(fitting) == 1:
        return fitting[0]
    if len(splits) == 1:
        event.positions(splits[0])
    raise UsageError(f"{option} {text}: expected two players of this event, as A:B")


def echo_notes(notes: Iterable[str]) -> None:
    """Notes about the input, on stderr."""
    for note in notes:
        click.echo(f"note: {note}", err=True)
