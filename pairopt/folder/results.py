"""Results: `result` writes down how a match ended, corrects it, or takes it away."""

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from operator import gt

import numpy as np

from pairopt.errors import ConfirmationError, InputError, InvalidValueError, UsageError
from pairopt.event.column_layout import ADJOURNED, GAMES
from pairopt.event.event import FORFEIT, PLAYED, Event
from pairopt.event.points import (
    USUAL_GAMES,
    Points,
    Score,
    parse_number_of_points,
    split_at_hyphens,
)
from pairopt.files.event_folder import BRACKET, MATCHES
from pairopt.folder.open_folder import Done, Folder, OpenFolder, open_folder
from pairopt.folder.played import (
    match_told,
    require_played,
    with_opponent,
    with_record,
    with_reversed_sides,
)
from pairopt.messages import FieldValue, Message, Note, message, with_heading
from pairopt.messages.formatting import decimal_text

BRACKET_MATCH = re.compile("[Bb]([0-9]{1,4})")
FORFEITS = {"+--": "1F-0F", "--+": "0F-1F", "---": "0F-0F"}
DRAWS = ("=", "draw", "remis")
INTENTIONAL_DRAW = "id"
MOST_DRAWN = 3  # as players of Magic report it: 0-0-3
ADJOURNED_AS = ("adjourned", "*", "?")
"""Results as arbiters write them on slips, besides scores. So they write a half each for a draw."""
HALF = Fraction(1, 2)


def result(
    folder: Folder,
    table: int | str,
    score: str | None = None,
    *,
    round: int | None = None,
    decided: bool = False,
    off: bool = False,
    bye: bool = False,
    reversed: bool = False,
    opponent: str | None = None,
    sure: bool = False,
) -> Done:
    """Write down the result of a table in the last round, or correct one of an earlier round.

    Parameters
    ----------
    folder : path or Desk
        The event folder.
    table : int or str
        The number of a table, or a match of the bracket, such as B3. Once there is a bracket, a
        table needs its `round`, so that the two are not mixed up.
    score : str, optional
        The points of the first and the second player, such as 3-0, ½-½ or 1F-0F (not played). Or
        the games that they won, such as 2-1, and those drawn, such as 1-1-1. Or "adjourned": a draw
        until the score is known.
    round : int, optional
        The round of the table. By default the last one.
    decided : bool
        The score is an arbiter's decision, such as 0-0 of a match that was played.
    off : bool
        The match is not played yet.
    bye : bool
        `table` is a player, and `score` the points of their bye in the round.
    reversed : bool
        The two players had each other's sides. Each keeps their points; a `score` names them in the
        order in which the table has them until now.
    opponent : str, optional
        The player whom the first player of the table really met. The player who was to be the
        opponent takes the place of this one at the other table, and the result of that table stays
        with its places.
    sure : bool
        Later matches of the bracket that others play then are open again, or the bye gives more
        points than a win.

    Returns
    -------
    Done
        What was done. After a correction it names the later rounds that would have been others.

    Raises
    ------
    UsageError
        If there is no such table or match, it cannot have such a score, or a later round is paired
        by the result that is to be taken away.
    ConfirmationError
        If later matches of the bracket, which others play then, would be open again, or a bye would
        give more points than a win.
    """
    is_replayed = reversed or opponent is not None
    if is_replayed and (off or bye or BRACKET_MATCH.fullmatch(str(table))):
        raise UsageError("played.only_tables")
    is_complete = score is not None or off or is_replayed
    if not is_complete or (off and (bye or score is not None)):
        raise UsageError("score.or_off")
    match = BRACKET_MATCH.fullmatch(str(table))
    with open_folder(folder) as desk:
        number = desk.rounds() if round is None else round
        if bye:
            player = desk.identifier(str(table))
            return bye_gives(desk, player, number, score or "", sure)
        if match is not None:
            if round is not None:
                raise UsageError("table.of_bracket", table=table)
            # Results of Swiss rounds need no top cut.
            from pairopt.folder.top_cut import record_bracket_result

            found = None if score is None else score_of(score, None)
            return record_bracket_result(desk, int(match[1]), found, sure)
        row = _row(desk, number, _table(desk, str(table), round))
        if is_replayed:
            return _as_played(desk, row, score, decided, reversed, opponent)
        return _scored(desk, row, score, decided)


