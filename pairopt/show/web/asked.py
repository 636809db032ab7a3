"""Asked: why somebody meets whom they meet, floats or has the bye, and why not somebody else."""

import time
from dataclasses import dataclass, replace

from pairopt.engines.base import Options
from pairopt.event.arcs import BYE
from pairopt.folder.desk import Desk
from pairopt.folder.proofs import given_of
from pairopt.problem.options import RoundOptions
from pairopt.round.check import Check, check_played
from pairopt.round.explain import Asker, explained
from pairopt.round.facts import met_in, ranked_by, why_apart
from pairopt.round.replay import check_paired
from pairopt.round.result import Result
from pairopt.show.web.site import Remembered
from pairopt.show.web.view import Context
from pairopt.show.words import PAGES
from pairopt.words import Said

TIME_LIMIT = 10.0  # seconds for a pairing that answers
KEPT = Remembered(8)  # the rounds that were asked about last, by the state of their event


@dataclass(frozen=True)
class AskedRound:
    """The last round as it was paired, with a sentence for each player by positions in the event.
    `opponent` has who meets whom, -1 for the bye; `repaired` whether published tables were kept."""

    found: Check
    result: Result
    opponent: dict[int, int]
    sentences: dict[int, Said]
    repaired: bool


def why(desk: Desk, player: str, other: str = "") -> Context:
    """Why a player's last round is so, or why not another. Raises UsageError for no player."""
    event, number = desk.event, desk.rounds()
    one = event.position(player)
    here = event.matches.paired(number).seen(len(event.players)).tolist()
    context = {"player": player, "called": event.shown[one], "number": number, "others": [],
               "lines": [], "full": [], "other": other}  # fmt: skip
    if not here[one]:
        return context
    known = settled_round(desk, number)
    others = [p for p, there in enumerate(here) if there and p not in (one, known.opponent[one])]
    others.sort(key=lambda p: event.shown[p].casefold())
    lines: list[Said | None] = [known.sentences[one]]
    if other:
        lines.append(_apart(known, one, event.position(other)))
    elif known.found.agrees:
        lines.append(_itself(known, one))
    drawn = ([PAGES[length].draw(line).rstrip(".") for line in lines if line]
             for length in ("spoken", "full"))  # fmt: skip
    spoken, full = ([f"{said[:1].upper()}{said[1:]}." for said in each] for each in drawn)
    if known.repaired:
        spoken.append("The round was repaired: as few of its published tables as can be changed.")
    if not known.found.agrees:
        spoken.append(f"{known.found.problem.model.title} would pair this round otherwise.")
    return {**context, "lines": spoken, "full": [line for line in full if line not in spoken],
            "others": [(event.players[p], event.shown[p]) for p in others]}  # fmt: skip


def settled_round(desk: Desk, number: int) -> AskedRound:
    return KEPT.answer((desk.state, number), lambda: _round(desk, number))


def _round(desk: Desk, number: int) -> AskedRound:
    paired = desk.event.matches.paired(number).seen(len(desk.event.players))
    before = replace(desk.event, declared_active=paired, notes=())
    given = given_of(desk, number)
    repaired = bool(given.get("published"))  # by hand otherwise, which is said
    found = check_played(before, round=number, **(given if repaired else {}))
    if not found.agrees and not repaired and number == desk.event.round - 1:
        found, _ = check_paired(before, {"round": number}, latest=True)
    assert found.optimum is not None
    status = found.optimum.status if found.agrees else "heuristic"
    result = replace(found.optimum, arcs=found.arcs, status=status)
    player = [*found.problem.state.player.tolist(), BYE]
    opponent, sentences = dict[int, int](), dict[int, Said]()
    both = zip(found.arcs.first.tolist(), found.arcs.second.tolist(), strict=True)
    for (first, second), match in zip(both, explained(result), strict=True):
        for p, q in ((player[first], player[second]), (player[second], player[first])):
            opponent[p], sentences[p] = q, match.said
    return AskedRound(found, result, opponent, sentences, repaired)


def _itself(known: AskedRound, one: int) -> Said:
    """What it would cost if a player did not float, had no bye, or met somebody else."""
    ask, players = _asker(known), known.found.event.players
    other, state = known.opponent[one], known.found.problem.state
    if other == BYE:
        return ask.about_bye(players[one]).said
    points = dict(zip(state.player.tolist(), ranked_by(known.found.problem).tolist(), strict=True))
    if points[one] != points[other]:
        return ask.about_float(players[one]).said
    return ask.about_pair((players[one], players[other]), meets=True).said


def _apart(known: AskedRound, one: int, other: int) -> Said | None:
    problem, players = known.found.problem, known.found.event.players
    if other == one or other not in known.opponent:
        return None
    if known.found.agrees:
        return _asker(known).about_pair((players[one], players[other]), meets=False).said
    seat = {p: k for k, p in enumerate(problem.state.player.tolist())}
    seats = seat[one], seat[other]
    return why_apart(problem, *seats) or met_in(problem, *seats)


def _asker(known: AskedRound) -> Asker:
    budget = RoundOptions(time_limit=TIME_LIMIT).budget(time.monotonic())
    return Asker(known.result, Options(known.found.problem.model.objective, budget=budget))
