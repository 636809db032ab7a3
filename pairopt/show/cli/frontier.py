"""`pairopt frontier`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pairopt.errors import UsageError
from pairopt.show.cli import EXIT_INFEASIBLE, EXIT_UNPROVEN
from pairopt.show.cli.console import give
from pairopt.show.cli.options import (
    FILE,
    INPUTS,
    MODEL,
    OVERWRITE,
    Named,
    echo_notes,
    read,
    round_options,
    say,
)
from pairopt.show.cli.solve import form_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from pairopt.lab.frontier.frontier import Frontier

VERDICTS = {
    "optimal": "Each is proven, and there is no other: less of one is more of another.",
    "feasible": "Stopped at the time limit: each is proven, but there may be others.",
    "unknown": "Stopped at the time limit, before the levels that are held were proven.",
    "infeasible": "No pairing satisfies the constraints.",
}
EVENTS = click.argument("events", nargs=-1, required=True, type=Named())


@click.command()
@round_options(inputs=(EVENTS, INPUTS[1], MODEL))
@click.option("--over", required=True, metavar="A,B[,C]",
              help="Criteria of the model, or single levels as side_difference:2.")  # fmt: skip
@click.option("--all", "every", is_flag=True, help="Every round of each event.")
@click.option("--format", "form", type=click.Choice(["table", "csv", "json"]),
              help="Default: table; with -o by the file's name, .json or csv.")  # fmt: skip
@click.option("-o", "--output", type=FILE, help="Write to a file instead of the screen.")
@click.option("--figure", type=FILE, metavar="NAME",
              help="Draw what more of A saves of B, as NAME.png and NAME.svg.")  # fmt: skip
@OVERWRITE
@click.pass_context
def command(
    ctx: click.Context,
    /,
    events: tuple[str, ...],
    players: str | None,
    over: str,
    every: bool,
    form: str | None,
    output: str | None,
    figure: str | None,
    overwrite: bool,
    **options: Any,
) -> None:
    """What two or three criteria of a model cost each other in the next round of each EVENT.

    All Pareto-optimal totals, each proven: less of one is had only with more of another. The
    levels above the first of the criteria are held at their optimum. Of several rounds the mean
    price is shown too. Exit code 1: a round has no pairing; 4: stopped by the time limit, which
    each round has for itself.
    """
    from pairopt.files.guard import require_free
    from pairopt.files.write import write_all

    if players is not None and len(events) > 1:
        raise UsageError("--players belongs to one event")
    if every and options["round"]:
        raise UsageError("--all takes every round: leave out --round")
    axes = [name.strip() for name in over.split(",")]
    if figure is not None:
        _require_drawable(axes)
    images = [Path(f"{figure}{suffix}") for suffix in (".png", ".svg")] if figure else []
    outputs = [*([Path(output)] if output else []), *images]
    require_free(outputs, (*events, players), overwrite)
    found = [one for event in events for one in _of_event(event, players, axes, every, options)]
    form = form or form_of(output)
    text = _text(found, form)
    files: dict[Path, str | bytes] = {Path(output): text} if output else {}
    if figure is not None:
        try:
            files |= _drawn(found, Path(figure))
        except UsageError as error:
            say(f"{figure}: left out, {error}")
    write_all(files)
    if output is None:
        give(text, form)
    for path in files:
        say(f"written to {path}")
    if any(one.status == "infeasible" for one in found):
        ctx.exit(EXIT_INFEASIBLE)
    ctx.exit(0 if all(one.complete for one in found) else EXIT_UNPROVEN)


def _of_event(
    event: str, players: str | None, axes: list[str], every: bool, options: dict[str, Any]
) -> Iterator[Frontier]:
    """The frontiers of an event; what is to be noted is said."""
    from pairopt.lab.frontier.frontier import frontier, frontiers

    given, options = read(event, players, options, unfinished=every)
    if not every:
        echo_notes(given.notes)
    rounds = frontiers(given, axes, **options) if every else [frontier(given, axes, **options)]
    for one in rounds:
        before = f"round {one.round}: " if every else ""
        echo_notes(before + note for note in one.notes if note not in given.notes)
        for conflict in one.conflicts:
            say(before + conflict)
        yield one


def _require_drawable(axes: list[str]) -> None:
    """Raises UsageError, better before the solves than after them."""
    from pairopt.lab.figures import new_axes

    if len(axes) != 2:
        raise UsageError("a figure is of two criteria")
    new_axes()


def _drawn(found: list[Frontier], path: Path) -> dict[Path, bytes]:
    from pairopt.lab.figures import images
    from pairopt.lab.frontier.prices import price_curve, table_of

    return images(price_curve(table_of(found)), path)


def _text(found: list[Frontier], form: str) -> str:
    from pairopt.files.write import json_text, table_text
    from pairopt.lab.frontier.prices import COLUMNS, prices, rows_of, table_of

    axes = [axis.name for axis in found[0].axes]
    if form == "json":
        return json_text({"instrument": "frontier", "rounds": [one.to_dict() for one in found]})
    if form == "csv":
        return table_text([*COLUMNS, *axes], (row for one in found for row in rows_of(one)))
    several = len(dict.fromkeys(one.event for one in found)) > 1
    parts = [_round(one, one.event if several else "") for one in found]
    if len(found) > 1 and len(axes) == 2 and any(one.complete for one in found):
        parts.append(_prices(prices(table_of(found)), *axes))
    return "\n".join(parts)


def _round(one: Frontier, event: str) -> str:
    """A round's compromises, and what they are worth."""
    from pairopt.show.cli.show import table_text
    from pairopt.wording import plain

    axes = [axis.name for axis in one.axes]
    where = f"{plain(event)}, round" if event else "Round"
    lines = [f"{where} {one.round}, model {plain(one.model)}: {plain(one.said)}.", ""]
    rows: list[list[object]] = [
        [number, *one.amounts(point.totals), "model" if point.totals == one.own else ""]
        for number, point in enumerate(one.points, 1)
    ]
    if one.own is not None and all(point.totals != one.own for point in one.points):
        rows.append(["", *one.amounts(one.own), "model"])
    if rows:
        lines.append(table_text(["", *axes, "of"], rows, ",".join(["", *axes])))
    return "\n".join([*lines, VERDICTS[one.status], ""])


def _prices(table: pd.DataFrame, one: str, two: str) -> str:
    """What more of the first criterion saves of the second, in the mean of all rounds."""
    from pairopt.show.cli.show import table_text

    heads = [f"{one} more than needed", f"{two} at least", "saved", "rounds helped"]
    rows = [
        [f"{row.more:g}", f"{row.least:.3f}", f"{row.saved:.3f}", f"{row.helped} of {row.rounds}"]
        for row in table.itertuples()
    ]
    return f"Prices, the mean of all rounds\n\n{table_text(heads, rows, ','.join(heads))}"
