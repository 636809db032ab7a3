"""Players as numbers, for formats that want them."""

from __future__ import annotations

from pairopt.event.event import Event
from pairopt.files.schema import whole_number


def numbers_of(event: Event, most: int) -> tuple[list[int], list[str]]:
    """A number for each player, and a note where it is not the player's own.

    Players' own names are kept where all are whole numbers from 1 to `most`.
    """
    own = [whole_number(player, most) or 0 if player[0] != "0" else 0 for player in event.players]
    if all(own):
        return own, []
    return list(range(1, len(own) + 1)), ["players are numbered from 1; their names are kept"]


def shown_name(event: Event, player: int) -> str:
    """The player's name, else the identifier."""
    return event.names[player] or event.players[player]
