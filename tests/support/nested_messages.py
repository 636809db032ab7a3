"""Refuse a message that holds another message, wherever a test makes one."""

from __future__ import annotations

from typing import Any

import pytest

from pairopt.messages import Located, Message, Passage


def refuse_nested_messages(patch: pytest.MonkeyPatch) -> None:
    """Let `Message` raise AssertionError for a field that holds a message."""
    make = Message.__init__

    def checked(self: Message, kind: str, fields: Any = None) -> None:
        for name, value in (fields or {}).items():
            assert not holds_message(value), f"{kind}: the field {name} holds {value!r}"
        make(self, kind, {} if fields is None else fields)

    patch.setattr(Message, "__init__", checked)


def holds_message(value: object) -> bool:
    """Return whether a value of a field is a message, or a list with one in it."""
    if isinstance(value, (list, tuple)):
        return any(map(holds_message, value))
    return isinstance(value, (Message, Passage, Located))
