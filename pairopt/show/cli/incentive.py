"""`pairopt incentive`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.lab.incentive.incentive import incentive, incentives
from pairopt.lab.incentive.prospects import COLUMNS, After, Incentives, prospect_rows
from pairopt.show.cli import EXIT_INFEASIBLE, EXIT_UNPROVEN
from pairopt.show.cli.answers import Answer, answering
from pairopt.show.cli.console import echo_notes, table_text
from pairopt.show.cli.options import read, round_options
from pairopt.wording import plain


@click.command()
@round_options()
@click.option("--by", type=click.Choice(["rating", "score"]),
              help="What makes an opponent weaker. Default: the rating where all have one.",
              )  # fmt: skip
@click.option("--bye-counts", type=click.Choice(["weakest", "strongest"]), default="weakest",
              help="What the bye counts as among opponents.")  # fmt: skip
@click.option("--all", "every", is_flag=True, help="The results of every round.")
@click.option("--verify", is_flag=True,
              help="Force each pair, and see with both exact engines whether it is optimal.",
              )  # fmt: skip
@answering("table", "csv", "json")
def command(event: str, players: str | None, every: bool, **options: Any) -> Answer:
    """Whether losing a match of the last round of EVENT helps in the next one.

    Each result is exchanged, the others staying as they are, and all possible next opponents of
    both players are found, over all optimal pairings. A worse result helps certainly, possibly or
    never to a weaker opponent. Exit code 1: after some result there is no pairing; 4: stopped by
    the time limit, which each round has for itself.
    """
    if every and options["round"]:
        raise UsageError("--all takes every round: leave out --round")
    given, options = read(event, players, options, unfinished=every)
    found = [*incentives(given, **options)] if every else [incentive(given, **options)]
    echo_notes(dict.fromkeys(note for one in found for note in one.notes), given.notes)
    complete = all(one.complete for one in found)
    impossible = EXIT_INFEASIBLE if any(one.impossible for one in found) else 0
    return Answer(
        text=lambda: "\n".join(_round(given, one) for one in found),
        content=lambda: {"instrument": "incentive", "rounds": [one.to_dict() for one in found]},
        table=lambda: (COLUMNS, (row for one in found for row in prospect_rows(one))),
        what=f"{sum(len(one.prospects) for one in found)} rows",
        after=["stopped at the time limit: what is unknown was not proven"] * (not complete),
        code=impossible if complete else EXIT_UNPROVEN,
    )


def _round(event: Event, one: Incentives) -> str:
    """A line a player, and how often a loss instead of a win helps."""
    rows = [
        [
            prospect.table or "",
            event.called[prospect.player],
            prospect.result,
            *(_range(prospect.after[outcome], event.called) for outcome in ("win", "loss")),
            prospect.helps("win", "loss"),
        ]
        for prospect in one.prospects
    ]
    heads = ["table", "player", "result", "after a win", "after a loss", "losing helps"]
    counts = one.counts("win", "loss")
    said = ", ".join(f"{verdict} {number}" for verdict, number in counts.items() if number)
    lines = [
        f"Results of round {one.round - 1}, opponents by {one.by}, model {plain(one.model)}",
        "",
        table_text(heads, rows, "table"),
        f"Losing instead of winning helps to a weaker opponent: {said}.",
    ]
    if one.impossible:
        lines.append(f"After {one.impossible} results no pairing satisfies the constraints.")
    return "\n".join([*lines, ""])


def _range(after: After, names: Mapping[str, str]) -> str:
    """The weakest and the strongest opponent, and how many there are."""
    if not after.known:
        return "unknown"
    shown = ["the bye" if name is None else names[name] for name in after.opponents]
    if len(shown) < 3:
        return " or ".join(shown)
    return f"{shown[0]} to {shown[-1]} ({len(shown)})"
