"""Explanation of the matches of a published round, from the steps that paired it.

A round can be re-paired after it is published. A table that was kept then has the
reason from when it was paired. A changed table has the reason from the re-pairing that
changed it.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from pairopt.engines.base import EngineOptions
from pairopt.errors import PairoptError, UsageError
from pairopt.event.arcs import BYE
from pairopt.files.event_folder import EVENT
from pairopt.folder.journal import read_proofs
from pairopt.folder.open_folder import OpenFolder
from pairopt.folder.stored_proofs import proof_file_name, read_proof_options
from pairopt.messages import Message, Note, message, with_heading
from pairopt.problem.options import Pair
from pairopt.round.check import Check, check_played
from pairopt.round.explain import (
    Alternative,
    CounterfactualSolver,
    describe_swapped_sides,
    explain_matches,
)
from pairopt.round.pairing_facts import (
    describe_meetings,
    explain_no_meeting,
    grouping_points,
)
from pairopt.round.result import Result

TABLE_OPTIONS = ("published", "fixed")
"""The options of a re-pairing that are about its tables, which are known from the
steps."""


class Seats(NamedTuple):
    """Two players, the one with the first side first, or one player with the bye.

    `players` are one or two identifiers. `has_sides` says whether their sides are
    known; otherwise the two are in the order of their identifiers.
    """

    players: tuple[str, ...]
    has_sides: bool

    def opponent(self, player: str) -> str | None:
        """Return the opponent of a player of this match; None for the bye.

        For a player who is not in the match it is the match's first player.
        """
        return next(
            (other_player for other_player in self.players if other_player != player),
            None,
        )


@dataclass(frozen=True)
class PairedRound:
    """A round as one step paired it, and why it did so.

    `desk` has the files after that step, and `number` is the round. `earlier` are the
    matches before the step (none if it paired the round first), and `asked` the options
    of the step that are not the event's own.
    """

    desk: OpenFolder
    number: int
    earlier: tuple[Seats, ...] = ()
    asked: Mapping[str, Any] | None = None

    @cached_property
    def matches(self) -> tuple[Seats, ...]:
        """The matches and the allocated byes of the round, by the order of its rows."""
        return read_seats(self.desk, self.number)

    @cached_property
    def kept(self) -> tuple[Seats, ...]:
        """The matches and byes that the step kept from before the re-pairing.

        There are none if the step paired the round first.
        """
        return tuple(
            present_seats
            for present_seats in self.matches
            if present_seats in self.earlier
        )

    @cached_property
    def check(self) -> Check:
        """The comparison of the round with an optimum that keeps the same tables.

        For a re-pairing the optimum has the options of its step. Solving it takes time;
        it is done on first use.
        """
        event = self.desk.event
        rows_of_round = event.matches.paired_rows(self.number)
        was_present = rows_of_round.player_mask(len(event.players))
        event_before = replace(event, declared_active=was_present, notes=())
        step_options = self._collect_options()
        played_check = check_played(event_before, round=self.number, **step_options)
        assert played_check.optimum is not None
        return played_check

    def _collect_options(self) -> dict[str, Any]:
        """Return the options with which the step paired the tables it did not keep.

        Kept matches become `fixed`, or without known sides `force` and `allow`. The
        options are empty if the step was no re-pairing.
        """
        if not self.earlier:
            return {}

        step_options = {**(self.asked or {})}
        fixed_pairs: list[Pair] = []
        forced_pairs: list[Pair] = []
        for kept_seats in self.kept:
            if len(kept_seats.players) != 2:
                continue
            players_of_kept_match = (kept_seats.players[0], kept_seats.players[1])
            has_fixed_sides = kept_seats.has_sides or not self.desk.event.sided
            if has_fixed_sides:
                fixed_pairs.append(players_of_kept_match)
            else:
                forced_pairs.append(players_of_kept_match)
        step_options["fixed"] = fixed_pairs
        for option_name in ("force", "allow"):
            if forced_pairs:
                step_options[option_name] = [
                    *step_options.get(option_name, ()),
                    *forced_pairs,
                ]
        return step_options

    @cached_property
    def result(self) -> Result:
        """The round, as it was paired, as a result of the solver.

        Its status is that of the optimum if the round is as good, otherwise
        "heuristic".
        """
        optimum = self.check.optimum
        assert optimum is not None
        result_status = optimum.status if self.check.agrees else "heuristic"
        return replace(optimum, arcs=self.check.arcs, status=result_status)

    @cached_property
    def opponents(self) -> Mapping[str, str | None]:
        """The opponent of each player of the round, None for the bye.

        Keys and values are identifiers.
        """
        return {
            identifier: round_match.opponent(identifier)
            for round_match in self.matches
            for identifier in round_match.players
        }

    @cached_property
    def sentences(self) -> Mapping[str, Note]:
        """A sentence for each player on their match or bye, by identifier.

        Both players of a match have the same one.
        """
        identifiers = self.check.problem.state.names
        note_by_player: dict[str, Note] = {}
        explained_matches = explain_matches(self.result)
        arc_position_pairs = self.check.arcs.pairs
        for (first_position, second_position), explained_match in zip(
            arc_position_pairs, explained_matches, strict=True
        ):
            note_by_player[identifiers[first_position]] = explained_match.said
            if second_position != BYE:
                note_by_player[identifiers[second_position]] = explained_match.said
        return note_by_player

    def explain_side(self, player: str) -> Note | None:
        """Return a note on what the round would lose if a player had the other side.

        None for the bye, without sides, if the system or a kept table decides it, and
        if the round is not as good as the optimum.
        """
        has_kept_table = any(player in kept_seats.players for kept_seats in self.kept)
        if not self.check.agrees or has_kept_table:
            return None
        player_position = self.check.problem.state.names.index(player)
        match_index = next(
            arc_index
            for arc_index, position_pair in enumerate(self.check.arcs.pairs)
            if player_position in position_pair
        )
        return describe_swapped_sides(self.result, match_index)

    def explain_match(self, player: str, options: EngineOptions) -> Note:
        """Return a note on the cost of sparing a player their float, bye or opponent.

        `options` are those of the solver, which pairs the round again. If another
        pairing is impossible in a re-pairing, the note says that it kept tables.
        """
        solver = CounterfactualSolver(self.result, options)
        answered_alternative = self._find_alternative(player, solver)
        if self.earlier and answered_alternative.kind == "impossible":
            return message("stayed.nobody_else", name=self.desk.event.called[player])
        return answered_alternative.said

    def _find_alternative(
        self, player: str, solver: CounterfactualSolver
    ) -> Alternative:
        """Find the best pairing without a player's bye, float or match.

        The solver pairs the round again. It is the bye if the player has it, the float
        if the player and the opponent have different points, and otherwise the match.
        """
        opponent_identifier = self.opponents[player]
        if opponent_identifier is None:
            return solver.about_bye(player)

        problem_state = self.check.problem.state
        grouping_points_by_position = grouping_points(self.check.problem).tolist()
        points_by_player = dict(
            zip(problem_state.names, grouping_points_by_position, strict=True)
        )
        if points_by_player[player] != points_by_player[opponent_identifier]:
            return solver.about_float(player)
        return solver.about_pair((player, opponent_identifier), meets=True)

    def explain_apart(
        self, player: str, other: str, options: EngineOptions
    ) -> Note | None:
        """Return a note on why a player does not meet another one.

        Both are identifiers. It is None if they are the same. The solver, with
        `options`, is only asked if `other` is in the round but at no kept table, and
        the round is optimal. Otherwise the facts of the round are the reason.
        """
        if other == player:
            return None
        name_by_player = self.desk.event.called
        if other not in self.opponents:
            player_name = name_by_player.get(other, other)
            return message("stayed.not_there", name=player_name, round=self.number)
        kept_players = {
            kept_player
            for kept_match in self.kept
            if len(kept_match.players) == 2
            for kept_player in kept_match.players
        }
        if other in kept_players:
            return message("stayed.at_kept", name=name_by_player[other])
        if self.check.agrees:
            solver = CounterfactualSolver(self.result, options)
            return solver.about_pair((player, other), meets=False).said

        problem = self.check.problem
        position_by_player = {
            identifier: player_position
            for player_position, identifier in enumerate(problem.state.names)
        }
        position_pair = position_by_player[player], position_by_player[other]
        return explain_no_meeting(problem, *position_pair) or describe_meetings(
            problem, *position_pair
        )

    def explain_change(self, player: str) -> Note | None:
        """Return a note on why this re-pairing changed a player's match.

        The note also says what was before. None if the match is as before, if the
        player is not in the round, or if the step was no re-pairing. Exchanged sides
        have a note of their own.
        """
        present_match = next(
            (
                seats_of_match
                for seats_of_match in self.matches
                if player in seats_of_match.players
            ),
            None,
        )
        if present_match is None or not self.earlier or present_match in self.earlier:
            return None

        earlier_pairs = {
            frozenset(seats_of_match.players) for seats_of_match in self.earlier
        }
        if frozenset(present_match.players) in earlier_pairs:
            return message("stayed.turned", round=self.number)

        present_opponents = [
            opponent_identifier
            for opponent_identifier in present_match.players
            if opponent_identifier != player
        ]
        former_match_notes = [
            self._explain_former_match(identifier)
            for identifier in (player, *present_opponents)
        ]
        return with_heading(
            message("stayed.changed", round=self.number), *former_match_notes
        )

    def _explain_former_match(self, player: str) -> Message:
        """Return a note on whom a player was to meet, and why that has changed.

        The player may have been new, or have had the bye. The former opponent may have
        left, or have the bye or another opponent now.
        """
        name_by_player = self.desk.event.called
        player_name = name_by_player[player]
        former_match = next(
            (
                seats_of_match
                for seats_of_match in self.earlier
                if player in seats_of_match.players
            ),
            None,
        )
        if former_match is None:
            return message("stayed.came", name=player_name)

        opponent_identifier = former_match.opponent(player)
        if opponent_identifier is None:
            return message("stayed.had_bye", name=player_name)
        message_fields = {
            "name": player_name,
            "other": name_by_player.get(opponent_identifier, opponent_identifier),
        }
        if opponent_identifier not in self.opponents:
            return message("stayed.went", **message_fields)
        opponent_of_opponent = self.opponents[opponent_identifier]
        if opponent_of_opponent is None:
            return message("stayed.has_bye", **message_fields)
        return message(
            "stayed.meets",
            **message_fields,
            third=name_by_player.get(opponent_of_opponent, opponent_of_opponent),
        )


@dataclass(frozen=True)
class PublishedRound:
    """A published round: the versions that steps made of it, in order.

    There is at least one; steps that changed no match are left out.
    """

    versions: tuple[PairedRound, ...]

    @property
    def last(self) -> PairedRound:
        """The version of the last step: the round as it is."""
        return self.versions[-1]

    @property
    def is_repaired(self) -> bool:
        """Whether the round was re-paired after it was published."""
        return len(self.versions) > 1

    def find_origin(self, player: str) -> PairedRound:
        """Return the version of the step that first made the present match of a player.

        Later versions have the same match. Raise StopIteration for a player without
        one.
        """
        present_match = next(
            seats_of_match
            for seats_of_match in self.last.matches
            if player in seats_of_match.players
        )
        origin_version = self.last
        for earlier_version in reversed(self.versions[:-1]):
            if present_match not in earlier_version.matches:
                break
            origin_version = earlier_version
        return origin_version

    def explain_repair(self, player: str) -> list[Note]:
        """Return a note on whether and why a re-pairing changed the table of a player.

        `player` is an identifier. The list has one note; it is empty if the round was
        never re-paired. Raise StopIteration if it was, and the player has no match or
        bye in it.
        """
        if not self.is_repaired:
            return []
        change_note = self.find_origin(player).explain_change(player)
        if change_note is not None:
            return [change_note]
        return [message("stayed.kept", round=self.last.number)]


def load_published_round(desk: OpenFolder, number: int) -> PublishedRound:
    """Return a published round with the versions that steps made of it.

    `number` is the round. Each step of the command `pair` begins the versions again. If
    no step has the round as it is, for example after changes of the files by hand, the
    files themselves are the only version. Raise UsageError if there is no such round.
    """
    if not 1 <= number <= desk.rounds():
        raise UsageError(
            "round.none_of_folder", folder=desk.journal.folder, round=number
        )

    round_versions: list[PairedRound] = []
    earlier_matches: tuple[Seats, ...] = ()
    for pairing_step, files_after_step in desk.journal.find_pairing_steps(number):
        folder_after_step = replace(desk, files=files_after_step)
        stored_options = dict[str, Any]()
        with suppress(PairoptError, ValueError, OSError):
            proofs_of_step = read_proofs(desk.journal.path(pairing_step.number))
            stored_proof = proofs_of_step.get(proof_file_name(number), b"")
            folder_path = desk.journal.folder
            stored_options = read_proof_options(
                stored_proof, folder_path, files_after_step[EVENT]
            )
        options_of_step = {
            option_name: option_value
            for option_name, option_value in stored_options.items()
            if option_name not in TABLE_OPTIONS
        }
        if pairing_step.verb == "pair":
            round_versions, earlier_matches = [], ()
        paired_round = PairedRound(
            folder_after_step, number, earlier_matches, options_of_step
        )
        is_unchanged = bool(earlier_matches) and {*earlier_matches} == {
            *paired_round.matches
        }
        if not is_unchanged:
            round_versions.append(paired_round)
            earlier_matches = paired_round.matches

    round_in_files = PairedRound(desk, number)
    if not round_versions or {*round_versions[-1].matches} != {*round_in_files.matches}:
        return PublishedRound((round_in_files,))
    return PublishedRound(tuple(round_versions))


def read_seats(desk: OpenFolder, number: int) -> tuple[Seats, ...]:
    """Return the matches and the allocated byes of a round in the order of its rows.

    `number` is the number of the round. Requested byes are left out. It is empty if
    there is no such round.
    """
    event = desk.event
    rows_of_round = event.matches.paired_rows(number)
    seats_of_round = []
    for first_position, second_position, side_of_first in zip(
        rows_of_round.first, rows_of_round.second, rows_of_round.side, strict=True
    ):
        first_player = event.players[int(first_position)]
        if second_position < 0:
            seats_of_round.append(Seats((first_player,), has_sides=False))
            continue
        second_player = event.players[int(second_position)]
        players_by_side = (first_player, second_player)
        if not event.sided or side_of_first < 0:
            players_by_side = (min(players_by_side), max(players_by_side))
            seats_of_round.append(Seats(players_by_side, has_sides=False))
            continue
        if side_of_first == 1:
            players_by_side = (second_player, first_player)
        seats_of_round.append(Seats(players_by_side, has_sides=True))
    return tuple(seats_of_round)


def explain_published_matches(
    published: PublishedRound, options: EngineOptions
) -> list[tuple[Note, list[Note]]]:
    """Return each match of a published round as a sentence, with further notes.

    They are in the order of the rows, byes included. The notes say what a re-pairing
    made of its table, and why the two players of a changed table meet. There are none
    if the round was not re-paired. `options` are those of the solver, which pairs the
    round again for the notes.
    """
    sentences_and_notes = []
    for published_match in published.last.matches:
        first_player = published_match.players[0]
        origin_version = published.find_origin(first_player)
        repair_notes = published.explain_repair(first_player)
        if origin_version.earlier and origin_version.check.agrees:
            repair_notes.append(origin_version.explain_match(first_player, options))
        sentences_and_notes.append(
            (origin_version.sentences[first_player], repair_notes)
        )
    return sentences_and_notes
