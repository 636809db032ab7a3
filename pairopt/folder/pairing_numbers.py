"""Numbers: start numbers and virtual points of FIDE's systems in an event folder.

Source: FIDE Handbook C.04.2, articles 2.2 to 2.5, and C.04.7, articles 1.2 to 1.4.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import pairwise

import numpy as np

from pairopt.common.limits import MOST_NUMBER, parse_digits
from pairopt.errors import UsageError
from pairopt.event.column_layout import CellValue
from pairopt.event.event import Event
from pairopt.event.points import Points
from pairopt.event.score_checks import baku_acceleration, players_with_virtual_points
from pairopt.files.event_folder import PLAYERS, build_event_with_hint
from pairopt.folder.open_folder import OpenFolder
from pairopt.messages import Message, message, with_heading
from pairopt.messages.formatting import decimal_text

FROZEN = 4  # the round from whose pairing on start numbers stay


def ranks(event: Event) -> bool:
    """Whether the model is a system that ranks by start numbers."""
    from pairopt.problem.round_model import model_for  # what most steps do without

    return model_for(event, None).system is not None


def with_pairing_numbers(desk: OpenFolder) -> OpenFolder:
    """With start numbers in players.csv where the model is a system that ranks by them."""
    if not ranks(desk.event):
        return desk
    numbers = [str(number) for number in desk.event.start_numbers]
    return desk.changed({PLAYERS: desk.players.with_columns({"start": numbers})})


def with_rows(desk: OpenFolder, rows: Sequence[Mapping[str, CellValue]]) -> OpenFolder:
    """With further rows in players.csv, of who is in from the next round on.

    Where a system ranks by start numbers, and they may change, each has the place of their rating
    and title, or the number that is asked for, and all below move down by one; later each has the
    next number. Who comes in above somebody with virtual points has these too.
    """
    if not ranks(desk.event):
        return desk.changed({PLAYERS: desk.players.appended(rows)})
    wanted = [parse_digits(str(row.get("start") or ""), MOST_NUMBER) for row in rows]
    if desk.rounds() or any(wanted):
        desk = with_pairing_numbers(desk)
    if desk.rounds() >= FROZEN:
        return desk.changed({PLAYERS: desk.players.appended(rows)})
    new = [
        {name: cell for name, cell in row.items() if name != "start" or not number}
        for row, number in zip(rows, wanted, strict=True)
    ]
    known, made = (
        len(desk.players.rows),
        desk.changed({PLAYERS: desk.players.appended(new)}),
    )
    order = _in_order(made, known, wanted)
    cells = {}
    if "start" in made.players.columns:
        numbers = dict(
            zip(order, sorted(made.event.start_numbers.tolist()), strict=True)
        )
        cells["start"] = [str(numbers[k]) for k in range(len(order))]
    if "virtual" in made.players.columns:
        virtual = [*made.players.cells["virtual"]]
        for above, below in reversed([*pairwise(order)]):
            if above >= known:
                virtual[above] = virtual[above] or virtual[below]
        cells["virtual"] = virtual
    return made.changed({PLAYERS: made.players.with_columns(cells)}) if cells else made


def _in_order(desk: OpenFolder, known: int, wanted: Sequence[int | None]) -> list[int]:
    """The rows of players.csv by number, those from `known` on where they belong."""
    numbers, strength = desk.event.start_numbers, np.argsort(desk.event.by_strength)
    order: list[int] = np.argsort(numbers[:known]).tolist()
    new = range(known, len(numbers))
    for k in sorted(new, key=lambda k: strength[k]):
        number = wanted[k - known]
        below = [
            numbers[p] >= number if number else strength[k] < strength[p] for p in order
        ]
        order.insert(below.index(True) if any(below) else len(order), k)
    return order


def with_baku_groups(desk: OpenFolder) -> tuple[OpenFolder, list[Message]]:
    """Before round 1 under Baku Acceleration: the first half of those who are to be paired has the
    virtual points; and what there is to say of it. That they are Baku's is seen in that the first
    players have them, and no others.
    """
    event, rounds, points = desk.event, desk.event.settings.rounds, desk.points()
    has = [any(line) for line in event.acceleration.tolist()]
    if desk.rounds() or not any(has) or rounds is None or points is None:
        return desk, []
    text = baku_text(rounds, points)
    given = {
        cell
        for cell, there in zip(
            desk.players.get_plain_cells("virtual"), has, strict=True
        )
        if there
    }
    order = np.argsort(event.start_numbers).tolist()
    first = [
        bool(each)
        for each in players_with_virtual_points(event.start_numbers, event.active)
    ]
    of_baku = given == {text} and all(has[k] for k in order[: sum(has)])
    if text is None or first == has or not of_baku:
        return desk, []
    cells = {"virtual": [text if each else "" for each in first]}
    made = desk.changed({PLAYERS: desk.players.with_columns(cells)})
    last = event.shown[order[sum(first) - 1]]
    return made, [message("player.virtual_points", last=last)]


def baku_text(rounds: int, points: Points) -> str | None:
    """Virtual points of a player as in players.csv; None for points it is not made for."""
    if points.loss or points.win != 2 * points.draw:
        return None
    _, line = baku_acceleration(0, rounds, Decimal(decimal_text(points.win)))
    return " ".join(f"{value.normalize():f}" for value in line)


def require_numbers(desk: OpenFolder) -> None:
    """Raises UsageError where start numbers that a system ranks by are not those of FROZEN."""
    event = desk.event
    if event.round <= FROZEN or not ranks(event):
        return
    then = desk.journal.come_from(FROZEN, "pair")
    if then is None:
        return
    known = build_event_with_hint(then[1], desk.journal.folder)
    if known.round <= FROZEN or not ranks(known):
        return
    changed, numbers = list[Message](), event.start_numbers.tolist()
    for player, was in zip(known.players, known.start_numbers.tolist(), strict=True):
        now = event.index.get(player)
        if now is not None and numbers[now] != was:
            fields = {"name": event.shown[now], "number": numbers[now], "before": was}
            changed.append(message("player.other_start", **fields))
    if changed:
        raise UsageError(
            with_heading(message("player.frozen_starts", round=FROZEN), *changed)
        )
