"""`pairopt frontier`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pairopt.errors import UsageError
from pairopt.lab.instruments.frontier import frontier, prices
from pairopt.lab.measuring.figures import images, new_axes
from pairopt.show.cli import EXIT_INFEASIBLE, EXIT_UNPROVEN
from pairopt.show.cli.answers import Answer, File, answering
from pairopt.show.cli.console import echo_notes, say, table_text
from pairopt.show.cli.options import INPUTS, Named, Output, own_options
from pairopt.show.cli.rounds import MODEL, read, round_options
from pairopt.show.words import TERMINAL
from pairopt.wording import plain

if TYPE_CHECKING:
    import pandas as pd

VERDICTS = {
    "optimal": "Each is proven, and there is no other: less of one is more of another.",
    "feasible": "Stopped at the time limit: each is proven, but there may be others.",
    "unknown": "Stopped at the time limit, before the levels that are held were proven.",
    "infeasible": "No pairing keeps the rules.",
}
EVENTS = click.argument("events", nargs=-1, required=True, type=Named())
FIGURE = click.option("--figure", type=Output(".png", ".svg"), metavar="NAME",
                      help="Draw what more of A saves of B, as NAME.png and NAME.svg.")  # fmt: skip


@click.command()
@round_options(inputs=(EVENTS, INPUTS[1], MODEL))
@own_options("frontier")
@answering("table", "csv", "json", more=[FIGURE])
def command(
    events: tuple[str, ...], players: str | None, over: str, every: bool, figure: str | None,
    **options: Any,
) -> Answer:  # fmt: skip
    """What two or three criteria of a model cost each other in the next round of each EVENT."""
    if players is not None and len(events) > 1:
        raise UsageError("--players belongs to one event")
    if every and options["round"]:
        raise UsageError("--all takes every round: leave out --round")
    axes = [name.strip() for name in over.split(",")]
    if figure is not None:  # better before the solves than after them
        if len(axes) != 2:
            raise UsageError("a figure is of two criteria")
        new_axes()
    found = [one for event in events for one in _of_event(event, players, axes, every, options)]
    complete = all(one.complete for one in found)
    impossible = any(one.status == "infeasible" for one in found)
    names = [axis.name for axis in found[0].axes]
    return Answer(
        text=lambda: _text(found, names),
        content=lambda: {"instrument": "frontier", "rounds": [one.to_dict() for one in found]},
        table=lambda: ([*prices.COLUMNS, *names], chain(*map(prices.frontier_rows, found))),
        files=_drawn(found, figure) if figure is not None else (),
        code=EXIT_INFEASIBLE if impossible else 0 if complete else EXIT_UNPROVEN,
    )


def _of_event(
    event: str, players: str | None, axes: list[str], every: bool, options: dict[str, Any]
) -> Iterator[frontier.Frontier]:
    given, options = read(event, players, options, unfinished=every, noted=not every)
    found = (frontier.frontiers if every else frontier.frontier)(given, axes, **options)
    for one in [found] if isinstance(found, frontier.Frontier) else found:
        before = f"round {one.round}: " if every else ""
        echo_notes(one.notes, given.notes, before)
        for conflict in one.conflicts:
            say(before + TERMINAL.draw(conflict))
        yield one


def _drawn(found: list[frontier.Frontier], name: str) -> list[File]:
    """The figure, by its files; nothing where there is none, which is said."""
    try:
        drawn = images(prices.price_curve(prices.table_of(found)), Path(name))
    except UsageError as error:
        say(f"{name}: left out, {error}")
        return []
    return [(str(path), "", content) for path, content in drawn.items()]


def _text(found: list[frontier.Frontier], axes: list[str]) -> str:
    several = len(dict.fromkeys(one.event for one in found)) > 1
    parts = [_round(one, one.event if several else "") for one in found]
    if len(found) > 1 and len(axes) == 2 and any(one.complete for one in found):
        parts.append(_prices(prices.prices(prices.table_of(found)), *axes))
    return "\n".join(parts)


def _round(one: frontier.Frontier, event: str) -> str:
    """A round's compromises, and what they are worth."""
    axes, point = [axis.name for axis in one.axes], prices.COLUMNS.index("point")
    where = f"{plain(event)}, round" if event else "Round"
    lines = [f"{where} {one.round}, model {plain(one.model)}: {plain(one.said)}.", ""]
    known = (row[point:] for row in prices.frontier_rows(one))
    rows = [[number or "", *totals, "model" if own else ""]
            for number, own, *totals in known if number or own]  # fmt: skip
    if rows:
        lines.append(table_text(["", *axes, "of"], rows, ",".join(["", *axes])))
    return "\n".join([*lines, VERDICTS[one.status], ""])


def _prices(table: pd.DataFrame, one: str, two: str) -> str:
    heads = [f"{one} more than needed", f"{two} at least", "saved", "rounds helped"]
    rows = [[f"{r.more:g}", f"{r.least:.3f}", f"{r.saved:.3f}", f"{r.helped} of {r.rounds}"]
            for r in table.itertuples()]  # fmt: skip
    return f"Prices, the mean of all rounds\n\n{table_text(heads, rows, ','.join(heads))}"
