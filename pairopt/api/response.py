"""Answer: the pairing with what is proven of it, or what is wrong with the request, and where."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from pairopt.api.request import QUESTIONS, SECONDS, ApiRequest, parse_request
from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.base import EngineError, EngineOptions
from pairopt.errors import InputError, UsageError
from pairopt.event.arcs import BYE
from pairopt.event.table_assignment import add_name_columns
from pairopt.messages import Note, message
from pairopt.messages.interfaces import REQUEST
from pairopt.round.explain import explanation
from pairopt.round.remedies import ways_out
from pairopt.round.result import Result
from pairopt.round.solve import solve

VERSION, MOST_ERRORS = 1, 100
WHERE = {"model": "model", "question": "ask", "player": "ask"}  # by subjects of kinds


@dataclass(frozen=True)
class ApiResponse:
    """What a program is told, as docs/door.json says, and the result that it is told of."""

    content: Mapping[str, Any]
    result: Result | None = None

    @property
    def text(self) -> str:
        told = {"version": VERSION, **self.content}
        return json.dumps(told, allow_nan=False, separators=(",", ":")) + "\n"


def reply_to(raw: bytes) -> ApiResponse:
    """What a request is told. Raises EngineError, and whatever else is a fault of ours."""
    until = time.monotonic() + SECONDS
    try:
        return _answer(parse_request(raw), until)
    except InputError as error:
        return refusal(error)
    except EngineError:
        raise
    except UsageError as error:
        where = WHERE.get(error.kind.partition(".")[0], "options")
        return refusal(InputError(where, error.reason))


def refusal(error: InputError) -> ApiResponse:
    """Every fault with its place, in the part of the request that is its source."""
    errors = [
        {
            **_message_json(fault.said),
            "where": f"{error.source}.{fault.place or ''}".strip("."),
        }
        for fault in error.faults[:MOST_ERRORS]
    ]
    return ApiResponse({"errors": errors})


def _message_json(said: str | Note) -> dict[str, Any]:
    return {**message(said).to_dict(), "text": REQUEST.format_message(said)}


def _answer(given: ApiRequest, until: float) -> ApiResponse:
    result = solve(given.event, given.model, **given.options)
    told, above = result.to_dict(), [*_unavoidable(result)]
    told |= {
        "pairings": add_name_columns(result.event, result.matches),
        "unavoidable": above,
    }
    told |= {
        name: [*map(_message_json, getattr(result, name))]
        for name in ("conflicts", "notes")
    }
    left = max(until - time.monotonic(), 0.001)
    if result.status == "infeasible":
        again = partial(solve, given.event, given.model)
        ways = ways_out(result, again, {**given.options, "time_limit": left})
        told["ways"] = [way.to_dict() for way in ways]
    how = EngineOptions(
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
    return ApiResponse(told, result)


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
