"""Settings of an event: texts that users type become values of event.toml."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import tomlkit

from pairopt.common.limits import MOST_NUMBER, parse_integer_in
from pairopt.errors import ConfirmationError, InvalidValueError, UsageError
from pairopt.event.forbidden_pairs import Rounds, rounds_text
from pairopt.event.groups import SEPARATOR, split_groups
from pairopt.event.points import Points, parse_number_of_points, parse_points
from pairopt.event.prizes import PrizeRules
from pairopt.event.report_head import (
    parse_day,
    parse_federation,
    parse_person,
    parse_persons,
    parse_time_control,
)
from pairopt.event.settings import SETTINGS, Form, SettingDeclaration
from pairopt.files.event_folder import BRACKET, EVENT
from pairopt.files.event_toml import parse_money_text
from pairopt.files.text_source import decode_text
from pairopt.folder.fide_mode import (
    FideModeState,
    find_unfit_settings,
    format_setting,
    read_mode,
)
from pairopt.folder.open_folder import (
    Done,
    Folder,
    OpenFolder,
    build_changed_event,
    open_folder,
)
from pairopt.folder.protected_facts import SCORED, Facts, compare_facts, read_facts
from pairopt.messages import Message, Note, message, with_heading
from pairopt.messages.formatting import decimal_text, find_nearest, shorten, split_words
from pairopt.problem.model import load_model, model_names
from pairopt.problem.problem import ratings_notes
from pairopt.problem.round_model import model_for, require_pairable

POINTS, PRIZES = "points", "prizes"
PARTS = ("win", "draw", "loss")


def _parse_whole_number(text: str, allowed: range, key: str) -> int:
    """Parse a whole number for the setting `key`.

    `allowed` is the range of possible numbers. Raise UsageError, which names the
    limits, if `text` is a number outside of it, or no number.
    """
    parsed_number = parse_integer_in(text, allowed)
    if parsed_number is None:
        raise UsageError(
            "setting.out_of_range",
            key=key,
            found=shorten(text),
            low=allowed[0],
            high=allowed[-1],
        )
    return parsed_number


def _parse_truth(text: str) -> bool:
    """Parse "true" or "false" into a Boolean.

    Raise InvalidValueError for anything else, such as "True", "yes" or "".
    """
    if text not in ("true", "false"):
        raise InvalidValueError("setting.no_truth")
    return text == "true"


def format_amount(number: Fraction) -> Any:
    """Return a number of points or money as a tomlkit value, which is written exactly.

    It is a whole number, or a decimal such as 0.5.
    """
    return tomlkit.value(decimal_text(number))


def format_prizes(rules: PrizeRules | None) -> dict[str, Any]:
    """Return the rules for prizes as values of event.toml, by their keys.

    Keys have the form "prizes.main". Rules that are the usual ones are left out; None
    has no rules.
    """
    if rules is None:
        return {}
    usual_rules = PrizeRules()
    toml_value_by_name: dict[str, Any] = {}
    if rules.main:
        toml_value_by_name["main"] = [*map(format_amount, rules.main)]
    if rules.groups:
        toml_value_by_name["groups"] = [*map(str, rules.groups)]
    for rule_name in ("sharing", "shared", "equal_players", "least_players"):
        if getattr(rules, rule_name) != getattr(usual_rules, rule_name):
            toml_value_by_name[rule_name] = getattr(rules, rule_name)
    for rule_name in ("rounding", "least_share"):
        if getattr(rules, rule_name) != getattr(usual_rules, rule_name):
            toml_value_by_name[rule_name] = format_amount(getattr(rules, rule_name))
    if not rules.one_each:
        toml_value_by_name["per_person"] = "several"
    return {
        f"{PRIZES}.{rule_name}": rule_value
        for rule_name, rule_value in toml_value_by_name.items()
    }


def format_forbidden(pair: list[str], turns: Rounds | None) -> object:
    """Return an entry of `forbid` in event.toml: a pair for all rounds, or a table.

    `pair` has the two identifiers. `turns` is the first and the last round, None for
    all rounds. A table has the keys `players` and `rounds`.
    """
    if turns is None:
        return pair
    return tomlkit.inline_table().add("players", pair).add("rounds", rounds_text(turns))


def _parse_columns(text: str, key: str) -> list[dict[str, object]]:
    """Parse columns such as "club:2,team" into entries of `conflicts` in event.toml.

    An entry has the key `column`, and `place` if `text` has a number: the place of the
    column among the model's criteria, from 1. Raise UsageError if the number of a place
    is impossible; `key` names the setting in it.
    """
    conflict_entries = []
    for column_text in split_words(text):
        column_name, _, criterion_place_text = column_text.partition(":")
        conflict_entry: dict[str, object] = {"column": column_name}
        if criterion_place_text:
            possible_places = range(1, MOST_NUMBER + 1)
            conflict_entry["place"] = _parse_whole_number(
                criterion_place_text, possible_places, key
            )
        conflict_entries.append(conflict_entry)
    return conflict_entries


def _parse_labels(text: str) -> list[str]:
    """Parse the two labels of the sides; an empty text gives none.

    Raise InvalidValueError for another number of labels, or two that are equal apart
    from capital letters.
    """
    side_labels = split_words(text)
    distinct_labels = {side_label.lower() for side_label in side_labels}
    if len(side_labels) not in (0, 2) or len(distinct_labels) < len(side_labels):
        raise InvalidValueError("setting.no_two_labels")
    return side_labels


PARSERS: Mapping[Form, Callable[[str, SettingDeclaration], Any]] = {
    **dict.fromkeys(("text", "model", "label", "choice"), lambda text, _: text),
    "number": lambda text, setting: _parse_whole_number(
        text, setting.allowed, setting.key
    ),
    "ahead": lambda text, setting: (
        text
        if text == "all"
        else _parse_whole_number(text, setting.allowed, setting.key)
    ),
    "labels": lambda text, _: _parse_labels(text),
    "tie-breaks": lambda text, _: split_words(text),
    "columns": lambda text, setting: _parse_columns(text, setting.key),
    "truth": lambda text, _: _parse_truth(text),
    "points": lambda text, _: parse_points(text),
    "amount": lambda text, _: format_amount(parse_number_of_points(text)),
    "groups": lambda text, _: split_groups(text),
    "list-columns": lambda text, _: split_words(text),
    "amounts": lambda text, _: [
        format_amount(parse_money_text(part)) for part in text.split(",")
    ],
    "group-prizes": lambda text, _: split_groups(text),
    "money": lambda text, _: format_amount(parse_money_text(text)),
    "federation": lambda text, _: parse_federation(text),
    "day": lambda text, _: parse_day(text),
    "days": lambda text, _: [parse_day(part) for part in split_words(text)],
    "person": lambda text, _: parse_person(text),
    "persons": lambda text, _: parse_persons(text),
    "time control": lambda text, _: parse_time_control(text),
}
"""How the text of a setting is parsed, by its form; event.toml decides what is
possible."""
WITH_SEMICOLONS = ("groups", "group-prizes", "persons")
"""Forms whose entries have semicolons between them, because entries may have commas."""


def read_setting(key: str, text: str) -> Any:
    """Parse the text of a setting into its value in event.toml.

    `key` is one of `SETTINGS`. Raise UsageError, with the reason, if the setting cannot
    have such a value.
    """
    setting_declaration = SETTINGS[key]
    try:
        return PARSERS[setting_declaration.form](text, setting_declaration)
    except ValueError as error:
        if isinstance(error, InvalidValueError):
            reason_note = error.said
        else:
            reason_note = message(str(error))
        unfit_note = message("setting.unfit", key=key, found=text)
        raise UsageError(with_heading(unfit_note, reason_note)) from None


def require_known_keys(keys: Mapping[str, object]) -> None:
    """Raise UsageError if one of `keys` is no setting, for the first such key.

    The error names the nearest setting if one is similar.
    """
    for setting_key in keys:
        if setting_key not in SETTINGS:
            nearest_key = find_nearest(setting_key, SETTINGS)
            error_message_id = (
                "setting.unknown" if nearest_key is None else "setting.mistyped"
            )
            raise UsageError(
                error_message_id, key=setting_key, near=nearest_key, known=[*SETTINGS]
            )


def change(
    folder: Folder, settings: Mapping[str, str | None], *, sure: bool = False
) -> Done:
    """Change settings of an event, in one step of its log.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    settings : mapping of str to str or None
        Texts by the keys of event.toml (`SETTINGS`): "5" for rounds, "white,black" for
        sides, "3-1-0" for points, "club" for conflicts. None removes a setting.
    sure : bool
        Whether to change the points although results have been entered, or the number
        of rounds although the event has a top cut.

    Returns
    -------
    Done
        The messages name the changed settings.

    Raises
    ------
    UsageError
        If a setting is unknown, or if the event cannot have the new value of a setting.
    ConfirmationError
        If a change is unusual and `sure` is False.
    """
    with open_folder(folder) as opened_folder:
        setting_texts_before = read_current_settings(opened_folder)
        model_path = _find_model_file(opened_folder, settings.get("model"))
        changed_texts = {
            setting_key: setting_text
            for setting_key, setting_text in settings.items()
            if setting_text != setting_texts_before.get(setting_key)
        }
        _require_changeable(opened_folder, [*changed_texts])
        if model_path is not None:
            changed_texts["model"] = model_path.name
        changed_folder = opened_folder.with_event_toml(
            partial(_write_settings, changed_texts)
        )
        event = build_changed_event(changed_folder)
        setting_texts_after = read_current_settings(changed_folder)
        _require_mode_possible(
            read_mode(opened_folder.files), read_mode(changed_folder.files)
        )
        changed_keys = [
            setting_key
            for setting_key in SETTINGS
            if setting_texts_after.get(setting_key)
            != setting_texts_before.get(setting_key)
        ]
        if not changed_keys:
            return opened_folder.unchanged("set", message("setting.said_already"))

        last_round = event.settings.rounds
        paired_rounds = opened_folder.rounds()
        if last_round is not None and last_round < paired_rounds:
            raise UsageError(
                "setting.round_is_paired", last=last_round, paired=paired_rounds
            )

        change_notes: list[str | Note] = [
            _describe_setting(
                setting_key,
                setting_texts_after.get(setting_key),
                setting_texts_before.get(setting_key),
            )
            for setting_key in changed_keys
        ]
        changes_rounds_to_come = any(
            SETTINGS[setting_key].after == "rounds to come"
            for setting_key in changed_keys
        )
        if paired_rounds and changes_rounds_to_come:
            change_notes.append(message("setting.rounds_stay", paired=paired_rounds))
        if "model" in changed_keys:
            change_notes += ratings_notes(event, model_for(event, model_path))
        if NEEDS_PAIRABLE.intersection(changed_keys):
            require_pairable(event, model_for(event, model_path))

        facts_before = read_facts(opened_folder.files)
        result_count = _count_results(facts_before)
        change_doubts = _list_doubts(
            opened_folder, changed_folder, setting_texts_after, changed_keys
        )
        if change_doubts and not sure:
            raise ConfirmationError(*change_doubts)
        if model_path is not None:
            opened_folder.journal.add_file(model_path.name, model_path.read_bytes())
        text_for_log = "; ".join(
            f"{setting_key} {setting_texts_after.get(setting_key, 'off')}"
            for setting_key in changed_keys
        )
        message_id = "step.set_with_results" if result_count else "step.set"
        step_message = message(message_id, value=text_for_log, count=result_count)
        return changed_folder.committed("set", step_message, change_notes)


NEEDS_PAIRABLE = frozenset(("conflicts", "lookahead", "model", "first_round"))
"""Settings after whose change the model must still be able to pair the event."""


def _count_results(facts: Facts) -> int:
    """Count the results among the facts of an event, with byes that give points.

    The byes of a round robin give none, and nobody has entered them.
    """
    return sum(
        protected_fact.kind in SCORED
        and (protected_fact.kind != "bye" or any(protected_fact.scores))
        for protected_fact in facts
    )


def _require_changeable(desk: OpenFolder, keys: Sequence[str]) -> None:
    """Raise UsageError if a setting with one of these keys cannot be changed now.

    The number of rounds of a round robin follows from the players. Settings such as the
    format do not change once a round is paired. Unknown keys are skipped.
    """
    if desk.event.settings.is_round_robin and "rounds" in keys:
        raise UsageError("round_robin.rounds")
    for setting_key in keys:
        # An unknown key gets an error of its own.
        if setting_key not in SETTINGS:
            continue
        if SETTINGS[setting_key].after == "before round 1" and desk.rounds():
            raise UsageError("round_robin.started", key=setting_key)


def _list_doubts(
    desk: OpenFolder,
    changed_desk: OpenFolder,
    values: Mapping[str, str],
    changed_keys: Sequence[str],
) -> list[Message]:
    """Return what the user has to confirm before settings are changed.

    `desk` and `changed_desk` are the folder without and with the change. `values` are
    the settings after it as texts by key, and `changed_keys` the keys of those that
    changed. There are doubts about changed points if there are results, and about a
    changed number of rounds if there is a bracket.
    """
    facts_before = read_facts(desk.files)
    result_count = _count_results(facts_before)
    changes_points = any(
        fact_change.fact.kind == POINTS
        for fact_change in compare_facts(facts_before, read_facts(changed_desk.files))
    )

    change_doubts = list[Message]()
    # The results were entered for what they were worth then.
    if changes_points and result_count:
        points_text = values.get(POINTS, "off")
        change_doubts.append(
            message(
                "setting.with_results",
                key=POINTS,
                value=points_text,
                count=result_count,
            )
        )
    if "rounds" in changed_keys and BRACKET in desk.files:
        change_doubts.append(
            message(
                "setting.rounds_after_cut",
                value=values.get("rounds", "off"),
                paired=desk.rounds(),
            )
        )
    return change_doubts


def _require_mode_possible(before: FideModeState, after: FideModeState) -> None:
    """Raise UsageError if a step turns FIDE mode on where that is impossible.

    `before` and `after` are the states before and after the step. It is impossible if
    the event has left the mode for good, has rounds that were paired outside of it, or
    has unfit settings.
    """
    if not after.fide or before.fide:
        return
    if before.left is not None:
        heading_note = message("mode.final_since", round=before.left.round)
        raise UsageError(
            with_heading(heading_note, before.left.said, message("mode.no_way_back"))
        )
    if before.fide is False and before.round:
        raise UsageError("mode.too_late")
    unfit_keys = [*find_unfit_settings(after)]
    if unfit_keys:
        raise UsageError("mode.unfit", keys=unfit_keys)


def read_current_settings(desk: OpenFolder) -> dict[str, str]:
    """Return the settings in event.toml as texts by key, as users type them.

    Examples are "5" for rounds and "white,black" for sides. Settings that the file does
    not have are left out. Raise InputError if the files make no event.
    """
    points_per_result = desk.event.settings.points
    event_toml = decode_text(str(desk.journal.folder / EVENT), desk.files[EVENT]).text
    toml_value_by_key = tomllib.loads(event_toml, parse_float=Decimal)
    for table_name in (POINTS, PRIZES):
        toml_value_by_key |= {
            f"{table_name}.{name_in_table}": setting_value
            for name_in_table, setting_value in toml_value_by_key.get(
                table_name, {}
            ).items()
        }

    setting_text_by_key = {}
    for setting_key in SETTINGS:
        if setting_key in toml_value_by_key:
            setting_value = (
                points_per_result
                if setting_key == POINTS
                else toml_value_by_key[setting_key]
            )
            has_semicolons = SETTINGS[setting_key].form in WITH_SEMICOLONS
            item_separator = f"{SEPARATOR} " if has_semicolons else ","
            setting_text_by_key[setting_key] = format_setting(
                setting_value, item_separator
            )
    return setting_text_by_key


def _write_settings(settings: Mapping[str, str | None], content: Any) -> None:
    """Write settings into the content of event.toml; None or "" removes a setting.

    `settings` are texts by key, and `content` is edited in place. Raise UsageError if a
    key is unknown or a text has no meaning.
    """
    require_known_keys(settings)
    for setting_key, setting_text in settings.items():
        stripped_text = (setting_text or "").strip()
        setting_value = (
            read_setting(setting_key, stripped_text) if stripped_text else None
        )
        set_value(content, setting_key, setting_value)


def set_value(content: Any, key: str, value: Any) -> None:
    """Set a value in the content of event.toml; None removes it.

    `content` is the parsed event.toml, which is edited in place. A key such as
    "points.bye" is in the table `points`, which is added if it is missing. Points are
    written as several values.
    """
    if isinstance(value, Points):
        for result_name in PARTS:
            points_of_result = format_amount(getattr(value.game or value, result_name))
            set_value(content, f"{POINTS}.{result_name}", points_of_result)
        set_value(content, f"{POINTS}.games", 2 if value.game else None)
        return

    table_name, _, name_in_table = key.rpartition(".")
    if table_name and value is not None:
        content = content.setdefault(table_name, tomlkit.table())
    elif table_name:
        content = content.get(table_name, {})

    # A list of tables cannot be replaced by a list of values in place.
    has_columns = key in SETTINGS and SETTINGS[key].form == "columns"
    if value is None or has_columns:
        content.pop(name_in_table, None)
    if value is None:
        return
    content[name_in_table] = value
    if value and isinstance(value, list) and isinstance(value[0], dict):
        content[name_in_table] = tomlkit.aot()
        for table_entry in value:
            content[name_in_table].append(tomlkit.item(table_entry))


def _find_model_file(desk: OpenFolder, model: str | None) -> Path | None:
    """Return the file of a model that is no shipped one, checked that it can be read.

    None for a shipped model, or if `model` is None or "". The file in the folder counts
    first; any other has to be copied there. Raise UsageError if the folder has another
    file of that name.
    """
    if not model or model in model_names():
        return None
    path_in_folder = desk.journal.folder / Path(model).name
    is_in_folder = path_in_folder.name == model and path_in_folder.is_file()
    model_path = path_in_folder if is_in_folder else Path(model)
    load_model(model_path)
    if (
        path_in_folder.exists()
        and path_in_folder.read_bytes() != model_path.read_bytes()
    ):
        raise UsageError("setting.another_model", model=model, file=path_in_folder.name)
    return model_path


def _describe_setting(key: str, value: str | None, before: str | None) -> Message:
    """Return the message that the setting `key` was set, changed, or removed.

    `value` and `before` are its texts now and before. It was removed if `value` is
    None, and set for the first time if `before` is None.
    """
    if value is None:
        message_id = "setting.taken"
    elif before is None:
        message_id = "setting.said"
    else:
        message_id = "setting.changed"
    return message(message_id, key=key, now=value, before=before)
