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
    OutputFilePath,
    answering,
    apply_decorators,
    bounded,
    parse_labels,
    require_free_outputs,
)
from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.event.standings import league_notes, rank_league
from pairopt.event.tie_breaks import BY_GAMES, CHESS, SCHEDULE
from pairopt.files.formats import FORMATS, find_writer, list_outputs, write_event
from pairopt.files.read import read_event
from pairopt.files.write import write_whole
from pairopt.messages import message
from pairopt.messages.formatting import decimal_text, quote_for_shell
from pairopt.messages.interfaces import TERMINAL
from pairopt.report.views import StandingsView, loss_warnings, standings_of


@click.command()
# A file, or an event folder.
@click.argument("given", metavar="IN", type=NonEmptyPath())
@click.argument("output", metavar="OUT", type=OutputFilePath())
@click.option("--players", type=FILE, help="File players.csv that belongs to IN.")
@click.option(
    "--players-out",
    type=OutputFilePath(),
    help="File for the list of players. Default: the name of OUT with -players.csv at the end.",
)
@click.option(
    "--sides",
    metavar="A,B",
    help="Names of the first and the second side, for example white,black.",
)
@click.option(
    "--relax",
    type=click.Choice(["byes", "history", "penalties", "results"]),
    multiple=True,
    help="Accept unusual input. Write byes for several pairing-allocated byes in a round, history for standings without opponents, penalties for points below 0, or results for results by several point systems.",
)
@COLUMNS
@click.option(
    "--format",
    "form",
    metavar=f"[{'|'.join(list_outputs(FORMATS.shipped))}]",
    help="Format of the file OUT. Default: the format that the ending of the file name shows.",
)
@click.option(
    "--round",
    type=bounded("rounds"),
    metavar="N",
    help="Write only the pairings of round N. The name of OUT must end in .pgn.",
)
@click.option(
    "--public",
    is_flag=True,
    help="Write only names, ratings and results, for publication.",
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
    round: int | None,
    public: bool,
    overwrite: bool,
    **options: Any,
) -> None:
    """Convert an event to another file format.

    Examples:
      pairopt convert friday report.trf
      pairopt convert report.trf matches.csv
      pairopt convert matches.csv event.json --players players.csv
      pairopt convert friday public.csv --public
      pairopt convert open round3.pgn --round 3      pairings for a broadcast
      pairopt convert open results.h9                Go results for the EGF

    IN is an event folder or a file in any format that pairopt reads. The suffix of OUT
    chooses the format, for example .trf or .csv. Next to matches.csv, pairopt writes a
    list of players if matches.csv can't hold all data of the players. Notes name the
    data that the new format can't hold, for example the place and the dates of the
    event. If a round is not finished, its matches without a result have no result in
    OUT.
    """
    require_free_outputs(ctx, overwrite)
    side_labels = (
        None if sides is None else [label.strip() for label in sides.split(",")]
    )
    event = read_event(given, sides=side_labels, unfinished=True, **options)
    if public:
        event = event.public()
    if round is not None:
        _write_round(event, output, form, round)
        return
    written_event = write_event(event, output, players=players_out, form=form)
    echo_notes([*event.notes, *loss_warnings(written_event.notes)])
    if written_event.missing and not public:
        typed_folder = quote_for_shell(given) if event.origin.folder else "FOLDER"
        missing_lines = [
            TERMINAL.format_message(note).replace(" FOLDER ", f" {typed_folder} ")
            for note in written_event.missing
        ]
        say(
            message("report.gaps"),
            *(f"  {missing_line}" for missing_line in missing_lines),
        )
    for written_file in written_event.files:
        say(f"written to {written_file}")


def _write_round(event: Event, output: str, form: str | None, number: int) -> None:
    """Write the pairings of one round to the file `output` as PGN.

    `number` is the round, and `form` the value of --format, None without one. Stderr
    gets the name of the file. Raises UsageError for another format, and if the event
    does not have the round.
    """
    # Only this option needs the module.
    from pairopt.files.formats.pgn import FORMAT, pgn_text

    if find_writer(form, Path(output).suffix.lower()).name != FORMAT.name:
        raise UsageError("pgn.one_round", output=output)
    round_text = pgn_text(event, number)
    if not round_text:
        raise UsageError("pgn.no_round", round=number)
    write_whole(output, round_text)
    say(f"written to {output}")


