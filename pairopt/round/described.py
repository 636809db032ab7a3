"""Described: a model in plain words."""

from __future__ import annotations

from dataclasses import dataclass, fields

from pairopt.engines import abilities_of
from pairopt.problem.model import Model
from pairopt.problem.system import SYSTEMS
from pairopt.rules.base import Constraint, Criterion


@dataclass(frozen=True, slots=True)
class Described:
    """The rules of a model in sentences.

    `never` are constraints; `order` criteria, the first before all that follow, or their sum as
    `how` says. `last_round` is what holds in the last round, None where that is the same.
    """

    never: tuple[str, ...]
    how: str
    order: tuple[str, ...]
    last_round: Described | None = None

    @property
    def head(self) -> str:
        """What stands above the constraints."""
        return "Never:" if self.never else "No rule is absolute."


def described(model: Model) -> Described:
    never = [_sentence(rule) for rule in model.constraints]
    if model.lookahead:
        rounds = "1 more round" if model.lookahead == 1 else f"{model.lookahead} more rounds"
        never.append(f"After it {rounds} without a rematch can be paired. [lookahead]")
    order = [_sentence(rule) for rule in model.criteria]
    if model.engine is not None and not abilities_of(model.engine).exact:
        how = f"Made by {model.engine}, which proves nothing; measured by:"
    elif model.system is not None:
        how = "Then, each before all that follow, the least:"
        order = list(SYSTEMS[model.system].description)
    elif not order:
        how = "Otherwise any pairing is as good as any other."
    elif model.weights is None:
        how = "Then, each before all that follow:"
    else:
        how = "Then the least weighted sum of:"
        both = zip(order, model.weights, strict=True)
        order = [f"{sentence} (weight {weight})" for sentence, weight in both]
    last = None if model.last_round is None else described(model.last_round)
    return Described(tuple(never), how, tuple(order), last)


def _sentence(rule: Constraint | Criterion) -> str:
    given = [
        f"{f.name}={getattr(rule, f.name)}"
        for f in fields(rule)  # type: ignore[arg-type]
        if getattr(rule, f.name) not in (None, {})
    ]
    return f"{rule.describe()} [{' '.join([rule.kind, *given])}]"
