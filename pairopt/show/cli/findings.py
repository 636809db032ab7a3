"""What `pairopt study` prints: who counts, what is alike, means, differences and tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from pairopt.lab.measuring.statistics.comparing import (
    baseline_of,
    designs,
    differences,
    ended_early,
    means,
)
from pairopt.lab.measuring.statistics.estimate import FEW, few
from pairopt.lab.running.comparison import half_widths
from pairopt.show.cli.console import table_text
from pairopt.wording import counted, listed, plain

if TYPE_CHECKING:
    import pandas as pd


def findings_text(
    frame: pd.DataFrame, heading: str, baseline: str | None, widths: Mapping[str, float]
) -> str:
    """The tables of a study for people, models of equal pairings as one.

    `widths` are the half-widths that were asked for.
    """
    first = baseline_of(frame, baseline)
    alike = _alike(frame, first)
    shown = frame[frame["model"].isin(alike)]
    own, against = means(shown), differences(shown, first)
    parts = [f"{plain(heading)}\n", "".join(f"{line}\n" for line in _remarks(frame, alike))]
    if own.empty:
        parts.append("No tournament was paired to the end.\n")
    else:
        parts.append(_means_text(own))
    if not against.empty:
        parts += [f"Paired differences to {plain(first)}\n", _differences_text(against)]
    parts.append(_legend(own, against))
    if widths:
        parts.append("".join(f"{line}\n" for line in _widths(frame, baseline, widths)))
    return "\n".join(part for part in parts if part)


def _alike(frame: pd.DataFrame, baseline: str) -> dict[str, list[str]]:
    """The models of equal pairings by the one that stands for them, the baseline if it is one."""
    found = {}
    for names in designs(frame).values():
        leader = baseline if baseline in names else names[0]
        found[leader] = [leader, *(name for name in names if name != leader)]
    return found


def _remarks(frame: pd.DataFrame, alike: Mapping[str, list[str]]) -> Iterator[str]:
    """Who is left out, and who is one design."""
    for model, rows in ended_early(frame).groupby("model", sort=False):
        of = frame.loc[frame["model"] == model, "replicate"].nunique()
        named = listed([str(each) for each in rows["replicate"]])
        yield (
            f"{plain(model)}: {len(rows)} of {counted(of, 'tournament', 'tournaments')} left out, "
            f"as a round had no pairing: {plain(named)}"
        )
    models = sum(map(len, alike.values()))
    if models > len(alike):
        kinds = counted(len(alike), "design", "designs")
        yield f"{models} models are {kinds}: these have the same numbers in every round"
        yield from (f"  {plain(' = '.join(names))}" for names in alike.values() if len(names) > 1)


def _means_text(own: pd.DataFrame) -> str:
    rows = [[r.model, r.metric, f"{r.mean:.4g}", _range(r), r.n] for r in _rows(own)]
    return table_text(["model", "metric", "mean", "95 % interval", "n"], rows, "mean,n")


def _differences_text(against: pd.DataFrame) -> str:
    heads = ["model", "metric", "difference", "95 % interval", "n", "vary", "p"]
    rows = [
        [r.model, r.metric, f"{r.difference:+.4g}", _range(r), r.n, r.varied, _p(r.p_holm)]
        for r in _rows(against)
    ]
    return table_text(heads, rows, "difference,n,vary,p")


def _legend(own: pd.DataFrame, against: pd.DataFrame) -> str:
    """What the columns of the differences and the stars are."""
    lines = [
        "Intervals hold each for itself. p is of no difference, corrected (Holm) for all designs "
        "compared in a metric.",
        "vary: tournaments whose difference is not the most frequent one, which mostly is 0.",
    ] * (not against.empty)
    if any(few(row.varied, row.n) for table in (own, against) for row in _rows(table)):
        lines.append(
            f"*: fewer than {FEW} vary, too few to say anything: the interval is mostly what could "
            "be."
        )
    return "".join(f"{line}\n" for line in lines)


def _widths(
    frame: pd.DataFrame, baseline: str | None, wanted: Mapping[str, float]
) -> Iterator[str]:
    count = frame.groupby("model")["replicate"].nunique().max()
    for metric, reached in half_widths(frame, wanted, baseline).items():
        missed = "" if reached <= wanted[metric] else ", not reached"
        yield (
            f"{metric}: half-width {reached:.4g} after {count} tournaments a model "
            f"({wanted[metric]:g} was asked for{missed})"
        )


def _rows(table: pd.DataFrame) -> Iterator[Any]:
    return iter(table.itertuples())


def _range(row: Any) -> str:
    if not (isfinite(row.low) and isfinite(row.high)):
        return "unknown" + "*" * few(row.varied, row.n)
    return f"{row.low:.4g} to {row.high:.4g}" + "*" * few(row.varied, row.n)


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"
