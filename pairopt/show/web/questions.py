"""Questions: three of them find the model that somebody wants who does not know models."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SAID = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and its answers in words by what they are called in forms."""

    name: str
    words: str
    answers: Mapping[str, str]


QUESTIONS = tuple(Question(**each) for each in SAID["questions"])


def model_of(answers: Mapping[str, object]) -> str | None:
    """The model for these answers, None where nobody has given any."""
    given = {each.name: answers.get(each.name) for each in QUESTIONS
             if answers.get(each.name) in each.answers}  # fmt: skip
    fitting = (each["model"] for each in SAID["models"] if each["given"].items() <= given.items())
    return next(fitting) if given else None
