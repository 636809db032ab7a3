"""Results that the log alone can confirm: those of steps that are lost.

Each step keeps the event's files, so an intact step confirms all results before it.
After the last one only lines of the log are left. They can't restore a file, but they
show that a file has another result than the one that was entered, for example because
the end of a row is cut off.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from pairopt.errors import InvalidValueError
from pairopt.event.points import Score, parse_number_of_points, split_at_hyphens
from pairopt.files.event_folder import FILES
from pairopt.folder.journal import LogLine, Step, trace_steps
from pairopt.folder.protected_facts import SCORED, Facts, ProtectedFact
from pairopt.messages import Message, message
from pairopt.messages.formatting import escape_hidden

PAIR = 2
MARK = re.compile(r" \([^()]*\)$")
"""The mark of a score, such as that of a game that is not rated."""

TABLE = re.compile(r"(?:^|; )table (\d+), ")
"""The beginning of a match in a line that says how matches were played."""


@dataclass(frozen=True, slots=True)
class UnconfirmedResults:
    """How the log's results differ from those in the event's files.

    `contradicted` has pairs: the result in the log, and the other one in the files.
    `missing` has the log's results of matches that have none in the files.
    """

    contradicted: Sequence[tuple[ProtectedFact, ProtectedFact]]
    missing: Sequence[ProtectedFact]


def compare_with_log(
    lines: Sequence[LogLine], last_intact: int, facts: Facts
) -> UnconfirmedResults:
    """Compare the results in files with the lines of lost steps in the log.

    Parameters
    ----------
    lines : sequence of LogLine
        The lines of the log that belong to the event of the files.
    last_intact : int
        The number of the last intact step, 0 if there is none. Only later lines count.
    facts : frozenset of ProtectedFact
        The facts in the files.

    Returns
    -------
    UnconfirmedResults
        All differences; none if a line between these is missing, because a correction
        may be lost with it.
    """
    logged_results = _read_logged_results(lines, last_intact)
    result_by_match = {
        _get_match(result_fact): result_fact
        for result_fact in facts
        if result_fact.kind in SCORED
    }
    contradicted_results = []
    missing_results = []
    for match_key, logged_result in logged_results.items():
        file_result = result_by_match.get(match_key)
        if file_result is None:
            missing_results.append(logged_result)
        elif format_score(file_result, logged_result.players) != format_score(
            logged_result, logged_result.players
        ):
            contradicted_results.append((logged_result, file_result))
    return UnconfirmedResults(contradicted_results, missing_results)


def _get_match(fact: ProtectedFact) -> tuple[object, ...]:
    """Return a key of the match of a fact: its round, table and players.

    The order of the players does not matter. The table counts only in a bracket, whose
    matches have no round.
    """
    player_names = frozenset(escape_hidden(player_name) for player_name in fact.players)
    table_name = "" if fact.round else fact.table
    return fact.round, table_name, player_names


def format_score(fact: ProtectedFact, players: Sequence[str]) -> str:
    """Return the score as the log writes it, with the players in the given order.

    `players` are the two of the fact, as the log spells them. A forfeit has its mark,
    and known games stand in place of the points.
    """
    first_points, second_points = fact.scores[0], fact.scores[-1]
    games_of_fact = fact.games
    if escape_hidden(fact.players[0]) != players[0]:
        first_points, second_points = second_points, first_points
        games_of_fact = (
            (games_of_fact[1], games_of_fact[0], games_of_fact[2])
            if games_of_fact
            else None
        )
    return str(Score(first_points, second_points, bool(fact.status), games_of_fact))


def format_marked_score(kind: str, score: Score | str | None) -> str:
    """Return a score with the mark of a message, such as "1-0 (not rated)".

    `kind` is the id of the message, which has the field `score`.
    """
    return str(message(kind, score=str(score)))


def _read_logged_results(
    lines: Sequence[LogLine], last_intact: int
) -> Mapping[tuple[object, ...], ProtectedFact]:
    """Return the results that lost steps have entered, by the match of each.

    `lines` are the lines of the log. Lost are the steps after `last_intact` that have a
    line. Results that were undone, removed or corrected later do not count. A key has
    the round, the table if it is in the bracket, and the players. If a line between
    these is missing, nothing is returned.
    """
    line_by_number = {
        log_line.step: log_line for log_line in lines if log_line.step > last_intact
    }
    last_logged_number = max(line_by_number, default=last_intact)
    if len(line_by_number) < last_logged_number - last_intact:
        return {}

    result_by_match: dict[tuple[object, ...], ProtectedFact] = {}
    for step_number in reversed(_trace_numbers(lines)):
        log_line = line_by_number.get(step_number)
        if log_line is None:
            continue
        if _may_change_any_result(log_line):
            result_by_match.clear()
        elif log_line.verb == "result" and not _is_for_rating_alone(log_line):
            _apply_result_line(log_line, result_by_match)
    return result_by_match


def _trace_numbers(lines: Iterable[LogLine]) -> list[int]:
    """Return the numbers of the steps that made the files what they are, latest first.

    The lines of the log say it as the steps do: an undo has the step that it went back
    to as its value.
    """
    step_with_files_by_step: dict[int, int] = {}
    logged_steps = []
    number_of_previous_line = 0
    for log_line in sorted(lines):
        number_of_step_with_files = log_line.step
        if log_line.verb == "undo":
            with suppress(ValueError):
                target_number = int(log_line.value)
                number_of_step_with_files = step_with_files_by_step.get(
                    target_number, target_number
                )
        step_with_files_by_step[log_line.step] = number_of_step_with_files
        parent_number = step_with_files_by_step.get(number_of_previous_line, 0)
        step_name = Message("step.named", {"number": log_line.step})
        logged_steps.append(
            Step(
                log_line.step,
                log_line.verb,
                step_name,
                log_line.time,
                number_of_step_with_files,
                parent_number,
            )
        )
        number_of_previous_line = log_line.step
    return [step.number for step in trace_steps(logged_steps)]


def _may_change_any_result(line: LogLine) -> bool:
    """Return whether a step may change results that its line does not name in columns.

    The value of an edit by hand has the results that it changed, after the names of
    files. With names alone it changed none.
    """
    if line.verb in ("edited by hand", "mend"):
        return not {*line.value.split(", ")} <= {*FILES}
    return line.verb in ("new", "found")


def _is_for_rating_alone(line: LogLine) -> bool:
    """Return whether a line corrects a result for the rating alone.

    No result of the standings has changed then. The mark of its value says so.
    """
    rating_mark = format_marked_score("score.rating_only", "")
    return line.value.partition("; ")[0].endswith(rating_mark)


def _apply_result_line(
    line: LogLine, result_by_match: dict[tuple[object, ...], ProtectedFact]
) -> None:
    """Enter the result of a line, or remove those that it makes uncertain.

    `result_by_match` is changed. A line without a score removes the results of its
    round's tables that it names.
    """
    entered_result = _parse_result_line(line)
    if entered_result is not None:
        result_by_match[_get_match(entered_result)] = entered_result
        return

    # The result is removed, or the line says how the matches of tables were played.
    names_of_affected_tables = {line.table, *TABLE.findall(line.value)}
    for match_key, earlier_result in [*result_by_match.items()]:
        is_of_round = str(earlier_result.round or "") == line.round
        if is_of_round and earlier_result.table in names_of_affected_tables:
            del result_by_match[match_key]


def _parse_result_line(line: LogLine) -> ProtectedFact | None:
    """Return the result in a line of the log; None if its value is no score.

    None, too, without a second player. A match without a round is one of the bracket.
    """
    score_text = MARK.sub("", line.value.partition("; ")[0])
    score_parts = split_at_hyphens(score_text)
    if not line.player2 or len(score_parts) not in (PAIR, PAIR + 1):
        return None
    try:
        points_or_games = [
            parse_number_of_points(score_part.removesuffix("F"))
            for score_part in score_parts
        ]
        round_number = int(line.round or 0)
    except (InvalidValueError, ValueError):
        return None

    result_fact = ProtectedFact(
        kind="match" if round_number else "bracket",
        scores=(points_or_games[0], points_or_games[1]),
        round=round_number,
        table=line.table,
        players=(line.player1, line.player2),
        status="forfeit" if score_parts[0].endswith("F") else "",
    )
    if len(points_or_games) > PAIR:
        games_of_line = (
            int(points_or_games[0]),
            int(points_or_games[1]),
            int(points_or_games[2]),
        )
        return replace(result_fact, games=games_of_line)
    return result_fact
