"""The report's pictures as inline SVG: the same bytes for the same round, and no names."""

from __future__ import annotations

import io
import re
from fractions import Fraction
from typing import Any

import numpy as np

from pairopt.event.state import State
from pairopt.wording import decimal_text

INK = "#010203"
"""Drawn in this, and turned into the page's own colour: dark on light or light on dark."""


def score_groups(state: State) -> str:
    """How many players have how many points; odd groups are hatched."""
    figure, ax = _figure(max(1.2, 0.25 * state.groups + 0.8))
    sizes = np.bincount(state.group, minlength=state.groups)
    scores = [int(state.score[state.group == g][0]) for g in range(state.groups)]
    labels = [decimal_text(Fraction(score, state.scale)) for score in scores]
    bars = ax.barh(np.arange(state.groups), sizes, color="#6a8caf")
    for bar, size in zip(bars, sizes.tolist(), strict=True):
        bar.set_hatch("///" if size % 2 else "")
        ax.text(size, bar.get_y() + bar.get_height() / 2, f" {size}", va="center")
    ax.set_yticks(np.arange(state.groups), labels)
    ax.invert_yaxis()
    ax.set(ylabel="points", xlabel="players (hatched: an odd number)")
    return _svg(figure, "score groups")


def balance_strip(state: State) -> str:
    """How many players have played how many games more on one side; empty without sides."""
    if state.event.sides is None:
        return ""
    figure, ax = _figure(1.5)
    biases, count = np.unique(state.bias, return_counts=True)
    ax.bar(biases, count, color="#b08968")
    ax.set_xticks(biases, [f"{bias:+d}" if bias else "0" for bias in biases.tolist()])
    first = state.event.sides[0]
    label = first.capitalize() if first in ("corp", "runner", "white", "black") else "first-side"
    ax.set(ylabel="players", xlabel=f"{label} games more than the other side's")
    return _svg(figure, "side balance")


def _figure(height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, height), layout="constrained")
    ax = figure.subplots()
    ax.spines[["top", "right"]].set_visible(False)
    return figure, ax


def _svg(figure: Any, title: str) -> str:
    """The figure as an SVG element that takes the page's text colour and width."""
    import matplotlib as mpl

    out = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": title}):
        for ax in figure.axes:
            for spine in ax.spines.values():
                spine.set_edgecolor(INK)
            ax.tick_params(colors=INK)
            for text in (ax.xaxis.label, ax.yaxis.label, *ax.texts):
                text.set_color(INK)
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    drawn = out.getvalue()
    drawn = drawn[drawn.index("<svg") :].replace(INK, "currentColor")
    drawn = re.sub(r"<metadata>.*?</metadata>", "", drawn, flags=re.DOTALL)
    drawn = re.sub(
        r' width="[^"]*" height="[^"]*"| height="[^"]*" width="[^"]*"', "", drawn, count=1
    )
    return drawn.replace("<svg", f'<svg role="img" aria-label="{title}"', 1)
