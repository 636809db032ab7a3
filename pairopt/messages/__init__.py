"""Name messages by id and fields, and format them for an interface.

A kind is `subject.what`, such as `score.not_given`. Its text is a line of `english/subject.toml`
with `{field}` where a value goes. An interface has texts of its own, which may name its options or
buttons. Modules below the interfaces know neither.

A field holds a name, a number, or a list of these, never a message. Several messages stand side by
side in a `Passage`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from string import Formatter
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, overload

from pairopt.common.serialization import read_package_toml
from pairopt.messages.formatting import decimal_text, join_names, quote

if TYPE_CHECKING:
    from decimal import Decimal
    from fractions import Fraction
    from pathlib import Path

    Plain: TypeAlias = "str | int | float | Fraction | Decimal | Path | Value | None"
    FieldValue: TypeAlias = Plain | Sequence[Plain] | Sequence[Sequence[Plain]]
    """What a field may hold: a name, a number, or a list of these. Never a message."""
else:
    FieldValue = object

KIND = re.compile(r"[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*")
BETWEEN = {
    "clauses": "; ",
    "either": "; or ",
    "or": " or ",
    "and": " and ",
    "words": " ",
}
"""The separators of a field's values, by the format that the sentence asks for."""
SINGULARS = {
    "byes": "bye",
    "changes": "change",
    "columns": "column",
    "days": "day",
    "levels": "level",
    "lines": "line",
    "losses": "loss",
    "matches": "match",
    "pages": "page",
    "pairs": "pair",
    "persons": "person",
    "players": "player",
    "points": "point",
    "rematches": "rematch",
    "results": "result",
    "rounds": "round",
    "rows": "row",
    "sides": "side",
    "steps": "step",
    "values": "value",
    "wins": "win",
}
"""The nouns that a number may stand before, each with its singular."""
OF_SOURCE, AT_PLACE, HINTED = "input.of", "input.at", "input.hinted"
ELSE = "else "
IN_BRACKETS = "brackets"
SEMICOLON = "; "
BECAUSE, REASON, AND = " because ", ", as ", ", and "
"""Marks between a message and its reason or proof, which stay one clause."""
FIELDS_IN_JSON = {
    "bye.no_points": ("", "why"),
    "cell.unfit": ("", "said"),
    "cell.unfit_all": ("", "said", ""),
    "checked.beside": ("", "worse"),
    "checked.beside_found": ("", "worse"),
    "checked.found_beside": ("", "worse"),
    "checked.optimal_beside": ("", "worse"),
    "clash.players": ("", "meets"),
    "clash.players_and_bye": ("", "meets", ""),
    "clash.players_no_bye": ("", "meets", ""),
    "engine.proves_nothing": ("", "so"),
    "event.again": ("said", "more..."),
    "fact.barred": ("", "facts"),
    "fact.named": ("", "facts"),
    "fact.none_of_few": ("", "each..."),
    "fact.of_player": ("", "fact"),
    "fide_data.in_list": ("", "said"),
    "fide_data.of_player": ("", "said"),
    "folder.changed_by": ("", "did"),
    "headline.fewest_rematches": ("", "who"),
    "headline.floats": ("", "who"),
    "headline.rematches": ("", "who"),
    "key.unfit": ("said",),
    "lost.unread": ("", "why"),
    "lot.illegal": ("", "why"),
    "match.bye": ("", "why..."),
    "match.told": ("clauses...",),
    "mend.file": ("why", "now"),
    "mode.final_since": ("", "why", ""),
    "mode.told": ("", "said"),
    "mode.told_left": ("", "said"),
    "option.points": ("", "why"),
    "pairing.faults": ("faults...",),
    "played.already": ("", "match"),
    "player.changed": ("", "change"),
    "player.frozen_starts": ("", "changes..."),
    "program.no_pairing": ("", "why"),
    "proof.fault": ("", "why"),
    "proof.malformed": ("", "why"),
    "proof.none_kept": ("", "why"),
    "proof.our_fault": ("", "why"),
    "question.free": ("question",),
    "question.free_besides": ("question", "fact"),
    "question.impossible": ("question", "", "why..."),
    "question.known": ("question", "fact"),
    "question.no_float": ("question",),
    "question.unknown": ("question",),
    "question.unknown_besides": ("question", "fact"),
    "question.worse": ("question", "worse"),
    "question.worse_besides": ("question", "fact", "worse"),
    "reason.level": ("", "reasons..."),
    "repaired.told": ("many", "order"),
    "round.no_rounds": ("", "why"),
    "round.paired": ("", "result"),
    "round.paired_again": ("", "result"),
    "rule.of_players": ("", "fact"),
    "score.unfit": ("", "why", ""),
    "setting.unfit": ("", "said"),
    "solving.illegal": ("", "broken..."),
    "solving.not_verified": ("", "why"),
    "standing.league_points": ("", "events..."),
    "stated.neither": ("", "why"),
    "stated.no_ranks": ("", "why"),
    "stated.points_wrong": ("", "said"),
    "stated.rank_wrong": ("", "said"),
    "stayed.changed": ("", "because..."),
    "step.again": ("", "step"),
    "step.named": ("", "did"),
    "step.set_aside": ("", "broken..."),
    "step.take_back": ("", "step"),
    "step.undone": ("", "step"),
    "study.setting_unfit": ("said",),
    "table.several_to_open": ("", "tables"),
    "table.to_open": ("", "tables"),
    "trf.other_points": ("", "said..."),
    "way.with_room": ("allow", "room"),
}
"""The keys that JSON has had since 1.0 for the messages of a passage, by its kind.

A key with dots takes all messages that are left, as a list. The last key without dots takes them as
one text. An empty key skips a message."""
PASSAGES = frozenset(
    {
        OF_SOURCE,
        AT_PLACE,
        HINTED,
        "event.again",
        "match.told",
        "mend.file",
        "pairing.faults",
        "question.free_besides",
        "question.impossible",
        "question.known",
        "question.unknown_besides",
        "question.worse",
        "question.worse_besides",
        "repaired.told",
        "way.with_room",
    }
)
"""Kinds of several messages together that have no text of their own. JSON has them."""
FORMS = frozenset(
    {
        "clash.no_lookahead",
        "clash.relaxed",
        "fact.bracket",
        "fact.brought",
        "fact.bye",
        "fact.match",
        "fact.match_with_side",
        "fact.no_table",
        "fact.no_table_with_side",
        "fact.points",
        "fact.points_of_games",
        "match.pair",
        "match.player",
        "reason.few_players",
        "reason.more_players",
        "reason.players",
        "table.whose",
        "trf.in_round",
        "wish.fixed_tables",
        "wish.forbidden_bye",
        "wish.forbidden_pairs",
        "wish.forced_bye",
        "wish.forced_pairs",
    }
)
"""The forms of values: phrases, not sentences."""
FREE = "said.text"
"""The id of a text without an id of its own, such as a sentence of another program."""


