"""Describe a model in plain words."""

from dataclasses import dataclass, fields, replace

from pairopt.engines import abilities_of
from pairopt.messages import Message, message
from pairopt.problem.model import Model
from pairopt.problem.system import SYSTEMS
from pairopt.rules.base import Constraint, Criterion


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """The rules of a model in sentences.

    `never` are the constraints, and `order` the criteria. `how` says whether each
    criterion comes before all that follow, or whether their weighted sum counts.
    `last_round` describes the model for the last round, None if it has no other rules
    then. If only its constraints differ, its `order` is empty, and its `how` says so.
    """

    never: tuple[Message, ...]
    how: Message
    order: tuple[Message | str, ...]
    last_round: "ModelDescription | None" = None

    @property
    def head(self) -> Message:
        """Heading of the constraints; without any it says that nothing is forbidden."""
        return message("rules.never" if self.never else "rules.none_absolute")


def describe_model(model: Model) -> ModelDescription:
    """Describe the rules of a model in sentences.

    Rules of the last round are described separately, if the model has such. For a
    system its own description replaces the criteria; a weighted model has the weight of
    each criterion. For a model whose engine is not exact, the engine is named as what
    decides.
    """
    constraint_sentences = [
        _describe_rule(model_constraint) for model_constraint in model.constraints
    ]
    if model.lookahead:
        constraint_sentences.append(message("rules.lookahead", rounds=model.lookahead))
    if model.advance_wins is not None:
        constraint_sentences.append(message("rules.advance", wins=model.advance_wins))
    if model.eliminate_losses is not None:
        constraint_sentences.append(
            message("rules.eliminate", losses=model.eliminate_losses)
        )
    criterion_messages = [
        _describe_rule(model_criterion) for model_criterion in model.criteria
    ]
    criterion_sentences: list[Message | str] = [*criterion_messages]
    comparison_sentence = message(
        "rules.in_order" if criterion_sentences else "rules.no_order"
    )
    if model.engine is not None and not abilities_of(model.engine).exact:
        comparison_sentence = message("rules.by_engine", engine=model.engine)
    elif model.system is not None:
        comparison_sentence = message("rules.by_system")
        criterion_sentences = [*SYSTEMS[model.system].description]
    elif criterion_sentences and model.weights is not None:
        comparison_sentence = message("rules.by_weight")
        criterion_sentences = [
            Message(
                "rules.weighted",
                {
                    **criterion_message.fields,
                    "rule": str(criterion_message),
                    "weight": str(criterion_weight),
                },
            )
            for criterion_message, criterion_weight in zip(
                criterion_messages, model.weights, strict=True
            )
        ]
    last_round_description = None
    if model.last_round is not None:
        last_round_description = describe_model(model.last_round)
        if last_round_description.order == tuple(criterion_sentences):
            same_order_sentence = message("rules.same_order")
            last_round_description = replace(
                last_round_description, how=same_order_sentence, order=()
            )
    return ModelDescription(
        tuple(constraint_sentences),
        comparison_sentence,
        tuple(criterion_sentences),
        last_round_description,
    )


def _describe_rule(rule: Constraint | Criterion) -> Message:
    """Return a rule's description as a message, with its kind and parameters.

    Parameters of the rule have the form name=value; those that are None or {} are left
    out.
    """
    parameter_values = {
        rule_parameter.name: getattr(rule, rule_parameter.name)
        for rule_parameter in fields(rule)  # type: ignore[arg-type]
    }
    parameter_texts = [
        f"{parameter_name}={parameter_value}"
        for parameter_name, parameter_value in parameter_values.items()
        if parameter_value not in (None, {})
    ]
    return message(
        "rules.rule", words=rule.describe(), named=[rule.kind, *parameter_texts]
    )
