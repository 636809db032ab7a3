"""Settings of the site, which `python docs/build.py` builds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))

from docutils.nodes import SkipNode
from from_code import filled
from mathml import to_mathml

from pairopt.version import __version__

if TYPE_CHECKING:
    from docutils.nodes import Node
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

project = "pairopt"
author = "The pairopt developers"
release = version = __version__
extensions = ["myst_nb"]
exclude_patterns = ["_build", "jupyter_execute", "**.ipynb_checkpoints"]
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_title = "pairopt"
html_copy_source = False
smartquotes = False  # options keep their two hyphens
html_show_copyright = False

myst_enable_extensions = ["amsmath", "deflist", "dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"  # no script from another server
nb_execution_mode = "off"  # a test compares what is stored with what comes out
nb_merge_streams = True


def setup(app: Sphinx) -> None:
    """Fill the generated sections of each page, and turn formulas into MathML."""

    def fill(_app: Sphinx, _page: str, source: list[str]) -> None:
        source[0] = filled(source[0])

    def inline_math(translator: HTML5Translator, node: Node) -> None:
        translator.body.append(to_mathml(node.astext()))
        raise SkipNode

    def math_block(translator: HTML5Translator, node: Node) -> None:
        mathml = to_mathml(node.astext(), as_block=True)
        translator.body.append(f'<div class="math">{mathml}</div>')
        raise SkipNode

    app.add_html_math_renderer("mathml", (inline_math, None), (math_block, None))
    app.connect("source-read", fill)
