"""Draft: the next round before it is published, and what may be changed in it."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.datastructures import FormData, QueryParams

from pairopt.errors import PairoptError, UsageError
from pairopt.event.turns import points_of
from pairopt.folder.desk import Desk, Done
from pairopt.folder.publishing import Preview, preview, publish
from pairopt.round.explain import explained
from pairopt.round.result import Match
from pairopt.web.draft import Draft, match_text
from pairopt.web.view import Asked, Context, View
from pairopt.wording import pair_text


@dataclass(frozen=True, slots=True)
class Line:
    """A match as it is shown; `players` are identifiers, `names` and `points` for people."""

    table: str
    players: Match
    names: tuple[str, ...]
    points: tuple[str, ...]
    sentence: str
    pinned: bool

    @property
    def text(self) -> str:
        """The match in an address."""
        return match_text(self.players)


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
        refusal = made.result.conflicts
    event = asked.desk.event
    return {
        "round": event.round,
        "sides": [side.capitalize() for side in event.sides or ()],
        "draft": draft,
        "refusal": refusal,
        "lines": [] if made is None else _lines(draft, made),
        "verdict": [] if made is None else made.result.conclusion(),
        "notes": () if made is None else made.result.notes,
        "worse": [] if made is None else made.worse,
        "barred": [
            (match_text(match), pair_text(*map(asked.desk.shown, match)))
            for match in draft.barred
            if {*match} <= {*event.players}
        ],
    }


def _lines(draft: Draft, made: Preview) -> list[Line]:
    """The matches by table, then the byes."""
    event, result = made.result.problem.state.event, made.result
    points = points_of(event).tolist()
    sentences = [match.sentence for match in explained(result)]
    pinned = [{*match} for match in draft.pinned]
    return [
        Line(
            table=str(row["table"] or ""),
            players=match,
            names=tuple(event.shown[event.index[p]] for p in match),
            points=tuple(event.points_text(points[event.index[p]]) for p in match),
            sentence=sentence,
            pinned={*match} in pinned,
        )
        for row, match, sentence in zip(result.matches, result.pairs, sentences, strict=False)
    ]


def published(desk: Desk, form: FormData) -> Done:
    """Write the round as it was shown."""
    draft = Draft.of(QueryParams([(name, str(value)) for name, value in form.multi_items()]))
    if not draft.matches:
        raise UsageError("expected a pairing that was shown")
    return publish(desk, draft.matches, **draft.options())


VIEW = View("round/draft", "Next round", context, {"publish": published}, then="/round")
