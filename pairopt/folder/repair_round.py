"""Re-pairing of the open round of an event folder, after players came or went.

`preview_repair` shows which tables that changes, before `repair` publishes it.
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
    build_missed_round_rows,
    describe_pairing_step,
    describe_result,
    find_rule_breach,
    get_proof,
    with_comparison,
    with_missed_rounds,
    write_proof_before,
)
from pairopt.folder.pairing_numbers import require_frozen_numbers, with_pairing_numbers
from pairopt.folder.proofs import (
    ProofStorage,
    normalize_options,
    read_stored_options,
    with_proof,
)
from pairopt.folder.repair_changes import RepairChanges, TableAssignment
from pairopt.folder.results import read_score
from pairopt.folder.round_robin import require_no_round_robin
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
    """A re-pairing of the open round, which is not written to the folder yet.

    Attributes
    ----------
    result : Result
        The whole round, with the tables that are kept.
    changes : RepairChanges or None
        What changes. None if there is no pairing.
    ways : tuple of Remedy
        What you could allow, if there is no pairing.
    new : OpenFolder or None
        The folder with the round written.
    """

    result: Result
    changes: RepairChanges | None
    ways: tuple[Remedy, ...] = ()
    new: OpenFolder | None = field(default=None, repr=False)

    @cached_property
    def breach(self) -> FideModeBreach | None:
        """How the round differs from what FIDE's rules give, computed on first use.

        It is None outside of FIDE mode, if the round does not differ, and if there is
        no pairing.
        """
        if self.new is None or not read_mode(self.new.files).fide:
            return None
        return find_rule_breach(self.new.event, self.new.rounds())

    @property
    def question(self) -> Message | None:
        """The question to answer before publication, about the player with the new bye.

        None if nobody newly has it, or nothing is to be asked.
        """
        new_tables = () if self.changes is None else self.changes.new
        if not any(len(new_table.players) == 1 for new_table in new_tables):
            return None
        return self.result.question


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
    """Re-pair the open round of an event folder, after players came or went.

    `repair` keeps every match that has a result. `repair` changes the fewest other
    tables that are possible. Among the pairings with the fewest changes, the model
    chooses the best one. If you confirmed an exception when you first paired the round,
    `repair` allows this exception again.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    keep : sequence of int
        Tables without a result that must stay as they are.
    again : bool
        Whether to pair all tables without a result again, even if many tables change.
    shown : sequence of pairs, optional
        The `pairs` of a preview's result. If the round has changed since the preview,
        `repair` changes nothing.
    proof : path, optional
        A file for the proof that no pairing is better.
    keep_proof : bool, optional
        Whether to store the proof in the folder. By default the event's setting
        `proofs` decides. Without this setting, the proof is stored if it takes at most
        3 seconds.
    sure : bool
        Whether to re-pair the round although the result has a `question`.
    **options
        The options of `solve`.

    Returns
    -------
    Done
        The new round, and what has changed in it. If no pairing is possible,
        `Done.step` is None. In this case, `Done.ways` lists rules that you could relax.

    Raises
    ------
    UsageError
        If no round is open, if the event has a top cut, if the round lacks a table, or
        if the round differs from the round in your preview.
    ConfirmationError
        If pairopt has a question about the player who newly has the bye.
    InputError
        If a file of the folder has faults.
    """
    with open_folder(folder) as opened_folder:
        open_round = _read_open_round(opened_folder, keep, options)
        if proof is not None:
            require_free([proof])
        repaired_result = open_round.solve(again)
        with write_proof_before(proof, repaired_result):
            if repaired_result.arcs is None:
                remedies = open_round.find_remedies(repaired_result, again)
                return replace(
                    opened_folder.unchanged("repair"),
                    result=repaired_result,
                    ways=remedies,
                )
            if shown is not None and {*repaired_result.pairs} != {*shown}:
                raise UsageError("round.not_as_shown")

            round_number = open_round.number
            repaired_result = open_round.with_table_numbers(repaired_result)
            changed_folder = open_round.write(repaired_result)
            repair_changes = open_round.compare(changed_folder)
            has_no_question = Repair(repaired_result, repair_changes).question is None
            repaired_result.require_sure(sure or has_no_question)
            solve_options = open_round.build_options(again)
            proof_storage = ProofStorage(
                keep_proof, find_solve_options(repaired_result, solve_options)
            )
            prove_result = partial(get_proof, repaired_result, proof is not None)
            changed_folder, proof_note = with_proof(
                changed_folder, open_round.event, proof_storage, prove_result
            )
            changed_folder = with_comparison(changed_folder, round_number, True, {})

            staying_count = repair_changes.kept + repair_changes.fixed
            heading_note = message(
                "round.paired_again", round=round_number, stay=staying_count
            )
            repair_notes: list[Note] = [
                with_heading(heading_note, describe_result(repaired_result))
            ]
            repair_notes += [proof_note, *repair_changes.lines()]
            step_message = describe_pairing_step(
                "repair", open_round.event, repaired_result, solve_options
            )
            repair_done = changed_folder.committed(
                "repair", step_message, repair_notes, repaired_result
            )
            return replace(repair_done, changes=repair_changes)


@show_keywords(SolveOptions)
def preview_repair(
    folder: Folder,
    keep: Sequence[int] = (),
    *,
    again: bool = False,
    **options: Unpack[SolveKeywords],
) -> Repair:
    """Re-pair the open round of an event folder without writing any file.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    keep : sequence of int
        Tables without a result that must stay as they are.
    again : bool
        Whether to pair all tables without a result again, even if many tables change.
    **options
        The options of `solve`.

    Returns
    -------
    Repair
        The re-paired round, and what would change in the published round.

    Raises
    ------
    UsageError
        If no round is open, if the event has a top cut, or if the round lacks a table.
    InputError
        If a file of the folder has faults.
    """
    opened_folder = (
        folder if isinstance(folder, OpenFolder) else read_folder_state(folder)
    )
    open_round = _read_open_round(opened_folder, keep, options)
    repaired_result = open_round.solve(again)
    if repaired_result.arcs is None:
        return Repair(
            repaired_result, None, open_round.find_remedies(repaired_result, again)
        )
    repaired_result = open_round.with_table_numbers(repaired_result)
    changed_folder = open_round.write(repaired_result)
    return Repair(
        repaired_result, open_round.compare(changed_folder), new=changed_folder
    )


@dataclass(frozen=True)
class _OpenRound:
    """The open round of a folder, and the players to pair in it.

    `number` is the round. `unpaired` is the folder without the round's matches and
    allocated byes. `rows` are the positions of these in matches.csv; `stay` marks those
    that are kept in any case, because they have a result or the user keeps them.
    `event` is the event before the round, with the players of kept tables active, and
    `options` are those of the re-pairing.
    """

    desk: OpenFolder
    unpaired: OpenFolder
    event: Event
    number: int
    rows: IntArray
    stay: BoolArray
    options: Mapping[str, Any]

    @cached_property
    def published(self) -> list[TableAssignment]:
        """The tables of the round and its byes as published, in the order of `rows`."""
        return _read_table_assignments(self.desk.rows.take(self.rows), self.event)

    @cached_property
    def has_no_sides(self) -> BoolArray:
        """Which of `rows` have no sides, as byes do: one Boolean for each of them."""
        return np.asarray(self.desk.rows.side[self.rows] < 0, np.bool_)

    @cached_property
    def kept_places(self) -> list[TableAssignment]:
        """The tables that are kept in any case: those that `stay` marks."""
        return [*compress(self.published, self.stay)]

    def solve(self, again: bool) -> Result:
        """Pair the whole round; with `again` however many tables change.

        Otherwise as few as possible change. If there is no pairing, the result names
        tables with a result that you could open again.
        """
        repair_options = self.build_options(again)
        repaired_result = repair_round(self.event, **repair_options)
        if repaired_result.status != "infeasible" or not self.kept_places:
            return repaired_result

        present_players = {*compress(self.event.players, self.desk.event.present)}
        openable_pairs = [
            kept_pair
            for kept_pair in _list_pairs(self.kept_places)
            if present_players.issuperset(kept_pair)
        ]
        pairs_to_open = {
            *find_tables_to_open(self.event, openable=openable_pairs, **repair_options)
        }
        table_notes = [
            self._describe_table(published_index)
            for published_index, published_assignment in enumerate(self.published)
            if self.stay[published_index]
            and published_assignment.players in pairs_to_open
        ]
        if not table_notes:
            return repaired_result
        message_id = (
            "table.to_open" if len(table_notes) == 1 else "table.several_to_open"
        )
        opening_note = with_heading(
            message(message_id, count=len(table_notes)), *table_notes
        )
        return replace(
            repaired_result, conflicts=(*repaired_result.conflicts, opening_note)
        )

    def _describe_table(self, k: int) -> Message:
        """Return a message on the k-th of `rows`: its table, players and result.

        The result is "-" if there is none.
        """
        match_rows = self.desk.rows
        row_index = self.rows[k]
        shown_names = self.event.shown
        score_text = read_score(self.desk, row_index) or "-"
        return message(
            "table.with_result",
            table=int(match_rows.table[row_index]),
            one=shown_names[match_rows.first[row_index]],
            score=str(score_text),
            two=shown_names[match_rows.second[row_index]],
        )

    def find_remedies(self, result: Result, again: bool) -> tuple[Remedy, ...]:
        """Find what you could allow, so that there is a pairing; () if there is one.

        `result` is what `solve` returned, with the same `again`. The round is solved
        again for each remedy.
        """
        solve_again = partial(repair_round, self.event)
        return find_remedies(result, solve_again, self.build_options(again))

    def build_options(self, again: bool) -> dict[str, Any]:
        """Return the options of the re-pairing, with the tables that are kept.

        Kept tables keep their sides. Two players of a kept table without sides meet
        again in any case. With `again` the other tables may all change at no cost.
        """
        lacks_sides = self.has_no_sides & self.event.sided
        fixed_pairs = _list_pairs(compress(self.published, self.stay & ~lacks_sides))
        forced_pairs = _list_pairs(compress(self.published, self.stay & lacks_sides))
        changeable_pairs = (
            [] if again else _list_pairs(compress(self.published, ~self.stay))
        )
        repair_options = {**self.options}
        for option_name in ("force", "allow"):
            repair_options[option_name] = [
                *self.options.get(option_name, ()),
                *forced_pairs,
            ]
        repair_options |= {"fixed": fixed_pairs, "published": changeable_pairs}
        return normalize_options(self.event, repair_options)

    def compare(self, changed_desk: OpenFolder) -> RepairChanges:
        """Return what changes in the round, by the files of both folders.

        `changed_desk` has the re-paired round. Tables that are kept in any case and
        have not changed are not listed, but only counted.
        """
        match_rows = changed_desk.rows
        is_in_round = (match_rows.round == self.number) & (
            match_rows.status != REQUESTED
        )
        assignments_after = _read_table_assignments(
            match_rows.take(is_in_round), self.event
        )
        unchanged_assignments = {*self.kept_places} & {*assignments_after}
        changeable_assignments = tuple(
            published_assignment
            for published_assignment in self.published
            if published_assignment not in unchanged_assignments
        )
        changed_assignments = tuple(
            assignment
            for assignment in assignments_after
            if assignment not in unchanged_assignments
        )
        return RepairChanges(
            self.event,
            changeable_assignments,
            changed_assignments,
            len(unchanged_assignments),
        )

    def with_table_numbers(self, result: Result) -> Result:
        """Return the result with table numbers, and its matches in order of the tables.

        Kept matches have their numbers. Then come players with a fixed table, then
        pairs that meet as before, and then all others, at the free tables. In an event
        without sides, pairs that meet again have the players in the published order.
        Byes stay last.
        """
        repaired_arcs = result.arcs
        event = self.event
        assert repaired_arcs is not None
        players_by_arc_index = {
            arc_index: frozenset(players_of_match)
            for arc_index, players_of_match in enumerate(result.pairs)
            if len(players_of_match) == 2
        }
        table_by_arc_index = self._assign_tables(players_by_arc_index)
        arc_indices_by_table = sorted(
            range(len(repaired_arcs)),
            key=lambda arc_index: (
                arc_index not in table_by_arc_index,
                table_by_arc_index.get(arc_index, arc_index),
            ),
        )
        rows_by_table: list[PairedRow] = [
            {
                **result.matches[arc_index],
                "table": table_by_arc_index.get(arc_index) or None,
            }
            for arc_index in arc_indices_by_table
        ]

        # Without sides the players of a match stay in the order that the file has.
        published_players = {
            published_assignment.players for published_assignment in self.published
        }
        if not event.sided:
            for paired_row in rows_by_table:
                first_player, second_player = (
                    paired_row["player1"],
                    paired_row["player2"],
                )
                if (second_player, first_player) in published_players:
                    paired_row |= {"player1": second_player, "player2": first_player}
        rows_of_requested_byes = result.matches[len(repaired_arcs) :]
        return replace(
            result,
            arcs=repaired_arcs.take(np.array(arc_indices_by_table)),
            matches=(*rows_by_table, *rows_of_requested_byes),
        )

    def _assign_tables(self, pairs: Mapping[int, frozenset[str]]) -> dict[int, int]:
        """Return a table for each pair, by the pair's position in the result.

        `pairs` are the matches of the result by their positions in it, without byes.
        Kept pairs keep their table. Wishes for fixed tables come next, then former
        tables, and then the lowest free tables.
        """
        event = self.event
        published_table_by_players = {
            frozenset(assignment.players): assignment.table
            for assignment in self.published
        }
        players_of_kept_matches = {
            frozenset(assignment.players) for assignment in self.kept_places
        }
        fixed_table_by_player = dict(
            zip(event.players, event.fixed_table.tolist(), strict=True)
        )
        former_table_by_arc_index = {
            arc_index: published_table_by_players.get(players_of_match, 0)
            for arc_index, players_of_match in pairs.items()
        }
        table_by_arc_index = {
            arc_index: former_table_by_arc_index[arc_index]
            for arc_index, players_of_match in pairs.items()
            if players_of_match in players_of_kept_matches
        }

        arc_indices_and_wished_tables = []
        for arc_index, players_of_match in pairs.items():
            fixed_tables = [
                fixed_table_by_player[identifier] for identifier in players_of_match
            ]
            arc_indices_and_wished_tables.append(
                (arc_index, min(filter(None, fixed_tables), default=0))
            )
        arc_indices_and_wished_tables += former_table_by_arc_index.items()
        for arc_index, table_number in arc_indices_and_wished_tables:
            if (
                arc_index not in table_by_arc_index
                and table_number
                and table_number not in table_by_arc_index.values()
            ):
                table_by_arc_index[arc_index] = table_number

        taken_tables = {
            *table_by_arc_index.values(),
            *event.fixed_table[event.active].tolist(),
        }
        free_tables = (
            table_number
            for table_number in count(event.settings.first_table or 1)
            if table_number not in taken_tables
        )
        for arc_index in pairs:
            if arc_index not in table_by_arc_index:
                table_by_arc_index[arc_index] = next(free_tables)
        return table_by_arc_index

    def write(self, result: Result) -> OpenFolder:
        """Return the folder with the round; nothing is written to the disk yet.

        `result` is the re-paired round with its table numbers. Rows of matches.csv with
        pairs that meet as before change at most their table. Rows of others are
        replaced, and rows for missed rounds are added.
        """
        published_index_by_players = {
            published_assignment.players: published_index
            for published_index, published_assignment in enumerate(self.published)
        }
        for published_index, published_assignment in enumerate(self.published):
            if self.has_no_sides[published_index]:
                published_index_by_players[published_assignment.players[::-1]] = (
                    published_index
                )

        matches_csv_table = self.desk.matches
        is_row_kept = np.ones(len(matches_csv_table.rows), np.bool_)
        is_row_kept[self.rows] = False
        new_rows: list[PairedRow] = []
        for match_index, result_row in enumerate(result.matches):
            players_by_side = (
                result.pairs[match_index] if match_index < len(result.pairs) else ()
            )
            if players_by_side not in published_index_by_players:
                new_rows.append(result_row)
                continue
            published_index = published_index_by_players[players_by_side]
            index_of_kept_row = int(self.rows[published_index])
            is_row_kept[index_of_kept_row] = True
            if (result_row["table"] or 0) != self.published[published_index].table:
                matches_csv_table = matches_csv_table.changed(
                    index_of_kept_row, {"table": str(result_row["table"])}
                )

        matches_csv_table = matches_csv_table.select_rows(is_row_kept)
        matches_csv_table = matches_csv_table.appended(
            build_missed_round_rows(self.unpaired.event)
        )
        matches_csv_table = matches_csv_table.appended(
            add_name_columns(self.event, new_rows)
        )
        return with_pairing_numbers(self.unpaired).changed({MATCHES: matches_csv_table})


def _read_open_round(
    desk: OpenFolder, keep: Sequence[int], options: Mapping[str, Any]
) -> _OpenRound:
    """Return the open round of a folder, with the tables that stay and its options.

    `keep` are the numbers of tables to keep; tables with a result stay in any case.
    `options` are those of the re-pairing. In a copy of them, "verify" is "small" unless
    it is given, and the exceptions that the published round was allowed are added.
    Raise UsageError if no round is open, there is a top cut, a table is not in the
    round, there is nobody to pair, start numbers have changed since they were frozen,
    or the event is a round robin.
    """
    require_no_round_robin(desk)
    desk.require_no_cut()
    round_number = desk.rounds()
    match_rows = desk.rows
    is_in_round = (match_rows.round == round_number) & (match_rows.status != REQUESTED)
    if not (is_in_round & match_rows.open).any():
        raise UsageError("round.none_open")
    unknown_tables = {*keep} - {
        *match_rows.table[is_in_round & (match_rows.table > 0)].tolist()
    }
    if unknown_tables:
        unknown_numbers = sorted(unknown_tables)
        raise UsageError(
            "table.none_of_these", round=round_number, tables=unknown_numbers
        )

    is_match_in_round = is_in_round & (match_rows.second >= 0)
    is_kept_match = is_match_in_round & (
        np.isin(match_rows.table, keep) | match_rows.scored
    )
    unpaired_folder = desk.changed({MATCHES: desk.matches.select_rows(~is_in_round)})
    require_frozen_numbers(unpaired_folder)
    is_player_at_kept_table = match_rows.take(is_kept_match).player_mask(
        len(desk.event.players)
    )
    event = with_missed_rounds(unpaired_folder).event
    if not (event.active & ~is_player_at_kept_table).any():
        raise UsageError("round.nobody_left", round=round_number)
    event = replace(event, active=event.active | is_player_at_kept_table)

    all_options = {"verify": "small", **options}
    for option_name, allowed_exceptions in _read_allowed_exceptions(
        desk, round_number
    ).items():
        distinct_exceptions = dict.fromkeys(
            (*all_options.get(option_name, ()), *allowed_exceptions)
        )
        all_options[option_name] = [*distinct_exceptions]
    row_indices_of_round = np.flatnonzero(is_in_round)
    return _OpenRound(
        desk,
        unpaired_folder,
        event,
        round_number,
        row_indices_of_round,
        is_kept_match[row_indices_of_round],
        all_options,
    )


def _read_allowed_exceptions(desk: OpenFolder, number: int) -> dict[str, list[Any]]:
    """Return the exceptions that the published round was allowed, as options.

    The keys are "relax", "allow" (pairs of identifiers) and "allow_bye" (identifiers of
    players). The exceptions are read from the stored proof of round `number`: without a
    proof the lists are empty. Pairs and byes of players who are not in the event any
    more, and pairs who may not meet now, are left out.
    """
    event = desk.event
    stored_options = read_stored_options(desk, number)
    forbidden_position_pairs = pairs_forbidden_in(event.prohibited, number)
    barred_pairs = {
        frozenset(event.players[player_position] for player_position in forbidden_pair)
        for forbidden_pair in forbidden_position_pairs
    }
    allowed_pairs = [
        (first_player, second_player)
        for first_player, second_player in stored_options.get("allow", ())
        if event.has_player(first_player)
        and event.has_player(second_player)
        and frozenset((first_player, second_player)) not in barred_pairs
    ]
    allowed_byes = [
        identifier
        for identifier in stored_options.get("allow_bye", ())
        if event.has_player(identifier)
    ]
    return {
        "relax": [*stored_options.get("relax", ())],
        "allow": allowed_pairs,
        "allow_bye": allowed_byes,
    }


def _read_table_assignments(rows: Matches, event: Event) -> list[TableAssignment]:
    """Return the table of each row, with the player of the first side first.

    `rows` are matches and byes of the event. A bye is a table with one player.
    """
    arrays_of_columns = (rows.table, rows.first, rows.second, rows.side)
    table_assignments = []
    for table_number, first_position, second_position, side_of_first in zip(
        *(array_of_column.tolist() for array_of_column in arrays_of_columns),
        strict=True,
    ):
        seat_positions: tuple[int, ...]
        if second_position < 0:
            seat_positions = (first_position,)
        elif side_of_first == 1:
            seat_positions = (second_position, first_position)
        else:
            seat_positions = (first_position, second_position)
        seated_players = tuple(
            event.players[player_position] for player_position in seat_positions
        )
        table_assignments.append(TableAssignment(table_number, seated_players))
    return table_assignments


def _list_pairs(places: Iterable[TableAssignment]) -> list[Pair]:
    """Return the two players of each table of `places`, first side first, in order.

    Byes are skipped. Players are identifiers.
    """
    return [
        (assignment.players[0], assignment.players[1])
        for assignment in places
        if len(assignment.players) == 2
    ]
