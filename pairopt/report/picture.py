"""One picture of a round, to send around: its tables, what could not be avoided and why, the proof;
as an SVG whose text is text, or a PNG of it.
"""

from math import ceil
from textwrap import wrap

from pairopt.errors import require_extra
from pairopt.messages import MessageFormatter
from pairopt.messages.interfaces import TERMINAL
from pairopt.report.page import templates
from pairopt.report.views import RoundView, paired_round
from pairopt.round.explain import headline
from pairopt.round.result import Result

SUFFIXES = ".svg", ".png"
WIDE, ROW, HEAD, LINE, EDGE = (
    1200,
    40,
    150,
    30,
    40,
)  # pixels; HEAD is what is above the rows
LETTERS = 105  # so many of a sentence's letters stand in a line
ROWS = 14, 44  # up to so many rows stand in one column, in two; more in three


def picture(
    result: Result,
    paired: RoundView | None = None,
    stated: tuple[str, bool] | None = None,
    words: MessageFormatter = TERMINAL,
) -> str:
    """A paired round as SVG: by default the result's lines, and what is `stated` of it in words,
    with whether that is a proof. Raises UsageError where Jinja2 is not installed.
    """
    shown = paired or paired_round(result)
    verdict, proven = stated or (words.format_message(result.verdict), result.proven)
    columns = 1 + sum(len(shown.lines) > most for most in ROWS)
    deep = max(1, ceil(len(shown.lines) / columns))
    wide = (WIDE - 2 * EDGE) // columns
    lines = [
        ((k // deep) * wide + EDGE, HEAD + (k % deep) * ROW, line)
        for k, line in enumerate(shown.lines)
    ]
    said = [
        part
        for each in headline(result)
        for part in wrap(words.format_message(each), LETTERS)
    ]
    return (
        templates()
        .get_template("picture.svg")
        .render(
            title=result.event.settings.title,
            number=result.round,
            lines=lines,
            wide=wide,
            sides=shown.sides,
            told=" · ".join(shown.told),
            said=said,
            proven=proven,
            verdict=verdict,
            bottom=HEAD + deep * ROW,
            row=ROW,
            line_height=LINE,
            edge=EDGE,
            width=WIDE,
            high=HEAD + deep * ROW + (len(said) + 3) * LINE,
        )
    )


def png(svg: str) -> bytes:
    """An SVG as PNG, twice as large. Raises UsageError where resvg is not installed."""
    resvg_py = require_extra("resvg_py", "PNG needs resvg", "report")
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=2.0))


def render_picture(svg: str, name: str) -> str | bytes:
    """What a file of this name holds."""
    return png(svg) if name.lower().endswith(".png") else svg
