"""`pairopt models`."""

from __future__ import annotations

from dataclasses import fields

import click

from pairopt.engines import abilities_of
from pairopt.problem.model import Model, load_model, model_names
from pairopt.rules.base import Constraint, Criterion
from pairopt.systems import SYSTEMS


@click.command()
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the models, or show one (by NAME, or a .toml file) in plain words."""
    if name is None:
        models = [load_model(each) for each in model_names()]
        width = max(len(model.name) for model in models)
        for model in models:
            click.echo(f"{model.name:{width}}  {model.title}")
        return
    click.echo(in_words(load_model(name)))


def in_words(model: Model) -> str:
    """A model in plain words: where it comes from, constraints, criteria, last round."""
    lines = [f"{model.name}: {model.title}"]
    if model.source:
        lines.append(f"Source: {model.source}")
    lines += ["", *_rules(model)]
    if model.last_round is not None:
        lines += ["", "In the last round (--last-round):", "", *_rules(model.last_round)]
    return "\n".join(lines)


def _rules(model: Model) -> list[str]:
    lines = ["Never:" if model.constraints or model.lookahead else "No rule is absolute."]
    lines += [f"  - {_sentence(rule)}" for rule in model.constraints]
    if model.lookahead:
        rounds = "1 more round" if model.lookahead == 1 else f"{model.lookahead} more rounds"
        lines.append(f"  - After it {rounds} without a rematch can be paired. [lookahead]")
    if model.engine is not None and not abilities_of(model.engine).exact:
        lines.append(f"Made by {model.engine}, which proves nothing; measured by:")
        return lines + [f"  {k}. {_sentence(rule)}" for k, rule in enumerate(model.criteria, 1)]
    if model.system is not None:
        words = SYSTEMS[model.system].words
        lines.append("Then, each before all that follow, the least:")
        return lines + [f"  {k}. {said}" for k, said in enumerate(words, 1)]
    if not model.criteria:
        return [*lines, "Otherwise any pairing is as good as any other."]
    if model.weights is None:
        lines.append("Then, each before all that follow:")
        weights = [""] * len(model.criteria)
    else:
        lines.append("Then the least weighted sum of:")
        weights = [f" (weight {weight})" for weight in model.weights]
    lines += [
        f"  {k}. {_sentence(rule)}{weight}"
        for k, (rule, weight) in enumerate(zip(model.criteria, weights, strict=True), 1)
    ]
    return lines


def _sentence(rule: Constraint | Criterion) -> str:
    given = [
        f"{f.name}={getattr(rule, f.name)}"
        for f in fields(rule)  # type: ignore[arg-type]
        if getattr(rule, f.name) not in (None, {})
    ]
    return f"{rule.describe()} [{' '.join([rule.kind, *given])}]"
