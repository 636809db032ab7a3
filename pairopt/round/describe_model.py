"""Describe a model in plain words."""

from dataclasses import dataclass, fields

from pairopt.engines import abilities_of
from pairopt.messages import Message, message
from pairopt.problem.model import Model
from pairopt.problem.system import SYSTEMS
from pairopt.rules.base import Constraint, Criterion


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """The rules of a model in sentences.

    `never` are the constraints, `order` the criteria; `how` says whether each comes before all
    that follow, or their weighted sum counts. `last_round` is None if it has the same rules.
    """

    never: tuple[Message, ...]
    how: Message
    order: tuple[Message | str, ...]
    last_round: "ModelDescription | None" = None

    @property
    def head(self) -> Message:
        """Heading of the constraints."""
        return message("rules.never" if self.never else "rules.none_absolute")


def describe_model(model: Model) -> ModelDescription:
    """Describe the rules of a model in sentences."""
    never = [_describe_rule(rule) for rule in model.constraints]
    if model.lookahead:
        never.append(message("rules.lookahead", rounds=model.lookahead))
    rules = [_describe_rule(rule) for rule in model.criteria]
    order: list[Message | str] = [*rules]
    how = message("rules.in_order" if order else "rules.no_order")
    if model.engine is not None and not abilities_of(model.engine).exact:
        how = message("rules.by_engine", engine=model.engine)
    elif model.system is not None:
        how = message("rules.by_system")
        order = [*SYSTEMS[model.system].description]
    elif order and model.weights is not None:
        how = message("rules.by_weight")
        order = [
            Message("rules.weighted", {**rule.fields, "weight": str(weight)})
            for rule, weight in zip(rules, model.weights, strict=True)
        ]
    last_round = None
    if model.last_round is not None:
        last_round = describe_model(model.last_round)
    return ModelDescription(tuple(never), how, tuple(order), last_round)


def _describe_rule(rule: Constraint | Criterion) -> Message:
    """Describe a constraint or criterion with its kind and parameters."""
    values = {f.name: getattr(rule, f.name) for f in fields(rule)}  # type: ignore[arg-type]
    parameters = [
        f"{name}={value}" for name, value in values.items() if value not in (None, {})
    ]
    return message("rules.rule", words=rule.describe(), named=[rule.kind, *parameters])
