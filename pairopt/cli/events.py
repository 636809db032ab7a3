"""Events as they are: their standings, or all of one in another format."""

from collections.abc import Mapping, Sequence
from itertools import compress
from pathlib import Path
from typing import Any

import click

from pairopt.cli.console import echo_notes, say, table_text
from pairopt.cli.options import (
    COLUMNS,
    FILE,
    INPUTS,
    OVERWRITE,
    CommandOutput,
    NonEmptyPath,
    OutputPath,
    answering,
    apply_decorators,
    bounded,
    labels_of,
    require_free_outputs,
)
from pairopt.errors import UsageError
from pairopt.event.standings import league_notes, rank_league
from pairopt.event.tie_breaks import BY_GAMES, CHESS, SCHEDULE
from pairopt.files.formats import FORMATS, list_writers, write_event
from pairopt.files.read import read_event
from pairopt.messages.formatting import decimal_text
from pairopt.messages.interfaces import TERMINAL
from pairopt.report.views import StandingsView, loss_warnings, standings_of


@click.command()
@click.argument(
    "given", metavar="IN", type=NonEmptyPath()
)  # a file, or an event folder
@click.argument("output", metavar="OUT", type=OutputPath())
@click.option("--players", type=FILE, help="players.csv that belongs to IN.")
@click.option(
    "--players-out",
    type=OutputPath(),
    help="Where players.csv goes. Default: OUT-players.csv.",
)
@click.option("--sides", metavar="A,B", help="Labels of the first and the second side.")
@click.option(
    "--relax",
    type=click.Choice(["byes", "history", "penalties", "results"]),
    multiple=True,
    help="byes: take several allocated byes in a round; history: take "
    "standings with scores but without opponents; penalties: take points "
    "below 0; results: take results of several point systems.",
)
@COLUMNS
@click.option(
    "--format",
    "form",
    metavar=f"[{'|'.join(list_writers(FORMATS.shipped))}]",
    help="Default: by the suffix of OUT.",
)
@click.option(
    "--public", is_flag=True, help="Names, ratings and results alone, to publish."
)
@OVERWRITE
@click.pass_context
def convert(
    ctx: click.Context,
    /,
    given: str,
    output: str,
    players_out: str | None,
    sides: str | None,
    form: str | None,
    public: bool,
    overwrite: bool,
    **how: Any,
) -> None:
    """Write the event IN, of any format that is read or an event folder, to OUT. matches.csv gets a
    players.csv beside it where that is needed. What a file says besides players and results (its
    name, place, dates, cut) goes into a file of the same format again; what OUT cannot hold is
    named. A round that is being played is written as it is, with tables that have no result.
    """
    require_free_outputs(ctx, overwrite)
    labels = None if sides is None else [label.strip() for label in sides.split(",")]
    event = read_event(given, sides=labels, unfinished=True, **how)
    event = event.public() if public else event
    written = write_event(event, output, players=players_out, form=form)
    echo_notes([*event.notes, *loss_warnings(written.notes)])
    for file in written.files:
        say(f"written to {file}")


@click.command()
@apply_decorators(INPUTS)
@click.argument("more", type=NonEmptyPath(), nargs=-1)
@click.option(
    "--drop-worst",
    type=bounded("rounds"),
    metavar="N",
    help="Of several events: without each player's N worst.",
)
@click.option(
    "--round", type=bounded("next_round"), metavar="N", help="As before round N."
)
@click.option("--sides", metavar="A,B", help="Labels of the first and the second side.")
@click.option(
    "--tie-breaks",
    metavar="A,B,...",
    help="What ranks players with equal points, in this order: names, or FIDE's codes "
    f"with modifiers. Default: the event's, else {','.join(CHESS)} in chess, "
    f"{','.join(BY_GAMES)} of games, {','.join(SCHEDULE)} elsewhere.",
)
@click.option(
    "--cut",
    type=bounded("players"),
    metavar="N",
    help="Only the best N of those still active: the elimination's seeds.",
)
@click.option(
    "--by-lot", is_flag=True, help="Order players who are equal in everything by lot."
)
@click.option(
    "--seed",
    type=bounded("seed"),
    metavar="N",
    help="The seed of --by-lot. Default: the event's, else 0.",
)
@answering("table", "csv", "json", by_name=False)
def standings(
    event: str,
    players: str | None,
    round: int | None,
    sides: str | None,
    tie_breaks: str | None,
    cut: int | None,
    by_lot: bool,
    seed: int | None,
    more: tuple[str, ...],
    drop_worst: int | None,
    columns: Mapping[str, str] | None,
) -> CommandOutput:
    """The standings of EVENT: points, tie-breaks, side bias and who has dropped. Equal players
    share a rank. In the middle of a round the results so far count. With MORE events it is a
    league: the sums of the points in all of them, of players by their names.
    """
    if more or drop_worst:
        if any((players, round, tie_breaks, cut, by_lot)):
            raise UsageError("standing.of_league")
        return _league((event, *more), drop_worst or 0)
    given = read_event(
        event,
        players,
        round=round,
        sides=labels_of(sides),
        unfinished=True,
        columns=columns,
    )
    echo_notes(given.notes)
    named = (
        None
        if tie_breaks is None
        else [each for each in labels_of(tie_breaks) or [] if each]
    )
    found = standings_of(
        given, named, cut, given.settings.seeded(seed) if by_lot else None
    )
    echo_notes(found.notes)
    names, rows = found.columns, found.rows
    lines = [
        {"player": player, **dict(zip(names, row, strict=True))}
        for player, row in zip(found.players, rows, strict=True)
    ]
    return CommandOutput(
        text=lambda: _standings_text(found, given.sided),
        content=lambda: {"round": given.round, "standings": lines},
        table=lambda: (names, rows),
        what=None,
    )


def _standings_text(found: StandingsView, sided: bool) -> str:
    """The standings as a table for people: without side bias in a game without sides."""
    kept = [sided or name != "side_bias" for name in found.columns]
    heads = [*compress(found.heads, kept)]
    rows = [[*compress(row, kept)] for row in found.rows]
    right = [found.heads[0], *found.heads[2:-2]]
    return table_text(heads, rows, ",".join(right))


def _league(paths: Sequence[str], drop: int) -> CommandOutput:
    if len({Path(path).resolve() for path in paths}) < len(paths):
        raise UsageError("standing.league_twice")
    heads = ("rank", "name", "points", *paths)
    events = [read_event(path, unfinished=True) for path in paths]
    found, notes = rank_league(events, drop), league_notes(events, paths)
    if (
        click.get_current_context().params["form"] == "csv"
    ):  # which has no room for words
        echo_notes(notes)
    rows = [
        [rank, name, *("" if each is None else decimal_text(each) for each in points)]
        for rank, name, *points in found
    ]
    told = "".join(f"{TERMINAL.format_message(note)}\n\n" for note in notes)
    lines = [dict(zip(heads, row, strict=True)) for row in rows]
    return CommandOutput(
        text=lambda: told + table_text(heads, rows, ",".join(("rank", *heads[2:]))),
        content=lambda: {"league": lines, "notes": [each.to_dict() for each in notes]},
        table=lambda: (heads, rows),
        what=None,
    )
