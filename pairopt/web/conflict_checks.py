"""Make changes from pages that may be out of date.

A change is refused if somebody has changed what the user saw when deciding on it.
`reads.toml` declares for each change what that is.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from starlette.datastructures import FormData

from pairopt.common.serialization import read_package_toml
from pairopt.errors import PairoptError
from pairopt.event.name_search import normalize_name
from pairopt.event.settings import SETTINGS
from pairopt.folder.concurrent_changes import open_as_shown, require_unchanged
from pairopt.folder.open_folder import Done, OpenFolder, StaleStateError
from pairopt.web.view import CELL, STATE, SURE, PageRequest, View, read_text

READS = read_package_toml("pairopt.web", "reads.toml")
TABLE = re.compile(r"\s*(B?)0*([0-9]+)", re.IGNORECASE)


def apply_change(
    view: View, name: str, page_request: PageRequest, form: FormData
) -> Done:
    """Make a change that a form asks for, although its page may be out of date.

    `name` is the change's in the view, and `page_request` has the event as it is now.
    The form says which state its page showed. Returns what was done. Raises
    StaleStateError if somebody has since changed what the user decided by, unless the
    change has been made already; then nothing is written. Raises what the change itself
    raises.
    """
    desk = page_request.desk
    make_change = view.changes[name]
    shown_state = str(form.get(STATE, ""))
    if view.beside or shown_state == desk.state:
        return make_change(desk, form)

    shown_desk = open_as_shown(desk, shown_state)
    reads_declaration = READS.get(f"{view.path}/{name}", {"reads": ["*"]})
    if "shows" in reads_declaration:
        shown_context: Any = view.context(replace(page_request, desk=shown_desk))
        form = _without_unchanged_fields(
            form, shown_context[reads_declaration["shows"]]
        )

    read_patterns = reads_declaration.get("reads", [])
    if SURE in form:
        read_patterns = read_patterns + reads_declaration.get("sure", [])
    read_parts = tuple(_fill_patterns(read_patterns, shown_desk, form))
    try:
        require_unchanged(desk, shown_desk, read_parts)
    except StaleStateError:
        # Rehearsing takes long if the change depends on a whole round (one word).
        is_quick_rehearsal = all(len(part_words) > 1 for part_words in read_parts)
        with suppress(PairoptError):
            if is_quick_rehearsal:
                rehearsed_change = make_change(desk.rehearsed(), form)
                if rehearsed_change.step is None:
                    return rehearsed_change
        raise
    return make_change(desk, form)


def _without_unchanged_fields(form: FormData, values: Mapping[str, Any]) -> FormData:
    """Return the form without cells and settings that still have the value on the page.

    `values` are those that the page showed, by column or setting; a missing one counts
    as "". All other fields are kept, in their order.
    """
    kept_fields = []
    for field_name, field_value in form.multi_items():
        is_on_page = field_name.startswith(CELL) or field_name in SETTINGS
        if not is_on_page or field_value != values.get(
            field_name.removeprefix(CELL), ""
        ):
            kept_fields.append((field_name, field_value))
    return FormData(kept_fields)


def _fill_patterns(
    patterns: Sequence[str], desk: OpenFolder, form: FormData
) -> Iterator[tuple[str, ...]]:
    """Yield the words of each pattern, with every combination of placeholder values.

    The values come from `desk` and the fields of `form`. For example "player {player}"
    becomes ("player", "anna"). A pattern whose placeholder has no value yields nothing.
    """
    for read_pattern in patterns:
        word_choices = []
        for pattern_word in read_pattern.split():
            if pattern_word in FILLED:
                word_choices.append(FILLED[pattern_word](desk, form))
            else:
                word_choices.append([pattern_word])
        yield from product(*word_choices)


def _find_player_words(name: str, desk: OpenFolder, form: FormData) -> Sequence[str]:
    """Return a list with the player in the form's field `name`, normalized.

    It is the player's identifier. An unknown player is returned as typed, and an empty
    field as "".
    """
    player_text = read_text(form, name) or ""
    # An unknown player stays as typed.
    with suppress(PairoptError):
        player_text = desk.identifier(player_text)
    return [normalize_name(player_text)]


def _find_table_words(_: OpenFolder, form: FormData) -> Sequence[str]:
    """Return a list with the table that a form names, for example ["b7"].

    It is at the beginning of the result slip, or in the field `table`. Leading zeros
    are dropped. The list is empty if there is no table.
    """
    table_match = TABLE.match(read_text(form, "slip") or read_text(form, "table") or "")
    return [normalize_name(table_match[1] + table_match[2])] if table_match else []


def _find_round_words(desk: OpenFolder, form: FormData) -> Sequence[str]:
    """Return the numbers of the next round and of the one before it, as texts.

    The earlier one comes first. They are for changes that hold from the next round on.
    The list is empty if the form names a round, or has only settings that may change at
    any time.
    """
    setting_names = [setting_name for setting_name in SETTINGS if setting_name in form]
    has_only_any_time_settings = setting_names and all(
        SETTINGS[setting_name].after == "any time" for setting_name in setting_names
    )
    if has_only_any_time_settings or read_text(form, "round"):
        return []
    next_round = desk.event.round
    return [str(next_round - 1), str(next_round)]


def _find_start_words(_: OpenFolder, form: FormData) -> Sequence[str]:
    """Return ["start"] if the form has a cell with a start number, otherwise [].

    Whatever depends on start numbers is read only if the form sets one.
    """
    return ["start"] if f"{CELL}start" in form else []


FILLED: Mapping[str, Callable[[OpenFolder, FormData], Sequence[str]]] = {
    "{player}": partial(_find_player_words, "player"),
    "{other}": partial(_find_player_words, "other"),
    "{table}": _find_table_words,
    "{next}": _find_round_words,
    "{name}": lambda _, form: [normalize_name(read_text(form, "name") or "")],
    "{round}": lambda desk, form: [read_text(form, "round") or str(desk.event.round)],
    "{cell}": lambda _, form: [
        field.removeprefix(CELL) for field in form if field.startswith(CELL)
    ],
    "{start}": _find_start_words,
    "{key}": lambda _, form: [key for key in SETTINGS if key in form],
}
"""The values of each placeholder in `reads.toml`, from the page's event and the form."""
