"""Pairing of the next round of an event folder.

`pair` does it at once. `preview` shows the round, which you may change by hand, and
`publish` writes it as it was shown.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.errors import ConfirmationError, JsonLocation, UsageError
from pairopt.event.column_layout import CellValue
from pairopt.event.event import REQUESTED, Event
from pairopt.event.source_info import FideModeBreach
from pairopt.event.table_assignment import add_name_columns
from pairopt.files.event_folder import EVENT, MATCHES
from pairopt.files.overwrite_guard import require_free
from pairopt.files.write import write_whole
from pairopt.folder.fide_mode import (
    has_same_pairs,
    read_mode,
    with_fide_mode,
    without_by_hand_mark,
)
from pairopt.folder.open_folder import (
    Done,
    Folder,
    OpenFolder,
    build_requested_bye_row,
    open_folder,
    read_folder_state,
)
from pairopt.folder.pairing_numbers import require_frozen_numbers, with_pairing_numbers
from pairopt.folder.proofs import (
    NoProofError,
    ProofStorage,
    normalize_options,
    with_proof,
)
from pairopt.folder.protected_facts import MOST_NAMED
from pairopt.folder.round_robin import pair_all_rounds, require_no_round_robin
from pairopt.messages import Message, Note, as_note, join_notes, message, with_heading
from pairopt.messages.formatting import decimal_text, join_names
from pairopt.problem.keywords import RoundKeywords, SolveKeywords
from pairopt.problem.options import (
    RoundOptions,
    SolveOptions,
    list_non_default_options,
    options_text,
    show_keywords,
)
from pairopt.proof.file import Proof
from pairopt.proof.proving import require_proof
from pairopt.round.check import Check, check_played
from pairopt.round.check_event import check_paired, list_rounds
from pairopt.round.manual import SET_ASIDE, check_manual_pairing, list_broken_rules
from pairopt.round.remedies import Remedy, find_remedies
from pairopt.round.result import BY_HAND, Match, Result
from pairopt.round.solve import solve

HANDS: dict[str, Any] = {"force": (), "forbid": (), "bye": None, "no_bye": ()}
"""The options by which users change a round by hand, with their empty values."""


@show_keywords(SolveOptions)
def pair(
    folder: Folder,
    *,
    proof: str | Path | None = None,
    keep_proof: bool | None = None,
    sure: bool = False,
    **options: Unpack[SolveKeywords],
) -> Done:
    """Pair the next round of an event folder, and append the round to matches.csv.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    proof : path, optional
        A file for the proof that no pairing is better.
    keep_proof : bool, optional
        Whether to store the proof in the folder. By default the event's setting
        `proofs` decides. Without this setting, the proof is stored if it takes at most
        3 seconds.
    sure : bool
        Whether to pair the round although the result has a `question`.
    **options
        The options of `solve`.

    Returns
    -------
    Done
        The message describes the paired round. If no pairing is possible, `Done.step`
        is None. In this case, `Done.ways` lists rules that you could relax.

    Raises
    ------
    UsageError
        If all rounds are paired, if the event has a top cut, or if an option does not
        fit.
    ConfirmationError
        If pairopt has a question about the round (`Result.question`).
    InputError
        If a result of the last round is missing, or if a file of the folder has faults.
    """
    with open_folder(folder) as opened_folder:
        if opened_folder.event.settings.is_round_robin:
            round_options = normalize_options(opened_folder.event, options)
            return _pair_round_robin(opened_folder, round_options, proof)
        prepared_folder = prepare_round(opened_folder)
        event = prepared_folder.event
        round_options = normalize_options(event, options)
        proof_storage = ProofStorage(keep_proof, round_options)
        solve_options = {"verify": "small", **round_options}
        if proof is not None:
            require_free([proof])
            require_proof(event, **solve_options)
        pairing_result = solve(event, **solve_options)
        with write_proof_before(proof, pairing_result):
            if pairing_result.arcs is None:
                remedies = find_remedies(
                    pairing_result, partial(solve, event), round_options
                )
                return replace(
                    opened_folder.unchanged("pair"),
                    result=pairing_result,
                    ways=remedies,
                )
            pairing_result.require_sure(sure)
            prove_result = partial(get_proof, pairing_result, proof is not None)
            return commit_pairing(
                prepared_folder, pairing_result, proof_storage, prove_result
            )


def _pair_round_robin(
    desk: OpenFolder, options: Mapping[str, Any], proof: str | Path | None
) -> Done:
    """Pair all rounds of a round robin at once, or say that they are paired.

    Only the option `seed` has a meaning, for the draw of start numbers. Raise
    UsageError for other options of a round, for a model, and for a proof.
    """
    chosen_options = list_non_default_options(
        desk.event,
        RoundOptions(
            **{
                option_field.name: options[option_field.name]
                for option_field in fields(RoundOptions)
                if option_field.name in options
            }
        ),
    )
    has_model = options.get("model") is not None
    if proof is not None or has_model or chosen_options.keys() - {"seed"}:
        raise UsageError("round_robin.fixed")
    return pair_all_rounds(desk, seed=options.get("seed"))


def prepare_round(desk: OpenFolder) -> OpenFolder:
    """Return the folder before the next round, with rows for rounds players missed.

    These rows are requested byes of active players with the points of an absence; there
    are none if an absence gives no points. Nothing is written. Raise UsageError if
    there are no players, all rounds are paired, a round is being changed by hand, start
    numbers have changed since they were frozen, there is a top cut, or the event is a
    round robin.
    """
    if not desk.event.players:
        raise UsageError("roster.nobody")
    require_no_round_robin(desk)
    desk.require_no_cut()
    last_round = desk.event.settings.rounds
    if last_round is not None and desk.event.round > last_round:
        raise UsageError("round.all_paired", rounds=last_round)
    if read_mode(desk.files).is_by_hand:
        raise UsageError("round.by_hand_open")
    require_frozen_numbers(desk)
    return with_missed_rounds(desk)


def commit_pairing(
    prepared: OpenFolder,
    result: Result,
    storage: ProofStorage,
    prove: Callable[[Budget], Proof],
) -> Done:
    """Append a pairing of the next round to the matches, as one step.

    `prepared` is the folder before the round, with rows for missed rounds. `result` has
    the pairing. `storage` says whether a proof is stored, within which limits, and with
    which options the round was paired; `prove` builds the proof within a budget. Start
    numbers, the proof, and a record of how the round breaks FIDE mode are written in
    the same step.
    """
    event_before_round = prepared.event
    matches_csv_table = prepared.matches.appended(
        _build_advance_bye_rows(event_before_round)
    )
    matches_csv_table = matches_csv_table.appended(
        add_name_columns(event_before_round, result.matches)
    )
    changed_folder = with_pairing_numbers(prepared).changed(
        {MATCHES: matches_csv_table}
    )
    changed_folder, proof_note = with_proof(
        changed_folder, event_before_round, storage, prove
    )
    is_paired_by_hand = result.engine == BY_HAND
    changed_folder = with_comparison(
        changed_folder, event_before_round.round, is_paired_by_hand, storage.options
    )

    heading_note = message("round.paired", round=event_before_round.round)
    pairing_notes: list[Note] = [
        with_heading(heading_note, describe_result(result)),
        proof_note,
    ]
    has_no_mode = read_mode(changed_folder.files).fide is None
    if has_no_mode and result.problem.system is not None:
        event_toml = with_fide_mode(changed_folder.files[EVENT], False, ())
        changed_folder = changed_folder.changed({EVENT: event_toml})
        pairing_notes.append(message("mode.from_before"))
    step_message = describe_pairing_step(
        "pair", event_before_round, result, storage.options
    )
    return changed_folder.committed("pair", step_message, pairing_notes, result)


def get_proof(result: Result, is_written: bool, budget: Budget) -> Proof:
    """Return the proof of a result, which is built within the budget.

    With `is_written` the result has its proof already, because it was built for another
    file. Raise NoProofError if nothing is proven, and TimeUpError if the budget ends.
    """
    round_proof = result.proof if is_written else result.prove(budget)
    if round_proof is None:
        raise NoProofError(message("proof.nothing_proven"))
    return round_proof


def _prove_by_hand_round(
    event: Event, by_hand: Result, options: Mapping[str, Any], budget: Budget
) -> Proof:
    """Prove a round that was changed by hand, if no other pairing is better.

    `event` is the event before the round, and `by_hand` the round. `options` are those
    of the optimal pairing to compare with. Raise NoProofError if one is better, and
    TimeUpError if the budget ends first.
    """
    require_proof(event, **options)
    seconds_left = budget.seconds_left()
    time_limit = None if seconds_left is None else max(seconds_left, 0.001)
    optimal_result = solve(event, **{**options, "time_limit": time_limit})
    if not optimal_result.proven:
        raise TimeUpError
    if by_hand.differences(optimal_result):
        raise NoProofError(message("proof.worse_by_hand"))
    proven_result = replace(optimal_result, arcs=by_hand.arcs, matches=by_hand.matches)
    return get_proof(proven_result, False, budget)


@contextmanager
def write_proof_before(path: str | Path | None, result: Result) -> Iterator[None]:
    """Write a result's proof to a file before the block changes the folder.

    It is a context manager. The file is deleted if the block fails. Nothing is written
    without a path or a proof.
    """
    if path is None or result.proof is None:
        yield
        return
    write_whole(path, result.proof.text)
    try:
        yield
    except BaseException:
        Path(path).unlink(missing_ok=True)
        raise


def with_missed_rounds(desk: OpenFolder) -> OpenFolder:
    """Return the folder with rows of matches.csv for rounds that players missed.

    The rows are requested byes of active players, with the points of an absence. The
    folder is unchanged if an absence gives no points, or nobody missed a round. Nothing
    is written.
    """
    missed_rows = build_missed_round_rows(desk.event)
    if not missed_rows:
        return desk
    return desk.changed({MATCHES: desk.matches.appended(missed_rows)})


def build_missed_round_rows(event: Event) -> list[dict[str, CellValue]]:
    """Return rows of matches.csv, as requested byes, for rounds active players missed.

    They give the points of an absence, and are ordered by round. There are none if an
    absence gives no points.
    """
    points_per_result = event.settings.points
    if points_per_result is None or points_per_result.absent == 0:
        return []

    match_rows = event.matches
    absence_points = decimal_text(points_per_result.absent)
    missed_rows = []
    for round_number in range(1, event.round):
        rows_of_round = match_rows.take(match_rows.round == round_number)
        has_row_in_round = rows_of_round.player_mask(len(event.players))
        for player_position in np.flatnonzero(event.active & ~has_row_in_round):
            absent_player = event.players[player_position]
            missed_rows.append(
                build_requested_bye_row(absent_player, round_number, absence_points)
            )
    return missed_rows


def _build_advance_bye_rows(event: Event) -> list[dict[str, CellValue]]:
    """Return rows of matches.csv for byes in the next round that only event.toml has.

    They are requested byes that were entered in advance.
    """
    match_rows = event.matches
    row_locations = event.origin.places
    is_in_event_toml = np.array(
        [
            isinstance(row_locations[file_row_number], JsonLocation)
            for file_row_number in match_rows.row.tolist()
        ],
        np.bool_,
    )
    advance_byes = match_rows.take((match_rows.round == event.round) & is_in_event_toml)
    positions_and_scores = zip(
        advance_byes.first.tolist(), advance_byes.score1.tolist(), strict=True
    )
    return [
        build_requested_bye_row(
            event.players[player_position],
            event.round,
            event.points_text(scaled_points),
        )
        for player_position, scaled_points in positions_and_scores
    ]


def describe_result(result: Result) -> Message:
    """Return a message on how many matches a round has, and who has a bye.

    `result` is the paired round. All rows without an opponent count as byes, requested
    ones too.
    """
    event = result.event
    bye_names = []
    for match_row in result.matches:
        if match_row["player2"] is None:
            player_position = event.index[str(match_row["player1"])]
            bye_names.append(event.shown[player_position])
    message_id = "round.matches_and_bye" if bye_names else "round.matches"
    return message(
        message_id, matches=len(result.matches) - len(bye_names), byes=bye_names
    )


def describe_pairing_step(
    verb: str, event: Event, result: Result, options: Mapping[str, Any]
) -> Message:
    """Return the message of a step that paired a round.

    `verb` is "pair" or "repair", `event` is the event before the round, `result` the
    paired round, and `options` are those of the pairing. The message names the model,
    the seed, and which rules were set aside for whom.
    """
    message_id = STEP_MESSAGES[verb, result.engine == BY_HAND]
    text_for_log = f"{result.model}, seed {result.seed}"
    if rules_set_aside_text := describe_rules_set_aside(event, result, options):
        text_for_log += f", {rules_set_aside_text}"
    return message(message_id, round=event.round, value=text_for_log)


def describe_rules_set_aside(
    event: Event, result: Result, options: Mapping[str, Any]
) -> Note | None:
    """Return a note on which rules were set aside for a round, and for whom.

    `result` is the paired round, and `options` are those of the pairing. None without
    options that set rules aside. If the round breaks no rule all the same, the note
    says that. At most `MOST_NAMED` broken rules are named, and further ones are
    counted.
    """
    exceptions_by_option = {
        option_name: tuple(options[option_name])
        for option_name in SET_ASIDE
        if options.get(option_name)
    }
    if not exceptions_by_option:
        return None

    broken_rules = list_broken_rules(event, result.pairs, **options)
    if not broken_rules:
        return message(
            "step.nothing_broken", options=options_text(exceptions_by_option)
        )

    rule_notes = [as_note(broken_rule) for broken_rule in broken_rules[:MOST_NAMED]]
    if len(broken_rules) > MOST_NAMED:
        rule_notes.append(message("fact.more", count=len(broken_rules) - MOST_NAMED))
    return with_heading(message("step.set_aside"), *rule_notes)


STEP_MESSAGES = {
    ("pair", False): "step.pair",
    ("pair", True): "step.pair_shown",
    ("repair", False): "step.repair",
    ("repair", True): "step.repair_shown",
}
"""The message of a step by its command, and by whether the round was changed by
hand."""


@dataclass(frozen=True)
class Preview:
    """A preview of the next round, which is not yet written to the event folder.

    Attributes
    ----------
    result : Result
        The previewed round. To publish it, pass its `pairs` to `publish`. Its
        `conflicts` say why you can't publish it.
    best : Result
        An optimal pairing without changes by hand.
    ways : tuple of Remedy
        What you could allow, if there is no pairing.
    """

    result: Result
    best: Result
    ways: tuple[Remedy, ...] = ()

    @property
    def worse(self) -> list[str]:
        """What is worse than in the best pairing, one text for each level.

        It is empty if the round is as good, or if one of the two is no pairing.
        """
        if self.result.arcs is None or self.best.arcs is None:
            return []
        return self.result.differences(self.best)


@show_keywords(RoundOptions)
def preview(
    folder: Folder,
    matches: Sequence[Match] | None = None,
    **options: Unpack[RoundKeywords],
) -> Preview:
    """Pair the next round of an event folder without writing any file.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    matches : sequence of pairs, optional
        A pairing to compare with the optimal one.
    **options
        The options of `solve` for a round. `force`, `forbid`, `bye` and `no_bye` are
        changes by hand.

    Returns
    -------
    Preview
        The previewed round, and the best pairing without your changes.

    Raises
    ------
    UsageError
        If all rounds are paired, if the event has a top cut, if an option does not fit,
        or if `matches` is not a pairing of the round.
    InputError
        If a result of the last round is missing, or if a file of the folder has faults.
    """
    opened_folder = (
        folder if isinstance(folder, OpenFolder) else read_folder_state(folder)
    )
    event = prepare_round(opened_folder).event
    solve_options: dict[str, Any] = {"verify": "small", **options}
    best_result = solve(event, **{**solve_options, **HANDS})
    if matches is None:
        has_changes = any(options.get(option_name) for option_name in HANDS)
        shown_result = solve(event, **solve_options) if has_changes else best_result
        return Preview(
            shown_result,
            best_result,
            find_remedies(shown_result, partial(solve, event), options),
        )

    preview_by_hand = Preview(
        check_manual_pairing(event, matches, **options), best_result
    )
    if (
        best_result.proven
        and not preview_by_hand.worse
        and not preview_by_hand.result.conflicts
    ):
        proven_result = replace(
            preview_by_hand.result, status="optimal", proven_by=best_result.proven_by
        )
        return replace(preview_by_hand, result=proven_result)
    return preview_by_hand


@show_keywords(RoundOptions)
def publish(
    folder: Folder,
    matches: Sequence[Match],
    *,
    keep_proof: bool | None = None,
    sure: bool = False,
    **options: Unpack[RoundKeywords],
) -> Done:
    """Write a round to matches.csv, with the pairing that a preview showed.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    matches : sequence of pairs
        The `pairs` of the preview's result.
    keep_proof : bool, optional
        Whether to store the proof in the folder. By default the event's setting
        `proofs` decides. Without this setting, the proof is stored if it takes at most
        3 seconds. If changes by hand made the round worse, no proof is stored.
    sure : bool
        Whether to publish the round although the result has a `question`.
    **options
        The options of the preview.

    Returns
    -------
    Done
        The published round.

    Raises
    ------
    UsageError
        If all rounds are paired, if the event has a top cut, if an option does not fit,
        if the matches are not a pairing of this round, or if they break a constraint.
    ConfirmationError
        If pairopt has a question about the round (`Result.question`).
    InputError
        If a result of the last round is missing, or if a file of the folder has faults.
    """
    with open_folder(folder) as opened_folder:
        prepared_folder = prepare_round(opened_folder)
        published_result = check_manual_pairing(
            prepared_folder.event, matches, **options
        )
        if published_result.conflicts:
            conflict_notes = map(as_note, published_result.conflicts)
            raise UsageError(join_notes([*conflict_notes], name="pairing.faults"))
        published_result.require_sure(sure)
        best_options = normalize_options(prepared_folder.event, {**options, **HANDS})
        prove_by_hand_round = partial(
            _prove_by_hand_round, prepared_folder.event, published_result, best_options
        )
        proof_storage = ProofStorage(keep_proof, best_options)
        return commit_pairing(
            prepared_folder, published_result, proof_storage, prove_by_hand_round
        )


def changed_by_hand(folder: Folder, *, off: bool = False) -> Done:
    """Begin to change the last round by hand, or finish with `off`.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    off : bool
        Whether to end the change. pairopt then compares the round with the pairing by
        the event's rules. The event records the change only if it is in FIDE mode and
        the round has changed.

    Returns
    -------
    Done
        The message says that the changes begin or end.

    Raises
    ------
    UsageError
        If no round is open, if the changes have begun already, if you finish changes
        that have not begun, or if the event is a round robin.
    """
    with open_folder(folder) as opened_folder:
        require_no_round_robin(opened_folder)
        round_number = opened_folder.rounds()
        fide_mode_state = read_mode(opened_folder.files)
        if fide_mode_state.is_by_hand != off:
            error_message_id = (
                "round.by_hand_already"
                if fide_mode_state.is_by_hand
                else "round.not_by_hand"
            )
            raise UsageError(error_message_id)
        if not off:
            if not opened_folder.rows.open.any():
                raise UsageError("round.none_open")
            step_message = message("step.by_hand", round=round_number)
            begin_mark = FideModeBreach("mode.by_hand", round_number)
            # In FIDE mode the journal says the same under a heading.
            mode_notes = [] if fide_mode_state.fide else [begin_mark.said]
            return _record_breach(opened_folder, begin_mark).committed(
                "pair", step_message, mode_notes
            )

        step_message = message("step.by_hand_off", round=round_number)
        if _is_as_begun(opened_folder, round_number):
            mode_notes = [message("round.as_begun", round=round_number)]
            return _without_by_hand_mark(opened_folder).committed(
                "pair", step_message, mode_notes
            )
        breach = find_rule_breach(opened_folder.event, round_number)
        if not fide_mode_state.fide:
            # Outside of FIDE mode nothing has to be recorded, and nobody is asked.
            outcome_note = message("round.by_hand_agrees", round=round_number)
            if breach is not None:
                outcome_note = message(
                    "round.by_hand_differs", round=round_number, what=breach.what
                )
            return _without_by_hand_mark(opened_folder).committed(
                "pair", step_message, [outcome_note]
            )
        breach_record = breach or FideModeBreach("mode.as_due", round_number)
        return _record_breach(opened_folder, breach_record).committed(
            "pair", step_message, []
        )


def _is_as_begun(desk: OpenFolder, number: int) -> bool:
    """Return whether a round has the pairs it had when its change by hand began.

    `number` is the number of the round. Sides count as well. It is False if the last
    `pair` step of the round is not the begin of the change.
    """
    step_and_files = desk.journal.find_last_step(number, "pair")
    if step_and_files is None:
        return False
    last_step, files_at_begin = step_and_files
    if last_step.did.kind != "step.by_hand":
        return False
    return has_same_pairs(files_at_begin, desk.files, number)


def _without_by_hand_mark(desk: OpenFolder) -> OpenFolder:
    """Return the folder without the mark in event.toml that a change by hand began.

    Nothing is written. FIDE mode and other breaches stay.
    """
    fide_mode_state = read_mode(desk.files)
    breaches = without_by_hand_mark(fide_mode_state.breaches)
    event_toml = with_fide_mode(desk.files[EVENT], fide_mode_state.fide, breaches)
    return desk.changed({EVENT: event_toml})


def exchange(folder: Folder, players: Sequence[str], *, sure: bool = False) -> Done:
    """Exchange the seats of two players while you change the round by hand.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    players : sequence of str
        The identifiers or names of two players. Two who meet exchange their sides.
    sure : bool
        Whether to exchange the players although the exchange breaks a rule.

    Returns
    -------
    Done
        The message names the two players.

    Raises
    ------
    UsageError
        If you have not begun to change the round, if a player has no match in the
        round, or if a table has a result.
    ConfirmationError
        If the exchange breaks a rule that the round did not break before.
    """
    with open_folder(folder) as opened_folder:
        event = opened_folder.event
        match_rows = opened_folder.rows
        round_number = opened_folder.rounds()
        if not read_mode(opened_folder.files).is_by_hand:
            raise UsageError("round.not_by_hand")

        positions_to_exchange = [
            event.index[opened_folder.identifier(typed_player)]
            for typed_player in players
        ]
        is_in_round = (match_rows.round == round_number) & (
            match_rows.status != REQUESTED
        )
        is_changeable = is_in_round & (match_rows.open | (match_rows.second < 0))
        seats_to_exchange: list[tuple[int, int, int]] = []
        for seat_number, positions_in_column in (
            (1, match_rows.first),
            (2, match_rows.second),
        ):
            for player_position in positions_to_exchange:
                row_indices_of_player = np.flatnonzero(
                    is_changeable & (positions_in_column == player_position)
                )
                seats_to_exchange.extend(
                    (seat_number, int(row_index_of_seat), player_position)
                    for row_index_of_seat in row_indices_of_player
                )
        if len({*positions_to_exchange}) != 2 or len(seats_to_exchange) != 2:
            raise UsageError("round.no_exchange", round=round_number)

        matches_csv_table = opened_folder.matches
        for seat_number, row_index_of_seat, player_position in seats_to_exchange:
            newcomer_position = (
                positions_to_exchange[1]
                if player_position == positions_to_exchange[0]
                else positions_to_exchange[0]
            )
            new_cell_by_column = {
                f"player{seat_number}": event.players[newcomer_position],
                f"name{seat_number}": event.names[newcomer_position],
            }
            cells_of_present_columns = {
                column_name: seat_cell
                for column_name, seat_cell in new_cell_by_column.items()
                if column_name in matches_csv_table.columns
            }
            matches_csv_table = matches_csv_table.changed(
                row_index_of_seat, cells_of_present_columns
            )
        changed_folder = opened_folder.changed({MATCHES: matches_csv_table})

        violations_before = _list_violations(event, round_number)
        doubtful_violations = [
            message(violation)
            for violation in _list_violations(changed_folder.event, round_number)
            if violation not in violations_before
        ]
        if doubtful_violations and not sure:
            raise ConfirmationError(*doubtful_violations)
        swapped_identifiers = [
            event.players[player_position] for player_position in positions_to_exchange
        ]
        message_fields = opened_folder.build_player_fields(*swapped_identifiers)
        step_message = message("step.exchange", round=round_number, **message_fields)
        return changed_folder.committed(
            "repair", step_message, [step_message, *doubtful_violations]
        )


def _list_violations(event: Event, number: int) -> list[Any]:
    """Return the messages on rules that a paired round violates, without solving it.

    `number` is the number of the round.
    """
    rule_check = _check_as_paired(event, number, solve=False)
    return [violation.message for violation in rule_check.violations]


def _check_as_paired(event: Event, number: int, **options: Any) -> Check:
    """Check a paired round by the rules and options with which it was to be paired.

    `number` is the number of the round. `options` go to the check as well, and replace
    others. Raise StopIteration if the round is not paired.
    """
    event_before, round_options = next(
        event_and_options
        for event_and_options in list_rounds(event, {})
        if event_and_options[1]["round"] == number
    )
    return check_played(event_before, **{**round_options, **options})


def compare_imported_rounds(event: Event) -> list[FideModeBreach]:
    """Compare the rounds of an imported file with what the event's rules give.

    Return a breach for each round that is illegal, or for which the rules give a better
    pairing. Each round is solved again. The event has to have a paired round. The
    latest round may follow the rules of the last round if the file does not say how
    many rounds there are.
    """
    import_breaches = []
    events_and_options = list_rounds(event, {})
    latest_round = events_and_options[-1][1]["round"]
    for event_before, round_options in events_and_options:
        round_number = round_options["round"]
        round_check, _ = check_paired(
            event_before, round_options, latest=round_number == latest_round
        )
        breach = _build_breach(event, round_number, round_check)
        if breach is not None:
            import_breaches.append(replace(breach, kind="mode.import"))
    return import_breaches


def find_rule_breach(event: Event, number: int) -> FideModeBreach | None:
    """Return a breach by a paired round that does not keep to the event's rules.

    It is a round that is illegal, or for which the rules give a better pairing.
    `number` is the round, which is solved again. None for an equally good round, also
    if its pairs are others, or if the check finds no optimum to compare it with.
    """
    return _build_breach(event, number, _check_as_paired(event, number))


def _build_breach(event: Event, number: int, check: Check) -> FideModeBreach | None:
    """Return a breach with the pairs of a round that differ from the check's optimum.

    Pairs are start numbers: the optimum's are `before`, and the round's are `now`.
    `number` is the round, and `check` what its comparison has found. The breach's text
    names the players whose matches differ, three at most. None if the check agrees, or
    has no optimum.
    """
    if check.agrees or check.optimum is None:
        return None
    optimal_pairs = _list_optimal_pairs(event, check)
    played_pairs = _list_played_pairs(event, number)

    difference_text = join_names(check.changed, 3) or str(check.told)
    optimal_pairs_text = _format_pairs_without(optimal_pairs, played_pairs)
    played_pairs_text = _format_pairs_without(played_pairs, optimal_pairs)
    return FideModeBreach(
        "mode.mpa", number, difference_text, optimal_pairs_text, played_pairs_text
    )


def _list_optimal_pairs(event: Event, check: Check) -> list[tuple[int, ...]]:
    """Return the pairs of the check's optimum as start numbers, the first side first.

    A bye is the start number alone. Without sides the order in a pair means nothing.
    """
    assert check.optimum is not None
    assert check.optimum.arcs is not None
    event_position_by_state_position = check.problem.state.player
    optimal_arcs = check.optimum.arcs
    return [
        tuple(
            int(event.start_numbers[event_position_by_state_position[state_position]])
            for state_position in state_position_pair
            if state_position >= 0
        )
        for state_position_pair in zip(
            optimal_arcs.first.tolist(), optimal_arcs.second.tolist(), strict=True
        )
    ]


def _list_played_pairs(event: Event, number: int) -> list[tuple[int, ...]]:
    """Return the pairs of a paired round as start numbers, the first side first.

    A bye is the start number alone.
    """
    rows_of_round = event.matches.paired_rows(number)
    start_number_pairs = []
    for first_position, second_position, side_of_first in zip(
        rows_of_round.first.tolist(),
        rows_of_round.second.tolist(),
        rows_of_round.side.tolist(),
        strict=True,
    ):
        positions_by_side = (
            (second_position, first_position)
            if side_of_first == 1 and second_position >= 0
            else (first_position, second_position)
        )
        start_number_pairs.append(
            tuple(
                int(event.start_numbers[player_position])
                for player_position in positions_by_side
                if player_position >= 0
            )
        )
    return start_number_pairs


def _format_pairs_without(
    pairs: Sequence[tuple[int, ...]], others: Sequence[tuple[int, ...]]
) -> str:
    """Return the pairs that are not in `others` as a text such as "1-5 2-6".

    Pairs are start numbers, and come in ascending order. Sides count: 5-1 is not 1-5.
    The text is "" if all are in `others`.
    """
    return " ".join(
        "-".join(map(str, start_number_pair))
        for start_number_pair in sorted(pairs)
        if start_number_pair not in others
    )


OVERRIDING_OPTIONS = (
    *HANDS,
    "allow",
    "allow_bye",
    "relax",
    "model",
    "points",
    "sides",
    "lookahead",
)
"""The options by which a round can differ from what the event's rules give."""


def with_comparison(
    desk: OpenFolder, number: int, changed: bool, options: Mapping[str, Any]
) -> OpenFolder:
    """Return the folder with a record of how a round breaks FIDE's rules, if it does.

    `number` is the round, and `options` are those with which it was paired. Only a
    round that was changed by hand (`changed`), or paired with an option that overrides
    the rules, such as `allow` or another model, is compared; it is solved again for
    that. Outside of FIDE mode, or without a breach, the folder is unchanged. Nothing is
    written.
    """
    may_differ = changed or any(
        options.get(option_name) for option_name in OVERRIDING_OPTIONS
    )
    if not may_differ or not read_mode(desk.files).fide:
        return desk
    breach = find_rule_breach(desk.event, number)
    return desk if breach is None else _record_breach(desk, breach)


def _record_breach(desk: OpenFolder, breach: FideModeBreach) -> OpenFolder:
    """Return the folder with one more breach in event.toml; FIDE mode stays as it is.

    Nothing is written.
    """
    fide_mode_state = read_mode(desk.files)
    breaches = (*fide_mode_state.breaches, breach)
    event_toml = with_fide_mode(desk.files[EVENT], fide_mode_state.fide, breaches)
    return desk.changed({EVENT: event_toml})
