"""Proofs of the published rounds of an event folder, stored and verified again."""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.common.serialization import to_record
from pairopt.errors import PairoptError, UsageError
from pairopt.event.event import Event
from pairopt.files.event_folder import EVENT, build_event_from_files
from pairopt.folder.journal import read_proof_between_steps
from pairopt.folder.open_folder import OpenFolder, read_folder_state
from pairopt.folder.stored_proofs import proof_file_name, read_proof_options
from pairopt.messages import AnyMessage, Message, Note, message, with_heading
from pairopt.messages.formatting import pair_text
from pairopt.problem.build import build_problem
from pairopt.problem.model import Model
from pairopt.problem.options import (
    RoundOptions,
    list_non_default_options,
    parse_options,
)
from pairopt.proof.check import check_for_problem, read_matches
from pairopt.proof.claim import build_heading, order_players
from pairopt.proof.file import Proof
from pairopt.proof.verify import format_json
from pairopt.round.result import STAY, Kind, ProofStatus, describe_options

MOST_PLAYERS, SECONDS, MOST_BYTES = 500, 3.0, 5_000_000
"""The limits of proofs that are stored by default. A proof of 400 players takes 0.1 s
and 0.05 MB, with the slowest models 0.8 s and 0.5 MB. A proof of 300 players under the
Dutch System takes up to 2.1 s and 1.3 MB."""


class NoProofError(Exception):
    """Raised when no proof of a round is stored; the round is published all the same.

    The first argument is the message that says why.
    """


@dataclass(frozen=True)
class ProofStorage:
    """The decision whether the proof of a round is stored in its event folder.

    `asked` is the user's wish; None leaves it to the event's settings, and these may
    leave it to time and size. `options` are those that the round is paired with.
    `begun` is the time of the monotonic clock when pairing began, in seconds.
    """

    asked: bool | None
    options: Mapping[str, Any]
    begun: float = field(default_factory=time.monotonic)

    def build_file(self, event: Event, prove: Callable[[Budget], Proof]) -> bytes:
        """Return the content of the stored proof of the next round.

        `prove` builds the proof within a budget. Raise NoProofError if none is stored:
        it is not wanted, it exceeds a limit, its model is in no file, or it cannot be
        built. The limits on players, seconds and bytes do not hold for a proof that the
        user or the event's settings ask for; `time_limit` of the options always does.
        """
        is_wanted = event.settings.proofs if self.asked is None else self.asked
        if is_wanted is False:
            raise NoProofError(message("proof.not_wanted"))
        if is_wanted is None and int(event.active.sum()) > MOST_PLAYERS:
            raise NoProofError(message("proof.of_many", players=MOST_PLAYERS))
        if isinstance(self.options.get("model"), Model):
            raise NoProofError(message("proof.model_in_no_file"))

        deadlines = []
        time_limit = self.options.get("time_limit")
        if time_limit is not None:
            deadlines.append(self.begun + time_limit)
        if not is_wanted:
            deadlines.append(time.monotonic() + SECONDS)
        budget = Budget(deadline=min(deadlines, default=None))
        try:
            proof_content = prove(budget).text.encode()
        except TimeUpError:
            time_note = message("proof.takes_long", seconds=f"{SECONDS:g}")
            raise NoProofError(time_note) from None
        except UsageError as error:
            heading_note = message("proof.none_kept")
            raise NoProofError(with_heading(heading_note, error.reason)) from None
        except PairoptError as error:
            # A bug in pairopt does not hold the round back.
            heading_note = message("proof.our_fault")
            raise NoProofError(with_heading(heading_note, error.reason)) from None
        if not is_wanted and len(proof_content) > MOST_BYTES:
            raise NoProofError(
                message("proof.large", size=f"{len(proof_content) / 1e6:.0f}")
            )
        return proof_content


