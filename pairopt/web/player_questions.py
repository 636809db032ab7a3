"""Asked: why somebody meets whom they meet, floats or has the bye, and why not somebody else."""

import time
from collections.abc import Iterable

from pairopt.engines.base import EngineOptions
from pairopt.folder.explaining import PairedRound, Published, published_round
from pairopt.folder.open_folder import OpenFolder
from pairopt.messages import Note
from pairopt.messages.interfaces import PAGES
from pairopt.problem.options import RoundOptions
from pairopt.web.site import AnswerCache
from pairopt.web.view import Context

TIME_LIMIT = 10.0  # seconds for a pairing that answers
KEPT = AnswerCache(
    8
)  # the rounds that were asked about last, by the state of their event


def why(desk: OpenFolder, player: str, other: str = "") -> Context:
    """Why a player's last round is so, or why not another. Raises UsageError for no player."""
    event, number = desk.event, desk.rounds()
    one = event.position(player)
    own = event.players[one]
    here = event.matches.paired_rows(number).player_mask(len(event.players)).tolist()
    context = {
        "player": player,
        "called": event.shown[one],
        "number": number,
        "others": [],
        "lines": [],
        "full": [],
        "other": other,
    }
    if not here[one]:
        return context

    published = answered_round(desk, number)
    known = published.origin(own)
    opponent = known.opponents[own]
    others = [
        p
        for p, is_there in enumerate(here)
        if is_there and event.players[p] not in (own, opponent)
    ]
    others.sort(key=lambda p: event.shown[p].casefold())

    lines: list[Note | None] = [known.sentences[own], *published.about_repair(own)]
    if other:
        lines.append(
            known.apart(
                own, event.players[event.position(other)], _question_options(known)
            )
        )
    elif known.check.agrees:
        lines.append(known.itself(own, _question_options(known)))

    spoken, full = (_drawn(length, lines) for length in ("spoken", "full"))
    if not known.check.agrees:
        spoken.append(
            f"{known.check.problem.model.title} would pair this round otherwise."
        )
    return {
        **context,
        "lines": spoken,
        "full": [line for line in full if line not in spoken],
        "others": [(event.players[p], event.shown[p]) for p in others],
    }


def answered_round(desk: OpenFolder, number: int) -> Published:
    """The round as the files have it, with the steps that paired it; remembered by their state."""
    return KEPT.answer((desk.state, number), lambda: published_round(desk, number))


def _drawn(length: str, lines: Iterable[Note | None]) -> list[str]:
    """Write messages as sentences, each with a capital letter and one full stop."""
    drawn = (PAGES[length].format_message(line).rstrip(".") for line in lines if line)
    return [f"{text[:1].upper()}{text[1:]}." for text in drawn]


def _question_options(known: PairedRound) -> EngineOptions:
    """Return the options for a player's question: the objective of the round, and a time limit."""
    budget = RoundOptions(time_limit=TIME_LIMIT).budget(time.monotonic())
    return EngineOptions(known.check.problem.model.objective, budget=budget)