def _scored(desk: OpenFolder, row: int, text: str | None, decided: bool) -> Done:
    """Write down a result, correct it, or take it away where `text` is None."""
    number = int(desk.rows.round[row])
    where = {"round": number, "table": int(desk.rows.table[row])}
    found, later = _read_score(desk, text, decided)
    old, was = read_score(desk, row), desk.event.origin.cell(ADJOURNED, row) == "true"
    if found == old and later == was:
        kind = "table.scored_already" if found else "table.open_already"
        return desk.unchanged("result", message(kind, score=str(found or ""), **where))
    if found is None and number < desk.rounds():
        raise UsageError("table.paired_since", **where, next=number + 1)

    new = _with_score(desk, row, found, later)
    rows = desk.rows
    one, two = (desk.event.players[side[row]] for side in (rows.first, rows.second))
    fields = {
        **where,
        **desk.of(one, two),
        "value": str(found or ""),
        "before": str(old or ""),
    }
    if later:
        fields["value"] = str(message("score.adjourned", score=str(found)))
    told = (
        "table.opened"
        if found is None
        else "table.corrected"
        if old
        else "table.scored"
    )
    did = (
        "step.result_off"
        if found is None
        else "step.result_was"
        if old
        else "step.result"
    )
    said: list[Note] = [message(told, **fields)]
    if old and found:
        said += _affected_later_rounds(desk.event, new.event, number)
    said += _remarks(desk, found)
    return new.committed("result", message(did, **fields), said)


def _as_played(
    desk: OpenFolder,
    row: int,
    text: str | None,
    decided: bool,
    reversed: bool,
    opponent: str | None,
) -> Done:
    """Record that a match had its sides reversed, or that the first player met somebody else."""
    number = int(desk.rows.round[row])
    new = desk
    rows = [row]
    where = {"round": number, "table": int(desk.rows.table[row])}
    if opponent is not None:
        if text is None:
            require_played(desk, row)
        new, other = with_opponent(desk, row, desk.identifier(opponent))
        if other is not None:
            rows.append(other)

    found = None
    if text is not None:
        found, later = _read_score(new, text, decided)
        new = _with_score(new, row, found, later)
    require_played(new, row)
    if len(rows) > 1 and not desk.rows.scored[row]:
        raise UsageError("played.no_result", **where)

    if reversed:
        new = with_reversed_sides(new, row)
    if len(rows) == 1 and not reversed:
        if text is not None:
            return _scored(desk, row, text, decided)
        told = _match_told(desk, row)
        return desk.unchanged(
            "result", with_heading(message("played.already", **where), told)
        )

    before = [_match_told(desk, each) for each in rows]
    after = [_match_told(new, each) for each in rows]
    new = with_record(desk, new, rows, after)
    one, two = (
        new.event.players[side[row]] for side in (new.rows.first, new.rows.second)
    )
    fields = {
        **where,
        **desk.of(one, two),
        "value": "; ".join(map(str, after)),
        "before": "; ".join(map(str, before)),
    }
    recorded = message("played.recorded", round=number)
    said: list[Note] = [
        with_heading(recorded, *after, with_heading(message("played.before"), *before))
    ]
    said += _affected_later_rounds(desk.event, new.event, number)
    said += _remarks(desk, found)
    return new.committed("result", message("step.as_played", **fields), said)


def _match_told(desk: OpenFolder, row: int) -> Message:
    return match_told(desk, row, read_score(desk, row))


def _read_score(
    desk: OpenFolder, text: str | None, decided: bool
) -> tuple[Score | None, bool]:
    """Read a score (None for no text), and return whether the match is adjourned."""
    points, best_of = desk.points(), desk.event.settings.best_of
    single = (
        points is None or points.game is not None or (desk.event.sided and not best_of)
    )
    games = 0 if single else best_of or USUAL_GAMES  # a match with sides is one game
    may_decide = decided if desk.event.chess or (points and points.game) else None
    later = (text or "").strip().lower() in ADJOURNED_AS  # a draw until then
    text = DRAWS[0] if later else text
    found = (
        None
        if text is None
        else score_of(text, points, may_decide, games, bool(best_of))
    )
    return found, later


def _with_score(
    desk: OpenFolder, row: int, found: Score | None, adjourned: bool
) -> OpenFolder:
    """Return the desk with this score in a row, and whether its match is adjourned."""
    was = desk.event.origin.cell(ADJOURNED, row) == "true"
    cells = _cells(found, GAMES[0] in desk.matches.columns)
    if adjourned or was:
        cells |= {ADJOURNED: "true" if adjourned else ""}
    return desk.changed({MATCHES: desk.matches.changed(row, cells)})


def _remarks(desk: OpenFolder, found: Score | None) -> list[Message]:
    """Notes on a score: a result of a half-played match, and a bracket that stays as it is."""
    points, said = desk.points(), list[Message]()
    if found and points and (found.one, found.two) in points.half and not found.forfeit:
        said.append(message("table.half_played"))
    if BRACKET in desk.files:
        said.append(message("bracket.stays"))
    return said


