"""Contenders: pairing methods other than models, found by their `kind`."""

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
    """A pairing method: any function of an event and a seed that pairs the next round.

    Every active player has to be in one pair. With a true attribute `partial`, players may
    be left out, and any number have a bye. In simulated events the column "strength" of
    `event.columns` has the true strengths, in Elo points.
    """

    def __call__(self, event: Event, seed: int, /) -> Pairs | None:
        """Return the pairs of the event's next round, None if there is no pairing.

        Parameters
        ----------
        event
            The event before the round.
        seed
            The seed of every random choice, below 2^31.

        Returns
        -------
        Pairs or None
            Two names per match, the player with the first side first; one name for a bye.
        """


def pair_by_contender(contender: Contender, event: Event, seed: int) -> Result:
    """Pair the event's next round with a contender, and return the result.

    Its status is "heuristic" and it has no level values. If the contender returns None,
    the result has no pairing, and its status is "unknown". `seed` is passed on to the
    contender. Raises UsageError if the contender fails, or returns something that is no
    pairing.
    """
    contender_name = name_of(contender)
    problem = prepare(event, "random", seed=seed, sides=event.sides or ())
    problem = replace(problem, model=replace(problem.model, name=contender_name))

    with user_code_errors(f"contender {contender_name}"):
        contender_pairs = contender(event, seed)

    paired_rows: tuple[PairedRow, ...] = ()
    arcs: Arcs | None = None
    if contender_pairs is not None:
        is_partial = bool(getattr(contender, "partial", False))
        pair_arcs = _convert_pairs(
            contender_name, problem.state.names, contender_pairs, is_partial
        )
        paired_rows, arcs = problem.assign_tables(pair_arcs)

    return Result(
        status="unknown" if arcs is None else "heuristic",
        objective="lexicographic",
        engine="",
        seed=seed,
        level_values=(),
        matches=paired_rows,
        problem=problem,
        arcs=arcs,
    )


def _convert_pairs(
    name: str, players: Sequence[str], pairs: Pairs, is_partial: bool
) -> Arcs:
    """Convert a contender's pairs to arcs between positions in `players`.

    `name` is the contender's, for the message. A pair is two names, or one for a bye.
    If `is_partial`, players may be left out, and several may have a bye. The opponent
    in a bye is -1. Raises UsageError, with all faults, for pairs that are no pairing of
    these players.
    """
    position_of_player = {
        player: player_position for player_position, player in enumerate(players)
    }
    try:
        padded_pairs = [
            (*map(str, returned_pair), None)[:2]
            for returned_pair in pairs
            if len(returned_pair) in (1, 2)
        ]
        fault_texts = [
            f"{returned_pair!r} is not a pair or a bye"
            for returned_pair in pairs
            if len(returned_pair) not in (1, 2)
        ]
    except TypeError:
        raise UsageError(
            "contender.no_pairs", contender=name, found=repr(pairs)
        ) from None

    times_paired = Counter(
        player
        for returned_pair in padded_pairs
        for player in returned_pair
        if player is not None
    )
    fault_texts += [
        f"{player} is not a player in this round"
        for player in times_paired
        if player not in position_of_player
    ]
    fault_texts += [
        f"{player} is paired twice"
        for player, pair_count in times_paired.items()
        if pair_count > 1
    ]
    if not is_partial:
        fault_texts += [
            f"{player} is not paired"
            for player in players
            if player not in times_paired
        ]
        bye_count = sum(opponent is None for _, opponent in padded_pairs)
        if bye_count > 1:
            fault_texts.append(f"{bye_count} players have the bye")
    if fault_texts:
        raise UsageError("contender.pairs_wrong", contender=name, wrong=fault_texts)

    first_positions = [position_of_player[str(player)] for player, _ in padded_pairs]
    second_positions = [
        BYE if opponent is None else position_of_player[opponent]
        for _, opponent in padded_pairs
    ]
    return arcs_of(
        np.array(first_positions, np.int64), np.array(second_positions, np.int64)
    )


ContenderLike = str | Path | Model | Contender

CONTENDERS: ExtensionRegistry[type[Contender]] = ExtensionRegistry(
    __name__, Contender, "pairopt.contenders"
)


def resolve_contender(
    method: ContenderLike, own: Mapping[str, object] = NO_OWN
) -> Model | Contender:
    """Resolve a model or contender from its name, its file, or the object itself.

    `method` is one of these. A callable or a Model is returned as it is. A Path, or a
    text that ends in .toml, is a model file. `own` are the user's plug-ins by name;
    they come before models and contenders of that name. Raises UsageError for a name or
    object that is neither, InputError for a bad model file.
    """
    if isinstance(method, Model | Path) or not isinstance(method, str):
        if callable(method):
            return method
        if not isinstance(method, Model | Path):
            raise UsageError("contender.no_model", given=repr(method))
        return load_model(method)

    is_model = method in {*model_names(), *GONE} or method.endswith(".toml")
    if method not in own and is_model:
        return load_model(method)
    if method not in own and method.partition("=")[0] not in CONTENDERS:
        known_methods = {"models": model_names(), "contenders": [*CONTENDERS]}
        raise UsageError("contender.unknown", given=repr(method), **known_methods)
    return resolve_name(method, CONTENDERS, own)
