"""Contenders: what pairs besides models, found by their `kind`."""

import sys
from collections.abc import Mapping
from pathlib import Path

from pairopt.errors import UsageError
from pairopt.lab.contenders.base import Contender, Pairs
from pairopt.lab.plugins import NO_OWN, named
from pairopt.problem.model import Model, load_model, model_names
from pairopt.registry import Registry

__all__ = ["CONTENDERS", "Contender", "ContenderLike", "Pairs", "contender_of"]

ContenderLike = str | Path | Model | Contender

CONTENDERS: Registry[Contender] = Registry(
    sys.modules[__name__],
    Contender,  # type: ignore[type-abstract]
    besides=("base",),
    group="pairopt.contenders",
    families={"program": ("bbp",), "schedules": ("knockout", "round_robin")},
)


def contender_of(given: ContenderLike, own: Mapping[str, object] = NO_OWN) -> Model | Contender:
    """A contender or model by its name, its file, or as it is.

    Raises UsageError where there is none, InputError for a bad model file.
    """
    if isinstance(given, Model | Path) or not isinstance(given, str):
        return given if callable(given) else load_model(given)
    if given not in own and (given in model_names() or given.endswith(".toml")):
        return load_model(given)
    if given not in own and given.partition("=")[0] not in CONTENDERS:
        raise UsageError(
            f"no model {given!r}; models: {', '.join(model_names())}, or the path of a .toml "
            f"file; contenders: {', '.join(CONTENDERS)}"
        )
    return named(given, CONTENDERS, own)
