"""`pairopt standings`."""

from __future__ import annotations

import click

from pairopt.event.tie_breaks import DEFAULT
from pairopt.show.cli.answers import Answer, answering
from pairopt.show.cli.options import echo_notes, inputs, labels_of


@click.command()
@inputs
@click.option("--round", type=click.IntRange(1), metavar="N", help="As before round N.")
@click.option("--sides", metavar="A,B", help="Labels of the first and the second side.")
@click.option("--tie-breaks", metavar="A,B,...",
              help="What ranks players with equal points, in this order. Default: the event's, "
              f"else {','.join(DEFAULT)}.")  # fmt: skip
@click.option("--cut", type=click.IntRange(1), metavar="N",
              help="Only the best N of those still active: the elimination's seeds.")  # fmt: skip
@click.option("--by-lot", is_flag=True, help="Order players who are equal in everything by lot.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N",
              help="The seed of --by-lot.")  # fmt: skip
@answering("table", "csv", "json", by_name=False)
def command(
    event: str,
    players: str | None,
    round: int | None,
    sides: str | None,
    tie_breaks: str | None,
    cut: int | None,
    by_lot: bool,
    seed: int,
) -> Answer:
    """The standings of EVENT: points, tie-breaks, side bias and who has dropped.

    Equal players share a rank. In the middle of a round the results so far count.
    """
    from pairopt.files import read_event
    from pairopt.show.cli.show import table_text
    from pairopt.show.standings import standings_of

    given = read_event(event, players, round=round, sides=labels_of(sides), unfinished=True)
    echo_notes(given.notes)
    named = None if tie_breaks is None else [each for each in labels_of(tie_breaks) or [] if each]
    found = standings_of(given, named, cut, seed if by_lot else None)
    echo_notes(found.notes)
    names, heads, rows = found.columns, found.heads, found.rows
    return Answer(
        text=lambda: table_text(heads, rows, ",".join([heads[0], *heads[2:-2]])),
        content=lambda: {
            "round": given.round,
            "standings": [dict(zip(names, row, strict=True)) for row in rows],
        },
        table=lambda: (names, rows),
        what=None,
    )