def bye_gives(
    desk: OpenFolder, player: str, number: int, points: str, sure: bool = False
) -> Done:
    """Other points for a bye that a player has. Raises UsageError where there is none, ConfirmationError
    where it gives more points than a win, unless it is said for `sure`.
    """
    event, rows = desk.event, desk.rows
    own = (
        (rows.round == number) & (rows.first == event.index[player]) & (rows.second < 0)
    )
    if not own.any():
        raise UsageError("bye.none_there", player=event.called[player], round=number)
    row, worth = int(np.argmax(own)), bye_points(points)
    text = decimal_text(worth)
    fields: dict[str, FieldValue] = {
        "round": number,
        **desk.of(player),
        "value": text,
        "before": event.points_text(int(rows.score1[row])),
    }
    if text == fields["before"]:
        return desk.unchanged("bye", message("bye.gives_already", **fields))
    require_usual_bye(desk, worth, sure)
    new = desk.changed({MATCHES: desk.matches.changed(row, {"score1": text})})
    said = [
        message("bye.corrected", **fields),
        *_affected_later_rounds(event, new.event, number),
    ]
    return new.committed("bye", message("step.bye_was", **fields), said)


def require_usual_bye(desk: OpenFolder, worth: Fraction, sure: bool) -> None:
    """Raise ConfirmationError for a bye with more points than a win, unless it is said for `sure`."""
    known = desk.points()
    if known is not None and worth > known.win and not sure:
        raise ConfirmationError(
            "bye.above_a_win", points=worth, win=known.win, known=str(known)
        )


def bye_points(text: str) -> Fraction:
    """The points of a bye, as they are typed. Raises UsageError."""
    try:
        return parse_number_of_points(text)
    except InvalidValueError as error:
        raise UsageError(
            with_heading(message("bye.no_points", found=text), error.said)
        ) from None


def _cells(score: Score | None, by_games: bool) -> dict[str, str]:
    """The cells of a row with a score, or with none yet; `by_games`: the list has games."""
    games = (
        map(str, score.games)
        if score and score.games
        else [""] * (len(GAMES) * by_games)
    )
    one, two = (decimal_text(score.one), decimal_text(score.two)) if score else ("", "")
    return {
        "score1": one,
        "score2": two,
        "status": "forfeit" if score and score.forfeit else "",
        **dict(zip(GAMES, games, strict=False)),
    }


def _table(desk: OpenFolder, text: str, round: int | None) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise UsageError("table.no_number", found=text)
    if BRACKET in desk.files and round is None:
        raise UsageError("table.no_round", table=text, last=desk.rounds())
    return int(text)


def as_written(text: str, points: Points | None) -> str:
    """The score that is meant by what arbiters write; any other text as it is."""
    word = text.strip().lower()
    if word in DRAWS and points is not None:
        return str(Score(points.draw, points.draw))
    return FORFEITS.get(word, text)


def score_of(
    text: str,
    points: Points | None,
    decided: bool | None = False,
    games: int = 0,
    by_games: bool = False,
) -> Score:
    """A score as it is typed. Raises UsageError for one that the points do not give. `decided`
    allows those that only an arbiter's decision gives (None: there are none). Where a match is best
    of so many `games`, what points do not give is the games; `by_games`: so is all that was
    played.
    """
    text = as_written(text, points)
    if games and text.strip().lower() == INTENTIONAL_DRAW:
        text = f"0-0-{min(games, MOST_DRAWN)}"
    allowed = allowed_scores(points, games if by_games else 0)
    parts = split_at_hyphens(text.replace(":", "-").replace("1/2", "½"))
    marks = [part.strip().upper().endswith("F") for part in parts]
    try:
        if len(parts) not in (2, 2 + (games > 0 and not marks[0])) or len({*marks}) > 1:
            raise InvalidValueError("score.no_two_points")
        one, two, *drawn = (
            parse_number_of_points(part.strip().rstrip("fF")) for part in parts
        )
    except ValueError as error:
        why = (
            error.said if isinstance(error, InvalidValueError) else message(str(error))
        )
        unfit = with_heading(message("score.unfit", found=text), why)
        raise UsageError(
            with_heading(unfit, message("score.allowed", allowed=allowed), mark=". ")
        ) from None
    if (
        points is not None
        and one == two == HALF
        and (one, two) not in points.results | points.half
    ):
        one = two = points.draw
    if marks[0]:
        return _forfeit(text, one, two, points)
    if points is not None and games:
        known = not by_games and (one, two) in points.results | points.decided
        if drawn or not known:
            return _of_games(text, (one, two, *drawn), points, games, allowed, by_games)
    if points is not None and (one, two) not in points.results | points.half:
        may_be = decided is not None and (one, two) in points.decided
        if not (may_be and decided):
            kind = "score.only_decided" if may_be else "score.not_given"
            raise UsageError(kind, found=text, points=str(points), allowed=allowed)
    return Score(one, two)


