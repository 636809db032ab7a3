"""Repairing: `repair` the open round of an event folder, after somebody came or went.

`preview_repair` says which tables that changes, before it is published.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import compress, count
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.event.event import REQUESTED, Event, Matches
from pairopt.event.forbidden_pairs import pairs_forbidden_in
from pairopt.event.source_info import FideModeBreach
from pairopt.event.table_assignment import PairedRow, add_name_columns
from pairopt.files.event_folder import MATCHES
from pairopt.files.overwrite_guard import require_free
from pairopt.folder.fide_mode import read_mode
from pairopt.folder.open_folder import (
    Done,
    Folder,
    OpenFolder,
    open_folder,
    read_folder_state,
)
from pairopt.folder.pair_round import (
    counted_result,
    describe_pairing_step,
    find_rule_breach,
    missed_round_rows,
    proof_in,
    proof_of,
    with_comparison,
    with_missed,
)
from pairopt.folder.pairing_numbers import require_numbers, with_pairing_numbers
from pairopt.folder.proofs import ProofStorage, as_claimed, stored_options, with_proof
from pairopt.folder.repair_changes import RepairChanges, TableAssignment
from pairopt.folder.results import read_score
from pairopt.messages import Message, Note, message, with_heading
from pairopt.problem.keywords import SolveKeywords
from pairopt.problem.options import (
    Pair,
    SolveOptions,
    show_keywords,
)
from pairopt.round.remedies import Remedy, find_remedies
from pairopt.round.repair import find_solve_options, find_tables_to_open
from pairopt.round.repair import repair as repair_round
from pairopt.round.result import Match, Result


@dataclass(frozen=True)
class Repair:
    """The open round as it would be paired again; nothing is written yet.

    `result` is of the whole round, the tables that stay among it. `changes` is None where there is
    no pairing, and `ways` are what could be allowed then. `new` is the desk with the round written.
    """

    result: Result
    changes: RepairChanges | None
    ways: tuple[Remedy, ...] = ()
    new: OpenFolder | None = field(default=None, repr=False)

    @cached_property
    def breach(self) -> FideModeBreach | None:
        """How the round differs from what FIDE's rules give, in FIDE mode: that is asked about."""
        if self.new is None or not read_mode(self.new.files).fide:
            return None
        return find_rule_breach(self.new.event, self.new.rounds())

    @property
    def question(self) -> Message | None:
        """What is asked before it is published, of who has not had the bye before."""
        new = () if self.changes is None else self.changes.new
        return (
            self.result.question
            if any(len(place.players) == 1 for place in new)
            else None
        )


@show_keywords(SolveOptions)
def repair(
    folder: Folder,
    keep: Sequence[int] = (),
    *,
    again: bool = False,
    shown: Sequence[Match] | None = None,
    proof: str | Path | None = None,
    keep_proof: bool | None = None,
    sure: bool = False,
    **options: Unpack[SolveKeywords],
) -> Done:
    """Pair the open round of an event folder again, after somebody came or went.

    Matches with results stay, and so do the tables to `keep`. Of the others as few change as can
    be, and the model decides among the pairings that change so few; or `again`, all are paired
    anew. `shown` are the `pairs` of the result of a preview: where the round is another by now,
    nothing is done. `proof`, `keep_proof`, `sure` and options as for `pair`; what the round was
    allowed before is allowed again. Raises UsageError: no round is open, the cut is made, or a
    table is not in it.
    """
    with open_folder(folder) as desk:
        work = _open_round(desk, keep, options)
        if proof is not None:
            require_free([proof])
        result = work.paired(again)
        with proof_in(proof, result):
            if result.arcs is None:
                ways = work.ways(result, again)
                return replace(desk.unchanged("repair"), result=result, ways=ways)
            if shown is not None and {*result.pairs} != {*shown}:
                raise UsageError("round.not_as_shown")
            result = work.numbered(result)
            new = work.written(result)
            changes = work.changes(new)
            result.require_sure(sure or Repair(result, changes).question is None)
            keeping = ProofStorage(
                keep_proof, find_solve_options(result, work.given(again))
            )
            proving = partial(proof_of, result, proof is not None)
            new, of_proof = with_proof(new, work.event, keeping, proving)
            new = with_comparison(new, work.number, True, {})
            stay = changes.kept + changes.fixed
            again_paired = message("round.paired_again", round=work.number, stay=stay)
            said: list[Note] = [with_heading(again_paired, counted_result(result))]
            said += [of_proof, *changes.lines()]
            did = describe_pairing_step("repair", work.event, result, work.given(again))
            return replace(new.committed("repair", did, said, result), changes=changes)


