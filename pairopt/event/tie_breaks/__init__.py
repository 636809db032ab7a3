"""Tie-breaks: what ranks players with equal points, found by their `kind`."""

import re
from collections.abc import Mapping, Sequence

from pairopt.errors import UsageError
from pairopt.event.settings import BY_GAMES, CHESS, EVERYBODY, GO, SCHEDULE
from pairopt.event.tie_breaks.base import EXAMPLES, SAID, TieBreak, modifiers_of
from pairopt.registry import ExtensionRegistry

__all__ = [
    "BY_GAMES",
    "CHESS",
    "EVERYBODY",
    "GO",
    "NAMES",
    "SCHEDULE",
    "TIE_BREAKS",
    "TieBreak",
    "is_known",
    "tie_break_of",
    "tie_breaks_named",
]

TIE_BREAKS: ExtensionRegistry[type[TieBreak]] = ExtensionRegistry(
    __name__, TieBreak, "pairopt.tie_breaks"
)

NAMES: Mapping[str, str] = SAID["names"]
"""Further names of some codes."""
STROKE = re.compile("[/:]|-(?=[CM])")
"""The separators of a code and its modifiers; the Handbook also writes BH-C1."""


def tie_break_of(name: str) -> TieBreak:
    """Return the tie-break of a name, or of a code with modifiers such as BH/C1.

    Upper and lower case are the same. Raises UsageError for an unknown name or code,
    and for modifiers that it does not take. The instance has the name or code in
    `name`, and the modifiers in `how`.
    """
    code_name, *modifier_texts = STROKE.split(NAMES.get(name.lower(), name).upper())
    kind_of_code = next(
        (known_kind for known_kind in TIE_BREAKS if known_kind.upper() == code_name),
        None,
    )
    if kind_of_code is None:
        raise UsageError("tie_break.unknown", name=name, known=[*NAMES, *TIE_BREAKS])
    tie_break_class = TIE_BREAKS[kind_of_code]
    modifiers = modifiers_of(modifier_texts, tie_break_class.takes)
    if modifiers is None:
        modifier_examples = [
            EXAMPLES.get(modifier_letter, modifier_letter)
            for modifier_letter in tie_break_class.takes
        ]
        error_message_id = (
            "tie_break.modifiers" if modifier_examples else "tie_break.no_modifiers"
        )
        raise UsageError(
            error_message_id, name=name, kind=kind_of_code, takes=modifier_examples
        )
    code_with_modifiers = "/".join([kind_of_code, *modifier_texts])
    return tie_break_class(
        name.lower() if name.lower() in NAMES else code_with_modifiers,
        code_with_modifiers,
        modifiers,
    )


def is_known(name: str) -> bool:
    """Whether a text is the name or code of a tie-break, with modifiers that it takes.

    No error is raised.
    """
    try:
        tie_break_of(name)
    except UsageError:
        return False
    return True


def tie_breaks_named(names: Sequence[str]) -> tuple[TieBreak, ...]:
    """Return the tie-breaks of these names or codes, in the same order.

    Raises UsageError for an unknown one, and for one that is there twice, also under
    two names.
    """
    named_tie_breaks = tuple(map(tie_break_of, names))
    earlier_kinds_and_modifiers = []
    for tie_break in named_tie_breaks:
        kind_and_modifiers_of_name = (tie_break.kind, tie_break.how)
        if kind_and_modifiers_of_name in earlier_kinds_and_modifiers:
            raise UsageError("tie_break.twice", name=tie_break.name)
        earlier_kinds_and_modifiers.append(kind_and_modifiers_of_name)
    return named_tie_breaks
