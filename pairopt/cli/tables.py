"""Write a pairing and its levels as tables; names are escaped, so they are only text."""

from collections.abc import Sequence
from shlex import quote

from pairopt.cli.console import table_text
from pairopt.event.event import Event
from pairopt.event.table_assignment import add_name_columns, layout_of
from pairopt.files.write import csv_text
from pairopt.messages.interfaces import TERMINAL
from pairopt.report.views import LevelsView, levels_of, paired_round, round_view
from pairopt.round.remedies import Remedy
from pairopt.round.result import Result


def result_table(event: Event, result: Result) -> str:
    """Return the pairing as a table, a table of its levels, and the conclusion.

    The levels have their values, and say whether these are proven. In the row of a bye,
    the second player's cell says what kind of bye it is.
    """
    side_labels = event.sides or ("player 1", "player 2")
    table_rows = []
    for match_line in paired_round(result).lines:
        if match_line.bye:
            bye_text = match_line.bye.removeprefix("has the ")
            table_rows.append(["", match_line.points[0], match_line.one, bye_text, ""])
        else:
            table_rows.append(
                [
                    match_line.table,
                    match_line.points[0],
                    match_line.one,
                    match_line.two,
                    match_line.points[1],
                ]
            )
    column_heads = [
        "table",
        "points",
        side_labels[0].capitalize(),
        side_labels[1].capitalize(),
        "points",
    ]
    text_parts = [
        f"Round {result.round}, by {result.model}",
        "",
        table_text(column_heads, table_rows, "table,points"),
    ]
    levels_view = levels_of(result)
    if levels_view.rows:
        text_parts.append(levels_text(levels_view))
    if levels_view.more:
        text_parts.append(levels_view.more)
    conclusion_sentences = map(TERMINAL.format_message, result.conclusion())
    return "\n".join([*text_parts, *conclusion_sentences, ""])


def played_round_table(event: Event, number: int) -> str:
    """Return a round of a round robin as a table with its results, byes at the end.

    `number` is the round. A line above says the number of all rounds.
    """
    paired_round = round_view(event, number)
    table_rows = [
        [match_line.table, match_line.one, match_line.two or "bye", match_line.score]
        for match_line in paired_round.lines
    ]
    first_head, second_head = paired_round.sides
    column_heads = [
        "table",
        first_head or "Player 1",
        second_head or "Player 2",
        "result",
    ]
    return "\n".join(
        [
            f"Round {number} of {event.round - 1}, by the Berger table",
            "",
            table_text(column_heads, table_rows, "table"),
            "",
        ]
    )


def levels_text(levels: LevelsView) -> str:
    """Return levels as a table, with numbers aligned right.

    All columns but criterion, counts and proof are numbers.
    """
    right_columns = [
        column_head
        for column_head in levels.heads
        if column_head not in ("criterion", "counts", "proof")
    ]
    return table_text(levels.heads, levels.rows, ",".join(right_columns))


def remedy_lines(event: Event, remedies: Sequence[Remedy]) -> list[str]:
    """Return a line for each remedy for a round without a pairing.

    It has the sentence, the options to type, and the cost. `event` gives names of
    players that can be typed. The list is empty without `remedies`.
    """
    return [
        f"way out: {TERMINAL.format_message(remedy.said)} "
        f"({remedy_options(event, remedy)}); "
        f"cost: {TERMINAL.format_message(remedy.costs)}"
        for remedy in remedies
    ]


def remedy_options(event: Event, remedy: Remedy) -> str:
    """Return the options that apply a remedy, quoted for a shell.

    For example: --allow anna:ben --lookahead 2. Each player is named so that nobody
    else can be meant.
    """
    allowed_pairs = [
        ":".join(
            event.text_to_type(event.index[player_identifier])
            for player_identifier in allowed_pair
        )
        for allowed_pair in remedy.allow
    ]
    allowed_byes = [
        event.text_to_type(event.index[player_identifier])
        for player_identifier in remedy.allow_bye
    ]
    option_texts = [f"--allow {quote(pair_text)}" for pair_text in allowed_pairs]
    option_texts += [
        f"--allow-bye {quote(player_identifier)}" for player_identifier in allowed_byes
    ]
    if remedy.lookahead is not None:
        option_texts.append(f"--lookahead {remedy.lookahead}")
    return " ".join(option_texts)


def missing_column_notes(result: Result) -> list[str]:
    """Return a note on columns of the round that the event's matches.csv lacks.

    The list has one note, or is empty if there are no such columns, or the event has no
    such file.
    """
    event = result.event
    event_columns = event.origin.layout.columns
    round_columns = layout_of(event, result.matches).columns
    missing_names = ", ".join(round_columns[len(event_columns) :])
    if not event_columns or not missing_names:
        return []
    return [
        f"note: {event.source} has no column {missing_names}: add that to its heading first"
    ]


def trf_pairs_text(result: Result) -> str:
    """Return the pairing as chess engines print it.

    The first line is the number of pairs. Each pair is a line of two numbers, White
    first, with 0 for the bye. The numbers are the players' identifiers if all of these
    are numbers, otherwise positions from 1. Requested byes are left out.
    """
    identifiers = result.event.players
    has_numbers = all(
        player_identifier.isascii() and player_identifier.isdigit()
        for player_identifier in identifiers
    )
    number_by_player: dict[object, str] = {
        player_identifier: player_identifier if has_numbers else str(start_position)
        for start_position, player_identifier in enumerate(identifiers, 1)
    }
    number_by_player[None] = "0"
    paired_rows = [
        match_row for match_row in result.matches if match_row["status"] != "requested"
    ]
    pair_lines = [
        f"{number_by_player[match_row['player1']]} {number_by_player[match_row['player2']]}"
        for match_row in paired_rows
    ]
    return "\n".join([str(len(pair_lines)), *pair_lines, ""])


def result_csv(result: Result) -> str:
    """Return the rows of the round as CSV, in the layout of the event's matches.csv.

    They have the players' names too if these differ from the identifiers.
    """
    event = result.event
    named_rows = add_name_columns(event, result.matches)
    return csv_text(named_rows, layout_of(event, result.matches))
