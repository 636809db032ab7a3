"""Settings: all that event.toml can say, and what holds where it says nothing."""

from collections.abc import Mapping
from itertools import groupby

from starlette.datastructures import FormData

from pairopt.event.settings import (
    EVENT,
    LISTS,
    PAIRING,
    POINTS,
    PRIZES,
    REPORT,
    SETTINGS,
    STANDINGS,
)
from pairopt.event.standings import default_tie_breaks
from pairopt.folder import Done, change
from pairopt.folder.open_folder import OpenFolder
from pairopt.folder.settings import read_current_settings
from pairopt.problem.model import model_names
from pairopt.problem.round_model import default_model
from pairopt.web.labels import SETTING_LABELS, menu_title, tie_break_names
from pairopt.web.view import SURE, Context, PageRequest, View, read_text

GROUPS: Mapping[str, str] = {
    EVENT: "Event",
    PAIRING: "Pairing",
    POINTS: "Points",
    STANDINGS: "Standings",
    LISTS: "Printed lists",
    PRIZES: "Prizes",
    REPORT: "For the report",
}
"""The parts of the form in their order, and their headings."""


def context(request: PageRequest) -> Context:
    """Return the values of the settings in event.toml, and defaults of others.

    The settings are in groups, in the order of the page; "more" and "report" are those
    that the page shows folded.
    """
    desk = request.desk
    current_values = read_current_settings(desk)
    event_model = current_values.get("model")
    offered_models = [*model_names(), *([event_model] if event_model else [])]
    group_order = [*GROUPS]
    sorted_settings = sorted(
        SETTINGS.values(),
        key=lambda setting_declaration: group_order.index(setting_declaration.group),
    )
    report_settings = [
        setting_declaration
        for setting_declaration in sorted_settings
        if setting_declaration.group == REPORT
    ]
    main_settings = [
        setting_declaration
        for setting_declaration in sorted_settings
        if setting_declaration.group != REPORT
        and not SETTING_LABELS[setting_declaration.key].more
    ]
    listed_settings = [*main_settings, *report_settings]
    settings_by_group = groupby(
        main_settings, key=lambda setting_declaration: setting_declaration.group
    )
    return {
        "values": current_values,
        "groups": [
            (GROUPS[group_name], [*group_settings])
            for group_name, group_settings in settings_by_group
        ],
        "more": [
            setting_declaration
            for setting_declaration in sorted_settings
            if setting_declaration not in listed_settings
        ],
        "report": report_settings,
        "models": [*dict.fromkeys(offered_models)],
        "unsaid": {
            "model": menu_title(default_model(desk.event)),
            "tie_breaks": tie_break_names(default_tie_breaks(desk.event)),
        },
        "paired": desk.rounds(),
    }


def post_settings(desk: OpenFolder, form: FormData) -> Done:
    """Change the settings in the form, in one step; an empty field removes its setting.

    Return what was done. Settings without a field stay as they are. Raises UsageError
    for an impossible value, and ConfirmationError for an unusual change that the form
    does not confirm.
    """
    new_values = {
        setting_name: read_text(form, setting_name)
        for setting_name in SETTINGS
        if setting_name in form
    }
    return change(desk, new_values, sure=SURE in form)


VIEW = View(
    "settings", "Settings", context, {"change": post_settings}, weight=10, rare=True
)