@dataclass(frozen=True, slots=True)
class Value:
    """A phrase that names a value, whose form differs by interface, such as a match.

    `form` is the id of its text in the catalogues, one of `FORMS`, and `parts` are the
    values of the placeholders in that text.
    """

    form: str
    parts: Mapping[str, str | int | Fraction | None] = field(hash=False)

    def __post_init__(self) -> None:
        """Raise ValueError for a form that is not in `FORMS`."""
        if self.form not in FORMS:
            raise ValueError(f"{self.form} is not the form of a value")

    def __str__(self) -> str:
        return ENGLISH.format_value(self)


def pair_value(first_player: str, second_player: str) -> Value:
    """Return a match of two players as a value for a field of a message.

    The arguments are the names of the players.
    """
    return Value("match.pair", {"one": first_player, "two": second_player})


def player_value(name: str, points: Fraction) -> Value:
    """Return a player's name with their points as a value for a field of a message."""
    return Value("match.player", {"name": name, "points": points})


@dataclass(frozen=True, slots=True)
class Message:
    """A message to a person: its id, and the values of the placeholders in its text.

    `kind` is the id. A field holds a name, a number, or a list of these, never another
    message. Put several messages side by side in a `Passage`.
    """

    kind: str
    fields: Mapping[str, FieldValue] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return ENGLISH.format_message(self)

    def to_dict(self) -> dict[str, Any]:
        """Return a dict for JSON: kind, each field as a plain value, and English text.

        The keys are "kind", the names of the fields, and "text".
        """
        return {
            "kind": self.kind,
            **{
                field_name: _to_plain_value(field_value)
                for field_name, field_value in self.fields.items()
            },
            "text": str(self),
        }


