"""Give the organiser's page its labels for settings, tie-breaks and columns of players."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pairopt.common.serialization import read_package_toml
from pairopt.errors import UsageError
from pairopt.event.settings import SETTINGS
from pairopt.event.tie_breaks import TIE_BREAKS, TieBreak, tie_break_of
from pairopt.messages.formatting import split_words
from pairopt.problem.model import load_model

LABELS: Mapping[str, Any] = read_package_toml("pairopt.web", "labels.toml")
FEWEST_SLOTS = 5
"""The fewest tie-breaks that a form has room for."""


@dataclass(frozen=True, slots=True)
class SettingLabel:
    """How the page shows a setting.

    `choices` are values with their words, `suggestions` values that the browser
    proposes. A setting with `more` is in the folded part of the form.
    """

    label: str
    hint: str = ""
    choices: Sequence[tuple[str, str]] = ()
    suggestions: Sequence[str] = ()
    more: bool = False


SETTING_LABELS: Mapping[str, SettingLabel] = {
    key: SettingLabel(**LABELS["settings"][key]) for key in SETTINGS
}
"""How the page shows each setting, by its key in event.toml."""


def column_label(column: str) -> str:
    """Return the label of a column of players, such as "FIDE ID" for "fide_id"."""
    label = LABELS["columns"].get(column)
    return label or column.replace("_", " ").capitalize()


def menu_title(model_name: str) -> str:
    """Return the title of a model for a menu: the part before its first colon."""
    return load_model(model_name).title.partition(": ")[0]


class TieBreakOption(NamedTuple):
    """A tie-break in a menu: its value in the form, and its name."""

    value: str
    label: str


class TieBreakSlot(NamedTuple):
    """The menu for one place in the order of tie-breaks, and the value chosen in it."""

    chosen: str
    options: Sequence[TieBreakOption]


def tie_break_slots(text: str) -> list[TieBreakSlot]:
    """Return a menu for each tie-break of a setting, and for some that can be added.

    `text` is the setting's value, such as "BH/C1,BH". A menu has the tie-break as it is
    spelled there, so that an unchanged form has an unchanged value.
    """
    chosen_names = split_words(text)
    slot_count = max(FEWEST_SLOTS, len(chosen_names) + 1)
    padding = [""] * (slot_count - len(chosen_names))
    return [
        TieBreakSlot(name, _options_with(name)) for name in (*chosen_names, *padding)
    ]


def _options_with(chosen: str) -> list[TieBreakOption]:
    """Return the tie-breaks of a menu, with the chosen one as it is spelled.

    An unknown name is an option of its own: the page says what is wrong with it.
    """
    chosen_tie_break = _find_tie_break(chosen)
    options = []
    is_listed = False
    for value in _offered_values():
        is_chosen = _is_same(_find_tie_break(value), chosen_tie_break)
        is_listed = is_listed or is_chosen
        options.append(TieBreakOption(chosen if is_chosen else value, _name_of(value)))
    if chosen and not is_listed:
        options.append(TieBreakOption(chosen, _name_of(chosen)))
    return options


def _offered_values() -> list[str]:
    """Return the tie-breaks that menus offer: those with a label, then extensions'."""
    return [*dict.fromkeys([*LABELS["tie_breaks"], *TIE_BREAKS])]


def _find_tie_break(name: str) -> TieBreak | None:
    """Return the tie-break of a name or code, None if it is unknown."""
    try:
        return tie_break_of(name)
    except UsageError:
        return None


def _is_same(one: TieBreak | None, other: TieBreak | None) -> bool:
    """Whether two tie-breaks are the same, by whatever names; None is the same as none."""
    if one is None or other is None:
        return False
    return (one.kind, one.how) == (other.kind, other.how)


def _name_of(value: str) -> str:
    """Return the name of a tie-break for a menu, the value itself if it is unknown."""
    label = LABELS["tie_breaks"].get(value)
    if label is not None:
        return str(label)
    tie_break = _find_tie_break(value)
    return value if tie_break is None else tie_break.heading


def tie_break_names(names: Sequence[str]) -> str:
    """Return tie-breaks as one text, by their names on the page."""
    offered = {name: _find_tie_break(name) for name in LABELS["tie_breaks"]}
    texts = []
    for name in names:
        tie_break = _find_tie_break(name)
        same_names = (
            key for key, known in offered.items() if _is_same(known, tie_break)
        )
        texts.append(_name_of(next(same_names, name)))
    return ", ".join(texts)
