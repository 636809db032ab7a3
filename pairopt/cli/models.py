"""Models: the list of them, or one in plain words."""

from typing import TYPE_CHECKING

import click

from pairopt.problem.model import Model, load_model, model_names

if TYPE_CHECKING:
    from pairopt.round.describe_model import ModelDescription


@click.command()
@click.argument("name", required=False)
def models(name: str | None) -> None:
    """List the models, or show one (by NAME, or a .toml file) in plain words."""
    if name is not None:
        click.echo(in_words(load_model(name)))
        return
    every = [load_model(each) for each in model_names()]
    width = max(len(model.name) for model in every)
    for model in every:
        click.echo(f"{model.name:{width}}  {model.title}")


def in_words(model: Model) -> str:
    """A model in plain words: where it comes from, constraints, criteria, last round."""
    from pairopt.round.describe_model import describe_model

    words = describe_model(model)
    lines = [
        f"{model.name}: {model.title}",
        *[f"Source: {model.source}"] * bool(model.source),
    ]
    lines += ["", *_rules(words)]
    if words.last_round is not None:
        lines += [
            "",
            "In the last round (--last-round):",
            "",
            *_rules(words.last_round),
        ]
    return "\n".join(lines)


def _rules(words: "ModelDescription") -> list[str]:
    never = [f"  - {sentence}" for sentence in words.never]
    order = [f"  {k}. {sentence}" for k, sentence in enumerate(words.order, 1)]
    return [str(words.head), *never, str(words.how), *order]
