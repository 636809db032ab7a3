"""Results: enter how matches ended, by buttons, keys, or one line per result slip."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import FormData

from pairopt.errors import UsageError
from pairopt.event.column_layout import ADJOURNED
from pairopt.event.name_search import find_exact_names, search_names
from pairopt.event.points import Points, Score
from pairopt.files.event_folder import BRACKET
from pairopt.folder import Done, result
from pairopt.folder.open_folder import OpenFolder
from pairopt.folder.results import expand_shorthand
from pairopt.folder.top_cut import load_bracket
from pairopt.messages import message
from pairopt.report.views import MatchView, RoundView, round_view
from pairopt.web.site import MOST_FOUND, AnswerCache
from pairopt.web.view import (
    SURE,
    Context,
    PageConfirmationError,
    PageRequest,
    View,
    read_number,
    read_text,
    select_part,
)

LETTERS = ("w", "d", "l")
"""Further keys besides 1, 2 and 3 if a match can end with a win, a draw and a loss."""
SLIP = re.compile(r"\s*(B?[0-9]+)(?:\s*[+*][\s+*]*(?=\w)|\s+)(\S.*)", re.IGNORECASE)
"""A slip as it is typed: a table, and a key or a score; a number block can type a +."""
FORM = ("round", "bracket", "part", "missing", "slip")
"""The parameters in addresses of this page."""


@dataclass(frozen=True, slots=True)
class ResultChoice:
    """A score with which a match can end, from the first player's side, with its keys.

    `score` and `words` name it, and `keys` are the keys that choose it. A `rare` one is
    in a menu; a `decided` one is for the arbiter to decide.
    """

    score: str
    words: str
    keys: str
    rare: bool = False
    decided: bool = False


@dataclass(frozen=True, slots=True)
class ResultSheet:
    """The matches of a round or of the bracket, and the results that they can have.

    `sides` are the sides' labels, "" in a game without sides. `lines` are the matches,
    and `endings` the results. `rounds` is the number of paired rounds, `cut` whether
    there is a bracket.
    """

    sides: tuple[str, str]
    lines: tuple[MatchView, ...]
    endings: tuple[ResultChoice, ...]
    rounds: int
    cut: bool

    @property
    def missing(self) -> int:
        """The number of matches on the sheet that have no result yet."""
        return sum(match_line.open for match_line in self.lines)


SHEETS = AnswerCache(16)
"""The latest sheets, by the state of their event and their round."""


def context(request: PageRequest) -> Context:
    """Return the tables of a round, or of the bracket, and what each can end with.

    Without a round in the address it is the bracket if there is one, otherwise the
    round that is played now. With "missing" in the address, only tables without a
    result are shown. With "slip", only those that fit what was typed, otherwise one
    part of a long list. If the browser asks only for what has changed, "lines" has only
    the tables that differ, and "gone" those that are no longer shown; where this is not
    possible, the whole page is returned.
    """
    desk = request.desk
    query = {
        parameter_name: request.query[parameter_name]
        for parameter_name in FORM
        if parameter_name in request.query
    }
    shown_round = request.round
    if shown_round is None and BRACKET not in desk.files:
        shown_round = desk.current_round()
    result_sheet = _get_result_sheet(desk, shown_round)
    shown_lines = _select_lines(result_sheet, query)

    round_or_bracket = {"bracket": 1} if shown_round is None else {"round": shown_round}
    address_parameters = {**round_or_bracket, **query}
    toggled_parameters = {
        parameter_name: parameter_value
        for parameter_name, parameter_value in address_parameters.items()
        if parameter_name not in ("missing", "slip")
    }
    has_only_missing = "missing" in query
    if not has_only_missing:
        toggled_parameters["missing"] = 1
    template_values: dict[str, object] = {
        "round": shown_round,
        "rounds": range(1, result_sheet.rounds + 1),
        "cut": result_sheet.cut,
        "missing": result_sheet.missing,
        "every": len(result_sheet.lines),
        "only": has_only_missing,
        "typed": query.get("slip", ""),
        "lines": shown_lines,
        "part": select_part(
            result_sheet.lines, "/results", query, lambda match_line: match_line.table
        ),
        "where": urlencode(address_parameters),
        "toggled": urlencode(toggled_parameters),
        "is_over": desk.has_all_rounds,
        "removable": shown_round == result_sheet.rounds
        or desk.event.settings.is_round_robin,
        "focus": _find_focus(result_sheet, shown_lines, request.query.get("at", "")),
        "in_lane": "lane" in request.query,
        "outcomes": result_sheet.endings,
        "heads": [
            result_sheet.sides[0] or "Player",
            result_sheet.sides[1] or "Opponent",
        ],
    }

    old_sheet = None
    if request.since:
        old_sheet = SHEETS.get((request.since, shown_round))
    changed_lines = (
        _find_changed_lines(old_sheet, result_sheet, query) if old_sheet else None
    )
    if changed_lines is not None:
        shown_tables = {match_line.table for match_line in shown_lines}
        template_values["template"] = "results_new.html"
        template_values["lines"] = [
            match_line
            for match_line in changed_lines
            if match_line.table in shown_tables
        ]
        template_values["gone"] = [
            match_line.table
            for match_line in changed_lines
            if match_line.table not in shown_tables
        ]
    return template_values


def _find_focus(sheet: ResultSheet, lines: Sequence[MatchView], table: str) -> str:
    """Return the next shown table without a result, at or after `table`.

    `sheet` gives the order of all tables, and `lines` are the shown ones. If there is
    none at or after it, it is the first shown table without a result, and otherwise
    `table` itself.
    """
    sheet_tables = [match_line.table for match_line in sheet.lines]
    earlier_tables = (
        set(sheet_tables[: sheet_tables.index(table)])
        if table in sheet_tables
        else set()
    )
    later_lines = (
        match_line for match_line in lines if match_line.table not in earlier_tables
    )
    for match_line in (*later_lines, *lines):
        if match_line.open:
            return match_line.table
    return table


def _get_result_sheet(desk: OpenFolder, round: int | None) -> ResultSheet:
    """Return the sheet of a round, or for None that of the bracket.

    The latter has the matches whose players are known. A sheet is built once for each
    state of the event.
    """

    def make_sheet() -> ResultSheet:
        """Build the sheet of the round, or of the bracket, from the event's files.

        It lists the matches, and the results that each of them can have.
        """
        is_paired_round = round is not None
        if round is None:
            matches_view = _build_bracket_view(desk)
        else:
            matches_view = round_view(desk.event, round, listed=True)
        event_points = desk.points()
        best_of = desk.event.settings.best_of
        has_decisions = desk.event.chess or bool(event_points and event_points.game)
        possible_endings = list_outcomes(
            event_points, is_paired_round, is_paired_round and has_decisions, best_of
        )
        return ResultSheet(
            matches_view.sides,
            matches_view.matches,
            tuple(possible_endings),
            desk.rounds(),
            BRACKET in desk.files,
        )

    return SHEETS.get_or_compute((desk.state, round), make_sheet)


def _build_bracket_view(desk: OpenFolder) -> RoundView:
    """Return the bracket's needed matches with known players, as a round's view.

    They are in the order of play, without sides; a table is the match's name, such as
    B1.
    """
    elimination_bracket = load_bracket(desk)
    match_lines = []
    for bracket_match in elimination_bracket.needed:
        if not bracket_match.known:
            continue
        match_players = [
            elimination_bracket.players[seed_of_match - 1]
            for seed_of_match in bracket_match.seeds
            if seed_of_match
        ]
        match_player_names = tuple(
            desk.event.called[player_identifier] for player_identifier in match_players
        )
        match_line = MatchView(
            bracket_match.fixture.name,
            match_player_names,
            (match_players[0], match_players[1]),
            score=str(bracket_match.score or ""),
        )
        match_lines.append(match_line)
    return RoundView(("", ""), tuple(match_lines))


def _select_lines(sheet: ResultSheet, query: Mapping[str, str]) -> list[MatchView]:
    """Return the lines that an address asks for.

    They are those that fit a slip as far as it is typed, otherwise a part of the list.
    If the query has "missing", only those of them without a result are returned.
    """
    fitting_lines: Sequence[MatchView] = select_part(
        sheet.lines, "", query, lambda match_line: match_line.table
    ).items
    if "slip" in query:
        fitting_lines, _ = find_lines(sheet.lines, query["slip"])
    return [
        match_line
        for match_line in fitting_lines
        if match_line.open or "missing" not in query
    ]


def _find_changed_lines(
    old_sheet: ResultSheet, sheet: ResultSheet, query: Mapping[str, str]
) -> list[MatchView] | None:
    """Return the lines no longer shown, as they were, and then those that have changed.

    `query` says which lines are shown. Return None if the whole page is needed, because
    there are new lines or something other than lines has changed.
    """
    old_lines = {
        match_line.table: match_line for match_line in _select_lines(old_sheet, query)
    }
    new_lines = {
        match_line.table: match_line for match_line in _select_lines(sheet, query)
    }
    has_added_lines = bool(new_lines.keys() - old_lines.keys())
    if _list_frame(old_sheet) != _list_frame(sheet) or has_added_lines:
        return None
    hidden_lines = [
        match_line
        for table_label, match_line in old_lines.items()
        if table_label not in new_lines
    ]
    changed_lines = [
        match_line
        for table_label, match_line in new_lines.items()
        if old_lines[table_label] != match_line
    ]
    return hidden_lines + changed_lines


def _list_frame(sheet: ResultSheet) -> tuple[object, ...]:
    """Return everything of a sheet that is not in its lines, and their number.

    If it is equal for two sheets, only lines have to be sent again.
    """
    return sheet.sides, len(sheet.lines), sheet.endings, sheet.rounds, sheet.cut


def find_lines(lines: Sequence[MatchView], typed: str) -> tuple[list[MatchView], bool]:
    """Return the lines of a table, or of players whose names fit what was typed.

    Names are searched if the text is no table; each line is there once. The Boolean is
    False if names fit only approximately.
    """
    typed = typed.strip()
    typed_table = _parse_table(typed)
    if typed_table is not None:
        return [
            match_line for match_line in lines if match_line.table == typed_table
        ], True

    # There are two names per line, so position // 2 is that of the line.
    player_names = [
        player_name for match_line in lines for player_name in match_line.names
    ]
    name_positions = find_exact_names(typed, player_names)
    is_sure_match = True
    if typed and not name_positions:
        name_positions, is_sure_match = search_names(typed, player_names)
    line_positions = dict.fromkeys(
        name_position // 2 for name_position in name_positions
    )
    return [lines[line_position] for line_position in line_positions], is_sure_match


def _parse_table(typed: str) -> str | None:
    """Return a table as it is shown, from how it was typed: "b07" is "B7".

    Return None if the text is no table.
    """
    table_match = re.fullmatch(r"(B?)0*([0-9]{1,9})", typed, re.IGNORECASE)
    return None if table_match is None else table_match[1].upper() + table_match[2]


def list_outcomes(
    points: Points | None,
    draws: bool = True,
    decided: bool = False,
    best_of: int | None = None,
) -> list[ResultChoice]:
    """Return the results that a match can have, the best for the first player first.

    Forfeits follow, then the arbiter's decisions. If there are more scores than a win, a
    draw and a loss, those are rare that give points to nobody. In a best-of match, those
    are rare that leave games to play.

    Parameters
    ----------
    points : Points or None
        The points for results; without them there are no outcomes.
    draws : bool
        Whether a match can be a draw; in a bracket it cannot.
    decided : bool
        Whether there are decisions by the arbiter.
    best_of : int, optional
        The number of games of a match.
    """
    if points is None:
        return []
    if best_of is None:
        usual_scores = _list_scores_by_points(points, draws)
    else:
        usual_scores = _list_scores_by_games(points, best_of, draws)

    result_choices = []
    for match_score, score_keys, is_rare in usual_scores:
        if match_score.one == match_score.two:
            outcome_words = "draw"
        elif match_score.one > match_score.two:
            outcome_words = "wins"
        else:
            outcome_words = "loses"
        if (match_score.one, match_score.two) in points.half:
            outcome_words += ", one game not played"
        result_choices.append(
            ResultChoice(str(match_score), outcome_words, score_keys, is_rare)
        )
    result_choices += _list_forfeits(points, draws)
    if decided:
        result_choices += _list_decisions(points)
        if draws:
            result_choices.append(
                ResultChoice(ADJOURNED, "adjourned, to be finished later", "", True)
            )
    return result_choices


def _list_scores_by_points(
    points: Points, draws: bool
) -> list[tuple[Score, str, bool]]:
    """Return the scores of a single match, with their keys and whether they are rare.

    Keys are separated by a blank, for example "1 w". Without `draws` there are no equal
    scores. If there are more than three scores, those are rare that give fewer points
    in total than others. Scores of a match with an unplayed game are rare and have no
    key.
    """
    points_of_results = sorted(
        points.results,
        key=lambda points_of_result: (-points_of_result[0], points_of_result[1]),
    )
    has_letters = len(points_of_results) == len(LETTERS)
    result_letters = LETTERS if has_letters else [""] * len(points_of_results)
    has_rare_scores = len(points_of_results) > len(LETTERS)
    highest_total = max(map(sum, points_of_results))
    scores_with_keys = []
    for choice_number, (points_of_result, result_letter) in enumerate(
        zip(points_of_results, result_letters, strict=True), 1
    ):
        # Without draws, the key of the draw stays free.
        if draws or points_of_result[0] != points_of_result[1]:
            is_rare = has_rare_scores and sum(points_of_result) < highest_total
            scores_with_keys.append(
                (
                    Score(*points_of_result),
                    f"{choice_number} {result_letter}".strip(),
                    is_rare,
                )
            )
    scores_with_keys += [
        (Score(*points_of_result), "", True)
        for points_of_result in sorted(points.half, reverse=True)
    ]
    return scores_with_keys


def _list_forfeits(points: Points, draws: bool) -> list[ResultChoice]:
    """Return the results by forfeit, all of them rare, each with a key.

    Both can lose by forfeit only if draws are possible.
    """
    win_points = points.win
    zero_points = points.win * 0
    forfeit_outcomes = [
        ("wins by forfeit", "f", win_points, zero_points),
        ("loses by forfeit", "g", zero_points, win_points),
    ]
    if draws:
        forfeit_outcomes.append(("both lose by forfeit", "x", zero_points, zero_points))
    return [
        ResultChoice(
            str(Score(first_points, second_points, forfeit=True)),
            forfeit_words,
            forfeit_key,
            True,
        )
        for forfeit_words, forfeit_key, first_points, second_points in forfeit_outcomes
    ]


def _list_decisions(points: Points) -> list[ResultChoice]:
    """Return the scores that only an arbiter can decide, highest first.

    All of them are rare, and have no key.
    """
    return [
        ResultChoice(
            str(Score(first_points, second_points)),
            "by the arbiter's decision",
            "",
            True,
            True,
        )
        for first_points, second_points in sorted(points.decided, reverse=True)
    ]


def _list_scores_by_games(
    points: Points, best_of: int, draws: bool
) -> list[tuple[Score, str, bool]]:
    """Return the scores of a best-of match, with their keys and whether they are rare.

    `best_of` is the most games of a match. Those scores are rare, and have no key, that
    leave games to play; they come last. Otherwise the best for the first player comes
    first. Without `draws` there are no scores in which both win equally many games.
    """
    wins_needed = best_of // 2 + 1
    tied_wins = (wins_needed - 1, wins_needed - 1)
    all_games = {
        (first_wins, second_wins, 0)
        for first_wins in range(wins_needed + 1)
        for second_wins in range(wins_needed + 1)
        if first_wins + second_wins <= best_of
    }
    all_games.add((*tied_wins, 1))
    finished_games = {
        games_of_match
        for games_of_match in all_games
        if wins_needed in games_of_match[:2]
    }
    finished_games.add((*tied_wins, int(wins_needed < 2)))

    ordered_games = sorted(
        all_games,
        key=lambda games_of_match: (
            games_of_match not in finished_games,
            games_of_match[1] - games_of_match[0],
            -games_of_match[0],
        ),
    )
    possible_games = [
        games_of_match
        for games_of_match in ordered_games
        if draws or games_of_match[0] != games_of_match[1]
    ]
    scores_with_keys = []
    for choice_number, games_of_match in enumerate(possible_games, 1):
        is_match_finished = games_of_match in finished_games
        number_key = str(choice_number) if is_match_finished else ""
        scores_with_keys.append(
            (points.of_games(games_of_match), number_key, not is_match_finished)
        )
    return scores_with_keys


def post_result(desk: OpenFolder, form: FormData) -> Done:
    """Enter the result in the form, or with "off" remove it; ask if it is unusual.

    Return what was done. Unusual are a change of a result, a forfeit and an arbiter's
    decision: unless the form confirms it, PageConfirmationError is raised. Raises
    UsageError if the form lacks a table, or a score to enter.
    """
    table_label = read_text(form, "table")
    is_removal = "off" in form
    typed_score = None if is_removal else read_text(form, "score")
    if table_label is None or (typed_score is None and not is_removal):
        raise UsageError("Choose a result for a table.")
    return _enter_result(desk, form, table_label, typed_score)


def post_slip(desk: OpenFolder, form: FormData) -> Done:
    """Enter a result slip as it is typed: a table, and a key or a score, as "17 1".

    Return what was done. Raises UsageError if the slip is not of this form. Raises
    PageConfirmationError for a change of a result, a forfeit, or an arbiter's decision,
    unless the form confirms it.
    """
    slip_match = SLIP.fullmatch(read_text(form, "slip") or "")
    if slip_match is None:
        raise UsageError("Type the table and its result, for example 17 1")
    possible_endings = _get_result_sheet(desk, read_number(form, "round")).endings
    score_by_key = {
        typed_key: possible_ending.score
        for possible_ending in possible_endings
        for typed_key in possible_ending.keys.split()
    }
    typed_score = slip_match[2].strip().lower()
    slip_score = score_by_key.get(typed_score) or expand_shorthand(
        typed_score, desk.points()
    )
    return _enter_result(
        desk, form, _parse_table(slip_match[1]) or slip_match[1], slip_score
    )


def _enter_result(
    desk: OpenFolder, form: FormData, table: str, score: str | None
) -> Done:
    """Enter a result, or remove it if `score` is None, in the round of the form.

    Return what was done. `table` is as it is shown. Raises PageConfirmationError,
    unless the form confirms, to ask about a change of a result, a forfeit, or an
    arbiter's decision.
    """
    round_number = read_number(form, "round")
    result_sheet = _get_result_sheet(desk, round_number)
    has_result = any(
        match_line.table == table and match_line.score
        for match_line in result_sheet.lines
    )
    is_decided = any(
        possible_ending.decided and possible_ending.score == score
        for possible_ending in result_sheet.endings
    )
    is_forfeit = (score or "").upper().endswith("F")
    result_options: dict[str, Any] = {
        "round": round_number,
        "decided": is_decided,
        "off": score is None,
        "sure": SURE in form,
    }
    is_unusual = has_result or is_decided or is_forfeit
    if is_unusual and SURE not in form:
        rehearsal = result(desk.rehearsed(), table, score, **result_options)
        if rehearsal.step is not None:
            sure_notes = [message("sure.forfeit")] if is_forfeit else []
            raise PageConfirmationError(*rehearsal.said, *sure_notes)
    return result(desk, table, score, **result_options)


def found_context(request: PageRequest) -> Context:
    """Return the first lines that fit a slip as far as it is typed.

    "lines" has at most MOST_FOUND of them. "more" is the number of further ones; it is
    0 or negative if there are none. "sure" is False if names fit only approximately.
    The lines are those of the round in the address, otherwise of the bracket.
    """
    result_sheet = _get_result_sheet(request.desk, request.round)
    fitting_lines, is_sure_match = find_lines(
        result_sheet.lines, request.query.get("slip", "")
    )
    return {
        "lines": fitting_lines[:MOST_FOUND],
        "more": len(fitting_lines) - MOST_FOUND,
        "sure": is_sure_match,
    }


VIEW = View(
    "results", "Results", context, {"score": post_result, "slip": post_slip}, weight=3
)
FOUND = View("results/found", "Found", found_context)
