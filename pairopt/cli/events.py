"""Define `pairopt convert` and `standings`: an event in another format, or who leads."""

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
    parse_labels,
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
# A file, or an event folder.
@click.argument("given", metavar="IN", type=NonEmptyPath())
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
    **options: Any,
) -> None:
    """Write the event IN, of any format that is read or an event folder, to OUT. matches.csv gets a
    players.csv beside it where that is needed. What a file says besides players and results (its
    name, place, dates, cut) goes into a file of the same format again; what OUT cannot hold is
    named. A round that is being played is written as it is, with tables that have no result.
    """
    require_free_outputs(ctx, overwrite)
    side_labels = (
        None if sides is None else [label.strip() for label in sides.split(",")]
    )
    event = read_event(given, sides=side_labels, unfinished=True, **options)
    if public:
        event = event.public()
    written_event = write_event(event, output, players=players_out, form=form)
    echo_notes([*event.notes, *loss_warnings(written_event.notes)])
    for written_file in written_event.files:
        say(f"written to {written_file}")


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
        return _league_output((event, *more), drop_worst or 0)
    given_event = read_event(
        event,
        players,
        round=round,
        sides=parse_labels(sides),
        unfinished=True,
        columns=columns,
    )
    echo_notes(given_event.notes)
    tie_break_names = None
    if tie_breaks is not None:
        tie_break_names = [
            tie_break for tie_break in parse_labels(tie_breaks) or [] if tie_break
        ]
    lot_seed = given_event.settings.seeded(seed) if by_lot else None
    standings_view = standings_of(given_event, tie_break_names, cut, lot_seed)
    echo_notes(standings_view.notes)
    row_contents = [
        {"player": player, **dict(zip(standings_view.columns, row, strict=True))}
        for player, row in zip(standings_view.players, standings_view.rows, strict=True)
    ]
    return CommandOutput(
        text=lambda: _standings_text(standings_view, given_event.sided),
        content=lambda: {"round": given_event.round, "standings": row_contents},
        table=lambda: (standings_view.columns, standings_view.rows),
        what=None,
    )


def _standings_text(view: StandingsView, sided: bool) -> str:
    """Return the standings as a table for the terminal.

    Without `sided`, the column of side biases is left out.
    """
    is_column_shown = [
        sided or column_name != "side_bias" for column_name in view.columns
    ]
    shown_heads = [*compress(view.heads, is_column_shown)]
    shown_rows = [[*compress(row, is_column_shown)] for row in view.rows]
    right_columns = [view.heads[0], *view.heads[2:-2]]
    return table_text(shown_heads, shown_rows, ",".join(right_columns))


def _league_output(paths: Sequence[str], drop: int) -> CommandOutput:
    """Return the league table of several events, without each player's `drop` worst.

    As CSV the table has no notes; they are written to stderr instead. Raises UsageError
    if an event is given twice.
    """
    if len({Path(path).resolve() for path in paths}) < len(paths):
        raise UsageError("standing.league_twice")
    column_heads = ("rank", "name", "points", *paths)
    events = [read_event(path, unfinished=True) for path in paths]
    ranked_players = rank_league(events, drop)
    league_messages = league_notes(events, paths)
    # CSV has no place for notes.
    if click.get_current_context().params["form"] == "csv":
        echo_notes(league_messages)

    table_rows = []
    for rank, player_name, *points in ranked_players:
        points_texts = [
            "" if event_points is None else decimal_text(event_points)
            for event_points in points
        ]
        table_rows.append([rank, player_name, *points_texts])
    notes_text = "".join(
        f"{TERMINAL.format_message(note)}\n\n" for note in league_messages
    )
    row_contents = [dict(zip(column_heads, row, strict=True)) for row in table_rows]
    right_columns = ",".join(("rank", *column_heads[2:]))
    return CommandOutput(
        text=lambda: notes_text + table_text(column_heads, table_rows, right_columns),
        content=lambda: {
            "league": row_contents,
            "notes": [note.to_dict() for note in league_messages],
        },
        table=lambda: (column_heads, table_rows),
        what=None,
    )
