"""Files: the event for other programs, in every format that is written."""

from __future__ import annotations

from pairopt.show.web.downloads import offered
from pairopt.show.web.view import Asked, Context, View


def context(asked: Asked) -> Context:
    """What can be loaded, and what each format cannot hold."""
    return {"offered": offered(asked.site, asked.desk)}


VIEW = View("files", "Files", context, weight=11, rare=True)
