"""Match lists of other programs: two players and a result per row, under any headings.

Such a list becomes a table of matches.csv, and is read as one. A note says what each
column was taken for. If a column may have two meanings, an error asks for `columns` of
`pairopt.read_event`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from pairopt.errors import Fault, InputError
from pairopt.event.column_layout import COLUMNS
from pairopt.event.event import Event
from pairopt.event.name_search import normalize_name
from pairopt.event.points import CHESS, FOOTBALL, Points, infer_points_of_results
from pairopt.files.build_event import PlayerTable, ReadOptions
from pairopt.files.csv_schema import MatchRow, PlayerRow, parse_number, parse_rows
from pairopt.files.draw_columns import WINS_BY_HEADING, with_draws
from pairopt.files.formats import matches_csv
from pairopt.files.formats.base import Format
from pairopt.files.match_headings import (
    MatchColumns,
    ResultSource,
    find_match_columns,
    is_match_list,
)
from pairopt.files.match_results import (
    MOST_GAMES,
    OPEN,
    Outcome,
    classify_results,
    is_bye,
    is_cut,
    is_word,
    parse_round_number,
    read_chess_point,
    read_player_result,
    read_result,
    read_winner,
)
from pairopt.files.text_tables import TextTable
from pairopt.messages import Message, message
from pairopt.messages.formatting import decimal_text, quote

BYE_WORD = re.compile(r"\bbye\b", re.IGNORECASE)
CODES = {"0": "draw", "-1": "double loss"}
"""Numbers that stand among the names of winners."""


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A row of a match list: its position, its round, its two players and its outcome.

    `row` is its position in the list, from 0. `players` are names; in a bye one of them
    is empty or a word for a bye, see `is_bye`. `table` is the number of the table as
    text, "" for none. `outcome` is open until the results are read. `status` is "bye"
    for a bye, "forfeit", or "".
    """

    row: int
    round: int
    players: tuple[str, str]
    table: str = ""
    outcome: Outcome = OPEN
    status: str = ""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the results of a list mean: points, games, goals or words.

    `kind` is "points", "games", "goals", "words" or "none" (there are no results).
    `points` is the point system of a match. `source` names the columns with the
    results, and is None without such columns.
    """

    kind: str
    points: Points
    source: ResultSource | None = None


def recognises(table: TextTable) -> bool:
    """Return whether a table is a match list with other headings than matches.csv.

    If the user named columns with `--columns`, a table with all columns of matches.csv
    may be one, too.
    """
    return is_match_list(table.columns, bool(table.called))


def read(table: TextTable, options: ReadOptions) -> Event:
    """Read an event from a match list.

    `table` has the list under its own headings. Rows of a top cut and rows without
    players are left out. Without a column of rounds, all rows are round 1. The event
    has notes on how columns were read and rows left out. Sides and a roster in
    `options` replace those of the list. Raises InputError for faults in cells, for a
    third player in each match, if a player has several rows without rounds, and if the
    results may mean points or games.
    """
    match_columns = find_match_columns(table.columns)
    assert match_columns is not None
    if match_columns.third is not None:
        raise InputError(
            table.name, "listing.pods", column=table.find_heading(match_columns.third)
        )
    listed_matches, left_out_notes = _read_lines(table, match_columns)
    result_source, outcomes = _read_results(table, match_columns, listed_matches)
    outcomes = with_draws(
        table,
        match_columns,
        [listed_match.row for listed_match in listed_matches],
        outcomes,
    )
    matches_and_outcomes = zip(listed_matches, outcomes, strict=True)
    listed_matches = [
        replace(listed_match, outcome=match_outcome)
        for listed_match, match_outcome in matches_and_outcomes
    ]
    listed_matches = [
        replace(listed_match, status=_find_status(table, match_columns, listed_match))
        for listed_match in listed_matches
    ]
    if match_columns.mirrored:
        listed_matches = _merge_mirrored(table, listed_matches)
    meaning_of_results = _find_meaning(
        table, match_columns, result_source, listed_matches
    )
    matches_table = _build_matches_table(
        table, match_columns, listed_matches, meaning_of_results
    )
    side_labels = options.sides or match_columns.sides
    player_roster = options.roster or _build_player_table(
        table, match_columns, listed_matches, matches_table
    )
    event = matches_csv.read(
        matches_table, replace(options, sides=side_labels, roster=player_roster)
    )
    reading_notes = [
        *_describe_reading(table, match_columns, meaning_of_results, listed_matches),
        *left_out_notes,
    ]
    return replace(event, notes=(*reading_notes, *event.notes))


def _read_lines(
    table: TextTable, columns: MatchColumns
) -> tuple[list[ListedMatch], list[Message]]:
    """Return the rows that are matches or byes, and notes on rows that were left out.

    `columns` says what the columns of `table` mean. Rows of a top cut and rows without
    any player are left out. The matches have no outcome and no status yet. A table that
    is no whole number is "". Without a column of rounds, all rows are in round 1.
    Raises InputError if a round cannot be read, or if a player has several rows without
    rounds.
    """
    row_indices = range(len(table.rows))
    stage_columns = [
        column_name
        for column_name in columns.words
        if any(is_cut(cell) for cell in table.cells[column_name])
    ]
    faults = list[Fault]()
    listed_matches = list[ListedMatch]()
    left_out_indices = list[int]()
    for row_index in row_indices:
        player_names = (
            _join_name(table, columns.names[0], row_index),
            _join_name(table, columns.names[1], row_index),
        )
        is_stage_of_cut = any(
            is_cut(table.cells[column_name][row_index]) for column_name in stage_columns
        )
        round_cell = table.cells[columns.round][row_index] if columns.round else ""
        if (
            is_stage_of_cut
            or is_cut(round_cell)
            or (is_bye(player_names[0]) and is_bye(player_names[1]))
        ):
            left_out_indices.append(row_index)
            continue
        round_number = parse_round_number(round_cell) if columns.round else 1
        if round_number is None:
            cell_location = table.places[row_index].at(
                table.find_heading(str(columns.round))
            )
            faults.append(
                Fault(message("listing.no_round", found=round_cell), cell_location)
            )
            continue
        table_cell = table.cells[columns.table][row_index] if columns.table else ""
        listed_matches.append(
            ListedMatch(
                row_index,
                round_number,
                player_names,
                table_cell if table_cell.isdecimal() else "",
            )
        )
    if faults:
        raise InputError(table.name, faults)
    if columns.round is None:
        _require_one_round(table, listed_matches)
    return listed_matches, _note_left_out(table, left_out_indices)


def _join_name(table: TextTable, columns: Iterable[str], row: int) -> str:
    """Join the filled cells of a player's name in a row, with blanks between them.

    `columns` are the columns of `table` that make up the name, in order. `row` is the
    position of the row, from 0. The name is "" if all cells are empty.
    """
    return " ".join(
        filter(None, (table.cells[name_column][row] for name_column in columns))
    )


def _require_one_round(table: TextTable, lines: Sequence[ListedMatch]) -> None:
    """Raise InputError if a player has several rows of a list without rounds.

    `lines` are the rows of `table` that are matches or byes. The error names the player
    with the most rows. Words for a bye are no players.
    """
    row_count_by_name = Counter(
        player_name
        for listed_match in lines
        for player_name in listed_match.players
        if not is_bye(player_name)
    )
    busiest_player, row_count = max(
        row_count_by_name.items(),
        key=lambda name_and_count: name_and_count[1],
        default=("", 0),
    )
    if row_count > 1:
        raise InputError(
            table.name, "listing.rounds_unknown", player=busiest_player, rows=row_count
        )


def _note_left_out(table: TextTable, rows: Sequence[int]) -> list[Message]:
    """Return a note on rows that are left out; an empty list if there are none.

    `rows` are positions in the table; the note has their numbers in the file.
    """
    if not rows:
        return []
    row_numbers = [table.rows[row_index] for row_index in rows]
    return [message("listing.no_swiss_rows", rows=row_numbers, count=len(rows))]


def _read_results(
    table: TextTable, columns: MatchColumns, lines: Sequence[ListedMatch]
) -> tuple[ResultSource | None, list[Outcome]]:
    """Find the columns with the results, and read the outcome of each line.

    `columns` says which columns of `table` may have results; `lines` are the rows to
    read. The first source is used in which every cell can be read and a match has a
    result. Without one, the returned source is None. Then the first player of each line
    has won if the headings Winner and Loser tell who won, and no unread result is in
    words. Otherwise InputError is raised if cells of the first source cannot be read,
    with a fault for each, or if it is a column of winners with 0 besides 1 and 2. If
    neither is the case, all lines are open.
    """
    outcomes_of_first_source: list[Outcome | None] = []
    for result_source in columns.sources:
        outcomes = _read_outcomes(table, columns, result_source, lines)
        has_result = any(
            match_outcome and not match_outcome.is_open for match_outcome in outcomes
        )
        if all(outcomes) and has_result:
            return result_source, [match_outcome or OPEN for match_outcome in outcomes]
        outcomes_of_first_source = outcomes_of_first_source or outcomes
    if columns.decided and not _has_unread_words(
        table, columns, lines, outcomes_of_first_source
    ):
        return None, [WINS_BY_HEADING for _ in lines]
    if not columns.sources:
        return None, [OPEN for _ in lines]

    result_column = columns.sources[0].columns[0]
    result_heading = table.find_heading(result_column)
    _require_no_zero(table, columns, lines)
    faults = []
    for listed_match, match_outcome in zip(
        lines, outcomes_of_first_source, strict=True
    ):
        if match_outcome is None:
            cell = table.cells[result_column][listed_match.row]
            cell_location = table.places[listed_match.row].at(result_heading)
            faults.append(
                Fault(message("listing.no_result", found=cell), cell_location)
            )
    if faults:
        raise InputError(table.name, faults, message("listing.how_to_say_results"))
    return None, [OPEN for _ in lines]


def _has_unread_words(
    table: TextTable,
    columns: MatchColumns,
    lines: Sequence[ListedMatch],
    outcomes: Sequence[Outcome | None],
) -> bool:
    """Return whether a result that cannot be read is in words, such as `agreed draw`.

    Such words may contradict the headings Winner and Loser. A result that has digits,
    such as `6-4 6-3`, does not count, nor does an empty cell. `columns` says which
    columns of `table` have results. `outcomes` has one entry per line, None for a
    result of the first source that cannot be read. It is empty if there is no source;
    then the answer is False.
    """
    if not outcomes:
        return False
    result_cells = table.cells[columns.sources[0].columns[0]]
    unread_cells = [
        result_cells[listed_match.row]
        for listed_match, match_outcome in zip(lines, outcomes, strict=True)
        if match_outcome is None
    ]
    return any(cell and not re.search(r"\d", cell) for cell in unread_cells)


def _require_no_zero(
    table: TextTable, columns: MatchColumns, lines: Sequence[ListedMatch]
) -> None:
    """Raise InputError if a column of winners has 0 besides 1 and 2.

    The numbers 1 and 2 name the winner, but 0 may be a draw or no result. `columns`
    says which columns of `table` have results, and `lines` are the rows to check. Only
    the first source is checked, which must exist, and only if all its cells are 0, 1, 2
    or empty. Cells that are only 0 or empty raise it, too.
    """
    winner_source = columns.sources[0]
    if winner_source.kind != "verdict":
        return
    winner_column = winner_source.columns[0]
    cell_by_row = {
        listed_match.row: table.cells[winner_column][listed_match.row]
        for listed_match in lines
    }
    rows_with_zero = [
        row_index for row_index, cell in cell_by_row.items() if cell == "0"
    ]
    if rows_with_zero and {*cell_by_row.values()} <= {"", "0", "1", "2"}:
        reason = message(
            "listing.winner_zero",
            column=table.find_heading(winner_column),
            rows=len(rows_with_zero),
        )
        first_zero_location = table.places[rows_with_zero[0]].at(
            table.find_heading(winner_column)
        )
        raise InputError(table.name, [Fault(reason, first_zero_location)])


def _read_outcomes(
    table: TextTable,
    columns: MatchColumns,
    source: ResultSource,
    lines: Sequence[ListedMatch],
) -> list[Outcome | None]:
    """Read the outcome of each line from the columns of a source.

    `lines` are rows of `table`, whose columns have the meanings in `columns`. There is
    None for a line whose cells are no result, and an open outcome for empty cells. Two
    columns have a result for each player, and byes are read like matches. With one
    column, a bye gets its points from a number or a word in the cell. A column of
    winners has names of players, words or, if no other numbers occur, 1 and 2 for the
    first and second player; besides names or words, 0 is a draw and -1 a loss of both.
    Another column may name the winner, too, where a cell is no result. With White and
    Black, one number per match is White's points, if all cells are 1, ½ or 0.
    """
    source_cells = [
        [
            table.cells[result_column][listed_match.row]
            for result_column in source.columns
        ]
        for listed_match in lines
    ]
    if len(source.columns) == 2:
        return [_read_two_cells(*row_cells) for row_cells in source_cells]
    result_cells = [row_cells[0] for row_cells in source_cells]
    bye_outcomes = [
        _read_bye_cell(cell, listed_match)
        for cell, listed_match in zip(result_cells, lines, strict=True)
    ]
    if source.kind == "verdict":
        number_cells = {cell for cell in result_cells if cell.isdecimal()}
        if number_cells <= {"0"} and any(
            cell and cell not in CODES for cell in result_cells
        ):
            result_cells = [CODES.get(cell, cell) for cell in result_cells]
        winner_outcomes = [
            read_winner(cell, *listed_match.players, number_cells <= {"1", "2"})
            for cell, listed_match in zip(result_cells, lines, strict=True)
        ]
        return [
            bye_outcome or outcome
            for bye_outcome, outcome in zip(bye_outcomes, winner_outcomes, strict=True)
        ]
    if columns.sides == ("white", "black"):
        chess_outcomes = [read_chess_point(cell) for cell in result_cells]
        if all(
            chess_outcome or bye_outcome
            for chess_outcome, bye_outcome in zip(
                chess_outcomes, bye_outcomes, strict=True
            )
        ):
            return [
                bye_outcome or chess_outcome
                for chess_outcome, bye_outcome in zip(
                    chess_outcomes, bye_outcomes, strict=True
                )
            ]
    return [
        bye_outcome
        or read_result(cell)
        or read_winner(cell, *listed_match.players, False)
        for cell, listed_match, bye_outcome in zip(
            result_cells, lines, bye_outcomes, strict=True
        )
    ]


def _read_bye_cell(cell: str, line: ListedMatch) -> Outcome | None:
    """Read the result cell of a bye as an outcome; None in a match of two players.

    `line` is the row of the cell, and shows by its players which side is empty. A
    requested bye with the word "half", in the cell or in place of a name, is a draw. A
    number gives the player's points, with 0 for the empty side. An empty cell or a word
    for a bye is an open outcome. Returns None for other cells, too.
    """
    if not any(map(is_bye, line.players)):
        return None
    bye_texts = (cell, *line.players)
    if any(
        is_word(bye_text, "requested") and "half" in bye_text.lower()
        for bye_text in bye_texts
    ):
        return Outcome(verdict=0)
    player_points = read_player_result(cell)
    if isinstance(player_points, Fraction):
        is_first_the_player = is_bye(line.players[1])
        return Outcome(
            first_number=player_points if is_first_the_player else Fraction(0),
            second_number=Fraction(0) if is_first_the_player else player_points,
        )
    return OPEN if not cell or BYE_WORD.search(cell) or is_word(cell, "bye") else None


def _read_two_cells(first_cell: str, second_cell: str) -> Outcome | None:
    """Read the result of a match from two cells, one for each player.

    `first_cell` and `second_cell` are the texts of the cells. Two empty cells are an
    open outcome. A number needs a number in the other cell; an empty other cell counts
    as 0. A word such as W in the first cell needs the opposite word, or a cell that is
    no result, in the second; two losses are a loss of both. Returns None for other
    cells, also for a word in the second cell only.
    """
    first_result = read_player_result(first_cell)
    second_result = read_player_result(second_cell)
    if not first_cell and not second_cell:
        return OPEN
    if isinstance(first_result, Fraction) and (
        isinstance(second_result, Fraction) or not second_cell
    ):
        return Outcome(
            first_number=first_result,
            second_number=second_result
            if isinstance(second_result, Fraction)
            else Fraction(0),
        )
    if isinstance(second_result, Fraction) and not first_cell:
        return Outcome(first_number=Fraction(0), second_number=second_result)
    if isinstance(first_result, int) and (
        second_result is None or second_result == -first_result
    ):
        return Outcome(verdict=first_result)
    return Outcome(both_lose=True) if first_result == second_result == -1 else None


def _find_status(table: TextTable, columns: MatchColumns, line: ListedMatch) -> str:
    """Return the status of a row for matches.csv: "bye", "forfeit" or "".

    `columns` says which columns of `table` have words. The status is "bye" if either
    name of `line` is a word for a bye or empty, and "forfeit" if a cell with words or
    the outcome of `line` says so.
    """
    if any(map(is_bye, line.players)):
        return "bye"
    status_cells = [table.cells[word_column][line.row] for word_column in columns.words]
    is_forfeit = any(is_word(cell, "forfeit") for cell in status_cells)
    return "forfeit" if is_forfeit or line.outcome.forfeit else ""


def _merge_mirrored(
    table: TextTable, lines: Sequence[ListedMatch]
) -> list[ListedMatch]:
    """Return one line per match of a list that has one line for each of its players.

    The first line of a match stays. Lines are mirrored if the round is the same and the
    two players stand in reverse order; names may differ in case. `table` has their
    locations for errors. Raises InputError if the two lines of a match give different
    results, or only one of them gives a result.
    """
    match_by_round_and_names: dict[tuple[int, str, str], ListedMatch] = {}
    faults = list[Fault]()
    merged_matches = list[ListedMatch]()
    for listed_match in lines:
        first_player, second_player = map(normalize_name, listed_match.players)
        earlier_match = match_by_round_and_names.get(
            (listed_match.round, second_player, first_player)
        )
        if earlier_match is None:
            match_by_round_and_names[
                listed_match.round, first_player, second_player
            ] = listed_match
            merged_matches.append(listed_match)
        elif _is_contradiction(
            earlier_match.outcome, listed_match.outcome.with_players_swapped()
        ):
            reason = message(
                "listing.two_results", place=str(table.places[earlier_match.row])
            )
            faults.append(Fault(reason, table.places[listed_match.row]))
    if faults:
        raise InputError(table.name, faults)
    return merged_matches


def _is_contradiction(outcome: Outcome, other_outcome: Outcome) -> bool:
    """Return whether two outcomes of one match contradict each other.

    Both must be seen from the same player. An open outcome contradicts a result, but
    not another open one. Numbers are compared if both outcomes have them, otherwise
    only the winners.
    """
    if outcome.is_open or other_outcome.is_open:
        return outcome.is_open != other_outcome.is_open
    have_numbers = None not in (
        outcome.first_number,
        outcome.second_number,
        other_outcome.first_number,
        other_outcome.second_number,
    )
    return (
        (outcome.first_number, outcome.second_number)
        != (other_outcome.first_number, other_outcome.second_number)
        if have_numbers
        else outcome.winner != other_outcome.winner
    )


def _find_meaning(
    table: TextTable,
    columns: MatchColumns,
    source: ResultSource | None,
    lines: Sequence[ListedMatch],
) -> Meaning:
    """Find out what results are, for example games, and what a match is worth.

    The kind is points, games, goals or words. `source` names the columns of results,
    None without any, and `lines` have their outcomes. A kind that the source states,
    points or games, counts. Otherwise the numbers decide, but games drawn show that the
    results are games. Without numbers the kind is "words", or "none" if no line has a
    result. If the results do not show the points of a match, they are those of chess
    for White and Black, and 3-1-0 otherwise. Results of byes do not count. Raises
    InputError if the results may be points or games won.
    """
    default_points = CHESS if columns.sides == ("white", "black") else FOOTBALL
    count_by_number_pair = Counter[tuple[Fraction, Fraction]]()
    for listed_match in lines:
        first_number = listed_match.outcome.first_number
        second_number = listed_match.outcome.second_number
        if (
            first_number is not None
            and second_number is not None
            and listed_match.status != "bye"
        ):
            count_by_number_pair[
                max(first_number, second_number), min(first_number, second_number)
            ] += 1
    if not count_by_number_pair:
        has_any_result = any(not listed_match.outcome.is_open for listed_match in lines)
        return Meaning("words" if has_any_result else "none", default_points, source)
    assert source is not None
    is_kind_stated = source.kind in ("points", "games")
    result_kind = (
        source.kind if is_kind_stated else classify_results(count_by_number_pair)
    )
    if not is_kind_stated and any(
        listed_match.outcome.drawn is not None for listed_match in lines
    ):
        result_kind = "games"
    if not result_kind:
        result_headings = [
            table.find_heading(result_column) for result_column in source.columns
        ]
        example_results = [
            f"{decimal_text(larger_number)}-{decimal_text(smaller_number)}"
            for larger_number, smaller_number in list(count_by_number_pair)[:3]
        ]
        message_kind = (
            "listing.points_or_games_each"
            if len(result_headings) > 1
            else "listing.points_or_games"
        )
        raise InputError(
            table.name,
            message_kind,
            results=example_results,
            columns=result_headings,
            column=result_headings[0],
            first=result_headings[0],
            second=result_headings[-1],
        )
    if result_kind != "points":
        return Meaning(result_kind, default_points, source)
    inferred_points = infer_points_of_results(
        {
            number_pair: result_count
            for number_pair, result_count in count_by_number_pair.items()
            if any(number_pair)
        }
    )[0]
    return Meaning(result_kind, inferred_points or default_points, source)


def _build_matches_table(
    table: TextTable,
    columns: MatchColumns,
    lines: Sequence[ListedMatch],
    meaning: Meaning,
) -> TextTable:
    """Build a table of matches.csv from the lines, with columns of games if known.

    `columns` says what the columns of `table` mean, and `meaning` what its results
    mean. There is one row per line. Locations in error messages still name the rows and
    headings of the list. A last round that has not been played has no results. Notes of
    the list are dropped.
    """
    open_rounds = _find_open_round(lines, meaning)
    match_rows = [
        _build_row(listed_match, columns, meaning, listed_match.round in open_rounds)
        for listed_match in lines
    ]
    column_names = list(COLUMNS)
    if meaning.kind == "games" and all(
        _is_game_count(listed_match.outcome) for listed_match in lines
    ):
        column_names += ["games1", "games2", "games_drawn"]
    first_name_columns, second_name_columns = columns.names
    result_columns = meaning.source.columns if meaning.source else first_name_columns
    listed_column_by_csv_name = {
        "player1": first_name_columns[0],
        "player2": second_name_columns[0],
        "score1": result_columns[0],
        "score2": result_columns[-1],
        "status": result_columns[0],
        "round": columns.round or "round",
        "table": columns.table or "table",
    }
    heading_by_column = {
        csv_name: table.find_heading(listed_column)
        for csv_name, listed_column in listed_column_by_csv_name.items()
    }
    return replace(
        table,
        cells={
            csv_name: [match_row.get(csv_name, "") for match_row in match_rows]
            for csv_name in column_names
        },
        rows=[table.rows[listed_match.row] for listed_match in lines],
        files=[table.files[listed_match.row] for listed_match in lines]
        if table.files
        else (),
        layout=replace(table.layout, columns=()),
        notes=(),
        decimal_comma=False,
        called=heading_by_column,
    )


def _find_open_round(lines: Sequence[ListedMatch], meaning: Meaning) -> set[int]:
    """Return a set with the last round if it has not been played, or an empty set.

    `lines` are all matches and byes of a list, and `meaning` tells what their results
    mean. A round has not been played if no match has a result, or only 0-0 in games or
    goals. Byes do not count. Without lines the set is {0}.
    """
    played_rounds = set()
    for listed_match in lines:
        if listed_match.status == "bye" or listed_match.outcome.is_open:
            continue
        is_without_score = (
            listed_match.outcome.first_number == listed_match.outcome.second_number == 0
            and not listed_match.outcome.drawn
        )
        if not (is_without_score and meaning.kind in ("games", "goals")):
            played_rounds.add(listed_match.round)
    last_round = max((listed_match.round for listed_match in lines), default=0)
    return {last_round} - played_rounds


def _build_row(
    line: ListedMatch, columns: MatchColumns, meaning: Meaning, is_open: bool
) -> dict[str, str]:
    """Return a line as a row of matches.csv: cells by column name.

    `columns` gives the side of the first player, and `meaning` what the results mean.
    In a bye, the player comes first, and there is no `player2`. If `is_open`, the row
    has no result. Games are only there if the results are games. Cells that are empty
    may be missing.
    """
    outcome, (first_player, second_player) = line.outcome, line.players
    row_cells = {"round": str(line.round), "table": line.table}
    if is_bye(first_player):
        first_player, second_player, outcome = (
            second_player,
            first_player,
            outcome.with_players_swapped(),
        )
    row_cells["player1"] = first_player
    if is_bye(second_player):
        return row_cells if is_open else row_cells | _build_bye_cells(outcome, meaning)
    row_cells["player2"] = second_player
    if columns.sides is not None:
        row_cells["side1"] = columns.sides[0]
    row_cells["status"] = line.status
    if outcome.is_open or is_open:
        return row_cells
    first_points, second_points = _compute_scores(outcome, meaning)
    row_cells |= {
        "score1": decimal_text(first_points),
        "score2": decimal_text(second_points),
    }
    if (
        meaning.kind == "games"
        and outcome.first_number is not None
        and outcome.second_number is not None
    ):
        row_cells["games1"] = decimal_text(outcome.first_number)
        row_cells["games2"] = decimal_text(outcome.second_number)
        row_cells["games_drawn"] = decimal_text(outcome.drawn or Fraction(0))
    return row_cells


def _compute_scores(outcome: Outcome, meaning: Meaning) -> tuple[Fraction, Fraction]:
    """Return the points of the first and second player in a match that has a result.

    Both get those of a loss if both lose. Otherwise they are the numbers of the outcome
    if `meaning` says that these are points. If not, the winner decides by the point
    system in `meaning`.
    """
    points_system = meaning.points
    if outcome.both_lose:
        return points_system.loss, points_system.loss
    if (
        meaning.kind == "points"
        and outcome.first_number is not None
        and outcome.second_number is not None
    ):
        return outcome.first_number, outcome.second_number
    points_by_winner = {
        1: (points_system.win, points_system.loss),
        0: (points_system.draw, points_system.draw),
        -1: (points_system.loss, points_system.win),
    }
    return points_by_winner[outcome.winner]


def _build_bye_cells(outcome: Outcome, meaning: Meaning) -> dict[str, str]:
    """Return the cells `score1` and `status` of a bye, by column name.

    `outcome` has the player first, and `meaning` says what results mean and what a win
    is worth. A bye gives the points of a win unless the list has a result for it. A
    result of 0-0 counts as no result, unless the list's results are points. A bye with
    fewer points than a win has the status "requested", others "bye".
    """
    points_system = meaning.points
    is_zero_zero = outcome.first_number == outcome.second_number == 0
    if meaning.kind == "points" and outcome.first_number is not None:
        bye_points = outcome.first_number
    elif is_zero_zero:
        bye_points = points_system.win
    else:
        bye_points = (
            points_system.win
            if outcome.is_open
            else _compute_scores(outcome, meaning)[0]
        )
    bye_status = "bye" if bye_points >= points_system.win else "requested"
    return {"score1": decimal_text(bye_points), "status": bye_status}


def _is_game_count(outcome: Outcome) -> bool:
    """Return whether the numbers of an outcome can be counts of games.

    They are whole numbers up to MOST_GAMES; a missing number counts as 0.
    """
    outcome_numbers = (
        outcome.first_number or 0,
        outcome.second_number or 0,
        outcome.drawn or 0,
    )
    return all(
        Fraction(game_count).denominator == 1 and game_count <= MOST_GAMES
        for game_count in outcome_numbers
    )


def _build_player_table(
    table: TextTable,
    columns: MatchColumns,
    lines: Sequence[ListedMatch],
    matches_table: TextTable,
) -> PlayerTable | None:
    """Return the players of the list with their ratings, or None if it rates nobody.

    `columns` says which columns of `table` have the ratings of the two players of
    `lines`. `matches_table` is the same list as a table of matches.csv; the players
    come in its order. If several rows rate a player, the first rating counts. Only
    whole numbers above 0 are ratings; a player may have none.
    """
    if columns.ratings is None:
        return None
    rating_by_name: dict[str, str] = {}
    for listed_match in lines:
        for player_name, rating_column in zip(
            listed_match.players, columns.ratings, strict=True
        ):
            rating_cell = table.cells[rating_column][listed_match.row]
            if not is_bye(player_name) and rating_cell.isdecimal() and int(rating_cell):
                rating_by_name.setdefault(normalize_name(player_name), rating_cell)
    match_rows = parse_rows(matches_table, MatchRow, matches_csv.NEEDED)
    rated_players = [
        _with_rating(player_row, rating_by_name)
        for player_row in matches_csv.list_players(match_rows)
    ]
    further_columns = {
        "rating": [
            rating_by_name.get(normalize_name(player_row.player), "")
            for player_row in rated_players
        ]
    }
    return (
        PlayerTable(table.name, rated_players, further_columns)
        if rating_by_name
        else None
    )


def _with_rating(player: PlayerRow, rating_by_name: Mapping[str, str]) -> PlayerRow:
    """Return a copy of a player with the rating of their name, or with None.

    Keys of `rating_by_name` are normalized names, and values ratings as texts.
    """
    return replace(
        player,
        rating=parse_number(rating_by_name.get(normalize_name(player.player), "")),
    )


def _describe_reading(
    table: TextTable,
    columns: MatchColumns,
    meaning: Meaning,
    lines: Sequence[ListedMatch],
) -> Iterator[Message]:
    """Yield notes that say how the columns were read, and which ones are not used.

    `columns` says what the columns of `table` mean, `meaning` what its results mean,
    and `lines` are the rows that were read. The notes are on the columns of players,
    rounds, results, byes, sides and on unused columns, in this order. Only those on
    players and results always come.
    """
    name_headings = [
        " ".join(map(table.find_heading, columns_of_name))
        for columns_of_name in columns.names
    ]
    yield message(
        "listing.matches",
        source=table.name,
        matches=len(lines),
        one=name_headings[0],
        two=name_headings[1],
    )
    if columns.round is None:
        yield message("listing.one_round")
    elif table.find_heading(columns.round).lower() != "round":
        yield message("listing.round_column", head=table.find_heading(columns.round))
    yield _describe_results(table, columns, meaning)
    if bye_lines := [
        listed_match for listed_match in lines if listed_match.status == "bye"
    ]:
        bye_words = [
            player_name
            for listed_match in bye_lines
            for player_name in listed_match.players
            if is_bye(player_name) and player_name
        ]
        message_kind = "listing.byes" if bye_words else "listing.byes_empty"
        yield message(
            message_kind,
            words=list(dict.fromkeys(map(quote, bye_words))),
            rows=len(bye_lines),
        )
    if columns.sides:
        yield message("listing.sides", head=name_headings[0], side=columns.sides[0])
    unused_headings = [
        table.find_heading(column_name)
        for column_name in table.columns
        if column_name not in columns.used
    ]
    if unused_headings:
        yield message("listing.unused", columns=unused_headings)


RESULTS_READ_AS = {
    "games": "listing.results_games",
    "goals": "listing.results_goals",
    "none": "listing.results_none",
    "points": "listing.results_points",
    "words": "listing.results_words",
}
"""The message that says how results were read, by the kind of a `Meaning`."""


def _describe_results(
    table: TextTable, columns: MatchColumns, meaning: Meaning
) -> Message:
    """Return a note on how results were read, and on the points of a match.

    `columns` says what the columns of `table` mean, and `meaning` what its results
    mean. The note names the columns of the results. Without such columns, it says that
    the first player of each row won, or that the list has no results.
    """
    points_text = str(meaning.points)
    if meaning.source is None:
        message_kind = (
            "listing.winners_first" if columns.decided else "listing.no_results"
        )
        return message(
            message_kind,
            points=points_text,
            win=meaning.points.win,
            draw=meaning.points.draw,
        )
    result_headings = [
        quote(table.find_heading(result_column))
        for result_column in meaning.source.columns
    ]
    return message(
        RESULTS_READ_AS[meaning.kind],
        heads=result_headings,
        points=points_text,
        win=meaning.points.win,
        draw=meaning.points.draw,
    )


FORMAT = Format(
    name="match list",
    of=TextTable,
    recognises=recognises,
    read=read,
    suffixes=(".csv",),
    expected="a list of matches with other column names (for example Player A, Player B, Result, or White, Black, Result)",
    joins_players=True,
)
