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
LEAST_SECONDS = 0.001
"""The time for what follows the pairing if the deadline has passed."""
WHERE = {"model": "model", "question": "ask", "player": "ask"}
"""The part of a request that an error is about, by the subject of the error's kind."""


@dataclass(frozen=True)
class ApiResponse:
    """An answer to a program, as docs/door.json describes it.

    `content` is the answer for JSON, without its version. `result` is the pairing in
    it, None if the request was refused.
    """

    content: Mapping[str, Any]
    result: Result | None = None

    @property
    def text(self) -> str:
        """The answer as one line of JSON, with the version of its form."""
        versioned_content = {"version": VERSION, **self.content}
        return (
            json.dumps(versioned_content, allow_nan=False, separators=(",", ":")) + "\n"
        )


def reply_to(raw: bytes) -> ApiResponse:
    """Return the answer to a request, or a refusal if the request has faults.

    `raw` is the JSON of the request. Raise EngineError, and any other error that is not
    a fault of the request.
    """
    deadline = time.monotonic() + SECONDS
    try:
        return _answer(parse_request(raw), deadline)
    except InputError as error:
        return refusal(error)
    except EngineError:
        raise
    except UsageError as error:
        request_part = WHERE.get(error.kind.partition(".")[0], "options")
        return refusal(InputError(request_part, error.reason))


def refusal(error: InputError) -> ApiResponse:
    """Return an answer that only lists the faults of a request, with their places.

    They are the faults of `error`, at most `MOST_ERRORS` of them, under the key
    "errors". Each has its message and "where". The answer has no result.
    """
    error_records = [
        {
            **_message_to_json(fault.said),
            "where": f"{error.source}.{fault.place or ''}".strip("."),
        }
        for fault in error.faults[:MOST_ERRORS]
    ]
    return ApiResponse({"errors": error_records})


def _message_to_json(note: str | Note) -> dict[str, Any]:
    """Return the JSON form of a message, with its text as the JSON API words it.

    `note` may also be a plain text. The keys are "kind", the message's fields, and
    "text".
    """
    return {**message(note).to_dict(), "text": REQUEST.format_message(note)}


def _answer(request: ApiRequest, deadline: float) -> ApiResponse:
    """Pair the round of a request without faults, and return the answer.

    `deadline` is a time of the monotonic clock, for what follows the pairing. If no
    pairing is possible, the key "ways" has the remedies. Reasons, answers and the proof
    are added only if asked for. A proof that is not ready in time, or that such a
    result cannot have, is left out. Raises what `solve` does, such as UsageError for an
    option that does not fit.
    """
    result = solve(request.event, request.model, **request.options)
    answer_content = result.to_dict()
    unavoidable_levels = [*_find_unavoidable_levels(result)]
    answer_content |= {
        "pairings": add_name_columns(result.event, result.matches),
        "unavoidable": unavoidable_levels,
    }
    for field_name in ("conflicts", "notes"):
        answer_content[field_name] = [
            *map(_message_to_json, getattr(result, field_name))
        ]

    if result.status == "infeasible":
        solve_again = partial(solve, request.event, request.model)
        time_left = max(deadline - time.monotonic(), LEAST_SECONDS)
        solve_options = {**request.options, "time_limit": time_left}
        remedies = find_remedies(result, solve_again, solve_options)
        answer_content["ways"] = [remedy.to_dict() for remedy in remedies]

    # What remedies have used up is not there for the explanation and the proof.
    proof_deadline = max(deadline, time.monotonic() + LEAST_SECONDS)
    budget = Budget(result.seed, deadline=proof_deadline)
    engine_options = EngineOptions(result.objective, budget=budget)
    questions_by_kind = {"why": [], "why_bye": [], "why_float": [], **request.ask}
    if "costs" in request.also:
        _add_cost_questions(questions_by_kind, unavoidable_levels)
    if "reasons" in request.also or any(questions_by_kind.values()):
        explanation = explain_result(
            result, engine_options, **questions_by_kind
        ).to_dict()
        for field_name in ("matches", "answers", "brackets", "reasons"):
            answer_content[field_name] = explanation[field_name]

    if "proof" in request.also:
        with suppress(TimeUpError, UsageError):
            round_proof = result.prove(budget)
            answer_content["proof"] = round_proof and {
                **round_proof.to_dict(),
                "file": round_proof.text,
            }
    return ApiResponse(answer_content, result)


def _add_cost_questions(
    questions: dict[str, Any], unavoidable: Sequence[Mapping[str, Any]]
) -> None:
    """Add a question to `questions` for each match that adds to an unavoidable level.

    `questions` are lists by kind, and `unavoidable` are levels, each a dict whose
    "matches" are pairs of identifiers, with None for the bye. A match gets the question
    "why", a bye "why_bye". At most QUESTIONS matches count, and each counts once.
    """
    costly_matches = dict.fromkeys(
        costly_match
        for unavoidable_level in unavoidable
        for costly_match in unavoidable_level["matches"]
    )
    for player_identifier, opponent_identifier in [*costly_matches][:QUESTIONS]:
        if opponent_identifier:
            questions["why"] += [(player_identifier, opponent_identifier)]
        else:
            questions["why_bye"] += [player_identifier]


def _find_unavoidable_levels(result: Result) -> Iterator[dict[str, Any]]:
    """Yield the levels that are proven to be above 0, with their matches.

    Each is a dict with "level", an index of the result's levels, and "matches". These
    are the matches that add to the level: pairs of identifiers, with None for the bye.
    Nothing is yielded without a pairing.
    """
    problem = result.problem
    arcs = result.arcs
    if arcs is None:
        return

    # Exact integers of any size, shape (arcs, levels).
    arc_costs = problem.costs(arcs).astype(object)
    level_offsets = np.array(
        [level_value.offset for level_value in problem.levels], object
    )
    arc_costs[arcs.second == BYE] += level_offsets
    level_weights = problem.weights(result.objective)
    if level_weights is not None:
        arc_costs = (arc_costs @ np.array(level_weights, object))[:, None]

    seat_names = [*problem.state.names, None]
    for level_index, level_value in enumerate(result.level_values):
        if level_value.proven and level_value.value:
            costly_pairs = [
                arcs.pairs[arc_index]
                for arc_index in np.flatnonzero(arc_costs[:, level_index])
            ]
            name_pairs = [
                (seat_names[first_seat], seat_names[second_seat])
                for first_seat, second_seat in costly_pairs
            ]
            yield {"level": level_index, "matches": name_pairs}
