"""No message lacks a field that its JSON had in version 1.0.0.

`names/message_fields.txt` has the fields by kind. It was made from the commit of 1.0.0: the fields
of each text of the catalogues, and those that all calls with that kind had.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from places import ROOT
from promised_fields import ONLY_INSIDE, missing_fields, promised_fields

from pairopt.messages import FIELDS_IN_JSON, FieldValue, Message, message, with_heading

MAKERS = {"message", "tell"}
"""Functions that make messages of the fields that they are given, as errors do."""


def calls() -> Iterator[tuple[str, str, set[str]]]:
    """Yield the place, kind and fields of each call that names a message's kind itself.

    Other ways of making messages, such as with a mapping of fields, are left out:
    those messages are looked at when a test makes them into text.
    """
    for path in sorted((ROOT / "pairopt").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            names = [keyword.arg for keyword in node.keywords]
            callee = ast.unparse(node.func).rpartition(".")[2]
            makes_message = callee in MAKERS or callee.endswith("Error")
            if None in names or not makes_message:
                continue
            fields = {name for name in names if name is not None}
            for argument in node.args:
                if (
                    isinstance(argument, ast.Constant)
                    and argument.value in promised_fields()
                ):
                    place = f"{path.relative_to(ROOT)}:{node.lineno}"
                    yield place, str(argument.value), fields


def test_every_call_gives_the_fields_of_version_1_0() -> None:
    found = [*calls()]
    assert len(found) > 500
    lacking = []
    for place, kind, fields in found:
        keys = {key.removesuffix("...") for key in FIELDS_IN_JSON.get(kind, ())}
        missing = promised_fields()[kind] - fields - keys
        if missing and kind not in ONLY_INSIDE:
            lacking.append(f"{place}: {kind} lacks {sorted(missing)}")
    assert not lacking, "\n".join(lacking)


def test_a_message_without_a_field_is_refused() -> None:
    fields: dict[str, FieldValue] = {
        "files": "",
        "facts": [],
        "number": 1,
        "folder": "",
    }
    assert not missing_fields(Message("hand.taken", {**fields}))
    del fields["facts"]
    lacking = Message("hand.taken", fields)
    for use in (str, Message.to_dict):
        with pytest.raises(
            AssertionError, match=r"hand\.taken: JSON lacks \['facts'\]"
        ):
            use(lacking)


def test_a_passage_has_the_fields_of_its_messages() -> None:
    """A message may have fewer fields than its passage, but not in JSON of its own."""
    heading = message("clash.players", many=2, who=["Ann", "Bob"])
    bye = message("clash.players_and_bye", takers=["Ann"])
    meeting = message("clash.meet_nobody", others=[])
    clash = with_heading(heading, meeting, bye, name=bye.kind).to_dict()
    assert {*clash} >= promised_fields()[bye.kind]
    with pytest.raises(AssertionError, match=r"JSON lacks .*'many', 'meets', 'who'"):
        bye.to_dict()
