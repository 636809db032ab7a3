"""Player: a page for each, with all their rounds."""

from __future__ import annotations

from pairopt.show.shown import records
from pairopt.show.web.phones import Known, player
from pairopt.show.web.view import Asked, Context, View


def context(asked: Asked) -> Context:
    """What a phone shows of the player, and what they have won, drawn and lost."""
    found = player(Known(asked.desk), asked.query)
    return {**found, "title": found["name"], "record": records(asked.desk.event)[str(found["id"])]}


VIEW = View("player", "Player", context)
