"""Proofs: of each round that is published the proof is kept, and all of them are checked."""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.common.serialization import to_record
from pairopt.errors import PairoptError, UsageError
from pairopt.event.event import Event
from pairopt.files.event_folder import EVENT, build_event_from_files
from pairopt.folder.journal import proof_at_rest
from pairopt.folder.open_folder import OpenFolder, read_folder_state
from pairopt.folder.stored_proofs import proof_file_name, proof_options
from pairopt.messages import AnyMessage, Message, Note, message, with_heading
from pairopt.messages.formatting import pair_text
from pairopt.problem.build import build_problem
from pairopt.problem.model import Model
from pairopt.problem.options import RoundOptions, parse_options
from pairopt.proof.check import check_for_problem, read_matches
from pairopt.proof.claim import build_heading, list_non_default_options, order_players
from pairopt.proof.file import Proof
from pairopt.proof.verify import format_json
from pairopt.round.result import STAY, Kind, ProofStatus, describe_options

MOST_PLAYERS, SECONDS, MOST_BYTES = 500, 3.0, 5_000_000
"""What is kept unless somebody asks for more. A proof of 400 players takes 0.1 s and 0.05 MB, under
the slowest models 0.8 s and 0.5 MB; of 300 under the Dutch System up to 2.1 s and 1.3 MB."""


class NoProofError(Exception):
    """No proof is kept of a round, and what is said of that; it is published all the same."""


@dataclass(frozen=True)
class ProofStorage:
    """Whether the proof of a round is kept, which is paired with these options. `asked` is what
    somebody says, else the event's settings do; None leaves it to time and size.
    """

    asked: bool | None
    options: Mapping[str, Any]
    begun: float = field(default_factory=time.monotonic)

    def kept(self, event: Event, prove: Callable[[Budget], Proof]) -> bytes:
        """The file that is kept of the next round. Raises NoProof."""
        wanted = event.settings.proofs if self.asked is None else self.asked
        if wanted is False:
            raise NoProofError(message("proof.not_wanted"))
        if wanted is None and int(event.active.sum()) > MOST_PLAYERS:
            raise NoProofError(message("proof.of_many", players=MOST_PLAYERS))
        if isinstance(self.options.get("model"), Model):
            raise NoProofError(message("proof.model_in_no_file"))
        limit = self.options.get("time_limit")
        ends = [] if limit is None else [self.begun + limit]
        ends += [] if wanted else [time.monotonic() + SECONDS]
        try:
            content = prove(Budget(deadline=min(ends, default=None))).text.encode()
        except TimeUpError:
            raise NoProofError(
                message("proof.takes_long", seconds=f"{SECONDS:g}")
            ) from None
        except UsageError as error:
            raise NoProofError(
                with_heading(message("proof.none_kept"), error.reason)
            ) from None
        except (
            PairoptError
        ) as error:  # a fault of ours, which does not keep a round back
            raise NoProofError(
                with_heading(message("proof.our_fault"), error.reason)
            ) from None
        if not wanted and len(content) > MOST_BYTES:
            raise NoProofError(message("proof.large", size=f"{len(content) / 1e6:.0f}"))
        return content


