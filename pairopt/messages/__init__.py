"""Name messages by id and fields, and format them for an interface.

A kind is `subject.what`, as `score.not_given`. Its sentence is a line of `english/subject.toml`,
whole, with `{field}` where a value goes. A door lays sentences of its own over these, which may
name its options or buttons; what is below knows neither."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any, Final

from pairopt.common.serialization import packaged
from pairopt.messages.formatting import decimal_text, join_names, quote

KIND = re.compile(r"[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*")
BETWEEN = {
    "clauses": "; ",
    "either": "; or ",
    "or": " or ",
    "and": " and ",
    "words": " ",
}
"""What stands between the values of a field, by how the sentence asks for them."""
FREE = "said.text"  # the kind of what has no kind of its own: a sentence of somebody else's


@dataclass(frozen=True, slots=True)
class Message:
    """What is told: its kind, and the values that its sentence names."""

    kind: str
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return ENGLISH.draw(self)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it: the kind, the fields as plain values, and the text."""
        return {
            "kind": self.kind,
            **{name: _plain(each) for name, each in self.fields.items()},
            "text": str(self),
        }


def message(kind: str | Message, /, **fields: Any) -> Message:
    """A kind with its fields; a text that is no kind is told as it stands."""
    if isinstance(kind, Message):
        return kind
    return (
        Message(kind, fields) if KIND.fullmatch(kind) else Message(FREE, {"text": kind})
    )


class MessageFormatter(Formatter):
    """The sentences of a door, by package and folder; the first that has a kind draws it.

    `{x}` is a text, a number without needless zeros, or names with commas; `{x:q}` in quotes and
    not too long, `{x:list}` the first of many, `{x:clauses}` sentences with semicolons, `{x:and}`
    and `{x:or}` all with that word, `{x:either}` with "; or", `{x:words}` with blanks, `{x:,}` a
    large number, `{x:match|matches}` the word for one or for several."""

    def __init__(self, *places: tuple[str, str]) -> None:
        self._places = places

    def draw(self, said: str | Message) -> str:
        """The sentence; a text as it stands, whatever it looks like. What no catalogue has is shown
        as kind and fields."""
        if isinstance(said, str):
            return said
        sentence = self.sentence(said.kind)
        if sentence is None:
            return f"{said.kind} {dict(said.fields)}"
        return self.vformat(sentence, (), said.fields)

    def sentence(self, kind: str) -> str | None:
        """What the door says for a kind, with its fields by name; None where it says nothing."""
        subject, _, what = kind.partition(".")
        every = (
            packaged(package, f"{folder}/{subject}.toml")
            for package, folder in self._places
        )
        return next((each[what] for each in every if what in each), None)

    def format_field(self, value: Any, format_spec: str) -> str:
        if "|" in format_spec:
            one, several = format_spec.split("|")
            return one if self._text(value) == "1" else several
        if format_spec == "q":
            return quote(self._text(value))
        if format_spec == "list":
            return join_names([self._text(each) for each in value])
        if format_spec in BETWEEN:
            return BETWEEN[format_spec].join(map(self._text, value))
        if format_spec == ",":
            return f"{value:,}"
        return self._text(value)

    def _text(self, value: Any) -> str:
        from fractions import Fraction  # most calls draw nothing

        if isinstance(value, Message):
            return self.draw(value)
        if isinstance(value, Fraction):
            return decimal_text(value)
        if isinstance(value, (tuple, list)):
            return ", ".join(map(self._text, value))
        return "" if value is None else str(value)


SENTENCES: Final = (__name__, "english")
ENGLISH = MessageFormatter(SENTENCES)  # the sentences that name no door
LENGTHS: Final = {
    "spoken": ((__name__, "spoken"),),
    "line": (),
    "full": ((__name__, "full"),),
}
"""What is laid over sentences to read them to somebody, to have a line, or to have all numbers."""
SPOKEN, FULL = (
    MessageFormatter(*LENGTHS[name], SENTENCES) for name in ("spoken", "full")
)


def _plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    return (
        value
        if isinstance(value, (bool, int, type(None)))
        else str(ENGLISH._text(value))
    )
