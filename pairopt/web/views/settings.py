"""Settings: all that event.toml says of the rounds, and what holds where it says nothing."""

from itertools import groupby

from starlette.datastructures import FormData

from pairopt.event.settings import EVENT, PAIRING, POINTS, SETTINGS, STANDINGS
from pairopt.event.standings import default_tie_breaks
from pairopt.folder import Done, change
from pairopt.folder.open_folder import OpenFolder
from pairopt.folder.settings import current
from pairopt.problem.model import model_names
from pairopt.problem.round_model import default_model
from pairopt.web.view import SURE, Context, PageRequest, View, text_of

GROUPS = (EVENT, PAIRING, POINTS, STANDINGS)


def context(asked: PageRequest) -> Context:
    """What is said, by the keys of event.toml, and what holds where nothing is."""
    desk, said = asked.desk, current(asked.desk)
    own = said.get("model")
    every = sorted(SETTINGS.values(), key=lambda one: GROUPS.index(one.group))
    return {
        "values": said,
        "groups": [
            (group, [*own]) for group, own in groupby(every, key=lambda one: one.group)
        ],
        "models": [*dict.fromkeys([*model_names(), *([own] if own else [])])],
        "unsaid": {
            "model": default_model(desk.event),
            "tie_breaks": ", ".join(default_tie_breaks(desk.event)),
            "seed": "0",
        },
        "paired": desk.rounds(),
    }


def post_settings(desk: OpenFolder, form: FormData) -> Done:
    """The settings that the form has, in one step; an empty field says nothing any more."""
    given = {key: text_of(form, key) for key in SETTINGS if key in form}
    return change(desk, given, sure=SURE in form)


VIEW = View(
    "settings", "Settings", context, {"change": post_settings}, weight=10, rare=True
)