@show_keywords(SolveOptions)
def preview_repair(
    folder: Folder,
    keep: Sequence[int] = (),
    *,
    again: bool = False,
    **options: Unpack[SolveKeywords],
) -> Repair:
    """What `repair` would do, by the same arguments; nothing is written. Errors as `repair`."""
    work = _open_round(
        folder if isinstance(folder, OpenFolder) else read_folder_state(folder),
        keep,
        options,
    )
    result = work.paired(again)
    if result.arcs is None:
        return Repair(result, None, work.ways(result, again))
    result = work.numbered(result)
    new = work.written(result)
    return Repair(result, work.changes(new), new=new)


@dataclass(frozen=True)
class _OpenRound:
    """The open round of a desk, and who is to be paired in it. `known` is the desk without its
    matches and allocated byes. `rows` are these, as places of the file; of them those that `stay`
    in any case, with a result or kept.
    """

    desk: OpenFolder
    known: OpenFolder
    event: Event
    number: int
    rows: IntArray
    stay: BoolArray
    options: Mapping[str, Any]

    @cached_property
    def published(self) -> list[TableAssignment]:
        return _table_assignments(self.desk.rows.take(self.rows), self.event)

    @cached_property
    def loose(self) -> BoolArray:
        return np.asarray(self.desk.rows.side[self.rows] < 0, np.bool_)

    @cached_property
    def held(self) -> list[TableAssignment]:
        return [*compress(self.published, self.stay)]

    def paired(self, again: bool) -> Result:
        """The whole round; where there is none, which tables with a result leave no other."""
        given = self.given(again)
        result = repair_round(self.event, **given)
        if result.status != "infeasible" or not self.held:
            return result
        present = {*compress(self.event.players, self.desk.event.present)}
        openable = [match for match in _matches(self.held) if present.issuperset(match)]
        opened = {*find_tables_to_open(self.event, openable=openable, **given)}
        tables = [
            self._named(k)
            for k, place in enumerate(self.published)
            if self.stay[k] and place.players in opened
        ]
        if not tables:
            return result
        kind = "table.to_open" if len(tables) == 1 else "table.several_to_open"
        said = with_heading(message(kind, count=len(tables)), *tables)
        return replace(result, conflicts=(*result.conflicts, said))

    def _named(self, k: int) -> Message:
        """A table with its players as the file has them, and its result."""
        row, rows, names = self.rows[k], self.desk.rows, self.event.shown
        score = read_score(self.desk, row) or "-"
        return message(
            "table.with_result",
            table=int(rows.table[row]),
            one=names[rows.first[row]],
            score=str(score),
            two=names[rows.second[row]],
        )

    def ways(self, result: Result, again: bool) -> tuple[Remedy, ...]:
        return find_remedies(
            result, partial(repair_round, self.event), self.given(again)
        )

    def given(self, again: bool) -> dict[str, Any]:
        """What stays has the sides that it has; where it has none, the two meet all the same."""
        loose = self.loose & self.event.sided
        fixed, met = (
            _matches(compress(self.published, self.stay & which))
            for which in (~loose, loose)
        )
        may_change = [] if again else _matches(compress(self.published, ~self.stay))
        more = {
            name: [*self.options.get(name, ()), *met] for name in ("force", "allow")
        }
        given = {**self.options, **more, "fixed": fixed, "published": may_change}
        return as_claimed(self.event, given)

    def changes(self, new: OpenFolder) -> RepairChanges:
        """What is another in the round, as the files have it before and after."""
        rows = new.rows
        here = (rows.round == self.number) & (rows.status != REQUESTED)
        now = _table_assignments(rows.take(here), self.event)
        same = {*self.held} & {*now}
        before, after = (
            tuple(place for place in some if place not in same)
            for some in (self.published, now)
        )
        return RepairChanges(self.event, before, after, len(same))

    def numbered(self, result: Result) -> Result:
        """The result at its tables: who stays has theirs, the others those that are free. What
        stays in any case comes first, then who has a fixed table, then who meets as before.
        """
        arcs, event = result.arcs, self.event
        assert arcs is not None
        was = {frozenset(place.players): place for place in self.published}
        held = {frozenset(place.players) for place in self.held}
        own = dict(zip(event.players, event.fixed_table.tolist(), strict=True))
        pairs = {
            k: frozenset(pair) for k, pair in enumerate(result.pairs) if len(pair) == 2
        }
        before = {k: was[pair].table if pair in was else 0 for k, pair in pairs.items()}
        table = {k: before[k] for k, pair in pairs.items() if pair in held}
        asked = [
            *(
                (k, min(filter(None, map(own.__getitem__, pair)), default=0))
                for k, pair in pairs.items()
            ),
            *before.items(),
        ]
        for k, number in asked:
            if k not in table and number and number not in table.values():
                table[k] = number
        taken = {*table.values(), *event.fixed_table[event.active].tolist()}
        free = (
            number
            for number in count(event.settings.first_table or 1)
            if number not in taken
        )
        table |= {k: next(free) for k in pairs if k not in table}
        order = sorted(
            range(len(arcs)), key=lambda k: (k not in table, table.get(k, k))
        )
        rows: list[PairedRow] = [
            {**result.matches[k], "table": table.get(k) or None} for k in order
        ]
        named = {place.players for place in self.published}
        if not event.sided:  # whoever is named first in the file is so here
            for row in rows:
                one, two = row["player1"], row["player2"]
                if (two, one) in named:
                    row |= {"player1": two, "player2": one}
        rest = result.matches[len(arcs) :]
        return replace(result, arcs=arcs.take(np.array(order)), matches=(*rows, *rest))

    def written(self, result: Result) -> OpenFolder:
        """The desk with the round: rows that stay are as they are, but maybe for the table."""
        at = {place.players: k for k, place in enumerate(self.published)}
        at |= {
            place.players[::-1]: k
            for k, place in enumerate(self.published)
            if self.loose[k]
        }
        table, stays = self.desk.matches, np.ones(len(self.desk.matches.rows), np.bool_)
        stays[self.rows] = False
        new: list[PairedRow] = []
        for n, row in enumerate(result.matches):
            pair = result.pairs[n] if n < len(result.pairs) else ()
            if pair not in at:
                new.append(row)
                continue
            place = at[pair]
            stays[self.rows[place]] = True
            if (row["table"] or 0) != self.published[place].table:
                table = table.changed(
                    int(self.rows[place]), {"table": str(row["table"])}
                )
        table = table.select_rows(stays).appended(missed_round_rows(self.known.event))
        table = table.appended(add_name_columns(self.event, new))
        return with_pairing_numbers(self.known).changed({MATCHES: table})


