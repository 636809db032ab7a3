"""Models: what the rules of a model are, in words, and how other models would have paired."""

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


def context(request: PageRequest) -> Context:
    """Return a model in words, and a comparison of the event's own model with others.

    The model in words is the one that the address asks for, otherwise the event's own.
    If the address answers the questionnaire, "wanted" is the model that the answers
    propose. The comparison pairs the last round if any result of the event is open,
    otherwise the next round. There is none if the address names no models to compare
    with; if it fails, "refusal" has the lines of the error. It is computed once per
    state of the event.
    """
    desk = request.desk
    shipped_names = model_names()
    event_model = model_for(desk.event, None)
    shown_model = event_model
    if request.query.get("model") in shipped_names:
        shown_model = load_model(request.query["model"])

    proposed_model = settings_from_answers(request.query).get("model")
    round_number = desk.rounds() if desk.rows.open.any() else desk.event.round
    compared_names = [
        shipped_name
        for shipped_name in shipped_names
        if shipped_name in request.query.getlist("with")
    ]
    model_comparison: Comparison | None = None
    refusal_lines: tuple[str, ...] = ()
    if compared_names:
        try:
            model_comparison = request.site.answers.get_or_compute(
                ("models", desk.state, round_number, tuple(compared_names)),
                lambda: compare(
                    desk.event, [event_model, *compared_names], round=round_number
                ),
            )
        except PairoptError as error:
            refusal_lines = tuple(error.format_with(PAGE).split("\n"))

    further_model_rows: list[tuple[str, str, list[str]]] = []
    levels_view = None
    if model_comparison is not None:
        further_model_rows = [*_compare_pairings(desk.event, model_comparison)]
        levels_view = compared_levels(model_comparison, model_comparison.models)
    return {
        "questions": QUESTIONS,
        "answered": request.query,
        "wanted": load_model(proposed_model) if proposed_model else None,
        "own": event_model,
        "shown": shown_model,
        "words": describe_model(shown_model),
        "models": [load_model(shipped_name) for shipped_name in shipped_names],
        "chosen": compared_names,
        "round": round_number,
        "refusal": refusal_lines,
        "others": further_model_rows,
        "levels": levels_view,
    }


def _compare_pairings(
    event: Event, comparison: Comparison
) -> Iterator[tuple[str, str, list[str]]]:
    """Yield for each further model its name, a verdict, and the matches only it makes.

    `comparison` has the pairings of all models; the first model is compared with each
    other one. The verdict is a short text: no pairing, the same matches, or how many
    differ. The matches are texts; they are not in the first model's pairing.
    """
    further_comparisons = zip(
        comparison.models[1:],
        comparison.results[1:],
        comparison.changed[1:],
        strict=True,
    )
    for model_name, model_result, changed_matches in further_comparisons:
        if model_result.arcs is None:
            pairing_verdict = "no pairing"
        elif changed_matches:
            pairing_verdict = f"{len(changed_matches)} matches otherwise"
        else:
            pairing_verdict = "the same matches"
        match_texts = [
            pair_text(
                *(
                    event.called[player_identifier]
                    for player_identifier in changed_match
                )
            )
            for changed_match in changed_matches
        ]
        yield model_name, pairing_verdict, match_texts


VIEW = View("models", "Pairing rules", context, weight=9, rare=True)
