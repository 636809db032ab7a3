"""Define `pairopt models`: list the models, or show one in plain words."""

from typing import TYPE_CHECKING

import click

from pairopt.problem.model import Model, load_model, model_names
from pairopt.problem.model_uses import USES, ModelUse, group_models

if TYPE_CHECKING:
    from pairopt.round.describe_model import ModelDescription


@click.command()
@click.argument("name", required=False)
def models(name: str | None) -> None:
    """List the shipped models, or explain one model.

    Examples:
      pairopt models                 list all models
      pairopt models excalibur       the rules of one model
      pairopt models own.toml        the rules of your own model file
    """
    if name is not None:
        click.echo(model_text(load_model(name)))
        return
    all_names = model_names()
    name_width = max(map(len, all_names))
    for group_title, names_of_group in group_models(all_names).items():
        click.echo(f"{group_title}:")
        for model_name in names_of_group:
            click.echo(f"  {model_name:{name_width}}  {load_model(model_name).title}")


def model_text(model: Model) -> str:
    """Return a model in plain words: its source, constraints, criteria, last round.

    What the model does not have is left out.
    """
    from pairopt.round.describe_model import describe_model

    model_description = describe_model(model)
    text_lines = [f"{model.name}: {model.title}"]
    if model.source:
        text_lines.append(f"Source: {model.source}")
    model_use = USES.get(model.name)
    if model_use is not None and load_model(model.name) == model:
        text_lines.append(f'The model belongs to the group "{model_use.group}".')
        text_lines.append(
            f"We checked the model with {model_use.checked}.{_format_reproduced(model_use)}"
        )
    text_lines += ["", *_list_rule_lines(model_description)]
    if model_description.last_round is not None:
        text_lines += [
            "",
            "In the last round (option --last-round), the model uses these rules:",
            "",
        ]
        text_lines += _list_rule_lines(model_description.last_round)
    return "\n".join(text_lines)


def _format_reproduced(use: ModelUse) -> str:
    """Return a sentence on reproduced rounds, "" for a model without published rounds."""
    if not use.published:
        return ""
    return (
        f" The model reproduces {use.reproduced} of {use.published} published rounds."
    )


def _list_rule_lines(description: "ModelDescription") -> list[str]:
    """Return the constraints as a list and the criteria as a numbered list.

    Each list has a sentence above it.
    """
    constraint_lines = [f"  - {sentence}" for sentence in description.never]
    criterion_lines = [
        f"  {criterion_number}. {sentence}"
        for criterion_number, sentence in enumerate(description.order, 1)
    ]
    return [
        str(description.head),
        *constraint_lines,
        str(description.how),
        *criterion_lines,
    ]
