"""Draw one picture of a round, as an SVG with real text, or as a PNG.

It shows the tables, what could not be avoided and why, and whether the pairing is
proven.
"""

from math import ceil
from textwrap import wrap

from pairopt.errors import require_extra
from pairopt.messages import MessageFormatter
from pairopt.messages.interfaces import TERMINAL
from pairopt.report.page import template_environment
from pairopt.report.views import RoundView, paired_round
from pairopt.round.explain import list_highlights
from pairopt.round.result import Result

SUFFIXES = ".svg", ".png"
WIDTH = 1200
"""The width of the picture in pixels, as all lengths here."""
ROW = 40
"""The height of a row of the table."""
HEAD = 150
"""The height of what stands above the rows."""
LINE = 30
"""The height of a line of a sentence."""
EDGE = 40
"""The width of the margins."""
LETTERS = 105
"""The most letters in a line of a sentence."""
ROWS = 14, 44
"""The most rows in one column and in two columns; more rows stand in three."""


def draw_picture(
    result: Result,
    paired: RoundView | None = None,
    stated: tuple[str, bool] | None = None,
    words: MessageFormatter = TERMINAL,
) -> str:
    """Draw a paired round as SVG, and return its text.

    `paired` has the lines to draw, by default the result's. `stated` is the verdict in
    words and whether it is proven, by default the result's. `words` formats messages.
    Raise UsageError if Jinja2 is not installed.
    """
    drawn_view = paired or paired_round(result)
    verdict, is_proven = stated or (words.format_message(result.verdict), result.proven)
    column_count = 1 + sum(len(drawn_view.lines) > row_limit for row_limit in ROWS)
    column_rows = max(1, ceil(len(drawn_view.lines) / column_count))
    column_width = (WIDTH - 2 * EDGE) // column_count

    placed_lines = []
    for line_index, round_line in enumerate(drawn_view.lines):
        column_number, row_in_column = divmod(line_index, column_rows)
        placed_lines.append(
            (
                column_number * column_width + EDGE,
                HEAD + row_in_column * ROW,
                round_line,
            )
        )
    sentence_lines = [
        text_line
        for highlight_note in list_highlights(result)
        for text_line in wrap(words.format_message(highlight_note), LETTERS)
    ]

    rows_bottom = HEAD + column_rows * ROW
    picture_template = template_environment().get_template("picture.svg")
    return picture_template.render(
        title=result.event.settings.title,
        number=result.round,
        lines=placed_lines,
        wide=column_width,
        sides=drawn_view.sides,
        told=" · ".join(drawn_view.told),
        said=sentence_lines,
        proven=is_proven,
        verdict=verdict,
        bottom=rows_bottom,
        row=ROW,
        line_height=LINE,
        edge=EDGE,
        width=WIDTH,
        high=rows_bottom + (len(sentence_lines) + 3) * LINE,
    )


def png(svg: str) -> bytes:
    """Convert the text of an SVG to the bytes of a PNG of twice its width and height.

    Raise UsageError if resvg is not installed.
    """
    resvg_py = require_extra("resvg_py", "PNG needs resvg", "report")
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=2.0))


def render_picture(svg: str, name: str) -> str | bytes:
    """Return the content of a picture file by the ending of its name.

    It is PNG (bytes) for ".png" in any case, otherwise the SVG text itself. Nothing is
    written. Raise UsageError if a PNG is wanted and resvg is not installed.
    """
    return png(svg) if name.lower().endswith(".png") else svg
