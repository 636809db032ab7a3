"""Draft: the next round before it is published, and what may be changed in it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from starlette.datastructures import FormData, QueryParams

from pairopt.errors import PairoptError, UsageError
from pairopt.folder import Done, preview, publish
from pairopt.folder.desk import Desk
from pairopt.round.explain import explained
from pairopt.round.result import Match, Result
from pairopt.show.rounds import Line, paired_round, sides_of
from pairopt.show.web.draft import Draft, match_text
from pairopt.show.web.view import Asked, Context, View
from pairopt.wording import pair_text

WISHES = {
    "force": "what is kept",
    "bye": "the bye that is kept",
    "forbid": "what may not be",
    "no-bye": "who may not have the bye",
}
"""What the options of the command line are on the page."""


def context(asked: Asked) -> Context:
    """The preview of the draft in the address; or why there is none, in words."""
    draft, made, refusal = Draft(), None, tuple[str, ...]()
    try:
        draft = Draft.of(asked.query)
        made = asked.site.kept.answer(
            ("draft", asked.desk.state, draft),
            lambda: preview(asked.desk, draft.matches or None, **draft.options()),
        )
    except PairoptError as error:
        refusal = tuple(str(error).split("\n"))
    if made is not None:
        refusal = tuple(map(_on_page, made.result.conflicts))
    event = asked.desk.event
    return {
        "round": event.round,
        "heads": [side or "Player" for side in sides_of(event)],
        "draft": draft,
        "refusal": refusal,
        "lines": [] if made is None else _lines(draft, made.result),
        "verdict": [] if made is None else made.result.conclusion(),
        "notes": () if made is None else made.result.notes,
        "worse": [] if made is None else made.worse,
        "pinned": _named(asked.desk, draft.pinned),
        "barred": _named(asked.desk, draft.barred),
    }


def _named(desk: Desk, matches: Sequence[Match]) -> list[tuple[str, str]]:
    """Matches as they stand in an address, and by names; those of players who are known."""
    known = {*desk.event.players}
    return [
        (match_text(match), pair_text(*map(desk.shown, match)))
        for match in matches
        if {*match} <= known
    ]


def _on_page(sentence: str) -> str:
    """A sentence on a clash without the options of the command line."""
    for option, wish in WISHES.items():
        sentence = re.sub(rf"--{option}\b( \(.*\))?", wish, sentence)
    return sentence.replace("with --relax ", "without the rule ")


def _lines(draft: Draft, result: Result) -> list[tuple[Line, str, bool]]:
    """The matches and the bye that were paired, as they stand in an address, and if pinned."""
    sentences = [match.sentence for match in explained(result)]
    pinned = [{*match} for match in draft.pinned]
    shown = paired_round(result, sentences).lines[: len(sentences)]
    return [(line, match_text(line.players), {*line.players} in pinned) for line in shown]


def published(desk: Desk, form: FormData) -> Done:
    """Write the round as it was shown."""
    draft = Draft.of(QueryParams([(name, str(value)) for name, value in form.multi_items()]))
    if not draft.matches:
        raise UsageError("expected a pairing that was shown")
    return publish(desk, draft.matches, **draft.options())


VIEW = View("round/draft", "Next round", context, {"publish": published}, then="/round")
