"""`pairopt standings`."""

from __future__ import annotations

import click

from pairopt.cli.options import FILE, echo_notes


@click.command()
@click.argument("event", type=FILE)
@click.option("--players", type=FILE, help="players.csv: names, points brought in, drops.")
@click.option("--round", type=click.IntRange(1), metavar="N", help="As before round N.")
@click.option("--sides", metavar="A,B", help="Labels of the first and the second side.")
@click.option("--cut", type=click.IntRange(1), metavar="N",
              help="Only the best N of those still active: the elimination's seeds.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["table", "csv", "json"]), default="table",
              show_default=True)  # fmt: skip
@click.option("-o", "--output", type=FILE, help="Write to a file instead of the screen.")
def command(
    event: str,
    players: str | None,
    round: int | None,
    sides: str | None,
    cut: int | None,
    form: str,
    output: str | None,
) -> None:
    """The standings of EVENT: points, strength of schedule, extended SoS and side bias."""
    from pairopt.cli.show import table_text
    from pairopt.event.standings import standings
    from pairopt.io import read_event
    from pairopt.io.write import json_text, write_whole

    labels = None if sides is None else [label.strip() for label in sides.split(",")]
    given = read_event(event, players, round=round, sides=labels)
    echo_notes(given.notes)
    table = standings(given, cut=cut)
    if form == "csv":
        text = table.to_csv(index=False, lineterminator="\n")
    elif form == "json":
        text = json_text({"round": given.round, "standings": table.to_dict("records")})
    else:
        heads = ["Rank", "Name", "Points", "SoS", "ESoS", "Side Bias"]
        text = table_text(heads, table.to_numpy().tolist(), "Rank,Points,SoS,ESoS")
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(output, text)
