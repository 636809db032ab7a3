"""Answer requests to the JSON API with a pairing and its proofs, or with faults."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
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
from pairopt.round.explain import explain_result
from pairopt.round.remedies import find_remedies
from pairopt.round.result import Result
from pairopt.round.solve import solve

VERSION = 1
"""The version of the form of answers."""
MOST_ERRORS = 100
"""The most faults in an answer."""
WHERE = {"model": "model", "question": "ask", "player": "ask"}
"""The part of a request that an error is about, by the subject of the error's kind."""


@dataclass(frozen=True)
class ApiResponse:
    """An answer to a program, as docs/door.json describes it, and its result."""

    content: Mapping[str, Any]
    result: Result | None = None

    @property
    def text(self) -> str:
        """The answer as a line of JSON."""
        answer = {"version": VERSION, **self.content}
        return json.dumps(answer, allow_nan=False, separators=(",", ":")) + "\n"


def reply_to(raw: bytes) -> ApiResponse:
    """Return the answer to a request, which may be a refusal.

    Raise EngineError, and any other error that is not a fault of the request.
    """
    deadline = time.monotonic() + SECONDS
    try:
        return _answer(parse_request(raw), deadline)
    except InputError as error:
        return refusal(error)
    except EngineError:
        raise
    except UsageError as error:
        where = WHERE.get(error.kind.partition(".")[0], "options")
        return refusal(InputError(where, error.reason))


def refusal(error: InputError) -> ApiResponse:
    """Return an answer with the faults of a request, each with its place in it."""
    errors = [
        {
            **_message_json(fault.said),
            "where": f"{error.source}.{fault.place or ''}".strip("."),
        }
        for fault in error.faults[:MOST_ERRORS]
    ]
    return ApiResponse({"errors": errors})


def _message_json(note: str | Note) -> dict[str, Any]:
    """Return the JSON form of a message with its text."""
    return {**message(note).to_dict(), "text": REQUEST.format_message(note)}


def _answer(request: ApiRequest, deadline: float) -> ApiResponse:
    """Return the answer to a request without faults.

    `deadline` is a time of the monotonic clock.
    """
    result = solve(request.event, request.model, **request.options)
    content = result.to_dict()
    unavoidable = [*_unavoidable(result)]
    content |= {
        "pairings": add_name_columns(result.event, result.matches),
        "unavoidable": unavoidable,
    }
    for name in ("conflicts", "notes"):
        content[name] = [*map(_message_json, getattr(result, name))]

    time_left = max(deadline - time.monotonic(), 0.001)
    if result.status == "infeasible":
        solve_again = partial(solve, request.event, request.model)
        options = {**request.options, "time_limit": time_left}
        remedies = find_remedies(result, solve_again, options)
        content["ways"] = [remedy.to_dict() for remedy in remedies]

    budget = Budget(result.seed, deadline=time.monotonic() + time_left)
    engine_options = EngineOptions(result.objective, budget=budget)
    questions = {"why": [], "why_bye": [], "why_float": [], **request.ask}
    if "costs" in request.also:
        _add_cost_questions(questions, unavoidable)
    if "reasons" in request.also or any(questions.values()):
        explained = explain_result(result, engine_options, **questions).to_dict()
        for name in ("matches", "answers", "brackets", "reasons"):
            content[name] = explained[name]

    if "proof" in request.also:
        with suppress(TimeUpError, UsageError):
            proof = result.prove(budget)
            content["proof"] = proof and {**proof.to_dict(), "file": proof.text}
    return ApiResponse(content, result)


def _add_cost_questions(
    questions: dict[str, Any], unavoidable: Sequence[Mapping[str, Any]]
) -> None:
    """Add a question to `questions` for each match that adds to an unavoidable level.

    There are at most QUESTIONS matches.
    """
    matches = dict.fromkeys(
        match for level in unavoidable for match in level["matches"]
    )
    for player, opponent in [*matches][:QUESTIONS]:
        if opponent:
            questions["why"] += [(player, opponent)]
        else:
            questions["why_bye"] += [player]


def _unavoidable(result: Result) -> Iterator[dict[str, Any]]:
    """Yield the levels that are proven to be above 0, with their matches."""
    problem = result.problem
    arcs = result.arcs
    if arcs is None:
        return

    # Exact integers of any size, shape (arcs, levels).
    costs = problem.costs(arcs).astype(object)
    offsets = np.array([level.offset for level in problem.levels], object)
    costs[arcs.second == BYE] += offsets
    weights = problem.weights(result.objective)
    if weights is not None:
        costs = (costs @ np.array(weights, object))[:, None]

    names = [*problem.state.names, None]
    for level_index, level in enumerate(result.level_values):
        if level.proven and level.value:
            pairs = [
                arcs.pairs[match] for match in np.flatnonzero(costs[:, level_index])
            ]
            matches = [
                (names[first_seat], names[second_seat])
                for first_seat, second_seat in pairs
            ]
            yield {"level": level_index, "matches": matches}
