"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, fields
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pairopt.errors import UsageError
from pairopt.round.options import RoundOptions
from pairopt.wording import plain

if TYPE_CHECKING:
    from pairopt.event.event import Event

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.Path(exists=False, dir_okay=False)

EVENT = (
    click.argument("event", type=FILE),
    click.option("--players", type=FILE, help="players.csv: who plays, ratings, clubs, drops."),
)
INPUTS = (
    *EVENT,
    click.option("--model", default="standard", show_default=True, metavar="NAME|FILE",
                 help="A shipped model (see `pairopt models`) or a .toml file."),
)  # fmt: skip


def round_options(
    kind: type[RoundOptions] = RoundOptions, inputs: Sequence[Callable[..., Any]] = INPUTS
) -> Callable[[Command], Command]:
    """The inputs, and an option for each field of the command's options."""
    every = [*inputs, *(_option(each) for each in fields(kind))]
    return lambda command: reduce(lambda made, option: option(made), reversed(every), command)


def _option(each: Field[Any]) -> Callable[[Command], Command]:
    """The command line option of a field; see `pairopt.round.options`."""
    known, name = each.metadata, f"--{each.name.replace('_', '-')}"
    shown: dict[str, Any] = {"help": known["help"], "metavar": known.get("metavar")}
    reading = known["reading"]
    if reading == "flag":
        return click.option(name, is_flag=True, help=known["help"])
    if reading in ("names", "pairs"):
        return click.option(name, multiple=True, **shown)
    if reading == "choice":
        shown["type"] = click.Choice(known["choices"])
    elif reading == "number":
        shown["type"] = click.IntRange(known["least"], known.get("most"))
    elif reading == "seconds":
        shown["type"] = float
    if each.default is not None:
        shown |= {"default": each.default, "show_default": True}
    return click.option(name, **shown)


def read(
    event: str, players: str | None, options: Mapping[str, Any]
) -> tuple[Event, dict[str, Any]]:
    """The event, and the options as the API takes them.

    `round` and `sides` are already applied to the event; `relax history` is meant for it alone.
    """
    from pairopt.io import read_event

    chosen = dict(options)
    number, relax = chosen.pop("round"), chosen["relax"]
    chosen["sides"] = labels_of(chosen["sides"])
    given = read_event(event, players, round=number, sides=chosen["sides"], relax=relax)
    chosen["relax"] = [kind for kind in relax if kind != "history"]
    for name in ("force", "forbid"):
        chosen[name] = [pair_of(given, text, f"--{name}") for text in chosen[name]]
    return given, chosen


def labels_of(text: str | None) -> list[str] | None:
    """A,B as two labels."""
    return None if text is None else [label.strip() for label in text.split(",")]


def pair_of(event: Event, text: str, option: str) -> tuple[str, str]:
    """A:B as two players; names may hold colons themselves as long as one reading fits."""
    parts = text.split(":")
    splits = [(":".join(parts[:k]), ":".join(parts[k:])) for k in range(1, len(parts))]
    fitting = [pair for pair in splits if pair[0] in event.index and pair[1] in event.index]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        either = " or ".join(f"{one!r} and {two!r}" for one, two in fitting)
        raise UsageError(f"{option} {text}: this may mean {either}")
    if len(splits) == 1:
        event.positions(splits[0])
    raise UsageError(f"{option} {text}: expected two players of this event, as A:B")


def echo_notes(notes: Iterable[str]) -> None:
    """Notes about the input, on stderr."""
    for note in notes:
        say(f"note: {note}")


def say(line: str) -> None:
    """A line on stderr; what is in it cannot steer a terminal."""
    click.echo(plain(line), err=True)