@click.command()
@apply_decorators(INPUTS)
@click.argument("more", type=NonEmptyPath(), nargs=-1)
@click.option(
    "--drop-worst",
    type=bounded("rounds"),
    metavar="N",
    help="With several events: leave out each player's N worst events.",
)
@click.option(
    "--round",
    type=bounded("next_round"),
    metavar="N",
    help="Show the standings before round N. Default: all results so far.",
)
@click.option(
    "--sides",
    metavar="A,B",
    help="Names of the first and the second side, for example white,black.",
)
@click.option(
    "--tie-breaks",
    metavar="A,B,...",
    help=f"Tie-breaks in order of priority, with commas between them: names, or FIDE's codes with modifiers. Default: the event's tie-breaks, otherwise {','.join(CHESS)} in chess, {','.join(BY_GAMES)} for matches of several games, {','.join(SCHEDULE)} in other games.",
)
@click.option(
    "--cut",
    type=bounded("players"),
    metavar="N",
    help="Show only the best N players who are still active, for a top cut.",
)
@click.option(
    "--by-lot",
    is_flag=True,
    help="Draw lots to order players who are equal in everything.",
)
@click.option(
    "--seed",
    type=bounded("seed"),
    metavar="N",
    help="Seed of the random draw of --by-lot. Default: the seed of the event, or 0 without a seed.",
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
    """Show the standings of an event, or of a league of several events.

    Examples:
      pairopt standings friday
      pairopt standings friday --tie-breaks BH/C1,BH,SB
      pairopt standings friday --round 4             before round 4
      pairopt standings friday -o standings.csv
      pairopt standings week1 week2 week3 --drop-worst 1

    Players who are equal in points and all tie-breaks share a rank. During a round, the
    results that you have entered so far count. With several events, pairopt adds up
    each player's points by name.
    """
    if more or drop_worst:
        if any((players, round, tie_breaks, cut, by_lot)):
            raise UsageError("standing.of_league")
        return _compute_league((event, *more), drop_worst or 0)
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
            typed_tie_break
            for typed_tie_break in parse_labels(tie_breaks) or []
            if typed_tie_break
        ]
    lot_seed = given_event.settings.seeded(seed) if by_lot else None
    standings_view = standings_of(given_event, tie_break_names, cut, lot_seed)
    echo_notes(standings_view.notes)
    row_contents = [
        {
            "player": player_identifier,
            **dict(zip(standings_view.columns, row_cells, strict=True)),
        }
        for player_identifier, row_cells in zip(
            standings_view.players, standings_view.rows, strict=True
        )
    ]
    return CommandOutput(
        text=lambda: _format_standings(standings_view, given_event.sided),
        content=lambda: {"round": given_event.round, "standings": row_contents},
        table=lambda: (standings_view.columns, standings_view.rows),
        what=None,
    )


def _format_standings(view: StandingsView, sided: bool) -> str:
    """Return the standings of a view as a table for the terminal.

    If `sided` is false, the column of side biases is left out. All columns but the name
    and the last two align right.
    """
    column_flags = [sided or column_name != "side_bias" for column_name in view.columns]
    shown_heads = [*compress(view.heads, column_flags)]
    shown_rows = [[*compress(row_cells, column_flags)] for row_cells in view.rows]
    right_columns = [view.heads[0], *view.heads[2:-2]]
    return table_text(shown_heads, shown_rows, ",".join(right_columns))


def _compute_league(paths: Sequence[str], drop: int) -> CommandOutput:
    """Compute the league table of several events, as the output of the command.

    `paths` are those of the events. Each player's `drop` worst events do not count. As
    CSV the table has no notes; they are written to stderr instead. Raises UsageError if
    an event is given twice.
    """
    if len({Path(event_path).resolve() for event_path in paths}) < len(paths):
        raise UsageError("standing.league_twice")
    column_heads = ("rank", "name", "points", *paths)
    league_events = [read_event(event_path, unfinished=True) for event_path in paths]
    ranked_players = rank_league(league_events, drop)
    league_messages = league_notes(league_events, paths)
    # CSV has no place for notes.
    if click.get_current_context().params["form"] == "csv":
        echo_notes(league_messages)

    table_rows = []
    for league_rank, player_name, *points_by_event in ranked_players:
        points_texts = [
            "" if event_points is None else decimal_text(event_points)
            for event_points in points_by_event
        ]
        table_rows.append([league_rank, player_name, *points_texts])
    notes_text = "".join(
        f"{TERMINAL.format_message(note)}\n\n" for note in league_messages
    )
    row_contents = [
        dict(zip(column_heads, row_cells, strict=True)) for row_cells in table_rows
    ]
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
