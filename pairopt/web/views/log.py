"""Log: each step on the event with its time."""

from __future__ import annotations

from pairopt.web.view import Asked, Context, View


def context(asked: Asked) -> Context:
    """The steps, the latest first."""
    return {"steps": asked.desk.journal.steps()[::-1]}


VIEW = View("log", "Log", context)
