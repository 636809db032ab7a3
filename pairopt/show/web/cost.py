"""Cost: what a pairing that is not published yet costs, how far that is proven, and where."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pairopt.folder.pairing import Preview
from pairopt.problem.levels import notable
from pairopt.round.explain import ExplainedMatch
from pairopt.round.result import Result
from pairopt.show.shown import Levels, levels_of
from pairopt.show.words import PAGE
from pairopt.wording import amount
from pairopt.words import tell

MOST_BARS, LOW, STEP, HIGH = 60, 2, 4, 24
"""How many levels are drawn, and how high: nothing, each doubling, and the most."""
UNPROVEN = {"feasible": "proof.best_found", "heuristic": "proof.by_procedure"}


@dataclass(frozen=True, slots=True)
class Cost:
    """A pairing in a line: whether it is "proven", what to say of that, and a bar for each level. A
    bar is its height and whether no pairing has less; `more` are sentences on how it was found."""

    kind: str
    words: str
    more: tuple[str, ...]
    bars: tuple[tuple[int, bool], ...]
    levels: Levels


def cost_of(result: Result, without: Collection[str] = (), worse: bool = False) -> Cost | None:
    """What a pairing costs, None where there is none. Options that make no difference are left out
    (`without`); it may be `worse` than the best."""
    if result.arcs is None:
        return None
    more = [] if result.choice is None else [*map(PAGE.draw, result.choice.words())]
    if len(result.proven_by) > 1:
        more = [*more, PAGE.draw(tell("solving.found_twice"))]
    shown = notable(result.problem, result.level_values)[0][:MOST_BARS]
    heights = (min(HIGH, LOW + STEP * (level.value or 0).bit_length()) for level in shown)
    bars = tuple(zip(heights, (level.proven is not False for level in shown), strict=True))
    stated = result.stated(without)
    said = stated.said
    if stated.kind == "not" and result.status in UNPROVEN:
        said = tell(UNPROVEN[result.status])
    elif worse and stated.kind == "by hand":
        said = tell("proof.by_hand_worse")
    kind = "proven" if result.proven else "unproven"
    return Cost(kind, PAGE.draw(said), tuple(more), bars, levels_of(result))


def beside(made: Preview, matches: Sequence[ExplainedMatch]) -> Iterator[tuple[bool, list[str]]]:
    """For each match whether the best pairing has another, and what gets worse by it there. Of a
    system, whose brackets follow from each other, no match alone makes anything worse."""
    best = {frozenset(pair) for pair in made.best.pairs}
    known = {(level.place, level.level): level.value or 0 for level in made.best.level_values}
    alone = made.result.problem.system is None
    now = {(level.place, level.level): level.value or 0 for level in made.result.level_values}
    higher = {level for level, value in now.items() if alone and value > known.get(level, 0)}
    for pair, match in zip(made.result.pairs, matches, strict=True):
        changed = bool(best) and frozenset(pair) not in best
        there = (share for share in match.shares
                 if changed and (share.level.place, share.level.label) in higher)  # fmt: skip
        yield changed, [f"+{amount(each.value, each.level.scale)} {each.level.words}"
                        for each in there]  # fmt: skip
