"""Seating: pairs who may not meet, and players who stay at one table."""

from __future__ import annotations

import re

import numpy as np
import tomlkit
from tomlkit.exceptions import TOMLKitError

from pairopt.errors import InputError, UsageError
from pairopt.files.folder import EVENT
from pairopt.files.source import decoded, encoded
from pairopt.folder.desk import Desk, Done, Folder, opened
from pairopt.wording import pair_text

HIGHEST_TABLE = 9999


def forbid(folder: Folder, player: str, other: str, *, off: bool = False) -> Done:
    """Keep two players apart in all rounds to come, as `forbid` of event.toml; `off`: no longer.

    Raises UsageError for players who are not there, or the same one twice.
    """
    with opened(folder) as desk:
        pair = [desk.identifier(player), desk.identifier(other)]
        names = pair_text(*map(desk.shown, pair))
        if pair[0] == pair[1]:
            raise UsageError(f"{desk.shown(pair[0])!r} cannot meet themselves")
        places = {desk.event.index[each] for each in pair}
        here = [k for k, each in enumerate(desk.event.forbidden) if {*each} == places]
        if bool(here) != off:
            state = "may meet" if off else "may not meet"
            return Done("forbid", (f"{names}: they {state} already",), None, desk.event)
        new = desk.changed(toml=_rewritten(desk, pair, here))
        said = [f"{names}: they may {'meet again' if off else 'not meet'}"]
        rows = desk.rows
        both = rows.open & np.isin(rows.first, [*places]) & np.isin(rows.second, [*places])
        said += [
            f"table {rows.table[k] or None} of round {rows.round[k]} stays as it is: "
            "pairopt repair pairs it again"
            for k in np.flatnonzero(both & (not off))
        ]
        return new.committed("forbid", f"{names}{', off' * off}", said)


def table(folder: Folder, player: str, number: int | None) -> Done:
    """Let a player stay at one table in all rounds to come, or with None at any.

    Raises UsageError for a table that another player has.
    """
    with opened(folder) as desk:
        name, event = desk.identifier(player), desk.event
        shown, place = desk.shown(name), event.index[name]
        if number is not None and not 1 <= number <= HIGHEST_TABLE:
            raise UsageError(f"table {number}: expected a number from 1 to {HIGHEST_TABLE}")
        fixed = event.fixed_table.tolist()
        if fixed[place] == (number or 0):
            where = f"stays at table {number}" if number else "has no table of their own"
            return Done("table", (f"{shown} {where} already",), None, event)
        if number in fixed:
            raise UsageError(f"table {number} is that of {event.shown[fixed.index(number)]}")
        sheet = desk.players.changed(place, {"table": str(number or "")})
        what = f"{shown} at table {number}" if number else f"{shown} at any table"
        said = [f"{what} from round {desk.rounds() + 1} on"]
        return desk.changed(players=sheet).committed("table", what, said)


def _rewritten(desk: Desk, pair: list[str], here: list[int]) -> bytes:
    """event.toml without the pairs in these places of its list, or with one more."""
    source = decoded(str(desk.journal.folder / EVENT), desk.files[EVENT])
    try:
        content = tomlkit.parse(source.text)
    except TOMLKitError as error:  # what another reader took
        raise InputError(source.name, f"cannot be changed: {error}") from None
    if "forbid" not in content:
        content["forbid"] = []
    kept = content["forbid"]
    assert isinstance(kept, list)
    for k in reversed(here):
        del kept[k]
    if not here:
        kept.append(pair)
    text = re.sub("\r?\n", source.newline, tomlkit.dumps(content))
    return encoded(text, source.marked)
