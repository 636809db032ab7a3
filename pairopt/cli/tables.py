"""Tables for people: a pairing, its levels, a check; names are only ever text."""

from collections.abc import Sequence
from shlex import quote

from pairopt.cli.console import table_text
from pairopt.event.event import Event
from pairopt.event.table_assignment import add_name_columns, layout_of
from pairopt.files.write import csv_text
from pairopt.messages.interfaces import TERMINAL
from pairopt.report.views import LevelsView, levels_of, paired_round
from pairopt.round.remedies import Remedy
from pairopt.round.result import Result


def result_table(event: Event, result: Result) -> str:
    """The pairing, then every level with its value and whether it is proven."""
    sides = event.sides or ("player 1", "player 2")
    rows = [
        [line.table, line.points[0], line.one, line.two, line.points[1]]
        if not line.bye
        else ["", line.points[0], line.one, line.bye.removeprefix("has the "), ""]
        for line in paired_round(result).lines
    ]
    heads = ["table", "points", sides[0].capitalize(), sides[1].capitalize(), "points"]
    head = f"Round {result.round}, by {result.model}"
    levels = levels_of(result)
    parts = [head, "", table_text(heads, rows, "table,points")]
    parts += [levels_text(levels)] * bool(levels.rows) + [levels.more] * bool(
        levels.more
    )
    return "\n".join([*parts, *map(TERMINAL.format_message, result.conclusion()), ""])


def levels_text(levels: LevelsView) -> str:
    """Levels as a table; what is not in words aligns right."""
    right = [
        head for head in levels.heads if head not in ("criterion", "counts", "proof")
    ]
    return table_text(levels.heads, levels.rows, ",".join(right))


def ways_lines(ways: Sequence[Remedy]) -> list[str]:
    """The ways out of a round that cannot be paired, how they are asked for, and their cost."""
    return [
        f"way out: {TERMINAL.format_message(way.said)} ({typed_way(way)}); "
        f"cost: {TERMINAL.format_message(way.costs)}"
        for way in ways
    ]


def typed_way(way: Remedy) -> str:
    told = [f"--allow {quote(f'{one}:{two}')}" for one, two in way.allow]
    told += [f"--allow-bye {quote(player)}" for player in way.allow_bye]
    told += [] if way.lookahead is None else [f"--lookahead {way.lookahead}"]
    return " ".join(told)


def added_columns(result: Result) -> list[str]:
    """A line on columns of the round that the event's own matches do not have."""
    event = result.event
    own = event.origin.layout.columns
    more = ", ".join(layout_of(event, result.matches).columns[len(own) :])
    if not own or not more:
        return []
    return [f"note: {event.source} has no column {more}: add that to its heading first"]


def trf_pairs_text(result: Result) -> str:
    """The pairing as chess engines print it: how many lines follow, then two numbers in each, White
    first, 0 for the bye: players' own names where all are numbers, else places in the list.
    """
    players = result.event.players
    named = all(player.isascii() and player.isdigit() for player in players)
    number: dict[object, str] = {
        p: p if named else str(k) for k, p in enumerate(players, 1)
    }
    number[None] = "0"
    paired = [row for row in result.matches if row["status"] != "requested"]
    lines = [f"{number[row['player1']]} {number[row['player2']]}" for row in paired]
    return "\n".join([str(len(lines)), *lines, ""])


def result_csv(result: Result) -> str:
    event = result.event
    return csv_text(
        add_name_columns(event, result.matches), layout_of(event, result.matches)
    )
