"""Matches that were played differently: restore how their rounds were published.

An event has what was played. Its report has a remark for each round in which that was
not what was paired, so a checker can see the pairing that the arbiter published.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pairopt.event.column_layout import RATED, RATING_RESULT
from pairopt.event.event import Event
from pairopt.messages import Message, message

PAIRS = r"\d{1,4}-\d{1,4}(?: \d{1,4}-\d{1,4}){0,3}"
REMARK = re.compile(
    rf"### As played @ Round (\d{{1,3}}): ({PAIRS}) => ({PAIRS})", re.ASCII
)
AS_PLAYED = "mode.as_played"
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PlayedRemark:
    """Pairs of a round as they were published, and as they were played.

    Players are start numbers, the first side first. Pairs at the same position of
    `published` and `played` are of the same table.
    """

    round: int
    published: tuple[Pair, ...]
    played: tuple[Pair, ...]


def find_remarks(event: Event) -> list[PlayedRemark]:
    """Return the remarks on what was played differently, in the order of the event.

    They come from the records of an event folder and from the comments of a TRF report.
    If the event has no records, repeated comments are left out.
    """
    remark_records = [
        (breach.round, breach.before, breach.now)
        for breach in event.origin.breaches
        if breach.kind == AS_PLAYED
    ]
    report_lines = event.origin.facts.get("trf", ())
    line_matches = filter(None, map(REMARK.fullmatch, map(str.rstrip, report_lines)))
    remark_records += [
        (int(line_match[1]), line_match[2], line_match[3])
        for line_match in line_matches
    ]
    played_remarks = (
        PlayedRemark(
            round_number, _parse_pairs(published_text), _parse_pairs(played_text)
        )
        for round_number, published_text, played_text in remark_records
    )
    if event.origin.breaches:
        return [*played_remarks]
    # Comments of a report may repeat each other, and each pair is restored once.
    return [*dict.fromkeys(played_remarks)]


def _parse_pairs(text: str) -> tuple[Pair, ...]:
    """Return the pairs of numbers in a text such as "1-5 6-2", first side first.

    An empty text gives an empty tuple. Raises ValueError if what stands before or after
    a hyphen is not an integer, or if there is no hyphen.
    """
    number_pairs = []
    for pair_text in text.split():
        first_number, _, second_number = pair_text.partition("-")
        number_pairs.append((int(first_number), int(second_number)))
    return tuple(number_pairs)


def with_published_pairs(event: Event, remarks: Iterable[PlayedRemark]) -> Event:
    """Return an event with the pairs of remarks as they were published.

    Each player of a pair with reversed sides keeps their points. Otherwise the points
    stay with the places at the table, as they do if opponents are exchanged. The last
    remark is restored first.
    """
    for remark in reversed(list(remarks)):
        for published_pair, played_pair in zip(
            remark.published, remark.played, strict=False
        ):
            event = _with_pair(event, remark.round, published_pair, played_pair)
    return event


def _with_pair(event: Event, number: int, published: Pair, played: Pair) -> Event:
    """Return an event with one pair of a round as it was published.

    Pairs are start numbers, first side first, and `number` is the round. The result
    stays with the places at the table, but with the players if only their sides differ.
    The event is unchanged if the round does not have the `played` pair, or if it lacks
    one of the start numbers.
    """
    position_by_start_number = {
        int(start_number): player_position
        for player_position, start_number in enumerate(event.start_numbers.tolist())
    }
    known_start_numbers = position_by_start_number.keys()
    if not {*published, *played} <= known_start_numbers:
        return event
    first_position, second_position = (
        position_by_start_number[start_number] for start_number in played
    )
    event_rows = event.matches
    is_played_pair = (event_rows.round == number) & (
        (
            (event_rows.first == first_position)
            & (event_rows.second == second_position)
            & (event_rows.side != 1)
        )
        | (
            (event_rows.first == second_position)
            & (event_rows.second == first_position)
            & (event_rows.side == 1)
        )
    )
    match_row_indices = np.flatnonzero(is_played_pair)
    if len(match_row_indices) != 1:
        return event

    match_row_index = int(match_row_indices[0])
    scores_of_published_pair = (
        int(event_rows.score1[match_row_index]),
        int(event_rows.score2[match_row_index]),
    )
    if event_rows.side[match_row_index] == 1:
        scores_of_published_pair = scores_of_published_pair[::-1]
    if set(published) == set(played) and published != played:
        scores_of_published_pair = scores_of_published_pair[::-1]
    changed_columns = {
        column_name: getattr(event_rows, column_name).copy()
        for column_name in ("first", "second", "side", "score1", "score2")
    }
    published_first, published_second = published
    changed_columns["first"][match_row_index] = position_by_start_number[
        published_first
    ]
    changed_columns["second"][match_row_index] = position_by_start_number[
        published_second
    ]
    changed_columns["score1"][match_row_index] = scores_of_published_pair[0]
    changed_columns["score2"][match_row_index] = scores_of_published_pair[1]
    changed_columns["side"][match_row_index] = min(
        int(event_rows.side[match_row_index]), 0
    )
    return replace(event, matches=replace(event_rows, **changed_columns))


def list_rating_notes(event: Event, number: int) -> Iterator[Message]:
    """Yield messages on games of a round that FIDE rates differently, or not at all.

    `number` is the round. The messages are in the order of the event's rows; a game may
    have both.
    """
    event_rows = event.matches
    for match_row_index in np.flatnonzero(event_rows.round == number).tolist():
        file_row = int(event_rows.row[match_row_index])
        rating_score = event.origin.cell(RATING_RESULT, file_row)
        is_unrated = event.origin.cell(RATED, file_row) == "false"
        if not rating_score and not is_unrated:
            continue
        player_names = {
            "one": event.shown[int(event_rows.first[match_row_index])],
            "two": event.shown[int(event_rows.second[match_row_index])],
        }
        if is_unrated:
            yield message("checked.unrated", **player_names)
        if rating_score:
            yield message("checked.rating_only", score=rating_score, **player_names)


def describe_remarks(remarks: Sequence[PlayedRemark]) -> Iterator[Message]:
    """Yield a message for each remark: the published pairs and those that were played.

    Players are named by their start numbers.
    """
    for remark in remarks:
        published_text = " ".join(
            f"{first_number}-{second_number}"
            for first_number, second_number in remark.published
        )
        played_text = " ".join(
            f"{first_number}-{second_number}"
            for first_number, second_number in remark.played
        )
        yield message("checked.remark", published=published_text, played=played_text)