def normalize_options(event: Event, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options as the claim of a proof names them, to build it again.

    Players are given by their identifiers, and pairs in lists are tuples. Options that
    are no options of a round, such as a time limit, stay as they are.
    """
    option_names = {
        option_field.name for option_field in fields(RoundOptions)
    } & options.keys()
    round_options = RoundOptions(
        **{option_name: options[option_name] for option_name in option_names}
    )
    claimed_options = list_non_default_options(event, round_options)
    options_with_lists = {
        option_name: [
            tuple(list_item) if isinstance(list_item, list) else list_item
            for list_item in option_value
        ]
        for option_name, option_value in claimed_options.items()
        if isinstance(option_value, list)
    }
    return {**options, **claimed_options, **options_with_lists}


def with_proof(
    desk: OpenFolder,
    event: Event,
    storage: ProofStorage,
    prove: Callable[[Budget], Proof],
) -> tuple[OpenFolder, Message]:
    """Return the folder with the proof of the published round, and a message on it.

    `event` is the event before the round. `storage` says whether a proof is wanted, and
    sets its limits; `prove` builds the proof within a budget. If no proof is stored, an
    older one of the round is deleted, and the message says why. Nothing is written yet.
    """
    file_name = proof_file_name(event.round)
    try:
        changed_folder = desk.changed({file_name: storage.build_file(event, prove)})
        return changed_folder, message("proof.kept", file=file_name, round=event.round)
    except NoProofError as error:
        has_old_proof = read_stored_proof(desk, event.round) is not None
        proof_changes = {file_name: b""} if has_old_proof else {}
        return desk.changed(proof_changes), error.args[0]


def read_stored_proof(desk: OpenFolder, number: int) -> bytes | None:
    """Return the content of the stored proof of a round; None if there is none.

    `number` is the round. A pending step counts as finished.
    """
    file_name = proof_file_name(number)
    return read_proof_between_steps(desk.journal.folder, file_name) or None


def read_stored_options(
    desk: OpenFolder, number: int, event: bytes = b""
) -> dict[str, Any]:
    """Return the model and options of a round, from its stored proof.

    `number` is the round. Options are left out if event.toml has the same. `event` is
    the content of event.toml to compare with, by default the present one. The result is
    empty if the round has no readable proof.
    """
    stored_proof = read_stored_proof(desk, number) or b""
    event_toml = event or desk.files[EVENT]
    with suppress(ValueError, PairoptError):
        return read_proof_options(stored_proof, desk.journal.folder, event_toml)
    return {}


@dataclass(frozen=True)
class RoundProof:
    """The result of checking the stored proof of a round.

    Attributes
    ----------
    round : int
        The round.
    digest : str or None
        The SHA-256 of the proof. None if no proof is stored.
    paired_with : mapping
        The model and the options of the round that are not the event's own.
    step : int or None
        The step of log.csv after which the files matched the proof. None if they match
        the proof now.
    faults : tuple
        Why the proof does not hold, for example because the pairing has changed.
    open : int
        The number of levels for which the proof certifies nothing.
    absent : int
        The number of active players without a match in the round.
    by_hand : bool
        Whether the pairing was changed by hand.
    asked : str
        `paired_with` in words.
    """

    round: int
    digest: str | None
    paired_with: Mapping[str, Any] = field(default_factory=dict)
    step: int | None = None
    faults: tuple[str | AnyMessage, ...] = ()
    open: int = 0
    absent: int = 0
    by_hand: bool = False
    asked: str = ""

    @property
    def holds(self) -> bool:
        """Whether a valid proof is stored that no pairing is better, open levels aside.

        It is False if the proof has faults.
        """
        return self.digest is not None and not self.faults

    @property
    def stated(self) -> ProofStatus:
        """The status of the proof as readers of the round see it.

        If the proof does not hold, this only says whether the round was changed by
        hand. Otherwise it says whether it holds now, held after a step, or holds with
        the tables that stay.
        """
        if not self.holds:
            return ProofStatus("by hand" if self.by_hand else "not")
        status_kind: Kind = "now"
        if self.step is not None:
            status_kind = "then"
        elif any(self.paired_with.get(option_name) for option_name in STAY):
            status_kind = "tables stay"
        return ProofStatus(status_kind, self.asked, self.step, self.open)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, as a dict of plain values.

        It has all fields but `by_hand` and `asked`, and `holds` and `stated`. Faults
        are messages in their JSON form.

        Returns
        -------
        dict
            Values that `json.dumps` writes.
        """
        field_names = (
            "round",
            "digest",
            "paired_with",
            "step",
            "holds",
            "open",
            "absent",
        )
        fault_dicts = [message(proof_fault).to_dict() for proof_fault in self.faults]
        return {
            **to_record(self, *field_names),
            "faults": fault_dicts,
            "stated": self.stated.to_dict(),
        }


def check_proofs(
    folder: str | Path, *, round: int | None = None
) -> Iterator[RoundProof]:
    """Verify the stored proofs of the rounds of an event folder, in order.

    `check_proofs` builds each round again from the players and the earlier rounds, with
    the model and the options of the round. Next, `check_proofs` compares the proof with
    the pairing in matches.csv. If you have changed the files since, for example by a
    correction, `check_proofs` also checks the proof against the files as they were when
    you paired the round.

    Parameters
    ----------
    folder : path
        The event folder.
    round : int, optional
        The round. By default all rounds.

    Yields
    ------
    RoundProof
        What the stored proof of each round shows, one round after the other.

    Raises
    ------
    UsageError
        If the folder is not an event folder, or if the event has no such round.
    InputError
        If a file of the folder has faults.
    """
    opened_folder = read_folder_state(folder)
    event = opened_folder.event
    paired_rounds = [
        round_number
        for round_number in range(1, event.round)
        if len(event.matches.paired_rows(round_number))
    ]
    if not paired_rounds or round not in (None, *paired_rounds):
        error_message_id = "round.none_of_folder" if round else "round.none_at_all"
        raise UsageError(error_message_id, folder=folder, round=round)
    for round_number in paired_rounds if round is None else [round]:
        yield check_round_proof(opened_folder, round_number)


def check_round_proof(desk: OpenFolder, number: int) -> RoundProof:
    """Check the stored proof of a round by the event now, or when it was paired.

    `number` is the number of the round. If it holds for neither, the faults are those
    by the event now. Without a stored proof, the answer has no digest.
    """
    event = desk.event
    match_rows = event.matches
    rows_of_round = match_rows.take(match_rows.round == number)
    is_absent_by_player = event.active & ~rows_of_round.player_mask(len(event.players))
    round_proof = RoundProof(number, None, absent=int(is_absent_by_player.sum()))
    proof_content = read_stored_proof(desk, number)
    if proof_content is None:
        return round_proof

    proof_digest = hashlib.sha256(proof_content).hexdigest()
    options_now = read_stored_options(desk, number)
    round_proof = replace(round_proof, digest=proof_digest, paired_with=options_now)
    check_by_event_now = _check_stored_proof(event, proof_content, round_proof)
    if check_by_event_now.holds:
        return check_by_event_now

    pairing_state = _find_pairing_state(desk, number)
    seats_now = _list_seats(event, number)
    if (
        pairing_state is not None
        and _list_seats(pairing_state.event, number) == seats_now
    ):
        options_then = read_stored_options(desk, number, pairing_state.event_toml)
        check_by_event_then = _check_stored_proof(
            pairing_state.event,
            proof_content,
            replace(round_proof, paired_with=options_then),
        )
        if check_by_event_then.holds:
            return replace(check_by_event_then, step=pairing_state.step)

    # A file that is no proof of matches is not a change by hand.
    with suppress(ValueError, RecursionError):
        was_changed_by_hand = bool(_find_other_matches(event, number, proof_content))
        return replace(check_by_event_now, by_hand=was_changed_by_hand)
    return check_by_event_now


class _PairingState(NamedTuple):
    """The step that paired a round, with what the files were after it.

    `step` is its number, `event` the event, and `event_toml` the content of event.toml.
    """

    step: int
    event: Event
    event_toml: bytes


def _find_pairing_state(desk: OpenFolder, number: int) -> _PairingState | None:
    """Return the state after the last step that paired or re-paired a round.

    `number` is the round. If no intact step did, it is the state after the first intact
    step that the files come from. None if there is no intact step, or its files make no
    event.
    """
    with suppress(PairoptError, OSError):
        step_and_files = desk.journal.find_last_step(number, "pair", "repair")
        if step_and_files:
            pairing_step, files_after_step = step_and_files
            event = build_event_from_files(files_after_step, desk.journal.folder)
            return _PairingState(pairing_step.number, event, files_after_step[EVENT])
    return None


VERIFIED: dict[tuple[str, str], tuple[tuple[str | Note, ...], int]] = {}
"""The faults and open levels of verified proofs, by digest and claim: each is verified
once."""
MOST_VERIFIED = 100


def _check_stored_proof(
    event: Event, content: bytes, round_proof: RoundProof
) -> RoundProof:
    """Check a proof against a version of the event, and return what it shows.

    `content` is the stored proof. `round_proof` has the round, the digest and the
    options to check with; it is returned with the faults, the number of open levels,
    and the options in words. If the round cannot be built with the options, that is the
    fault. Verdicts are cached by digest and heading: the same heading is the same
    claim.
    """
    rows_of_round = event.matches.paired_rows(round_proof.round)
    was_present = rows_of_round.player_mask(len(event.players))
    event_before = replace(event, declared_active=was_present, notes=())
    round_keywords = {**round_proof.paired_with, "round": round_proof.round}
    try:
        proof_model = round_keywords.pop("model", None)
        round_options = parse_options(
            event_before, RoundOptions, round_keywords, "check"
        )
        problem = build_problem(event_before, proof_model, round_options)
        claim_text = format_json(build_heading(problem, order_players(problem)))
        cache_key = str(round_proof.digest), claim_text
        if cache_key not in VERIFIED:
            proof_verdict = check_for_problem(problem, content)
            if len(VERIFIED) >= MOST_VERIFIED:
                VERIFIED.clear()
            VERIFIED[cache_key] = proof_verdict.faults, proof_verdict.open
        proof_faults, open_levels = VERIFIED[cache_key]
        options_text = describe_options(problem.event, round_options)
        if "model" in round_proof.paired_with:
            options_text = f" under {problem.model.name}{options_text}"
    except PairoptError as error:
        return replace(round_proof, faults=error.said)
    proof_faults = proof_faults or tuple(
        _find_other_matches(event, round_proof.round, content)
    )
    return replace(
        round_proof, faults=proof_faults, open=open_levels, asked=options_text
    )


def _find_other_matches(event: Event, number: int, content: bytes) -> list[Message]:
    """Return one message on the matches of a round that are not in a proof.

    `number` is the round, and `content` the proof. Sides count where the event has
    them. The list is empty if all matches are in it. A proof that no pairing is
    possible has a message of its own. Raise ValueError if `content` is no proof.
    """
    players_in_proof, proven_pairing = read_matches(content)
    if proven_pairing is None:
        return [message("proof.of_no_pairing")]
    proven_first_player_by_pair = {
        frozenset(
            players_in_proof[proof_position] for proof_position in proven_match
        ): players_in_proof[proven_match[0]]
        for proven_match in proven_pairing
    }

    # The position -1 is the bye.
    identifiers_and_bye = [*event.players, None]
    texts_of_other_matches = []
    for first_position, second_position, side_of_first in _list_seats(event, number):
        first_player, second_player = (
            identifiers_and_bye[first_position],
            identifiers_and_bye[second_position],
        )
        player_of_first_side = second_player if side_of_first == 1 else first_player
        proven_first_player = proven_first_player_by_pair.get(
            frozenset((first_player, second_player)), ""
        )
        has_sides = event.sided and second_player is not None and side_of_first >= 0
        if proven_first_player == "" or (
            has_sides and proven_first_player != player_of_first_side
        ):
            match_players = [
                identifier for identifier in (first_player, second_player) if identifier
            ]
            shown_names = [event.called[identifier] for identifier in match_players]
            texts_of_other_matches.append(pair_text(*shown_names))
    if not texts_of_other_matches:
        return []
    return [message("proof.other_matches", matches=texts_of_other_matches)]


def _list_seats(event: Event, number: int) -> list[tuple[int, int, int]]:
    """Return the matches of a round as sorted triples (first, second, side).

    `number` is the round. The first two are positions of players in the event, with -1
    for the bye; `side` is the first player's, -1 without sides. Requested byes are left
    out.
    """
    rows_of_round = event.matches.paired_rows(number)
    return sorted(
        np.column_stack(
            [rows_of_round.first, rows_of_round.second, rows_of_round.side]
        ).tolist()
    )
