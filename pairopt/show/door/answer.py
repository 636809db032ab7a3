"""Answer: the pairing with what is proven of it, or what is wrong with the request, and where."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from pairopt.budget import Budget, TimeUpError
from pairopt.engines.base import EngineError, Options
from pairopt.errors import InputError, UsageError
from pairopt.event.arcs import BYE
from pairopt.event.rows import with_names
from pairopt.round.explain import explanation
from pairopt.round.result import Result
from pairopt.round.solve import solve
from pairopt.round.ways import ways_out
from pairopt.show.door.request import QUESTIONS, SECONDS, Asked, asked
from pairopt.show.words import REQUEST
from pairopt.words import Said, tell

VERSION, MOST_ERRORS = 1, 100
WHERE = {"model": "model", "question": "ask", "player": "ask"}  # by subjects of kinds


@dataclass(frozen=True)
class Reply:
    """What a program is told, as docs/door.json says, and the result that it is told of."""

    content: Mapping[str, Any]
    result: Result | None = None

    @property
    def text(self) -> str:
        told = {"version": VERSION, **self.content}
        return json.dumps(told, allow_nan=False, separators=(",", ":")) + "\n"


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
        where = WHERE.get(error.kind.partition(".")[0], "options")
        return refusal(InputError(where, error.said[0]))


def refusal(error: InputError) -> Reply:
    """Every fault with its place, in the part of the request that is its source."""
    errors = [
        {**_told(fault.said), "where": f"{error.source}.{fault.place or ''}".strip(".")}
        for fault in error.faults[:MOST_ERRORS]
    ]
    return Reply({"errors": errors})


def _told(said: str | Said) -> dict[str, Any]:
    return {**tell(said).to_dict(), "text": REQUEST.draw(said)}


def _answer(given: Asked, until: float) -> Reply:
    result = solve(given.event, given.model, **given.options)
    told, above = result.to_dict(), [*_unavoidable(result)]
    told |= {"pairings": with_names(result.event, result.matches), "unavoidable": above}
    told |= {
        name: [*map(_told, getattr(result, name))] for name in ("conflicts", "notes")
    }
    left = max(until - time.monotonic(), 0.001)
    if result.status == "infeasible":
        again = partial(solve, given.event, given.model)
        ways = ways_out(result, again, {**given.options, "time_limit": left})
        told["ways"] = [way.to_dict() for way in ways]
    how = Options(
        result.objective, budget=Budget(result.seed, deadline=time.monotonic() + left)
    )
    ask = {"why": [], "why_bye": [], "why_float": [], **given.ask}
    if "costs" in given.also:
        matches = dict.fromkeys(match for each in above for match in each["matches"])
        for match in [*matches][:QUESTIONS]:
            ask["why" if match[1] else "why_bye"] += [match if match[1] else match[0]]
    if "reasons" in given.also or any(ask.values()):
        known = explanation(result, how, **ask).to_dict()
        told |= {
            name: known[name] for name in ("matches", "answers", "brackets", "reasons")
        }
    if "proof" in given.also:
        with suppress(TimeUpError, UsageError):
            proof = result.prove(how.budget)
            told["proof"] = proof and {**proof.to_dict(), "file": proof.text}
    return Reply(told, result)


def _unavoidable(result: Result) -> Iterator[dict[str, Any]]:
    """The levels that are proven to be above 0, with the matches that add to them."""
    problem, arcs = result.problem, result.arcs
    if arcs is None:
        return
    costs, names = problem.costs(arcs).astype(object), [*problem.state.names, None]
    costs[arcs.second == BYE] += np.array(
        [level.offset for level in problem.levels], object
    )
    if (weights := problem.weights(result.objective)) is not None:
        costs = (costs @ np.array(weights, object))[:, None]
    for k, level in enumerate(result.level_values):
        if level.proven and level.value:
            those = (arcs.pairs[match] for match in np.flatnonzero(costs[:, k]))
            yield {"level": k, "matches": [(names[p], names[q]) for p, q in those]}
