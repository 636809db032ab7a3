"""Answer: the pairing with what is proven of it, or what is wrong with the request, by kinds and
places."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from pairopt.budget import Budget, TimeUpError
from pairopt.engines.base import EngineError, Options
from pairopt.errors import InputError, UsageError
from pairopt.event.arcs import BYE
from pairopt.event.rows import with_names
from pairopt.proof.reasons import Reason
from pairopt.records import record, records
from pairopt.round.explain import Asker, explained, reasons_of
from pairopt.round.result import LEVEL, Result
from pairopt.round.solve import solve
from pairopt.round.ways import ways_out
from pairopt.show.door.forms import FORMS, QUESTIONS, SECONDS
from pairopt.show.door.request import Asked, Question, asked, require_known
from pairopt.show.words import REQUEST
from pairopt.words import Said, tell

VERSION, MOST_ERRORS = 1, 100
OF_RESULT = ("status", "round", "model", "objective", "engine", "proven_by", "seed")


@dataclass(frozen=True)
class Reply:
    """What a program is told, an Answer or a Refusal of door.toml, and the result that it tells."""

    content: Mapping[str, Any]
    result: Result | None = None

    @property
    def text(self) -> str:
        form = FORMS["Refusal" if self.result is None else "Answer"]
        told = form.model_validate({"version": VERSION, **self.content})
        return str(told.model_dump_json(exclude_unset=True)) + "\n"


def reply_to(raw: bytes) -> Reply:
    """What a request is told. Raises EngineError, and whatever else is a fault of ours."""
    until = time.monotonic() + SECONDS
    try:
        return _answer(asked(raw), until)
    except InputError as error:
        return refusal(error)
    except EngineError:
        raise
    except UsageError as error:
        where = "model" if error.kind.startswith("model.") else "options"
        return refusal(InputError(where, error.said[0]))


def refusal(error: InputError) -> Reply:
    """Every fault with its place; the source is the part of the request that it is in."""
    places = [(error.source, str(fault.place or "")) for fault in error.faults[:MOST_ERRORS]]
    errors = [{**_told(fault.said), "where": ".".join(filter(None, place))}
              for fault, place in zip(error.faults, places, strict=False)]  # fmt: skip
    return Reply({"errors": errors})


def _told(said: str | Said) -> dict[str, Any]:
    return {**tell(said).to_dict(), "text": REQUEST.draw(said)}


def _answer(given: Asked, until: float) -> Reply:
    result = solve(given.event, given.model, **given.options)
    budget = Budget(given.options.get("seed", 0), deadline=until)
    why = reasons_of(result, budget) if "reasons" in given.also else ()
    unavoidable, questions = [*_unavoidable(result, why)], [*given.questions]
    told = {**record(result, *OF_RESULT), "pairings": with_names(result.event, result.matches),
            "levels": records(result.level_values, *LEVEL), "unavoidable": unavoidable,
            "conflicts": [*map(_told, result.conflicts)],
            "notes": [*map(_told, result.notes)]}  # fmt: skip
    if result.choice is not None:
        told["choice"] = result.choice.to_dict()
    if result.status == "infeasible":
        left = {**given.options, "time_limit": max(until - time.monotonic(), 0.001)}
        ways = ways_out(result, partial(solve, given.event, given.model), left)
        told["ways"] = [{"options": way.to_dict()["options"], "said": _told(way.said),
                         "cost": _told(way.costs),
                         "levels": records(way.result.level_values, *LEVEL)}
                        for way in ways]  # fmt: skip
    if "reasons" in given.also:
        told["reasons"] = [{**record(match, "player1", "player2"), "said": _told(match.said)}
                           for match in explained(result, why)]  # fmt: skip
    if "costs" in given.also:
        matches = dict.fromkeys(match for each in unavoidable for match in each["matches"])
        questions += [("why", (one, two), "") if two else ("why_bye", (one,), "")
                      for one, two in matches]  # fmt: skip
    if questions:
        told["answers"] = [*_otherwise(result, questions[:QUESTIONS], budget)]
    if "proof" in given.also:
        told |= _proof(result, budget)
    return Reply(told, result)


def _unavoidable(result: Result, known: Sequence[Reason]) -> Iterator[dict[str, Any]]:
    """The levels that are proven to be above 0, with the matches that add to them."""
    problem, arcs = result.problem, result.arcs
    if arcs is None:
        return
    costs, names = problem.costs(arcs).astype(object), [*problem.state.names, None]
    costs[arcs.second == BYE] += np.array([level.offset for level in problem.levels], object)
    if (weights := problem.weights(result.objective)) is not None:
        costs = (costs @ np.array(weights, object))[:, None]
    for k, level in enumerate(result.level_values):
        if level.proven and level.value:
            those = (arcs.pairs[match] for match in np.flatnonzero(costs[:, k]))
            why = [_told(reason.said) for reason in known if reason.level == k]
            yield {"level": k, "matches": [(names[p], names[q]) for p, q in those], "why": why}


def _otherwise(
    result: Result, questions: Sequence[Question], budget: Budget
) -> Iterator[dict[str, Any]]:
    """The answers to questions; none where there is no pairing. Raises InputError for a question
    about somebody who is not in the round."""
    ask = Asker(result, Options(result.objective, budget=budget))
    for kind, players, path in questions if result.arcs is not None else ():
        require_known(result.event, players, path)
        try:
            if len(players) == 2:
                found = ask.about_pair((players[0], players[1]), meets=kind == "why")
            else:
                found = (ask.about_bye if kind == "why_bye" else ask.about_float)(players[0])
        except UsageError as error:
            raise InputError(path, error.said[0]) from None
        yield {"asked": kind, "players": [*players], "said": _told(found.said),
               **record(found, "kind", "level", "optimum", "value")}  # fmt: skip


def _proof(result: Result, budget: Budget) -> dict[str, Any]:
    try:
        proof = result.prove(budget)
    except (TimeUpError, UsageError):
        return {}
    return {} if proof is None else {"proof": {**proof.to_dict(), "file": proof.text}}
