"""Models: what the rules say, in words, and which would have paired otherwise."""

from collections.abc import Iterator

from pairopt.errors import PairoptError
from pairopt.event.event import Event
from pairopt.messages.formatting import pair_text
from pairopt.messages.interfaces import PAGE
from pairopt.problem.model import load_model, model_names
from pairopt.problem.round_model import model_for
from pairopt.report.views import compared_levels
from pairopt.round.compare_models import Comparison, compare
from pairopt.round.describe_model import describe_model
from pairopt.web.uploads import QUESTIONS, settings_from_answers
from pairopt.web.view import Context, PageRequest, View


def context(asked: PageRequest) -> Context:
    """A model in words, the event's own unless another is asked for; and a comparison."""
    desk, names = asked.desk, model_names()
    own = model_for(desk.event, None)
    shown = (
        load_model(asked.query["model"]) if asked.query.get("model") in names else own
    )
    turn = desk.rounds() if desk.rows.open.any() else desk.event.round
    others = [name for name in names if name in asked.query.getlist("with")]
    made, refusal = None, tuple[str, ...]()
    if others:
        try:
            made = asked.site.kept.answer(
                ("models", desk.state, turn, tuple(others)),
                lambda: compare(desk.event, [own, *others], round=turn),
            )
        except PairoptError as error:
            refusal = tuple(error.format_with(PAGE).split("\n"))
    return {
        "questions": QUESTIONS,
        "answered": asked.query,
        "wanted": load_model(wanted)
        if (wanted := settings_from_answers(asked.query).get("model"))
        else None,
        "own": own,
        "shown": shown,
        "words": describe_model(shown),
        "models": [load_model(name) for name in names],
        "chosen": others,
        "round": turn,
        "refusal": refusal,
        "others": [] if made is None else [*_others(desk.event, made)],
        "levels": None if made is None else compared_levels(made, made.models),
    }


def _others(event: Event, made: Comparison) -> Iterator[tuple[str, str, list[str]]]:
    """How other models would have paired: a verdict, and the matches that the first has not."""
    both = zip(made.models[1:], made.results[1:], made.changed[1:], strict=True)
    for name, result, changed in both:
        verdict = f"{len(changed)} matches otherwise" if changed else "the same matches"
        shown = [
            pair_text(*(event.called[player] for player in match)) for match in changed
        ]
        yield name, verdict if result.arcs is not None else "no pairing", shown


VIEW = View("models", "Models", context, weight=9, rare=True)
