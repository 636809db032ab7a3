"""Described: a model in plain words."""

from dataclasses import dataclass, fields

from pairopt.engines import abilities_of
from pairopt.problem.model import Model
from pairopt.problem.system import SYSTEMS
from pairopt.rules.base import Constraint, Criterion
from pairopt.words import Said, tell


@dataclass(frozen=True, slots=True)
class Described:
    """The rules of a model in sentences: `never` are constraints, `order` criteria, the first
    before all that follow, or their sum, as `how` says; `last_round` None where it is the same."""

    never: tuple[Said, ...]
    how: Said
    order: tuple[Said | str, ...]
    last_round: "Described | None" = None

    @property
    def head(self) -> Said:
        return tell("rules.never" if self.never else "rules.none_absolute")


def described(model: Model) -> Described:
    never = [_told(rule) for rule in model.constraints]
    never += [tell("rules.lookahead", rounds=model.lookahead)] * bool(model.lookahead)
    order: list[Said | str] = [_told(rule) for rule in model.criteria]
    how = tell("rules.in_order" if order else "rules.no_order")
    if model.engine is not None and not abilities_of(model.engine).exact:
        how = tell("rules.by_engine", engine=model.engine)
    elif model.system is not None:
        how, order = tell("rules.by_system"), [*SYSTEMS[model.system].description]
    elif order and model.weights is not None:
        how = tell("rules.by_weight")
        both = zip(order, model.weights, strict=True)
        order = [
            tell("rules.weighted", rule=rule, weight=str(weight))
            for rule, weight in both
        ]
    last = None if model.last_round is None else described(model.last_round)
    return Described(tuple(never), how, tuple(order), last)


def _told(rule: Constraint | Criterion) -> Said:
    own = {f.name: getattr(rule, f.name) for f in fields(rule)}  # type: ignore[arg-type]
    given = [
        f"{name}={value}" for name, value in own.items() if value not in (None, {})
    ]
    return tell("rules.rule", words=rule.describe(), named=[rule.kind, *given])
