"""Repairing: `repair` the open round of an event folder, after somebody came or went.

`preview_repair` says which tables that changes, before it is published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.arcs import BoolArray
from pairopt.event.event import REQUESTED, Event
from pairopt.event.layout import records
from pairopt.event.prohibited import prohibited_in
from pairopt.event.rows import with_names
from pairopt.files.folder import MATCHES
from pairopt.files.guard import require_free
from pairopt.files.tables import Table
from pairopt.folder.changes import Changes, Place
from pairopt.folder.desk import Desk, Done, Folder, opened, seen
from pairopt.folder.numbers import numbered, require_numbers
from pairopt.folder.pairing import (
    counted_result,
    described,
    proof_in,
    proof_of,
    with_missed,
)
from pairopt.folder.proofs import Keeping, with_proof
from pairopt.problem.options import Pair, SolveOptions, spelled_out
from pairopt.round.repair import repair as repair_round
from pairopt.round.repair import settled_options
from pairopt.round.result import Match, Result
from pairopt.round.ways import Way, ways_out
from pairopt.wording import counted, listed

if TYPE_CHECKING:
    from typing import Unpack

    from pairopt.problem.options import SolveKeywords


@dataclass(frozen=True)
class Repair:
    """The open round as it would be paired again; nothing is written yet.

    `result` is of the whole round, the tables that stay among it; `changes` is None where there
    is no pairing, and `ways` are what could be allowed then.
    """

    result: Result
    changes: Changes | None
    ways: tuple[Way, ...] = ()


@spelled_out(SolveOptions)
def repair(
    folder: Folder,
    keep: Sequence[int] = (),
    *,
    again: bool = False,
    shown: Sequence[Match] | None = None,
    proof: str | Path | None = None,
    keep_proof: bool | None = None,
    **options: Unpack[SolveKeywords],
) -> Done:
    """Pair the open round of an event folder again, after somebody came or went.

    Matches with results stay, and so do the tables to `keep`. Of the others as few change as can
    be, and the model decides among the pairings that change so few.

    Args:
        folder: the event folder.
        keep: numbers of tables that stay as they are.
        again: pair all these others anew, however many tables change.
        shown: the `pairs` of the result of a preview: where the round is another by now, nothing
            is done.
        proof: a file for the proof that no pairing is better.
        keep_proof: as for `pair`.
        options: those of `solve`; what the round was allowed before is allowed again.

    Raises:
        UsageError: no round is open, the cut is made, or a table is not in it.
    """
    with opened(folder) as desk:
        work = _opened(desk, keep, options)
        if proof is not None:
            require_free([proof])
        result = work.paired(again)
        with proof_in(proof, result):
            if result.arcs is None:
                ways = work.ways(result, again)
                return Done("repair", (), None, desk.event, result, ways=ways)
            if shown is not None and {*result.pairs} != {*shown}:
                raise UsageError("the round would be another than was shown: look at it again")
            result = work.numbered(result)
            new = numbered(work.known).changed({MATCHES: work.written(result)})
            keeping = Keeping(keep_proof, work.settled(result, again))
            proving = partial(proof_of, result, proof is not None)
            new, of_proof = with_proof(new, work.event, keeping, proving)
            changes = work.changes(result)
            stay = counted(changes.kept + changes.fixed, "match stays", "matches stay")
            said = [f"round {work.number} is paired again; {stay}: {counted_result(result)}"]
            said += [of_proof, *changes.lines()]
            done = new.committed("repair", described(work.number, result), said, result)
            return replace(done, changes=changes)


@spelled_out(SolveOptions)
def preview_repair(
    folder: Folder,
    keep: Sequence[int] = (),
    *,
    again: bool = False,
    **options: Unpack[SolveKeywords],
) -> Repair:
    """What `repair` would do, by the same arguments; nothing is written.

    Raises:
        UsageError, InputError: as `repair`.
    """
    work = _opened(folder if isinstance(folder, Desk) else seen(folder), keep, options)
    result = work.paired(again)
    if result.arcs is None:
        return Repair(result, None, work.ways(result, again))
    result = work.numbered(result)
    return Repair(result, work.changes(result))


@dataclass(frozen=True)
class _Open:
    """The open round of a desk: what stays in any case, what may change, and who is to be paired.

    `known` is the desk without its matches and allocated byes; the masks are over the rows.
    """

    desk: Desk
    known: Desk
    event: Event
    number: int
    stays: BoolArray
    may_change: BoolArray
    options: Mapping[str, Any]

    @property
    def fixed(self) -> list[Pair]:
        """The tables that stay in any case."""
        return _pairs(self.places(self.stays))

    def paired(self, again: bool) -> Result:
        """The whole round."""
        return repair_round(self.event, fixed=self.fixed, **self._given(again))

    def ways(self, result: Result, again: bool) -> tuple[Way, ...]:
        """What could be allowed where there is no pairing."""
        paired = partial(repair_round, self.event, fixed=self.fixed)
        return ways_out(result, paired, self._given(again))

    def settled(self, result: Result, again: bool) -> dict[str, Any]:
        """The options by which `solve` pairs the round so."""
        return settled_options(result, self.fixed, self._given(again))

    def _given(self, again: bool) -> dict[str, Any]:
        published = [] if again else _pairs(self.places(self.may_change))
        return {**self.options, "published": published}

    def places(self, which: BoolArray) -> list[Place]:
        """Tables and byes of some of the rows."""
        rows, players = self.desk.rows.take(which), self.event.players
        seats = zip(rows.first.tolist(), rows.second.tolist(), rows.side.tolist(), strict=True)
        ends = [(one,) if two < 0 else (two, one) if side == 1 else (one, two)
                for one, two, side in seats]  # fmt: skip
        return [
            Place(table, tuple(players[p] for p in each))
            for table, each in zip(rows.table.tolist(), ends, strict=True)
        ]

    def changes(self, result: Result) -> Changes:
        """What is another in the round, as it is numbered."""
        fixed = {frozenset(pair) for pair in self.fixed}
        now = tuple(
            Place(int(row["table"] or 0), pair)
            for row, pair in zip(result.matches, result.pairs, strict=False)
            if frozenset(pair) not in fixed
        )
        return Changes(self.event, tuple(self.places(self.may_change)), now, len(fixed))

    def numbered(self, result: Result) -> Result:
        """The result at its tables: who stays has theirs, the others those that are free.

        What stays in any case comes first, then who has a fixed table, then who meets as before.
        """
        arcs, event = result.arcs, self.event
        assert arcs is not None
        was = {frozenset(place.players): place.table
               for place in self.places(self.stays | self.may_change)}  # fmt: skip
        fixed = {frozenset(pair) for pair in self.fixed}
        own = dict(zip(event.players, event.fixed_table.tolist(), strict=True))
        pairs = {k: frozenset(pair) for k, pair in enumerate(result.pairs) if len(pair) == 2}
        table = {k: was[pair] for k, pair in pairs.items() if pair in fixed}
        asked = [
            *((k, min(filter(None, map(own.__getitem__, pair)), default=0))
              for k, pair in pairs.items()),
            *((k, was.get(pair, 0)) for k, pair in pairs.items()),
        ]  # fmt: skip
        for k, number in asked:
            if k not in table and number and number not in table.values():
                table[k] = number
        taken = {*table.values(), *event.fixed_table[event.active].tolist()}
        free = (number for number in count(1) if number not in taken)
        table |= {k: next(free) for k in pairs if k not in table}
        order = sorted(range(len(arcs)), key=lambda k: (k not in table, table.get(k, k)))
        rows = [{**result.matches[k], "table": table.get(k)} for k in order]
        rest = result.matches[len(arcs) :]
        return replace(result, arcs=arcs.take(np.array(order)), matches=(*rows, *rest))

    def written(self, result: Result) -> Table:
        """matches.csv with the round: rows that stay are as they were, but maybe for the table."""
        which = self.stays | self.may_change
        places = {frozenset(place.players): (k, place)
                  for k, place in enumerate(self.places(which))}  # fmt: skip
        rows, stay, new = records(self.desk.matches.taken(which).cells), [], []
        for k, row in enumerate(result.matches):
            pair = result.pairs[k] if k < len(result.pairs) else ()
            at, place = places.get(frozenset(pair), (0, None))
            if place is None or (self.event.sided and place.players != pair):
                new.append(row)
                continue
            moved = {"table": row["table"]} if place.table != (row["table"] or 0) else {}
            stay.append((at, {**rows[at], **moved}))
        kept = [cells for _, cells in sorted(stay, key=lambda each: each[0])]
        return self.known.matches.appended(kept).appended(with_names(self.event, new))


def _opened(desk: Desk, keep: Sequence[int], options: Mapping[str, Any]) -> _Open:
    """The open round of a desk. Raises UsageError where there is none, or nobody to pair."""
    desk.require_no_cut()
    number, rows = desk.rounds(), desk.rows
    here, asked = rows.round == number, rows.status == REQUESTED
    if not (here & rows.open).any():
        raise UsageError("no round is open: pair the next one")
    if strange := {*keep} - {*rows.table[here & (rows.table > 0)].tolist()}:
        raise UsageError(f"round {number} has no table {listed([str(t) for t in strange])}")
    match = here & ~asked & (rows.second >= 0)
    stays = match & (np.isin(rows.table, keep) | rows.scored)
    before = desk.changed({MATCHES: desk.matches.taken(~here | asked)})
    require_numbers(before)
    known = with_missed(before)
    seated = rows.take(stays).seen(len(desk.event.players))
    event = known.event
    if not (event.active & ~seated).any():
        raise UsageError(f"nobody is left to pair: pairopt result for what is open in {number}")
    event = replace(event, active=event.active | seated)
    given = {"verify": "small", **options}
    for name, allowed in _allowed(desk, number).items():
        given[name] = [*dict.fromkeys((*given.get(name, ()), *allowed))]
    return _Open(desk, known, event, number, stays, here & ~asked & ~stays, given)


def _allowed(desk: Desk, number: int) -> dict[str, list[Any]]:
    """What the round was allowed when it was published, of players who are still known."""
    kept = desk.kept.get(number)
    if kept is None:
        return {}
    event, options = desk.event, kept.options
    held = {frozenset(pair) for pair in options.force}
    forbidden = prohibited_in(event.prohibited, number)
    held |= {frozenset(event.players[p] for p in pair) for pair in forbidden}
    return {
        "relax": [*options.relax],
        "allow": [
            (one, two)
            for one, two in options.allow
            if event.knows(one) and event.knows(two) and frozenset((one, two)) not in held
        ],
        "allow_bye": [player for player in options.allow_bye if event.knows(player)],
    }


def _pairs(places: Sequence[Place]) -> list[Pair]:
    """Those of two players."""
    return [(place.players[0], place.players[1]) for place in places if len(place.players) == 2]
