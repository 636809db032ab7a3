"""Check whether a proof is one of this event's round, without any solver.

Only the pairing is taken from the file. The claim is built from the event, and its bytes are
compared with the file's.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Unpack

import numpy as np

from pairopt.common.serialization import to_record
from pairopt.errors import InputError, InvalidValueError
from pairopt.event.arcs import BYE, Arcs, BoolArray, IntArray, arcs_of
from pairopt.event.event import Event
from pairopt.files.text_source import read_bytes
from pairopt.messages import Message, message, with_heading
from pairopt.messages.formatting import escape_hidden, quote
from pairopt.problem.build import build_problem_with_budget
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.options import ModelLike, RoundOptions, show_keywords
from pairopt.problem.problem import Problem, RoundAnalysis
from pairopt.proof import verify
from pairopt.proof.claim import (
    Claim,
    NoClaimError,
    build_claim,
    build_heading,
    compute_step_costs,
    order_players,
)
from pairopt.proof.file import FORMAT, VERSION, format_proof

START = re.compile(
    f'{{"format":"{FORMAT}",\n"version":{VERSION},\n"program":"({verify.PROGRAM.pattern})",\n"claim":'
)
OLDER = re.compile(
    r'\ufeff?\s*\{\s*"format":\s*"pairopt-proof",\s*"version":\s*([0-9]{1,9})\b'
)
ROUND = re.compile(r'\{"round":([0-9]{1,9}),')
KEY = re.compile(r'^(?:"settings":)?\{?"([a-z_]{1,20})":')
LINE = {
    key: re.compile(f'\n"{key}":(.*),$', re.MULTILINE) for key in ("players", "pairing")
}
ENDS = (',\n"further":', ',\n"levels":')
# a match of a pairing has at most so many characters for each player
PER_PLAYER = 20


@dataclass(frozen=True)
class CheckedProof(RoundAnalysis):
    """The result of checking a proof against a round.

    Attributes
    ----------
    problem : Problem
        The round: players, permitted matches and their costs.
    shown : str
        The sentence that the proof certifies.
    faults : tuple of str
        Why the file is not a proof of this round. A proof with faults certifies
        nothing.
    open : int
        The number of levels for which the proof certifies nothing.
    """

    problem: Problem
    shown: str
    faults: tuple[str, ...]
    open: int = 0

    @property
    def verdict(self) -> Literal["certified", "open", "none"]:
        """How much is proven: all levels ("certified"), some ("open"), or nothing.

        The last is "none": the file is no proof of this round, and `faults` says why.
        """
        if self.faults:
            return "none"
        return "open" if self.open else "certified"

    @property
    def holds(self) -> bool:
        """Whether the file proves this round, perhaps only its first levels."""
        return not self.faults

    @property
    def absent(self) -> int:
        """Number of active players of the event who have no match in the round."""
        return int(self.event.present.sum()) - len(self.problem)

    @property
    def said(self) -> tuple[Message, ...]:
        """Messages on what the proof certifies; if it is none, one for each fault."""
        if self.faults:
            return tuple(message("proof.none", why=fault) for fault in self.faults)
        message_kind = "proof.shown_but_absent" if self.absent else "proof.shown"
        return (message(message_kind, shown=self.shown, absent=self.absent),)

    def text(self) -> str:
        """Return the result as text: a heading, a blank line, and the messages."""
        heading = f"Round {self.round}, model {self.model}"
        return "\n".join([heading, "", *map(escape_hidden, self.said)])

    def to_dict(self) -> dict[str, Any]:
        """Return the result for JSON: the verdict, the faults, and the messages.

        The keys are `round`, `model`, `verdict`, `holds`, `open`, `absent`, `faults`
        and `said`, a list with a dict for each message.
        """
        json_fields = to_record(
            self, "round", "model", "verdict", "holds", "open", "absent", "faults"
        )
        return {**json_fields, "said": [note.to_dict() for note in self.said]}


@show_keywords(RoundOptions)
def check_proof(
    event: Event,
    proof: str | Path | bytes | Mapping[str, Any],
    model: ModelLike | None = None,
    **options: Unpack[RoundKeywords],
) -> CheckedProof:
    """Verify a proof against a round, without a solver.

    The claim of a proof states the players, the rules, the allowed matches and their
    costs. `check_proof` computes this claim again from the event, and compares both
    claims byte by byte. After this comparison, `check_proof` verifies the arithmetic of
    the proof.

    Parameters
    ----------
    event : Event
        The event of the round.
    proof : str, Path, bytes or Mapping
        What `solve --proof` wrote: a path, the bytes of the file, or its content.
    model : str, Path or Model, optional
        The model by which the round was paired.
    **options
        Options of the round, the same as those that the round was paired with.

    Returns
    -------
    CheckedProof
        What the proof certifies, or why the file is not a proof of this round.

    Raises
    ------
    InputError
        If the file is not a proof file.

    Examples
    --------
    >>> check_proof(event, "round6.proof.json").verdict  # doctest: +SKIP
    'certified'
    """
    problem, _ = build_problem_with_budget(event, model, RoundOptions, options, "check")
    return check_for_problem(problem, proof)


def check_for_problem(
    problem: Problem, proof: str | Path | bytes | Mapping[str, Any]
) -> CheckedProof:
    """Verify a proof of a round that is already built, without a solver.

    `proof` is a path, the bytes of the file, or its content. The claim of the proof is
    computed again from `problem` and compared, and then the arithmetic is verified. A
    proof of something else, or with wrong numbers, gives a result with faults. Raises
    InputError only if the file cannot be read or is malformed.
    """
    source_name = str(proof) if isinstance(proof, str | Path) else "proof"
    try:
        proof_statement = _verify_text(problem, _read_text(proof))
    except (verify.InvalidProof, NoClaimError) as error:
        return CheckedProof(problem, "", (str(error),))
    except InvalidValueError as error:
        raise InputError(
            source_name, with_heading(message("proof.malformed"), error.said)
        ) from None
    except (ValueError, RecursionError) as error:
        raise InputError(
            source_name, with_heading(message("proof.malformed"), message(str(error)))
        ) from None
    return CheckedProof(problem, proof_statement.said, (), proof_statement.open)


def read_round_number(file: str | Path) -> int | None:
    """Return the number of the round that a proof file names.

    Only the first 1,000 bytes are used, and nothing is verified. None if it is no proof
    file of the present version, or names no round. Raises InputError for a file that
    cannot be read.
    """
    first_characters = read_bytes(file)[:1000].decode(errors="replace")
    start_match = START.match(first_characters)
    if start_match is None:
        return None
    round_match = ROUND.match(first_characters[start_match.end() :])
    return int(round_match[1]) if round_match else None


def read_matches(proof: bytes) -> tuple[list[str | None], list[list[int]] | None]:
    """Return the players and the pairing of a proof file, without verifying it.

    `proof` are the file's bytes. The players' identifiers are in the order of vertices;
    one more entry, None, always follows and stands for the bye. A match of the pairing
    is two vertices; the pairing is None if the proof says that there is none. Raises
    ValueError if the file is no proof.
    """
    proof_text = _read_text(proof)
    players_line, pairing_line = (
        LINE["players"].search(proof_text),
        LINE["pairing"].search(proof_text),
    )
    if not START.match(proof_text) or players_line is None or pairing_line is None:
        raise InvalidValueError("proof.not_as_written")
    parsed_players = verify.read(players_line[1])
    parsed_pairing = verify.read(pairing_line[1])
    player_entries = verify.require_list(parsed_players, "players", list, 2)
    if parsed_pairing is not None:
        verify.read_matching(
            parsed_pairing, len(player_entries) + len(player_entries) % 2, "pairing"
        )
    return [
        *(str(identifier) for identifier, _ in player_entries),
        None,
    ], parsed_pairing


def _read_text(proof: str | Path | bytes | Mapping[str, Any]) -> str:
    """Return the text of a proof file, given by its path, its bytes or its content.

    A mapping is formatted as pairopt writes it. Raises InputError for a file that
    cannot be read, and UnicodeDecodeError.
    """
    if isinstance(proof, Mapping):
        return format_proof(proof)
    file_bytes = proof if isinstance(proof, bytes) else read_bytes(proof)
    return file_bytes.decode()


def _verify_text(problem: Problem, text: str) -> verify.ProofStatement:
    """Verify the text of a proof file, and return what it certifies of a round.

    The claim is built again from the problem and compared byte by byte. Raises
    InvalidProof and NoClaimError for a proof that does not hold, and ValueError if the
    file is malformed.
    """
    verify.require(len(text) <= verify.MOST_BYTES, "expected a smaller file")
    start_match = START.match(text)
    if start_match is None:
        older_match = OLDER.match(text)
        if older_match and int(older_match[1]) < VERSION:
            raise InvalidValueError("proof.older", version=older_match[1])
        raise InvalidValueError("proof.not_as_written")

    claim_start = start_match.end()
    player_order = order_players(problem)
    heading = build_heading(problem, player_order)
    heading_text = verify.format_json(heading)[:-1] + ',\n"pairing":'
    _require_claim(text, claim_start, heading_text)
    pairing_arcs, further_rounds = _read_rounds(
        player_order, problem.lookahead, text, claim_start + len(heading_text)
    )
    claim = build_claim(problem, pairing_arcs, further_rounds, head=heading)
    _require_claim(text, claim_start, claim.text)

    text_after_claim = text[claim_start + len(claim.text) :]
    witness_key = ',\n"witness":'
    witness = verify.read(text_after_claim[len(witness_key) : -2])
    file_content = {
        "format": FORMAT,
        "version": VERSION,
        "program": start_match[1],
        "claim": json.loads(claim.text),
        "witness": witness,
    }
    if format_proof(file_content) != text:
        raise InvalidValueError("proof.bytes")
    return verify.verify(
        file_content, lambda levels, alive: _compute_step(claim, levels, alive)
    )


def _require_claim(text: str, start: int, claim: str) -> None:
    """Raise InvalidProof unless the text has exactly this claim at `start`.

    `text` is the file, and `claim` the claim as it must stand there. The error quotes
    the first line that differs, beside the right one; for `kinds` and `rows` it only
    says that the costs or the legal matches differ.
    """
    if text.startswith(claim, start):
        return
    for expected_line in claim.split("\n"):
        if not text.startswith(expected_line, start):
            key_match = KEY.match(expected_line)
            if key_match and key_match[1] in ("kinds", "rows"):
                raise verify.InvalidProof(
                    "not as the rules have them: who may meet whom, or at what cost"
                )
            file_line = text[start : text.find("\n", start) + 1 or None]
            raise verify.InvalidProof(
                f"{key_match[1] if key_match else 'claim'}: found {_quote_line(file_line)}, "
                f"expected {_quote_line(expected_line)}"
            )
        start += len(expected_line) + 1
    raise verify.InvalidProof("claim: expected other line breaks")


def _quote_line(line: str) -> str:
    """Return the value in a line in quotation marks, without its key and comma."""
    return quote(KEY.sub("", line.rstrip(",\n"), 1).strip('"'))


def _read_rounds(
    order: IntArray, ahead: int, text: str, start: int
) -> tuple[Arcs | None, list[Arcs]]:
    """Read a file's pairing and its lookahead rounds, from `start` in the text.

    Returns the arcs of the pairing, None if the file has null there, and a list of the
    rounds' arcs, without rounds that are null. `order` has the position in the state of
    each vertex. `ahead`, the number of lookahead rounds, only limits how much text is
    read; the rounds are not counted. Raises InvalidProof and ValueError.
    """
    vertex_count = len(order) + len(order) % 2
    parsed_values = []
    for end_text, most_rounds in zip(ENDS, (1, ahead + 1), strict=True):
        end_index = text.find(
            end_text, start, start + most_rounds * PER_PLAYER * (vertex_count + 1)
        )
        verify.require(
            end_index >= 0, "pairing: expected one of these players, and further rounds"
        )
        parsed_values.append(verify.read(text[start:end_index]))
        start = end_index + len(end_text)
    parsed_pairing, parsed_further = parsed_values
    verify.require(isinstance(parsed_further, list), "further: expected rounds")

    position_of_vertex = np.append(order, BYE)
    arcs_of_rounds = list[Arcs | None]()
    for round_matches in [parsed_pairing, *parsed_further]:
        if round_matches is None:
            arcs_of_rounds.append(None)
            continue
        match_vertices = np.array(
            verify.read_matching(round_matches, vertex_count, "pairing")
        )
        first_positions, second_positions = position_of_vertex[match_vertices].T
        is_bye = first_positions == BYE
        arcs_of_rounds.append(
            arcs_of(
                np.where(is_bye, second_positions, first_positions),
                np.where(is_bye, BYE, second_positions),
            )
        )
    return arcs_of_rounds[0], [
        round_arcs for round_arcs in arcs_of_rounds[1:] if round_arcs is not None
    ]


def _compute_step(claim: Claim, levels: list[int], alive: list[int]) -> tuple[Any, Any]:
    """Compute from the rules the `kinds` and `rows` that a step of a proof must have.

    `levels` are indices of the claim's levels. `alive` has for each vertex the
    opponents who are still possible, as the bits of an integer. Raises NoClaimError.
    """
    byte_count = (len(alive) + 7) // 8
    mask_bytes = b"".join(
        opponent_bits.to_bytes(byte_count, "little") for opponent_bits in alive
    )
    byte_rows = np.frombuffer(mask_bytes, np.uint8).reshape(len(alive), byte_count)
    possible_bits = np.unpackbits(byte_rows, axis=1, bitorder="little")
    is_possible: BoolArray = possible_bits[:, : len(alive)].astype(np.bool_)
    step_content = compute_step_costs(claim, levels, is_possible).content(is_possible)
    return step_content["kinds"], step_content["rows"]
