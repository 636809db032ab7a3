"""Answer: what another program is told, in one form: the pairing with what is proven of it, or what
is wrong with the request, by kinds and places."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from pairopt.budget import Budget, TimeUpError
from pairopt.engines.base import EngineError, Options, Status
from pairopt.errors import Fault, InputError, JsonPath, UsageError
from pairopt.event.arcs import BYE
from pairopt.event.rows import with_names
from pairopt.problem.model_file import Objective
from pairopt.proof.reasons import Reason
from pairopt.records import record, records
from pairopt.round.explain import Alternative, Asker, explained, reasons_of
from pairopt.round.result import LEVEL, Result
from pairopt.round.solve import solve
from pairopt.round.ways import Way, ways_out
from pairopt.show.door.request import QUESTIONS, SECONDS, VERSION, Asked, Cost, asked, named
from pairopt.show.words import REQUEST
from pairopt.words import Said, tell

MOST_ERRORS = 100  # of a request in which there are more
WHERE = {"model": "model", "question": "ask"}
"""Where in a request an error of a kind comes from that has no place; others from the options."""
Whole = int | str  # as text where it has more digits than other programs hold
Meeting = tuple[str, str | None]


class Told(BaseModel):
    model_config = ConfigDict(extra="allow")
    kind: str
    text: str


class Error(Told):
    where: str


class Refusal(BaseModel):
    version: Literal[1]
    errors: list[Error]


class Level(BaseModel):
    criterion: str
    level: Whole
    value: Whole | None
    bound: Whole | None
    scale: Whole
    proven: bool | None


class PairedMatch(BaseModel):
    round: int
    table: int | None
    player1: str
    player2: str | None
    side1: str | None
    score1: str | None
    score2: None
    status: Literal["bye", "requested"] | None
    name1: str = ""
    name2: str | None = None


class Unavoidable(BaseModel):
    level: int
    matches: list[Meeting]
    why: list[Told]


class Sentence(BaseModel):
    player1: str
    player2: str | None
    said: Told


class Otherwise(BaseModel):
    asked: Literal["why", "why_not", "why_bye", "why_float"]
    players: list[str]
    kind: Literal["impossible", "free", "worse", "unknown"]
    level: int | None
    optimum: Whole | None
    value: Whole | None
    said: Told


class WayOut(BaseModel):
    options: dict[str, Any]
    levels: list[Level]
    said: Told
    cost: Told


class ProofFile(BaseModel):
    certified: int
    open: int
    sha256: str
    file: str


class Answer(BaseModel):
    version: Literal[1]
    status: Status
    round: int
    model: str
    objective: Objective
    engine: str
    proven_by: list[str]
    pairings: list[PairedMatch]
    levels: list[Level]
    unavoidable: list[Unavoidable]
    conflicts: list[Told]
    notes: list[Told]
    seed: Whole
    choice: dict[str, Any] | None = None
    ways: list[WayOut] = []
    reasons: list[Sentence] = []
    answers: list[Otherwise] = []
    proof: ProofFile | None = None


@dataclass(frozen=True)
class Reply:
    """An answer or a refusal, and the result of the one."""

    told: Answer | Refusal
    result: Result | None = None

    @property
    def text(self) -> str:
        return self.told.model_dump_json(exclude_unset=True) + "\n"


def reply_to(raw: bytes) -> Reply:
    """What a request is told. Raises EngineError, and whatever else is a fault of ours."""
    until = time.monotonic() + SECONDS
    try:
        return _solved(asked(raw), until)
    except EngineError:
        raise
    except InputError as error:
        return refusal(*error.faults)
    except UsageError as error:
        where = WHERE.get(error.kind.partition(".")[0], "options")
        return refusal(*(Fault(said, JsonPath(where)) for said in error.said))


def refusal(*faults: Fault) -> Reply:
    errors = [Error(**_told(each.said), where=str(each.place or "")) for each in faults]
    return Reply(Refusal(version=VERSION, errors=errors[:MOST_ERRORS]))


def _told(said: str | Said) -> dict[str, Any]:
    return {**tell(said).to_dict(), "text": REQUEST.draw(said)}


def _solved(given: Asked, until: float) -> Reply:
    result = solve(given.event, given.model, **given.options)
    budget = Budget(given.options.get("seed", 0), deadline=until)
    why = reasons_of(result, budget) if "reasons" in given.also else ()
    unavoidable = [*_unavoidable(result, why)]
    told = {**record(result, "status", "round", "model", "objective", "engine", "proven_by", "seed"),
            "version": VERSION, "pairings": with_names(result.event, result.matches),
            "levels": records(result.level_values, *LEVEL), "unavoidable": unavoidable,
            "conflicts": [*map(_told, result.conflicts)],
            "notes": [*map(_told, result.notes)]}  # fmt: skip
    if result.choice is not None:
        told["choice"] = result.choice.to_dict()
    if result.status == "infeasible":
        left = {**given.options, "time_limit": max(until - time.monotonic(), 0.001)}
        ways = ways_out(result, partial(solve, given.event, given.model), left)
        told["ways"] = [*map(_way, ways)]
    if "reasons" in given.also:
        told["reasons"] = [{**record(match, "player1", "player2"), "said": _told(match.said)}
                           for match in explained(result, why)]  # fmt: skip
    if questions := [*given.questions, *(_costs(unavoidable) if "costs" in given.also else ())]:
        told["answers"] = [*_otherwise(result, questions[:QUESTIONS], budget)]
    if "proof" in given.also and (proof := _proof(result, budget)) is not None:
        told["proof"] = proof
    return Reply(Answer(**told), result)


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
            matches = [(names[one], names[two])
                       for (one, two), cost in zip(arcs.pairs, costs[:, k], strict=True) if cost]  # fmt: skip
            why = [_told(reason.said) for reason in known if reason.level == k]
            yield {"level": k, "matches": matches, "why": why}


def _costs(unavoidable: Sequence[dict[str, Any]]) -> Iterator[Cost]:
    """What it would cost if each of these matches were not."""
    matches = dict.fromkeys(match for each in unavoidable for match in each["matches"])
    for one, two in matches:
        yield ("why", (one, two), "") if two else ("why_bye", (one,), "")


def _otherwise(
    result: Result, questions: Sequence[Cost], budget: Budget
) -> Iterator[dict[str, Any]]:
    """The answers to questions; none where there is no pairing. Raises InputError for a question
    about somebody who is not in the round."""
    ask = Asker(result, Options(result.objective, budget=budget))
    for kind, players, path in questions if result.arcs is not None else ():
        if faults := [*named(result.event, list(players), path)]:
            raise InputError("", faults)
        try:
            found = _answered(ask, kind, players)
        except UsageError as error:
            raise InputError("", [Fault(error.said[0], JsonPath(path))]) from None
        yield {"asked": kind, "players": players, "said": _told(found.said),
               **record(found, "kind", "level", "optimum", "value")}  # fmt: skip


def _answered(ask: Asker, kind: str, players: Sequence[str]) -> Alternative:
    if len(players) == 2:
        return ask.about_pair((players[0], players[1]), meets=kind == "why")
    return ask.about_bye(players[0]) if kind == "why_bye" else ask.about_float(players[0])


def _way(way: Way) -> dict[str, Any]:
    known = way.to_dict()
    return {"options": known["options"], "levels": known["levels"], "said": _told(way.said),
            "cost": _told(way.costs)}  # fmt: skip


def _proof(result: Result, budget: Budget) -> dict[str, Any] | None:
    """The file of a proof; None where nothing is proven, or not in time."""
    try:
        proof = result.prove(budget)
    except (TimeUpError, UsageError):
        return None
    return None if proof is None else {**proof.to_dict(), "file": proof.text}
