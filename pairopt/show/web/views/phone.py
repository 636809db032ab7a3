"""Phones: where players find the pages that they can read, and the link for a second laptop."""

from __future__ import annotations

import segno
from markupsafe import Markup

from pairopt.show.web.view import Asked, Context, View


def context(asked: Asked) -> Context:
    """The address with its code, None where nothing is shared."""
    share = asked.site.share
    if share is None:
        return {"share": None, "code": ""}
    drawn = segno.make_qr(share.address).svg_inline(scale=6, dark="#000", light="#fff")
    return {"share": share, "code": Markup(drawn)}  # noqa: S704 - of our own address


VIEW = View("phones", "Phones", context, weight=6, rare=True)