@dataclass(frozen=True, slots=True)
class Passage:
    """Messages that are read one after another, none inside another.

    `marks` stand between them, such as ": " after a heading, one fewer than messages.
    `end` stands after the last message. The kind of a passage is its `name`, or without
    a name the kind of its first message.
    """

    messages: tuple[Message, ...]
    marks: tuple[str, ...] = ()
    name: str = ""
    end: str = ""

    def __post_init__(self) -> None:
        """Raise ValueError unless there is one mark between each two messages."""
        if len(self.marks) != len(self.messages) - 1:
            raise ValueError("a passage has one mark between each two messages")

    @property
    def kind(self) -> str:
        """The passage's `name`, without one the kind of its first message."""
        return self.name or self.messages[0].kind

    @property
    def fields(self) -> Mapping[str, FieldValue]:
        """The fields of the first message of the passage, which may be a heading."""
        return self.messages[0].fields

    def __str__(self) -> str:
        return ENGLISH.format_message(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the passage as JSON has it: kind, fields, all `messages`, and the text.

        The fields are those of the first message, and of the message whose kind the
        passage has. A kind of version 1.0 also has the keys that it had there, each
        with the text of one or more messages.
        """
        named_message = next(
            (message for message in self.messages if message.kind == self.kind),
            self.messages[0],
        )
        return {
            **self.messages[0].to_dict(),
            **named_message.to_dict(),
            **self._collect_texts(),
            "kind": self.kind,
            "messages": [message.to_dict() for message in self.messages],
            "text": str(self),
        }

    def _list_clauses(self) -> tuple[list[str], list[str]]:
        """Return the texts of the passage's clauses, and the marks between them.

        A clause is a message with its reasons: a message after "because", ", as" or
        ", and" belongs to the clause before it.
        """
        clauses = [str(self.messages[0])]
        clause_marks: list[str] = []
        for separator, (message, next_message) in zip(
            self.marks, pairwise(self.messages), strict=True
        ):
            shown_mark = ENGLISH.mark_after(message, separator)
            if separator in (BECAUSE, REASON, AND):
                clauses[-1] += shown_mark + str(next_message)
            else:
                clauses.append(str(next_message))
                clause_marks.append(shown_mark)
        return clauses, clause_marks

    def _collect_texts(self) -> dict[str, str | list[str]]:
        """Return the texts of clauses by the keys that JSON has had since version 1.0.

        `FIELDS_IN_JSON` has the keys by kind of the passage, one per clause; "" skips a
        clause. A key that ends in "..." has the list of all further texts, and loses
        the dots. The last of several keys has the rest as one text. For a kind that is
        not in `FIELDS_IN_JSON`, the dict is empty.
        """
        clause_texts, clause_marks = self._list_clauses()
        json_keys = FIELDS_IN_JSON.get(self.kind, ())
        texts_by_key: dict[str, str | list[str]] = {}
        for clause_index, json_key in enumerate(json_keys):
            if json_key.endswith("..."):
                texts_by_key[json_key.removesuffix("...")] = clause_texts[clause_index:]
            elif json_key and clause_index == len(json_keys) - 1 > 0:
                marks_and_texts = zip(
                    clause_marks[clause_index:],
                    clause_texts[clause_index + 1 :],
                    strict=True,
                )
                texts_by_key[json_key] = "".join(
                    clause_texts[clause_index : clause_index + 1]
                ) + "".join(map("".join, marks_and_texts))
            elif json_key and clause_index < len(clause_texts):
                texts_by_key[json_key] = clause_texts[clause_index]
        return texts_by_key


@dataclass(frozen=True, slots=True)
class Located:
    """A message with the source and place that it is about, and a hint on what to do.

    `source` is usually the name of a file, `place` the location in it as text. Each of
    the two may be "", and the hint None.
    """

    message: Note
    source: str = ""
    place: str = ""
    hint: Message | None = None

    @property
    def kind(self) -> str:
        """The kind of the message without its place."""
        return self.message.kind

    @property
    def fields(self) -> Mapping[str, FieldValue]:
        """The fields of the message without its place."""
        return self.message.fields

    def __str__(self) -> str:
        return ENGLISH.format_message(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the message as JSON has had it since 1.0: kind, location and texts.

        The kind names the outermost part: the hint, otherwise the source, otherwise the
        place. The location is the key "source", or "place" if there is no source.
        `said` is the text without the outermost part, `text` the whole text.
        """
        location_fields = (
            {"source": self.source} if self.source else {"place": self.place}
        )
        full_text = str(self)
        if self.hint is not None:
            inner_text = str(replace(self, hint=None))
            return {
                "kind": HINTED,
                **location_fields,
                "said": inner_text,
                "hint": str(self.hint),
                "text": full_text,
            }
        if self.source:
            inner_text = str(replace(self, source=""))
            return {
                "kind": OF_SOURCE,
                **location_fields,
                "said": inner_text,
                "text": full_text,
            }
        return {
            "kind": AT_PLACE,
            **location_fields,
            "said": str(self.message),
            "text": full_text,
        }


def with_heading(
    heading: Note, *details: Note, mark: str = ": ", name: str = "", end: str = ""
) -> Passage:
    """Return a passage of details after a heading.

    `mark` stands after the heading, semicolons between the details, and `end` after the
    last one. Without details the passage is the heading alone. `name` is its kind; ""
    takes the heading's.
    """
    marks_between = [mark, *[SEMICOLON] * (len(details) - 1)] if details else []
    return _join((heading, *details), marks_between, name, end)


def join_notes(messages: Sequence[Note], name: str = "", end: str = "") -> Note:
    """Return messages as a passage with semicolons between them.

    A single message is returned as it is, unless the passage has a `name`, which is its
    kind, or an `end`, which stands after it. There must be at least one message.
    """
    if len(messages) == 1 and not name and not end:
        return messages[0]
    return _join(messages, [SEMICOLON] * (len(messages) - 1), name, end)


def _join(notes: Sequence[Note], marks: Sequence[str], name: str, end: str) -> Passage:
    """Return one passage of all notes, with a mark after each note but the last.

    `marks` has one mark fewer than there are notes. A note that is a passage is taken
    apart and keeps its own marks, but not its end. `name` is the kind of the passage
    ("" for that of the first note), and `end` stands after it.
    """
    joined_messages: list[Message] = []
    marks_between: list[str] = []
    for note, separator in zip(notes, (*marks, ""), strict=True):
        # Extensions may give texts, although types say otherwise.
        note = as_note(note)
        note_as_passage = note if isinstance(note, Passage) else Passage((note,))
        joined_messages += note_as_passage.messages
        marks_between += [*note_as_passage.marks, separator]
    return Passage(tuple(joined_messages), tuple(marks_between[:-1]), name, end)


M = TypeVar("M", "Message", "Passage", "Located")


@overload
def message(kind: str, /, **fields: FieldValue) -> Message: ...
@overload
def message(existing_message: M, /) -> M: ...
def message(kind: str | AnyMessage, /, **fields: FieldValue) -> AnyMessage:
    """Return a message with the id `kind` and these fields.

    An id is such as `score.not_given`; whether a catalogue has it is not checked. Any
    other text becomes a message with that text, without fields. A message of any class
    is returned as it is, and `fields` are ignored then.
    """
    if not isinstance(kind, str):
        return kind
    if KIND.fullmatch(kind):
        return Message(kind, fields)
    return Message(FREE, {"text": kind})


def as_note(note: str | Note) -> Note:
    """Return a text as a message, and a note as it is.

    A text that is the id of a message becomes the message of this id without fields.
    """
    return message(note) if isinstance(note, str) else note


def as_message(text: str | AnyMessage) -> AnyMessage:
    """Return a text as a message, and any message, located or not, as it is.

    A text that is the id of a message becomes the message of this id without fields.
    """
    return message(text) if isinstance(text, str) else text


Note = Message | Passage
"""One message, or several side by side."""
AnyMessage = Message | Passage | Located
"""Everything that a formatter turns into text."""


class MessageFormatter(Formatter):
    """A formatter of messages for an interface, by catalogues in packages.

    The first catalogue with a kind is used. `{x}` is a text, a number without needless
    zeros, or names with commas; `{x:q}` in quotes and not too long, `{x:list}` the
    first of many, `{x:clauses}` sentences with semicolons, `{x:and}` and `{x:or}` all
    with that word, `{x:either}` with "; or", `{x:words}` with blanks, `{x:,}` a large
    number, `{x:matches}` a number with its noun, `{x:match|matches}` the word for one
    or for several, `{x:else none}` that word where there is no value, `{x:brackets}`
    the value in brackets after a blank, or nothing.
    """

    def __init__(self, *places: tuple[str, str]) -> None:
        """Use the catalogues in these places, each a package and a folder in it.

        If several have a message, the first one counts.
        """
        self._places = places

    def format_message(self, note: str | AnyMessage) -> str:
        """Return the text of a message, located or not; a text is returned as it is.

        If no catalogue has the kind of a message, the text is its kind with its fields.
        Raises KeyError if the catalogue's text names a field that the message does not
        have.
        """
        if isinstance(note, str):
            return note
        if isinstance(note, Passage):
            return self._format_passage(note)
        if isinstance(note, Located):
            return self._format_located(note)
        sentence = self.find_sentence(note.kind)
        if sentence is None:
            return f"{note.kind} {dict(note.fields)}"
        return self.vformat(sentence, (), note.fields)

    def _format_passage(self, passage: Passage) -> str:
        """Return the texts of a passage's messages, with its marks and its end.

        After a message that is a whole sentence, a mark loses its stop: "; " becomes "
        ", and "." becomes "".
        """
        marks_and_end = (*passage.marks, passage.end)
        return "".join(
            self.format_message(note) + self.mark_after(note, mark)
            for note, mark in zip(passage.messages, marks_and_end, strict=True)
        )

    def mark_after(self, note: str | Note, mark: str) -> str:
        """Return a mark as it stands after a note, without its stop after a sentence.

        After "I am done." the marks "; " and ": " become " ", and "." becomes "". After
        a note that is no whole sentence the mark stays as it is.
        """
        return mark.lstrip(".,:;") if self._is_sentence(note) else mark

    def _is_sentence(self, note: str | Note) -> bool:
        """Return whether a note's text in the catalogue ends with a full stop, ? or !.

        Of a passage the last message counts. Extensions may give texts instead of
        messages.
        """
        last_message = note.messages[-1] if isinstance(note, Passage) else note
        if isinstance(last_message, str):
            message_text = last_message
        elif last_message.kind == FREE:
            message_text = self._text(last_message.fields["text"])
        else:
            message_text = self.find_sentence(last_message.kind) or ""
        return message_text.endswith((".", "?", "!"))

    def _format_located(self, located: Located) -> str:
        """Return "source: place: text hint", without the parts that are empty.

        The hint is in brackets if the text is no whole sentence.
        """
        location_parts = [
            located.source,
            located.place,
            self.format_message(located.message),
        ]
        text_with_place = ": ".join(
            location_part for location_part in location_parts if location_part
        )
        if located.hint is None:
            return text_with_place
        hint_text = self.format_message(located.hint)
        is_sentence = self._is_sentence(located.message)
        return (
            f"{text_with_place} {hint_text}"
            if is_sentence
            else f"{text_with_place} ({hint_text})"
        )

    def format_value(self, value: Value) -> str:
        """Return a value in the form that the interface has for it, as text.

        Every form must be in a catalogue.
        """
        form_text = self.find_sentence(value.form)
        assert form_text is not None
        return self.vformat(form_text, (), value.parts)

    def find_sentence(self, kind: str) -> str | None:
        """Return the text of a kind, with {field} where values go; None without one.

        The first catalogue that has the kind decides.
        """
        subject, _, message_key = kind.partition(".")
        for package_name, folder in self._places:
            sentences_by_key = read_package_toml(
                package_name, f"{folder}/{subject}.toml"
            )
            if message_key in sentences_by_key:
                sentence: str = sentences_by_key[message_key]
                return sentence
        return None

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return the text of a field's value in the format that the message asks for.

        `format_spec` is what stands after the colon, for example "q" or "list"; the
        class lists all formats. "", or an unknown format, gives the plain text.
        """
        if format_spec in SINGULARS:
            number_text = self._text(value)
            noun = SINGULARS[format_spec] if number_text == "1" else format_spec
            return f"{number_text} {noun}"
        if "|" in format_spec:
            singular, plural = format_spec.split("|")
            if isinstance(value, list):
                is_one = len(value) == 1
            else:
                is_one = self._text(value) == "1"
            return singular if is_one else plural
        if format_spec.startswith(ELSE):
            return self._text(value) or format_spec.removeprefix(ELSE)
        if format_spec == IN_BRACKETS:
            return f" ({self._text(value)})" if value else ""
        if format_spec == "q":
            return quote(self._text(value))
        if format_spec == "list":
            return join_names([self._text(listed_value) for listed_value in value])
        if format_spec in BETWEEN:
            return BETWEEN[format_spec].join(map(self._text, value))
        if format_spec == ",":
            return f"{value:,}"
        return self._text(value)

    def _text(self, value: Any) -> str:
        """Return a field's value as plain text: "" for None, a list with commas.

        A fraction becomes a decimal, a `Value` the form that the interface has for it.
        """
        from fractions import Fraction  # most calls draw nothing

        if isinstance(value, Value):
            return self.format_value(value)
        if isinstance(value, Fraction):
            return decimal_text(value)
        if isinstance(value, (tuple, list)):
            return ", ".join(map(self._text, value))
        return "" if value is None else str(value)


SENTENCES: Final = (__name__, "english")
ENGLISH = MessageFormatter(SENTENCES)  # the sentences that name no interface
LENGTHS: Final = {
    "spoken": ((__name__, "spoken"),),
    "line": (),
    "full": ((__name__, "full"),),
}
"""Catalogues that come before the sentences: for reading aloud, one line, or all numbers."""
SPOKEN, FULL = (
    MessageFormatter(*LENGTHS[name], SENTENCES) for name in ("spoken", "full")
)


def _to_plain_value(value: Any) -> Any:
    """Return a field's value for JSON: an integer, truth value, text, None or a list.

    Any other value, such as a fraction or a float, becomes its English text.
    """
    if isinstance(value, (tuple, list)):
        return [_to_plain_value(nested_value) for nested_value in value]
    if isinstance(value, (bool, int, type(None))):
        return value
    return str(ENGLISH._text(value))
