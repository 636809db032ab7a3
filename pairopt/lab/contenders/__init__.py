"""Contenders: what pairs besides models, found by their `kind`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.arcs import BYE, Arcs, arcs_of
from pairopt.event.event import Event
from pairopt.event.table_assignment import PairedRow
from pairopt.lab.identity import name_of, user_code_errors
from pairopt.problem.build import prepare
from pairopt.problem.model import GONE, Model, load_model, model_names
from pairopt.registry import ExtensionRegistry
from pairopt.round.result import Result
from pairopt.rules.plugins import NO_OWN, resolve_name

Pairs = Sequence[tuple[str, ...]]
"""Two players each, the one with the first side first; one player: the bye."""


class Contender(Protocol):
    """Pairs a round of an event: any function of it and of a seed.

    Every active player has to be in one pair; with a true attribute `partial` players may be left
    out, and any number have a bye. None: no pairing. In simulated events the column "strength" of
    `event.columns` has the true strengths, in Elo points.
    """

    def __call__(self, event: Event, seed: int, /) -> Pairs | None:
        """The pairs of the event's next round."""


def paired_by(contender: Contender, event: Event, seed: int) -> Result:
    """The round as this contender pairs it. Raises UsageError for what is no pairing of it."""
    name = name_of(contender)
    problem = prepare(event, "random", seed=seed, sides=event.sides or ())
    problem = replace(problem, model=replace(problem.model, name=name))
    with user_code_errors(f"contender {name}"):
        pairs = contender(event, seed)
    rows: tuple[PairedRow, ...] = ()
    arcs: Arcs | None = None
    if pairs is not None:
        partial = bool(getattr(contender, "partial", False))
        rows, arcs = problem.assign_tables(
            _arcs(name, problem.state.names, pairs, partial)
        )
    return Result(
        status="unknown" if arcs is None else "heuristic",
        objective="lexicographic",
        engine="",
        seed=seed,
        level_values=(),
        matches=rows,
        problem=problem,
        arcs=arcs,
    )


def _arcs(name: str, players: Sequence[str], pairs: Pairs, partial: bool) -> Arcs:
    position = {player: k for k, player in enumerate(players)}
    try:
        seats = [(*map(str, pair), None)[:2] for pair in pairs if len(pair) in (1, 2)]
        wrong = [f"no pair: {pair!r}" for pair in pairs if len(pair) not in (1, 2)]
    except TypeError:
        raise UsageError(
            "contender.no_pairs", contender=name, found=repr(pairs)
        ) from None
    count = Counter(player for seat in seats for player in seat if player is not None)
    wrong += [
        f"not in the round: {player}" for player in count if player not in position
    ]
    wrong += [f"paired twice: {player}" for player, times in count.items() if times > 1]
    if not partial:
        wrong += [f"not paired: {player}" for player in players if player not in count]
        byes = sum(two is None for _, two in seats)
        wrong += [f"{byes} byes"] * (byes > 1)
    if wrong:
        raise UsageError("contender.pairs_wrong", contender=name, wrong=wrong)
    first = [position[str(one)] for one, _ in seats]
    second = [BYE if two is None else position[two] for _, two in seats]
    return arcs_of(np.array(first, np.int64), np.array(second, np.int64))


ContenderLike = str | Path | Model | Contender

CONTENDERS: ExtensionRegistry[type[Contender]] = ExtensionRegistry(
    __name__, Contender, "pairopt.contenders"
)


def contender_of(
    given: ContenderLike, own: Mapping[str, object] = NO_OWN
) -> Model | Contender:
    """A contender or model by its name, its file, or as it is. Raises UsageError where there is
    none, InputError for a bad model file.
    """
    if isinstance(given, Model | Path) or not isinstance(given, str):
        if callable(given):
            return given
        if not isinstance(given, Model | Path):
            raise UsageError("contender.no_model", given=repr(given))
        return load_model(given)
    if given not in own and (
        given in {*model_names(), *GONE} or given.endswith(".toml")
    ):
        return load_model(given)
    if given not in own and given.partition("=")[0] not in CONTENDERS:
        known = {"models": model_names(), "contenders": [*CONTENDERS]}
        raise UsageError("contender.unknown", given=repr(given), **known)
    return resolve_name(given, CONTENDERS, own)