def as_claimed(event: Event, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as the claim of a proof names them, from which the same claim is built again."""
    known = {each.name for each in fields(RoundOptions)} & options.keys()
    said = list_non_default_options(
        event, RoundOptions(**{name: options[name] for name in known})
    )
    pairs = {
        name: [tuple(each) if isinstance(each, list) else each for each in value]
        for name, value in said.items()
        if isinstance(value, list)
    }
    return {**options, **said, **pairs}


def with_proof(
    desk: OpenFolder,
    event: Event,
    keeping: ProofStorage,
    prove: Callable[[Budget], Proof],
) -> tuple[OpenFolder, Message]:
    """The desk with the proof of the round that is published, and what there is to say of it. Where
    there is none, an older one of the round goes.
    """
    name = proof_file_name(event.round)
    try:
        made = desk.changed({name: keeping.kept(event, prove)})
        return made, message("proof.kept", file=name, round=event.round)
    except NoProofError as why:
        there = read_kept(desk, event.round) is not None
        return desk.changed({name: b""} if there else {}), why.args[0]


def read_kept(desk: OpenFolder, number: int) -> bytes | None:
    return proof_at_rest(desk.journal.folder, proof_file_name(number)) or None


def stored_options(desk: OpenFolder, number: int, event: bytes = b"") -> dict[str, Any]:
    """The model and the options that a round was paired with, as far as its proof says them; those
    that are not the event's own, as event.toml says it now or said it then.
    """
    proof = read_kept(desk, number) or b""
    with suppress(ValueError, PairoptError):
        return proof_options(proof, desk.journal.folder, event or desk.files[EVENT])
    return {}


@dataclass(frozen=True)
class RoundProof:
    """What the kept proof of a round shows.

    `digest` is its SHA-256, None where no proof is kept; `paired_with` are the model and the
    options that are not the event's own, `asked` the same in words; `step` is the one of the log
    after which the files were as it says, None where they are so now. `faults` are why it does not
    hold, as that the pairing is another by now (`by_hand`); of `open` levels it shows nothing.
    `absent` active players have no match in the round.
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
        """Whether it proves that no pairing of the round is better, but for open levels."""
        return self.digest is not None and not self.faults

    @property
    def stated(self) -> ProofStatus:
        """What is proven of the round."""
        if not self.holds:
            return ProofStatus("by hand" if self.by_hand else "not")
        stay = any(self.paired_with.get(name) for name in STAY)
        kind: Kind = (
            "then" if self.step is not None else "tables stay" if stay else "now"
        )
        return ProofStatus(kind, self.asked, self.step, self.open)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        names = "round", "digest", "paired_with", "step", "holds", "open", "absent"
        faults = [message(each).to_dict() for each in self.faults]
        return {
            **to_record(self, *names),
            "faults": faults,
            "stated": self.stated.to_dict(),
        }


def check_proofs(
    folder: str | Path, *, round: int | None = None
) -> Iterator[RoundProof]:
    """Verify the kept proof of each round of an event folder, the first one first.

    Each by the players and rounds before it, with the model and options that it was paired with,
    and that it is of the pairing in matches.csv. Where the files have been changed since, as by a
    correction, they are also taken as they were right after the round was paired. Raises
    UsageError: no event folder, or there is no such round. InputError: a file of it has faults.
    """
    desk = read_folder_state(folder)
    event = desk.event
    rounds = [
        number
        for number in range(1, event.round)
        if len(event.matches.paired_rows(number))
    ]
    if not rounds or round not in (None, *rounds):
        kind = "round.none_of_folder" if round else "round.none_at_all"
        raise UsageError(kind, folder=folder, round=round)
    for number in rounds if round is None else [round]:
        yield round_proof(desk, number)


def round_proof(desk: OpenFolder, number: int) -> RoundProof:
    """What the kept proof of a round shows: by the event as it is, else as it was paired."""
    rows, event = desk.event.matches, desk.event
    absent = event.active & ~rows.take(rows.round == number).player_mask(
        len(event.players)
    )
    found = RoundProof(number, None, absent=int(absent.sum()))
    content = read_kept(desk, number)
    if content is None:
        return found
    digest = hashlib.sha256(content).hexdigest()
    found = replace(found, digest=digest, paired_with=stored_options(desk, number))
    now = _check_stored_proof(event, content, found)
    if now.holds:
        return now
    then, seats = _earlier(desk, number), _seats(event, number)
    if then is not None and _seats(then[1], number) == seats:
        given = stored_options(desk, number, then[2])
        old = _check_stored_proof(then[1], content, replace(found, paired_with=given))
        if old.holds:
            return replace(old, step=then[0])
    with suppress(ValueError, RecursionError):  # where it is no proof of matches
        return replace(now, by_hand=bool(_other_matches(event, number, content)))
    return now


def _earlier(desk: OpenFolder, number: int) -> tuple[int, Event, bytes] | None:
    """The step that paired a round, and the event and event.toml after it, as far as known."""
    with suppress(PairoptError, OSError):
        if found := desk.journal.come_from(number, "pair", "repair"):
            event = build_event_from_files(found[1], desk.journal.folder)
            return found[0].number, event, found[1][EVENT]
    return None


VERIFIED: dict[tuple[str, str], tuple[tuple[str | Note, ...], int]] = {}
"""What was found of proofs, by their digest and what the event says: nothing is verified twice."""
MOST_VERIFIED = 100


def _check_stored_proof(event: Event, content: bytes, found: RoundProof) -> RoundProof:
    """What a proof shows of a round as the event has it. A claim is of what its heading says, and
    of the pairing: that of a heading that was seen before is the same claim.
    """
    here = event.matches.paired_rows(found.round).player_mask(len(event.players))
    before = replace(event, declared_active=here, notes=())
    given = {**found.paired_with, "round": found.round}
    try:
        model = given.pop("model", None)
        options = parse_options(before, RoundOptions, given, "check")
        problem = build_problem(before, model, options)
        known = (
            str(found.digest),
            format_json(build_heading(problem, order_players(problem))),
        )
        if known not in VERIFIED:
            shown = check_for_problem(problem, content)
            if len(VERIFIED) >= MOST_VERIFIED:
                VERIFIED.clear()
            VERIFIED[known] = shown.faults, shown.open
        faults, left = VERIFIED[known]
        under = f" under {problem.model.name}" * ("model" in found.paired_with)
        words = under + describe_options(problem.event, options)
    except PairoptError as error:
        return replace(found, faults=error.said)
    faults = faults or tuple(_other_matches(event, found.round, content))
    return replace(found, faults=faults, open=left, asked=words)


def _other_matches(event: Event, number: int, content: bytes) -> list[Message]:
    """The matches of a round that are not those of a proof. Raises ValueError for none."""
    names, pairing = read_matches(content)
    if pairing is None:
        return [message("proof.of_no_pairing")]
    proven = {frozenset(names[k] for k in match): names[match[0]] for match in pairing}
    players, others = [*event.players, None], []
    for first, second, side in _seats(event, number):
        one, two = players[first], players[second]
        begins = two if side == 1 else one
        known = proven.get(frozenset((one, two)), "")
        if known == "" or (
            event.sided and two is not None and side >= 0 and known != begins
        ):
            others.append(
                pair_text(*(event.called[each] for each in (one, two) if each))
            )
    return [message("proof.other_matches", matches=others)] * bool(others)


def _seats(event: Event, number: int) -> list[tuple[int, int, int]]:
    """Who meets whom in a round, by their places in players.csv, and with which side."""
    rows = event.matches.paired_rows(number)
    return sorted(np.column_stack([rows.first, rows.second, rows.side]).tolist())
