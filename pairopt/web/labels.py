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

    `label` is its name, and `hint` the text beside it. `choices` are pairs of a value
    and its words, and `suggestions` are values that the browser proposes. A setting
    with `more` is in the folded part of the form.
    """

    label: str
    hint: str = ""
    choices: Sequence[tuple[str, str]] = ()
    suggestions: Sequence[str] = ()
    more: bool = False


def _setting_label(key: str) -> SettingLabel:
    """Return how the page shows a setting.

    A setting without an entry in labels.toml has the label and hint of its declaration.
    """
    if key in LABELS["settings"]:
        return SettingLabel(**LABELS["settings"][key])
    return SettingLabel(SETTINGS[key].label, SETTINGS[key].hint)


SETTING_LABELS: Mapping[str, SettingLabel] = {
    key: _setting_label(key) for key in SETTINGS
}
"""How the page shows each setting, by its key in event.toml."""


def column_label(column: str) -> str:
    """Return the label of a column of players, such as "FIDE ID" for "fide_id".

    Any other column is named by its own words: "home_town" is "Home town".
    """
    column_label_text = LABELS["columns"].get(column)
    return column_label_text or column.replace("_", " ").capitalize()


def menu_title(model_name: str) -> str:
    """Return the title of a model for a menu: the part before its first colon.

    Raises UsageError for an unknown model.
    """
    return load_model(model_name).title.partition(": ")[0]


class TieBreakOption(NamedTuple):
    """A tie-break in a menu: its `value` in the form, and its `label` for people."""

    value: str
    label: str


class TieBreakSlot(NamedTuple):
    """The menu for one place in the order of tie-breaks.

    `options` are its entries, and `chosen` is the value selected in it.
    """

    chosen: str
    options: Sequence[TieBreakOption]


def tie_break_slots(text: str) -> list[TieBreakSlot]:
    """Return a menu for each tie-break of a setting, and for some that can be added.

    `text` is the setting's value, such as "BH/C1,BH". There are at least FEWEST_SLOTS
    menus, and at least one with nothing chosen, at the end. A menu has the tie-break as
    it is spelled there, so that an unchanged form has an unchanged value.
    """
    chosen_names = split_words(text)
    slot_count = max(FEWEST_SLOTS, len(chosen_names) + 1)
    empty_slots = [""] * (slot_count - len(chosen_names))
    return [
        TieBreakSlot(chosen_name, _build_options(chosen_name))
        for chosen_name in (*chosen_names, *empty_slots)
    ]


def _build_options(chosen: str) -> list[TieBreakOption]:
    """Return the tie-breaks of a menu, with the chosen one as it is spelled.

    `chosen` is "" for none; the other options are as menus offer them. An unknown name
    is an option of its own: the page says what is wrong with it.
    """
    chosen_tie_break = _find_tie_break(chosen)
    menu_options = []
    is_listed = False
    for offered_value in _list_offered_values():
        is_chosen = _is_same(_find_tie_break(offered_value), chosen_tie_break)
        is_listed = is_listed or is_chosen
        menu_options.append(
            TieBreakOption(
                chosen if is_chosen else offered_value, _find_label(offered_value)
            )
        )
    if chosen and not is_listed:
        menu_options.append(TieBreakOption(chosen, _find_label(chosen)))
    return menu_options


def _list_offered_values() -> list[str]:
    """Return the tie-breaks that menus offer: those with a label, then all others.

    Each is there once, as a value of the form. Others are those of extensions, too.
    """
    return [*dict.fromkeys([*LABELS["tie_breaks"], *TIE_BREAKS])]


def _find_tie_break(name: str) -> TieBreak | None:
    """Return the tie-break of a name or of a code, None if it is unknown.

    It is also None if the name has modifiers that are not allowed.
    """
    try:
        return tie_break_of(name)
    except UsageError:
        return None


def _is_same(one: TieBreak | None, other: TieBreak | None) -> bool:
    """Return whether two tie-breaks are the same, by whatever names.

    None stands for an unknown tie-break. The result is False if one of the two is None,
    and also if both are.
    """
    if one is None or other is None:
        return False
    return (one.kind, one.how) == (other.kind, other.how)


def _find_label(value: str) -> str:
    """Return the name of a tie-break for a menu.

    `value` is its name or code. Its label comes first, then its heading; an unknown
    value is returned itself.
    """
    tie_break_label = LABELS["tie_breaks"].get(value)
    if tie_break_label is not None:
        return str(tie_break_label)
    tie_break = _find_tie_break(value)
    return value if tie_break is None else tie_break.heading


def tie_break_names(names: Sequence[str]) -> str:
    """Return tie-breaks as one text with commas, by their names on the page.

    An unknown one is named as it is spelled.
    """
    tie_break_by_name = {
        given_name: _find_tie_break(given_name) for given_name in LABELS["tie_breaks"]
    }
    tie_break_labels = []
    for given_name in names:
        tie_break = _find_tie_break(given_name)
        same_names = (
            offered_name
            for offered_name, offered_tie_break in tie_break_by_name.items()
            if _is_same(offered_tie_break, tie_break)
        )
        tie_break_labels.append(_find_label(next(same_names, given_name)))
    return ", ".join(tie_break_labels)