def allowed_scores(points: Points | None, games: int = 0) -> tuple[str, ...]:
    """List scores that can be typed in an event, the usual ones first.

    `games` is the most games of a match in which scores are games, such as 2-1. Otherwise scores
    are points; without `points` the list has examples.
    """
    if points is None:
        return "3-0", "½-½", "1F-0F"
    forfeit = str(Score(points.win, Fraction(0), forfeit=True))
    if games:
        won = games // 2 + 1
        shutout, close = f"{won}-0", f"{won}-{won - 1}"
        drawn = f"0-0-{min(games, MOST_DRAWN)}"
        return *dict.fromkeys((shutout, close, drawn)), forfeit
    scores = (Score(one, two) for one, two in sorted(points.results, reverse=True))
    return *map(str, scores), forfeit


def _of_games(
    text: str,
    said: Sequence[Fraction],
    points: Points,
    best_of: int,
    allowed: Sequence[str],
    by_games: bool,
) -> Score:
    """The score of a match with so many games won by each, and drawn."""
    won, lost, drawn = (*map(int, said), 0)[:3]
    most = (best_of // 2 + 1, best_of, best_of)
    counted = (max(won, lost), won + lost, drawn)
    if any(each.denominator > 1 for each in said) or any(map(gt, counted, most)):
        kind = "score.no_games" if by_games else "score.not_given"
        raise UsageError(
            kind, found=text, games=best_of, points=str(points), allowed=allowed
        )
    return points.of_games((won, lost, drawn))


def _forfeit(text: str, one: Fraction, two: Fraction, points: Points | None) -> Score:
    """A match that was not played: a win's points for one of them or for nobody."""
    if one and two:
        raise UsageError("score.two_winners", found=text)
    if points is None:
        return Score(one, two, forfeit=True)
    win, nothing = points.win, Fraction(0)
    if {one, two} - {win, Fraction(1), nothing}:
        raise UsageError("score.no_forfeit", found=text, win=win)
    return Score(win if one else nothing, win if two else nothing, forfeit=True)


def _row(desk: OpenFolder, number: int, table: int) -> int:
    if not 1 <= number <= desk.rounds():
        raise UsageError(
            "round.not_paired" if number else "round.none_paired", round=number
        )
    rows = desk.rows
    here = (rows.round == number) & (rows.second >= 0) & (rows.table > 0)
    found = np.flatnonzero(here & (rows.table == table)).tolist()
    if len(found) == 1:
        return int(found[0])
    tables = sorted(rows.table[here].tolist())
    kind = "table.unknown" if tables else "table.none"
    raise UsageError(kind, round=number, table=table, tables=tables)


def read_score(desk: OpenFolder, row: int) -> Score | None:
    rows, scale = desk.rows, desk.event.scale
    if not rows.scored[row]:
        return None
    one, two = (
        Fraction(int(score[row]), scale) for score in (rows.score1, rows.score2)
    )
    games = tuple(rows.games[row].tolist()) if rows.by_games[row] else None
    return Score(one, two, bool(rows.status[row] == FORFEIT), games)


def _affected_later_rounds(before: Event, after: Event, number: int) -> list[Note]:
    """The rounds paired since that the corrected result would have made others."""
    said = [
        found
        for later in range(number + 1, after.round)
        if (found := _shortcoming(after, later)) and not _shortcoming(before, later)
    ]
    return said or [message("round.as_good")] * (number + 1 < after.round)


def _shortcoming(event: Event, number: int) -> Note | None:
    """Why a round is not paired as the event's rules would, None where it is."""
    rows = event.matches.paired_rows(number)
    if not (rows.status == PLAYED).any():
        return None

    # Only a corrected round is checked again.
    from pairopt.round.check import check_played

    try:
        before = event.at_round(number)
        found = check_played(
            replace(before, active=rows.player_mask(len(event.players)))
        )
    except InputError:
        return message("round.of_others", round=number)
    if not found.legal:
        heading = message("round.otherwise_by_rules", round=number)
        return with_heading(heading, *(each.message for each in found.violations))
    if found.better is None:
        return None
    return message("round.otherwise", round=number, why=found.changed)
