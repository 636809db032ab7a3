"""Refuse a message that lacks a field of version 1.0.0, wherever a test makes one into text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pytest
from promised import names

from pairopt.messages import (
    FIELDS_IN_JSON,
    Located,
    Message,
    MessageFormatter,
    Note,
    Passage,
)

ONLY_INSIDE = frozenset(
    {
        "article.order",
        "article.order_by_opposition",
        "change.result",
        "change.result_by_forfeit",
        "change.result_played",
        "headline.rematch",
        "match.again_often",
        "match.again_once",
        "match.again_twice",
        "match.up_apart",
        "match.up_met",
        "match.up_odd",
        "stated.points_of_several",
    }
)
"""Kinds that stood only inside other messages in version 1.0.0, where JSON had their text alone."""


@cache
def promised_fields() -> dict[str, frozenset[str]]:
    """Return the fields that each kind of message had in the JSON of version 1.0.0."""
    fields_by_kind = {}
    for line in names("message_fields"):
        kind, _, fields = line.partition(": ")
        fields_by_kind[kind] = frozenset(fields.split())
    return fields_by_kind


TO_DICT = {Message: Message.to_dict, Passage: Passage.to_dict}
"""The JSON of messages, which is not looked at here."""


def missing_fields(note: Note) -> set[str]:
    """Return the fields of version 1.0.0 that a message's JSON lacks."""
    if note.kind in ONLY_INSIDE:
        return set()
    return {*promised_fields().get(note.kind, ())} - {*TO_DICT[type(note)](note)}


def refuse_missing_fields(patch: pytest.MonkeyPatch) -> None:
    """Let messages raise AssertionError for a missing field, in their text and JSON.

    A message inside a passage may have fewer fields: the passage is what JSON has. A
    message that gets keys from its passage may be without them in texts. Of messages
    with equal kinds and fields only the first is looked at.
    """
    format_message = MessageFormatter.format_message
    depth = 0
    known: set[object] = set()

    def look_at(note: Any, from_passage: Mapping[str, Sequence[str]]) -> None:
        if isinstance(note, Located):
            note = note.message
        if not isinstance(note, (Message, Passage)):
            return
        parts = note.messages if isinstance(note, Passage) else (note,)
        fields = [(part.kind, *part.fields) for part in parts]
        shape = (note.kind, str(fields), bool(from_passage))
        if shape not in known:
            keys = {key.removesuffix("...") for key in from_passage.get(note.kind, ())}
            missing = missing_fields(note) - keys
            assert not missing, f"{note.kind}: JSON lacks {sorted(missing)}: {note!r}"
            known.add(shape)

    def checked_format(self: MessageFormatter, note: Any) -> str:
        nonlocal depth
        depth += 1
        try:
            if depth == 1:
                look_at(note, FIELDS_IN_JSON)
            return format_message(self, note)
        finally:
            depth -= 1

    def checked_to_dict(self: Message | Passage) -> dict[str, Any]:
        nonlocal depth
        depth += 1
        try:
            if depth == 1:
                look_at(self, {})
            return TO_DICT[type(self)](self)
        finally:
            depth -= 1

    patch.setattr(MessageFormatter, "format_message", checked_format)
    for each in TO_DICT:
        patch.setattr(each, "to_dict", checked_to_dict)
