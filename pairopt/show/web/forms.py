"""Forms: fields as text and numbers."""

from __future__ import annotations

from starlette.datastructures import FormData

from pairopt.errors import UsageError

MOST_DIGITS = 9


def text_of(form: FormData, name: str) -> str | None:
    """A field without blanks around it, None where it is empty or not there."""
    value = form.get(name)
    return value.strip() or None if isinstance(value, str) else None


def number_of(form: FormData, name: str) -> int | None:
    """A field as a number from 0, None where it is empty. Raises UsageError for anything else."""
    text = text_of(form, name)
    return None if text is None else number(text, name)


def number(text: str, name: str) -> int:
    """A number from 0. Raises UsageError for anything else."""
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
        raise UsageError(f"{name}: found {text}, expected a number")
    return int(text)
