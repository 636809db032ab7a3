"""Turn the LaTeX of the pages into MathML, which browsers show without a script."""

from __future__ import annotations

import re

from docutils.utils.math.latex2mathml import tex2mathml

ALIASES = {r"\dots": r"\ldots", r"\dotsc": r"\ldots", r"\lvert": "|", r"\rvert": "|"}
"""Usual commands of LaTeX that docutils does not know, and what it knows instead."""


def to_mathml(formula: str, *, as_block: bool = False) -> str:
    """Return a formula as MathML. Raises MathError for a command that is not known."""
    known = re.sub(
        r"\\[A-Za-z]+", lambda found: ALIASES.get(found[0], found[0]), formula
    )
    return str(tex2mathml(known, as_block=as_block))


def formulas(page: str) -> list[tuple[str, bool]]:
    """Return the formulas of a page, and whether each is a block."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", page, flags=re.DOTALL)
    found = re.findall(
        r"\$\$(.+?)\$\$|(?<!\\)\$([^$\n]+(?:\n[^$\n]+)?)\$", prose, flags=re.DOTALL
    )
    return [(block or inline, bool(block)) for block, inline in found]
