"""Why: a player's question about the round that is open, or was last."""

from __future__ import annotations

from pairopt.show.web import asked as answers
from pairopt.show.web.view import Asked, Context, View


def context(asked: Asked) -> Context:
    """The answer for the player in the address, and whether they ask about another."""
    return answers.why(asked.desk, asked.query.get("id", ""), asked.query.get("other", ""))


VIEW = View("why", "Why?", context)
