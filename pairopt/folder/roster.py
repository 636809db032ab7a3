"""Roster: who comes, goes, comes back or asks for a bye, and who may meet whom, and where."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from pairopt.common.limits import MOST_ROUNDS
from pairopt.errors import ConfirmationError, InvalidValueError, UsageError
from pairopt.event.column_layout import CellValue, cell_text, rows_of_columns
from pairopt.event.event import REQUESTED, Event
from pairopt.event.fide_data import require_fide_data
from pairopt.event.forbidden_pairs import Rounds, rounds_text, when_text
from pairopt.event.name_search import find_twin_names, normalize_name
from pairopt.files.csv_schema import parse_rounds
from pairopt.files.event_folder import MATCHES, PLAYERS
from pairopt.files.formats.players_csv import list_columns
from pairopt.files.text_tables import TextTable
from pairopt.folder.edit_player import cells_of
from pairopt.folder.open_folder import (
    Done,
    Folder,
    OpenFolder,
    open_folder,
    requested_bye_row,
)
from pairopt.folder.pairing_numbers import ranks, with_baku_groups, with_rows
from pairopt.folder.results import bye_gives, bye_points, require_usual_bye
from pairopt.messages import Message, message, with_heading
from pairopt.messages.formatting import decimal_text, pair_text

PLAYED_SO_FAR = ("active", "score", "first_round_bye", "start", "virtual", "adjusted")
"""Columns of a list that mean nothing for who comes late."""
HIGHEST_TABLE = 9999


def enter(
    folder: Folder,
    player: str,
    columns: Mapping[str, str] | None = None,
    *,
    sure: bool = False,
) -> Done:
    """Add a player, from the next round on.

    `columns` are further cells of players.csv, as a rating or a club. Rounds already paired give
    what the event's points say for an absence, when the next one is paired.

    Raises UsageError for a player who is there already, or an empty name; ConfirmationError for one who
    may be, by the words of the name, unless it is said for `sure`.
    """
    with open_folder(folder) as desk:
        name = player.strip()
        if not name:
            raise UsageError("player.no_name")
        if (known := _known_names(desk.event).get(normalize_name(name))) is not None:
            raise UsageError("player.there_already", name=known)
        further = cells_of(desk, columns or {}, sure)
        called = further.get("name") or name
        if not sure and (pairs := find_twin_names([called], desk.event.names)):
            raise ConfirmationError(
                "player.perhaps_there", name=called, other=pairs[0][0]
            )
        said = [message("player.enters", name=name, round=desk.event.round)]
        did = message("step.enter", player1=name, name1=called)
        return _commit_entry(desk, [{**further, desk.key: name}], did, said, sure=sure)


def enter_all(folder: Folder, listed: Event, *, sure: bool = False) -> Done:
    """Add the players of a list, from the next round on, as one step.

    Who is there already is left out, and named. What the list says of the others goes with them,
    but not what they have played or whether they are active.

    Raises UsageError where all are there already; ConfirmationError where some may be one person, unless
    it is said for `sure`.
    """
    with open_folder(folder) as desk:
        known = _known_names(desk.event)
        columns = {
            "player": listed.players,
            "name": listed.names,
            **list_columns(listed),
        }
        columns = {
            name: cells for name, cells in columns.items() if name not in PLAYED_SO_FAR
        }
        rows, there = [], []
        for row in rows_of_columns(columns):
            found = known.get(normalize_name(str(row["player"]))) or known.get(
                normalize_name(str(row["name"]))
            )
            if found is not None:
                there.append(found)
                continue
            name = row.pop("name")
            more = {} if name == row["player"] else {"name": name}
            rows.append({**row, desk.key: row["player"], **more})
        if not rows:
            raise UsageError("player.nobody_new", names=there)
        pairs = find_twin_names(
            (str(row.get("name", row[desk.key])) for row in rows), desk.event.names
        )
        alike = require_sure(pairs, sure)
        said = [
            message("player.many_enter", count=len(rows), round=desk.event.round),
            *alike,
        ]
        did = message("step.enter_many", value=len(rows))
        left = [message("player.left_out", names=there)] * bool(there)
        return _commit_entry(desk, rows, did, said, left, sure=sure)


def drop(folder: Folder, player: str) -> Done:
    """Take a player out of all rounds to come, until they are back; byes in them are off."""
    with open_folder(folder) as desk:
        player, following = desk.identifier(player), desk.event.round
        name = desk.event.called[player]
        if not _is_in(desk, player):
            return desk.unchanged("drop", message("player.out_already", name=name))
        said = [message("player.leaves", name=name, round=following)]
        rows, own = desk.rows, desk.event.index[player]
        off = (rows.first == own) & (rows.round >= following)
        now = rows.open & ((rows.first == own) | (rows.second == own))
        for k in np.flatnonzero(off | now):
            kind = "bye.off_again" if off[k] else "table.waits"
            said.append(
                message(
                    kind, round=int(rows.round[k]), table=int(rows.table[k]) or None
                )
            )
        left = (
            desk.changed({MATCHES: desk.matches.select_rows(~off)})
            if off.any()
            else desk
        )
        did = message("step.drop", **desk.of(player))
        return _done(_active(left, player, "false"), "drop", did, said)


def back(folder: Folder, player: str) -> Done:
    """Let a player who has dropped play on."""
    with open_folder(folder) as desk:
        player = desk.identifier(player)
        name = desk.event.called[player]
        if _is_in(desk, player):
            return desk.unchanged("back", message("player.in_already", name=name))
        said = [
            message("player.returns", name=name, round=desk.event.round),
            *_repairable(desk),
        ]
        did = message("step.back", **desk.of(player))
        return _done(_active(desk, player, "true"), "back", did, said)


def check_in(folder: Folder, *, off: bool = False) -> Done:
    """Before round 1: everybody is out until `back` lets them in; `off`: everybody is in. Who has a
    bye in round 1 stays in. Raises UsageError once round 1 is paired.
    """
    with open_folder(folder) as desk:
        if desk.rounds():
            raise UsageError("round.no_check_in")
        here = desk.event.away | off
        if (desk.event.present == here).all():
            return desk.unchanged("check-in", message("player.all_as_before"))
        cells = [cell_text(each) for each in here.tolist()]
        made = desk.changed({PLAYERS: desk.players.with_columns({"active": cells})})
        if off:
            return _done(
                made,
                "check-in",
                message("step.check_in_off"),
                [message("player.all_in")],
            )
        said = [message("player.all_out", count=int((~here).sum()))]
        return made.committed(
            "check-in", message("step.check_in"), said
        )  # groups are later


def bye(
    folder: Folder,
    player: str,
    *,
    round: int | None = None,
    points: float | str | None = None,
    off: bool = False,
    sure: bool = False,
) -> Done:
    """A bye that a player asks for, in the next round, a later one, or one that they missed.

    `off`: they will play in the round, which is still to come.

    `points` by default what the event's points say for a requested bye; a bye that is there, asked
    for or allocated, gives these from now on. They are a number, or a text such as "0.5". Raises
    UsageError where the round is none of the event's, or the player is paired in it, or has a bye
    and nothing is said of its points, or has dropped; ConfirmationError where it gives more points than a
    win, unless it is said for `sure`.
    """
    with open_folder(folder) as desk:
        player, following, event = desk.identifier(player), desk.event.round, desk.event
        number, last = following if round is None else round, event.settings.rounds
        rows, own, name = desk.rows, event.index[player], event.called[player]
        points = None if points is None else str(points)
        if off:
            return _without_bye(desk, player, number, points)
        here = (rows.round == number) & ((rows.first == own) | (rows.second == own))
        if points and (here & (rows.second < 0)).any():
            return bye_gives(desk, player, number, points, sure)
        if number < following and (here & (rows.status != REQUESTED)).any():
            raise UsageError("round.paired_already", round=number, next=following)
        if last is not None and number > last:
            raise UsageError("round.beyond", round=number, rounds=last)
        if number >= following and not _is_in(desk, player):
            raise UsageError("player.has_left", name=name)
        if here.any():
            raise UsageError("bye.there_already", name=name, round=number)
        usual = event.settings.points
        worth = usual.requested_bye if usual else Fraction(0)
        worth = bye_points(points) if points else worth
        if points:
            require_usual_bye(desk, worth, sure)
        text = decimal_text(worth)
        said = [message("bye.given", name=name, round=number, points=text)]
        said += [message("round.stays_paired")] * (number < following - 1)
        if usual and worth >= usual.win and ranks(event):
            said.append(message("bye.as_a_win"))
        made = desk.changed(
            {MATCHES: desk.matches.appended([requested_bye_row(player, number, text)])}
        )
        did = message("step.bye", **desk.of(player), round=number, value=text)
        return _done(made, "bye", did, said)


def _without_bye(
    desk: OpenFolder, player: str, number: int, points: str | None
) -> Done:
    """A round to come without the bye of a player, wherever it is said."""
    event, rows, own = desk.event, desk.rows, desk.event.index[player]
    shown = event.shown[own]
    if points is not None:
        raise UsageError("bye.points_of_none")
    if number <= desk.rounds():
        raise UsageError("bye.round_is_paired", round=number, next=desk.rounds() + 1)
    off = (rows.round == number) & (rows.first == own) & (rows.status == REQUESTED)
    said = desk.edited(partial(_remove_advance_bye, {player, event.names[own]}, number))
    new = said.changed({MATCHES: desk.matches.select_rows(~off)})
    if number == 1 and event.first_round_bye[own]:
        new = new.changed({PLAYERS: desk.players.changed(own, {"first_round_bye": ""})})
    if new.files == desk.files:
        raise UsageError("bye.none_there", player=shown, round=number)
    told = [message("bye.off", player=shown, round=number)]
    return new.committed(
        "bye", message("step.bye_off", **desk.of(player), round=number), told
    )


def _remove_advance_bye(names: set[str], number: int, content: Any) -> None:
    byes = content.get("byes", [])
    for k in reversed(range(len(byes))):
        if byes[k]["player"] in names and byes[k]["round"] == number:
            del byes[k]


def require_sure(pairs: Sequence[tuple[str, str]], sure: bool) -> list[Message]:
    """What there is to say of pairs who may be one person. Raises ConfirmationError unless `sure`."""
    texts = [pair_text(*pair) for pair in pairs]
    if texts and not sure:
        raise ConfirmationError("player.perhaps_one", pairs=texts)
    return [message("player.alike", pairs=texts)] * bool(texts)


def _known_names(event: Event) -> Mapping[str, str]:
    """Who is a player, by identifier and by name, as easily mistyped."""
    every = zip(event.players, event.names, event.shown, strict=True)
    return {
        normalize_name(each): shown
        for player, name, shown in every
        for each in (player, name)
    }


def _commit_entry(
    desk: OpenFolder,
    rows: Sequence[Mapping[str, CellValue]],
    did: Message,
    said: list[Message],
    more: Sequence[Message] = (),
    *,
    sure: bool,
) -> Done:
    desk = desk.changed({PLAYERS: _with_active_column(desk)})
    made = with_rows(desk, [{**row, "active": "true"} for row in rows])
    require_fide_data(desk.event, made.event, sure)
    return _done(made, "enter", did, [*said, *_repairable(desk), *more])


def _done(desk: OpenFolder, verb: str, did: Message, said: list[Message]) -> Done:
    made, more = with_baku_groups(desk)
    return made.committed(verb, did, [*said, *more])


def _repairable(desk: OpenFolder) -> list[Message]:
    return [message("round.repairable", round=desk.rounds())] * bool(
        desk.rows.open.any()
    )


def _active(desk: OpenFolder, player: str, value: str) -> OpenFolder:
    players = _with_active_column(desk).changed(
        desk.event.index[player], {"active": value}
    )
    return desk.changed({PLAYERS: players})


def _with_active_column(desk: OpenFolder) -> TextTable:
    if "active" in desk.players.columns:
        return desk.players
    return desk.players.with_columns(
        {"active": [*map(cell_text, desk.event.present.tolist())]}
    )


def _is_in(desk: OpenFolder, player: str) -> bool:
    return bool(desk.event.present[desk.event.index[player]])


def forbid(
    folder: Folder,
    player: str,
    other: str,
    *,
    rounds: str | None = None,
    off: bool = False,
) -> Done:
    """Keep two players apart, as `forbid` of event.toml; `off`: no longer.

    `rounds` are those meant, as 2-4 or 3, None for all, of two who have met for those to come; what
    was said of the two before gives way.

    Raises UsageError for players who are not there, the same one twice, or rounds that are none.
    """
    try:
        turns = None if rounds is None else parse_rounds(rounds)
    except ValueError as error:
        why = (
            error.said if isinstance(error, InvalidValueError) else message(str(error))
        )
        raise UsageError(
            with_heading(message("round.no_rounds", found=rounds), why)
        ) from None
    if off and turns is not None:
        raise UsageError("pair.off_in_rounds")
    with open_folder(folder) as desk:
        pair = [desk.identifier(player), desk.identifier(other)]
        if pair[0] == pair[1]:
            raise UsageError("pair.the_same", name=desk.event.called[pair[0]])
        places, given = {desk.event.index[each] for each in pair}, desk.event.prohibited
        meet = np.isin(desk.rows.first, [*places]) & np.isin(
            desk.rows.second, [*places]
        )
        met = int(desk.rows.round[meet & ~desk.rows.open].max(initial=0))
        if (
            met and not off and turns is None
        ):  # a round that is over was paired without it
            turns = met + 1, max(met + 1, desk.event.settings.rounds or MOST_ROUNDS)
        both, when = (
            pair_text(*map(desk.event.called.__getitem__, pair)),
            when_text(turns),
        )
        here = [k for k, each in enumerate(given) if {each.one, each.two} == places]
        way = 2 * off + bool(when)
        if [given[k].rounds for k in here] == ([] if off else [turns]):
            already = message(APART_ALREADY[way], pair=both, rounds=when)
            return desk.unchanged("forbid", already)
        new = desk.edited(partial(_without_forbidden_pair, pair, turns, here, off))
        said = [message(APART[way], pair=both, rounds=when)]
        first, last = turns or (1, desk.rounds())
        rows, stays = desk.rows, meet & desk.rows.open & (not off)
        stays &= (rows.round >= first) & (rows.round <= last)
        said += [
            message(
                "table.stays",
                table=int(rows.table[k]) or None,
                round=int(rows.round[k]),
            )
            for k in np.flatnonzero(stays)
        ]
        did = message(
            APART_STEPS[way],
            **desk.of(*pair),
            value=rounds_text(turns) if turns else "",
        )
        return new.committed("forbid", did, said)


APART = ("pair.apart", "pair.apart_in_rounds", "pair.together")
APART_ALREADY = (
    "pair.apart_already",
    "pair.apart_in_rounds_already",
    "pair.together_already",
)
APART_STEPS = ("step.forbid", "step.forbid_rounds", "step.forbid_off")
"""How it is told: for all rounds, in some, or no longer."""


def table(folder: Folder, player: str, number: int | None) -> Done:
    """Let a player stay at one table in all rounds to come, or with None at any. Raises UsageError
    for a table that another player has.
    """
    with open_folder(folder) as desk:
        player, event = desk.identifier(player), desk.event
        place = event.index[player]
        fields = {"name": event.called[player], "table": number, "round": event.round}
        if number is not None and not 1 <= number <= HIGHEST_TABLE:
            raise UsageError("table.not_within", table=number, highest=HIGHEST_TABLE)
        fixed = event.fixed_table.tolist()
        if fixed[place] == (number or 0):
            kind = (
                "player.at_table_already" if number else "player.at_any_table_already"
            )
            return desk.unchanged("table", message(kind, **fields))
        if number in fixed:
            other = event.shown[fixed.index(number)]
            raise UsageError("table.of_another", table=number, name=other)
        new = desk.changed(
            {PLAYERS: desk.players.changed(place, {"table": str(number or "")})}
        )
        did = message(
            "step.table" if number else "step.table_off",
            **desk.of(player),
            value=number or "",
            before=fixed[place] or "",
        )
        kind = "player.at_table" if number else "player.at_any_table"
        return new.committed("table", did, [message(kind, **fields)])


def _without_forbidden_pair(
    pair: list[str], turns: Rounds | None, here: list[int], off: bool, content: Any
) -> None:
    """event.toml without the pairs in these places of its list, and with one more unless `off`."""
    if "forbid" not in content:
        content["forbid"] = []
    kept = content["forbid"]
    for k in reversed(here):
        del kept[k]
    if not off:
        # Most steps change no setting, and start without tomlkit.
        from pairopt.folder.settings import format_forbidden

        kept.append(format_forbidden(pair, turns))
