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

    Players are start numbers, the first side first. Pairs at the same position are of
    the same table.
    """

    round: int
    published: tuple[Pair, ...]
    played: tuple[Pair, ...]


def find_remarks(event: Event) -> list[PlayedRemark]:
    """Return the remarks on what was played differently, in the order of the event.

    They are records of an event folder, or comments of a report.
    """
    records = [
        (breach.round, breach.before, breach.now)
        for breach in event.origin.breaches
        if breach.kind == AS_PLAYED
    ]
    lines = event.origin.facts.get("trf", ())
    matches = filter(None, map(REMARK.fullmatch, map(str.rstrip, lines)))
    records += [(int(match[1]), match[2], match[3]) for match in matches]
    remarks = (
        PlayedRemark(round_number, _parse_pairs(published), _parse_pairs(played))
        for round_number, published, played in records
    )
    if event.origin.breaches:
        return [*remarks]
    # Comments of a report may repeat each other, and each pair is restored once.
    return [*dict.fromkeys(remarks)]


def _parse_pairs(text: str) -> tuple[Pair, ...]:
    """Return the pairs in a text such as "1-5 6-2"."""
    pairs = []
    for pair_text in text.split():
        first, _, second = pair_text.partition("-")
        pairs.append((int(first), int(second)))
    return tuple(pairs)


def with_published_pairs(event: Event, remarks: Iterable[PlayedRemark]) -> Event:
    """Return an event with the pairs of remarks as they were published.

    Each player of a pair with reversed sides keeps their points. Otherwise the points
    stay with the places at the table, as they do if opponents are exchanged. The last
    remark is restored first.
    """
    for remark in reversed(list(remarks)):
        for published, played in zip(remark.published, remark.played, strict=False):
            event = _with_pair(event, remark.round, published, played)
    return event


def _with_pair(event: Event, number: int, published: Pair, played: Pair) -> Event:
    """Return an event with one pair of a round as it was published.

    The event is unchanged if the round does not have the pair that was played.
    """
    row_of_start = {
        int(start): row for row, start in enumerate(event.start_numbers.tolist())
    }
    known_starts = row_of_start.keys()
    if not {*published, *played} <= known_starts:
        return event
    first, second = (row_of_start[start] for start in played)
    matches = event.matches
    is_pair = (matches.round == number) & (
        ((matches.first == first) & (matches.second == second) & (matches.side != 1))
        | ((matches.first == second) & (matches.second == first) & (matches.side == 1))
    )
    match_rows = np.flatnonzero(is_pair)
    if len(match_rows) != 1:
        return event

    row = int(match_rows[0])
    scores = (int(matches.score1[row]), int(matches.score2[row]))
    if matches.side[row] == 1:
        scores = scores[::-1]
    if set(published) == set(played) and published != played:
        scores = scores[::-1]
    columns = {
        name: getattr(matches, name).copy()
        for name in ("first", "second", "side", "score1", "score2")
    }
    published_first, published_second = published
    columns["first"][row] = row_of_start[published_first]
    columns["second"][row] = row_of_start[published_second]
    columns["score1"][row] = scores[0]
    columns["score2"][row] = scores[1]
    columns["side"][row] = min(int(matches.side[row]), 0)
    return replace(event, matches=replace(matches, **columns))


def list_rating_notes(event: Event, number: int) -> Iterator[Message]:
    """Yield messages on games of a round that FIDE rates differently, or not at all."""
    matches = event.matches
    for match_row in np.flatnonzero(matches.round == number).tolist():
        file_row = int(matches.row[match_row])
        result = event.origin.cell(RATING_RESULT, file_row)
        is_unrated = event.origin.cell(RATED, file_row) == "false"
        if not result and not is_unrated:
            continue
        names = {
            "one": event.shown[int(matches.first[match_row])],
            "two": event.shown[int(matches.second[match_row])],
        }
        if is_unrated:
            yield message("checked.unrated", **names)
        if result:
            yield message("checked.rating_only", score=result, **names)


def describe_remarks(remarks: Sequence[PlayedRemark]) -> Iterator[Message]:
    """Yield a message for each remark of a report."""
    for remark in remarks:
        published = " ".join(f"{one}-{two}" for one, two in remark.published)
        played = " ".join(f"{one}-{two}" for one, two in remark.played)
        yield message("checked.remark", published=published, played=played)