def _open_round(
    desk: OpenFolder, keep: Sequence[int], options: Mapping[str, Any]
) -> _OpenRound:
    """The open round of a desk. Raises UsageError where there is none, or nobody to pair."""
    desk.require_no_cut()
    number, rows = desk.rounds(), desk.rows
    here = (rows.round == number) & (rows.status != REQUESTED)
    if not (here & rows.open).any():
        raise UsageError("round.none_open")
    if strange := {*keep} - {*rows.table[here & (rows.table > 0)].tolist()}:
        raise UsageError("table.none_of_these", round=number, tables=sorted(strange))
    stays = here & (rows.second >= 0) & (np.isin(rows.table, keep) | rows.scored)
    before = desk.changed({MATCHES: desk.matches.select_rows(~here)})
    require_numbers(before)
    seated = rows.take(stays).player_mask(len(desk.event.players))
    event = with_missed(before).event
    if not (event.active & ~seated).any():
        raise UsageError("round.nobody_left", round=number)
    event = replace(event, active=event.active | seated)
    given = {"verify": "small", **options}
    for name, allowed in _exceptions_at_publication(desk, number).items():
        given[name] = [*dict.fromkeys((*given.get(name, ()), *allowed))]
    places = np.flatnonzero(here)
    return _OpenRound(desk, before, event, number, places, stays[places], given)


def _exceptions_at_publication(desk: OpenFolder, number: int) -> dict[str, list[Any]]:
    """What the round was allowed when it was published, of players who are still known."""
    event, given = desk.event, stored_options(desk, number)
    forbidden = pairs_forbidden_in(event.prohibited, number)
    barred = {frozenset(event.players[p] for p in pair) for pair in forbidden}
    return {
        "relax": [*given.get("relax", ())],
        "allow": [
            (one, two)
            for one, two in given.get("allow", ())
            if event.has_player(one)
            and event.has_player(two)
            and frozenset((one, two)) not in barred
        ],
        "allow_bye": [
            player for player in given.get("allow_bye", ()) if event.has_player(player)
        ],
    }


def _table_assignments(rows: Matches, event: Event) -> list[TableAssignment]:
    players = event.players
    seats = zip(
        rows.first.tolist(), rows.second.tolist(), rows.side.tolist(), strict=True
    )
    ends = [
        (one,) if two < 0 else (two, one) if side == 1 else (one, two)
        for one, two, side in seats
    ]
    return [
        TableAssignment(table, tuple(players[p] for p in each))
        for table, each in zip(rows.table.tolist(), ends, strict=True)
    ]


def _matches(places: Iterable[TableAssignment]) -> list[Pair]:
    return [
        (place.players[0], place.players[1])
        for place in places
        if len(place.players) == 2
    ]
