"""Roster: who comes, goes, comes back, or asks for a bye."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from pairopt.errors import UsageError
from pairopt.event.points import number_of_points
from pairopt.folder.desk import Desk, Done, is_open, opened, requested, round_of, table_of
from pairopt.folder.sheet import Sheet
from pairopt.wording import decimal_text


def enter(folder: str | Path, player: str, columns: Mapping[str, str] | None = None) -> Done:
    """Add a player, from the next round on.

    `columns` are further cells of players.csv, as a rating or a club. Rounds already paired give
    what the event's points say for an absence, when the next one is paired.

    Raises UsageError for a player who is there already, or an empty name.
    """
    with opened(folder) as desk:
        name = player.strip()
        if not name:
            raise UsageError("expected the name of a player")
        alike = [p for p in desk.event_at_hand.players if _plain(p) == _plain(name)]
        if alike:
            raise UsageError(f"{alike[0]!r} is a player already: pairopt back lets them in again")
        cells = {"player": name, "active": "true", **(columns or {})}
        sheet = _with_active(desk).appended([cells])
        said = [_from_when(desk, f"{name} is in")]
        return desk.changed(players=sheet).committed("enter", name, said)


def drop(folder: str | Path, player: str) -> Done:
    """Take a player out of all rounds to come, until they are back."""
    with opened(folder) as desk:
        name = _identifier(desk, player)
        said = [f"{_shown(desk, name)} is out from round {_next(desk)} on"]
        said += [
            f"table {table_of(row)} of round {round_of(row)} waits for a result: pairopt result "
            "for a forfeit, or pairopt repair to pair the round again"
            for row in desk.matches.rows
            if is_open(row) and name in (row["player1"], row["player2"])
        ]
        return _active(desk, name, "false").committed("drop", name, said)


def back(folder: str | Path, player: str) -> Done:
    """Let a player who has dropped play on."""
    with opened(folder) as desk:
        name = _identifier(desk, player)
        said = [_from_when(desk, f"{_shown(desk, name)} is in again")]
        return _active(desk, name, "true").committed("back", name, said)


def bye(
    folder: str | Path, player: str, *, round: int | None = None, points: str | None = None
) -> Done:
    """A bye that a player asks for, in the next round or a later one.

    `points` by default what the event's points say for a requested bye. Raises UsageError where
    the round is paired already, or the player is in it.
    """
    with opened(folder) as desk:
        name, following = _identifier(desk, player), desk.rounds() + 1
        number = following if round is None else round
        if number < following:
            raise UsageError(f"round {number} is paired already: the next one is {following}")
        rows = desk.matches.rows
        if any(round_of(row) == number and row["player1"] == name for row in rows):
            raise UsageError(f"{_shown(desk, name)} has a bye in round {number} already")
        own = desk.event_at_hand.settings.points
        try:
            worth = (
                number_of_points(points) if points else own.requested_bye if own else Fraction(0)
            )
        except ValueError as error:
            raise UsageError(f"points {points}: {error}") from None
        text = decimal_text(worth)
        sheet = desk.matches.appended([requested(name, number, text)])
        said = [f"{_shown(desk, name)} has a bye in round {number}, for {text} points"]
        return desk.changed(matches=sheet).committed("bye", f"{name} round {number}", said)


def _active(desk: Desk, player: str, value: str) -> Desk:
    sheet = _with_active(desk)
    return desk.changed(
        players=sheet.changed(lambda row: row["player"] == player, {"active": value})
    )


def _with_active(desk: Desk) -> Sheet:
    """players.csv with a column that says who is active now."""
    sheet = desk.players
    if "active" in {name.lower() for name in sheet.columns}:
        return sheet
    event = desk.event_at_hand
    for player, active in zip(event.players, event.active.tolist(), strict=True):
        cell = {"active": str(bool(active)).lower()}
        sheet = sheet.changed(lambda row, player=player: row["player"] == player, cell)  # type: ignore[misc]
    return sheet


def _identifier(desk: Desk, player: str) -> str:
    event = desk.event_at_hand
    return event.players[event.position(player)]


def _shown(desk: Desk, player: str) -> str:
    event = desk.event_at_hand
    return event.shown[event.index[player]]


def _from_when(desk: Desk, what: str) -> str:
    now = any(map(is_open, desk.matches.rows))
    repair = f"; for round {desk.rounds()}: pairopt repair" * now
    return f"{what} from round {_next(desk)} on{repair}"


def _next(desk: Desk) -> int:
    return desk.rounds() + 1


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()
