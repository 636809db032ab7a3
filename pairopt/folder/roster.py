"""Roster: who comes, goes, comes back or asks for a bye, and who may meet whom, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import tomlkit

from pairopt.errors import UsageError
from pairopt.event.event import REQUESTED, Event, folded
from pairopt.event.layout import CellValue, cell_text, records
from pairopt.event.points import number_of_points
from pairopt.event.prohibited import Rounds, rounds_text, when_text
from pairopt.files.folder import EVENT, MATCHES, PLAYERS
from pairopt.files.formats.players_csv import columns_as_read
from pairopt.files.schema import rounds_in
from pairopt.files.tables import Table
from pairopt.folder.desk import Desk, Done, Folder, opened, requested
from pairopt.folder.numbers import regrouped, with_rows
from pairopt.folder.settings import edited
from pairopt.problem.ready import model_for
from pairopt.wording import counted, decimal_text, pair_text
from pairopt.wording import listed as names
from pairopt.words import tell

PLAYED_SO_FAR = ("active", "score", "first_round_bye", "start", "virtual", "adjusted")
"""Columns of a list that mean nothing for who comes late."""
HIGHEST_TABLE = 9999


def enter(folder: Folder, player: str, columns: Mapping[str, str] | None = None) -> Done:
    """Add a player, from the next round on.

    `columns` are further cells of players.csv, as a rating or a club. Rounds already paired give
    what the event's points say for an absence, when the next one is paired.

    Raises UsageError for a player who is there already, or an empty name.
    """
    with opened(folder) as desk:
        name = player.strip()
        if not name:
            raise UsageError("expected the name of a player")
        if (known := _known(desk.event).get(folded(name))) is not None:
            raise UsageError(
                f"{known!r} is a player already: pairopt drop --off lets them in again; another of "
                "the name needs an identifier of their own, and name as a further cell"
            )
        further = {column.strip().lower(): cell for column, cell in (columns or {}).items()}
        return _entered(desk, [{**further, desk.key: name}], name, [f"{name} is in"])


def enter_all(folder: Folder, listed: Event) -> Done:
    """Add the players of a list, from the next round on, as one step.

    Who is there already is left out, and named. What the list says of the others goes with them,
    but not what they have played or whether they are active.

    Raises UsageError where all are there already.
    """
    with opened(folder) as desk:
        known = _known(desk.event)
        columns = {"player": listed.players, "name": listed.names, **columns_as_read(listed)}
        columns = {name: cells for name, cells in columns.items() if name not in PLAYED_SO_FAR}
        rows, there = [], []
        for row in records(columns):
            found = known.get(folded(str(row["player"]))) or known.get(folded(str(row["name"])))
            if found is not None:
                there.append(found)
                continue
            name = row.pop("name")
            more = {} if name == row["player"] else {"name": name}
            rows.append({**row, desk.key: row["player"], **more})
        left = [f"players already, left out: {names(there)}"] * bool(there)
        if not rows:
            raise UsageError(f"nobody new: {left[0]}")
        new = counted(len(rows), "player is", "players are")
        return _entered(desk, rows, counted(len(rows), "player", "players"), [f"{new} in", *left])


def drop(folder: Folder, player: str) -> Done:
    """Take a player out of all rounds to come, until they are back; byes in them are off."""
    with opened(folder) as desk:
        name, following = desk.identifier(player), desk.rounds() + 1
        if not _is_in(desk, name):
            return desk.unchanged("drop", f"{desk.event.called[name]} is out already")
        said = [f"{desk.event.called[name]} is out from round {following} on"]
        rows, own = desk.rows, desk.event.index[name]
        off = (rows.first == own) & (rows.round >= following)
        now = rows.open & ((rows.first == own) | (rows.second == own))
        for k in np.flatnonzero(off | now):
            number, table = rows.round[k], rows.table[k] or None
            said.append(
                f"their bye in round {number} is off"
                if off[k]
                else f"table {table} of round {number} waits for a result: pairopt "
                "result for a forfeit, or pairopt pair --again to pair the round again"
            )
        left = desk.changed({MATCHES: desk.matches.taken(~off)}) if off.any() else desk
        return _done(_active(left, name, "false"), "drop", name, said)


def back(folder: Folder, player: str) -> Done:
    """Let a player who has dropped play on."""
    with opened(folder) as desk:
        name = desk.identifier(player)
        if _is_in(desk, name):
            return desk.unchanged("back", f"{desk.event.called[name]} is in already")
        said = [_from_when(desk, f"{desk.event.called[name]} is in again")]
        return _done(_active(desk, name, "true"), "back", name, said)


def check_in(folder: Folder, *, off: bool = False) -> Done:
    """Before round 1: everybody is out until `back` lets them in; `off`: everybody is in.

    Who has a bye in round 1 stays in. Raises UsageError once round 1 is paired.
    """
    with opened(folder) as desk:
        if desk.rounds():
            raise UsageError("round 1 is paired: the check-in is before it; see pairopt drop")
        here = desk.event.away | off
        if (desk.event.present == here).all():
            return desk.unchanged("check-in", "nobody comes in or goes out by that")
        cells = [cell_text(each) for each in here.tolist()]
        players = desk.players.with_columns({"active": cells})
        out = counted(int((~here).sum()), "player is", "players are")
        said = "everybody is in" if off else f"{out} out until they are here: pairopt drop --off"
        what = "everybody is in" if off else "begun"
        made = desk.changed({PLAYERS: players})
        if off:
            return _done(made, "check-in", what, [said])
        return made.committed("check-in", what, [said])  # groups are of who is here, later


def bye(
    folder: Folder, player: str, *, round: int | None = None, points: str | None = None,
    off: bool = False,
) -> Done:  # fmt: skip
    """A bye that a player asks for, in the next round, a later one, or one that they missed.

    `off`: they will play in the round, which is still to come.

    `points` by default what the event's points say for a requested bye. Raises UsageError where
    the round is none of the event's, or the player is paired or has a bye in it, or has dropped.
    """
    with opened(folder) as desk:
        name, following = desk.identifier(player), desk.rounds() + 1
        number, last = following if round is None else round, desk.event.settings.rounds
        rows, own = desk.rows, desk.event.index[name]
        if off:
            return _without_bye(desk, own, number, points)
        here = (rows.round == number) & ((rows.first == own) | (rows.second == own))
        if number < following and (here & (rows.status != REQUESTED)).any():
            raise UsageError(f"round {number} is paired already: the next one is {following}")
        if last is not None and number > last:
            raise UsageError(f"there is no round {number}: the event has {last}")
        if number >= following and not _is_in(desk, name):
            raise UsageError(f"{desk.event.called[name]} has dropped: first pairopt drop --off")
        if here.any():
            raise UsageError(f"{desk.event.called[name]} has a bye in round {number} already")
        usual = desk.event.settings.points
        try:
            worth = usual.requested_bye if usual else Fraction(0)
            worth = number_of_points(points) if points else worth
        except ValueError as error:
            raise UsageError(f"points {points}: {error}") from None
        text = decimal_text(worth)
        rows_now = desk.matches.appended([requested(name, number, text)])
        said = [f"{desk.event.called[name]} has a bye in round {number}, for {text} points"]
        said += ["rounds paired since stay as they are"] * (number < following - 1)
        if usual and worth >= usual.win and model_for(desk.event, None).system is not None:
            said.append("warning: that is as much as a win; who has had it gets no other bye (C2)")
        return _done(desk.changed({MATCHES: rows_now}), "bye", f"{name} round {number}", said)


def _without_bye(desk: Desk, own: int, number: int, points: str | None) -> Done:
    """A round to come without the bye of a player, wherever it is said."""
    event, rows = desk.event, desk.rows
    shown, name = event.shown[own], event.players[own]
    if points is not None:
        raise UsageError("bye.points_of_none")
    if number <= desk.rounds():
        raise UsageError("bye.round_is_paired", round=number, next=desk.rounds() + 1)
    off = (rows.round == number) & (rows.first == own) & (rows.status == REQUESTED)
    said = edited(desk, partial(_without_said_bye, {name, event.names[own]}, number))
    new = desk.changed({MATCHES: desk.matches.taken(~off), EVENT: said})
    if new.files == desk.files:
        raise UsageError("bye.none_there", player=shown, round=number)
    told = [tell("bye.off", player=shown, round=number)]
    return new.committed("bye", f"{name} round {number}, off", told)


def _without_said_bye(names: set[str], number: int, content: Any) -> None:
    """event.toml without a bye known in advance."""
    byes = content.get("byes", [])
    for k in reversed(range(len(byes))):
        if byes[k]["player"] in names and byes[k]["round"] == number:
            del byes[k]


def _known(event: Event) -> Mapping[str, str]:
    """Who is a player, by identifier and by name, as easily mistyped."""
    every = zip(event.players, event.names, event.shown, strict=True)
    return {folded(each): shown for player, name, shown in every for each in (player, name)}


def _entered(
    desk: Desk, rows: Sequence[Mapping[str, CellValue]], what: str, said: list[str]
) -> Done:
    """Rows of players.csv for who is new, and in."""
    desk = desk.changed({PLAYERS: _with_active(desk)})
    made = with_rows(desk, [{**row, "active": "true"} for row in rows])
    return _done(made, "enter", what, [_from_when(desk, said[0]), *said[1:]])


def _done(desk: Desk, verb: str, what: str, said: list[str]) -> Done:
    """A step in which who plays has changed."""
    made, more = regrouped(desk)
    return made.committed(verb, what, [*said, *more])


def _active(desk: Desk, player: str, value: str) -> Desk:
    players = _with_active(desk).changed(desk.event.index[player], {"active": value})
    return desk.changed({PLAYERS: players})


def _with_active(desk: Desk) -> Table:
    """players.csv with a column that says who is active now."""
    if "active" in desk.players.columns:
        return desk.players
    return desk.players.with_columns({"active": [*map(cell_text, desk.event.present.tolist())]})


def _is_in(desk: Desk, player: str) -> bool:
    """Whether a player has not dropped."""
    return bool(desk.event.present[desk.event.index[player]])


def _from_when(desk: Desk, what: str) -> str:
    now = bool(desk.rows.open.any())
    repair = f"; for round {desk.rounds()}: pairopt pair --again" * now
    return f"{what} from round {desk.rounds() + 1} on{repair}"


def forbid(
    folder: Folder, player: str, other: str, *, rounds: str | None = None, off: bool = False
) -> Done:
    """Keep two players apart, as `forbid` of event.toml; `off`: no longer.

    `rounds` are those meant, as 2-4 or 3, None for all; what was said of the two before gives way.

    Raises UsageError for players who are not there, the same one twice, or rounds that are none.
    """
    try:
        turns = None if rounds is None else rounds_in(rounds)
    except ValueError as error:
        raise UsageError(f"rounds {rounds}: {error}") from None
    if off and turns is not None:
        raise UsageError("rounds belong to a pair who may not meet, not to --off")
    with opened(folder) as desk:
        pair = [desk.identifier(player), desk.identifier(other)]
        both = pair_text(*map(desk.event.called.__getitem__, pair))
        if pair[0] == pair[1]:
            raise UsageError(f"{desk.event.called[pair[0]]!r} cannot meet themselves")
        places = {desk.event.index[each] for each in pair}
        given = desk.event.prohibited
        here = [k for k, each in enumerate(given) if {each.one, each.two} == places]
        when = when_text(turns)
        if [given[k].rounds for k in here] == ([] if off else [turns]):
            state = "may meet" if off else f"may not meet {when}".rstrip()
            return desk.unchanged("forbid", f"{both}: they {state} already")
        new = desk.changed({EVENT: edited(desk, partial(_forbidden, pair, turns, here, off))})
        said = [f"{both}: they may {'meet again' if off else f'not meet {when}'}".rstrip()]
        rows = desk.rows.take(np.isin(desk.rows.round, _held(desk, turns)))
        meet = rows.open & np.isin(rows.first, [*places]) & np.isin(rows.second, [*places])
        said += [
            f"table {rows.table[k] or None} of round {rows.round[k]} stays as it is: "
            "pairopt pair --again pairs it again"
            for k in np.flatnonzero(meet & (not off))
        ]
        return new.committed("forbid", f"{both}{when and f', {when}'}{', off' * off}", said)


def table(folder: Folder, player: str, number: int | None) -> Done:
    """Let a player stay at one table in all rounds to come, or with None at any.

    Raises UsageError for a table that another player has.
    """
    with opened(folder) as desk:
        name, event = desk.identifier(player), desk.event
        shown, place = desk.event.called[name], event.index[name]
        if number is not None and not 1 <= number <= HIGHEST_TABLE:
            raise UsageError(f"table {number}: expected a number from 1 to {HIGHEST_TABLE}")
        fixed = event.fixed_table.tolist()
        if fixed[place] == (number or 0):
            where = f"stays at table {number}" if number else "has no table of their own"
            return desk.unchanged("table", f"{shown} {where} already")
        if number in fixed:
            raise UsageError(f"table {number} is that of {event.shown[fixed.index(number)]}")
        players = desk.players.changed(place, {"table": str(number or "")})
        what = f"{shown} at table {number}" if number else f"{shown} at any table"
        said = [f"{what} from round {desk.rounds() + 1} on"]
        return desk.changed({PLAYERS: players}).committed("table", what, said)


def _held(desk: Desk, turns: Rounds | None) -> list[int]:
    """The rounds there are of those meant."""
    return [turn for turn in range(1, desk.rounds() + 1)
            if turns is None or turns[0] <= turn <= turns[1]]  # fmt: skip


def kept_apart(pair: list[str], turns: Rounds | None) -> object:
    """A pair who may not meet, as event.toml has it."""
    if turns is None:
        return pair
    table = tomlkit.inline_table()
    return table.add("players", pair).add("rounds", rounds_text(turns))


def _forbidden(
    pair: list[str], turns: Rounds | None, here: list[int], off: bool, content: Any
) -> None:
    """event.toml without the pairs in these places of its list, and with one more unless `off`."""
    if "forbid" not in content:
        content["forbid"] = []
    kept = content["forbid"]
    for k in reversed(here):
        del kept[k]
    if not off:
        kept.append(kept_apart(pair, turns))
