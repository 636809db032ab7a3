"""Settings: all that event.toml says of the rounds, and what holds where it says nothing."""

from __future__ import annotations

from starlette.datastructures import FormData

from pairopt.errors import UnsureError
from pairopt.event.standings import usual
from pairopt.folder import Done, change
from pairopt.folder.desk import Desk
from pairopt.folder.settings import READ, current
from pairopt.problem.model import model_names
from pairopt.problem.ready import usual_model
from pairopt.show.web.view import SURE, Asked, AskError, Context, View, text_of


def context(asked: Asked) -> Context:
    """What is said, by the keys of event.toml."""
    desk, said = asked.desk, current(asked.desk)
    own = said.get("model")
    return {
        "values": said,
        "models": [*dict.fromkeys([*model_names(), *([own] if own else [])])],
        "usual_model": usual_model(desk.event),
        "usual_tie_breaks": ", ".join(usual(desk.event)),
        "paired": desk.rounds(),
    }


def changed(desk: Desk, form: FormData) -> Done:
    """The settings that the form has, in one step; an empty field says nothing any more."""
    given = {key: text_of(form, key) for key in READ if key in form}
    try:
        return change(desk, given, sure=SURE in form)
    except UnsureError as error:
        raise AskError(str(error)) from None


VIEW = View("settings", "Settings", context, {"change": changed}, weight=10, rare=True)
