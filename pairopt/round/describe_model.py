"""Described: a model in plain words."""

from dataclasses import dataclass, fields

from pairopt.engines import abilities_of
from pairopt.messages import Message, message
from pairopt.problem.model import Model
from pairopt.problem.system import SYSTEMS
from pairopt.rules.base import Constraint, Criterion


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """The rules of a model in sentences: `never` are constraints, `order` criteria, the first
    before all that follow, or their sum, as `how` says; `last_round` None where it is the same.
    """

    never: tuple[Message, ...]
    how: Message
    order: tuple[Message | str, ...]
    last_round: "ModelDescription | None" = None

    @property
    def head(self) -> Message:
        return message("rules.never" if self.never else "rules.none_absolute")


def describe_model(model: Model) -> ModelDescription:
    never = [_describe_rule(rule) for rule in model.constraints]
    never += [message("rules.lookahead", rounds=model.lookahead)] * bool(
        model.lookahead
    )
    rules = [_describe_rule(rule) for rule in model.criteria]
    order: list[Message | str] = [*rules]
    how = message("rules.in_order" if order else "rules.no_order")
    if model.engine is not None and not abilities_of(model.engine).exact:
        how = message("rules.by_engine", engine=model.engine)
    elif model.system is not None:
        how, order = message("rules.by_system"), [*SYSTEMS[model.system].description]
    elif order and model.weights is not None:
        how = message("rules.by_weight")
        both = zip(rules, model.weights, strict=True)
        order = [
            Message("rules.weighted", {**rule.fields, "weight": str(weight)})
            for rule, weight in both
        ]
    last = None if model.last_round is None else describe_model(model.last_round)
    return ModelDescription(tuple(never), how, tuple(order), last)


def _describe_rule(rule: Constraint | Criterion) -> Message:
    own = {f.name: getattr(rule, f.name) for f in fields(rule)}  # type: ignore[arg-type]
    given = [
        f"{name}={value}" for name, value in own.items() if value not in (None, {})
    ]
    return message("rules.rule", words=rule.describe(), named=[rule.kind, *given])
