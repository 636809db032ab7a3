"""Checking: whether a proof is one of this event's round. No solver is needed, nor imported.

Of a claim nothing is taken from the file but the pairing: it is built from the event, and its
bytes are compared.
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
    heading,
    order_players,
    step_costs,
)
from pairopt.proof.file import FORMAT, VERSION, format_proof

START = re.compile(
    f'{{"format":"{FORMAT}",\n"version":{VERSION},\n"program":"({verify.PROGRAM.pattern})",\n"claim":'
)
OLDER = re.compile(
    r'\ufeff?\s*\{\s*"format":\s*"pairopt-proof",\s*"version":\s*([0-9]{1,9})\b'
)
KEY = re.compile(r'^(?:"settings":)?\{?"([a-z_]{1,20})":')
LINE = {
    key: re.compile(f'\n"{key}":(.*),$', re.MULTILINE) for key in ("players", "pairing")
}
ENDS = (',\n"further":', ',\n"levels":')
PER_PLAYER = 20  # a match of a pairing has not more characters a player


@dataclass(frozen=True)
class CheckedProof(RoundAnalysis):
    """What a proof shows of this round (`shown`), of how many levels nothing (`open`). `faults` are
    why it is none; then it shows nothing.
    """

    problem: Problem
    shown: str
    faults: tuple[str, ...]
    open: int = 0

    @property
    def verdict(self) -> Literal["certified", "open", "none"]:
        """Whether it is a proof of this round, and of all its levels."""
        return "none" if self.faults else "open" if self.open else "certified"

    @property
    def holds(self) -> bool:
        """Whether it is a proof of this round, of some levels at least."""
        return not self.faults

    @property
    def absent(self) -> int:
        """How many active players have no match in the round."""
        return int(self.event.present.sum()) - len(self.problem)

    @property
    def said(self) -> tuple[Message, ...]:
        if self.faults:
            return tuple(message("proof.none", why=fault) for fault in self.faults)
        kind = "proof.shown_but_absent" if self.absent else "proof.shown"
        return (message(kind, shown=self.shown, absent=self.absent),)

    def text(self) -> str:
        return "\n".join(
            [
                f"Round {self.round}, model {self.model}",
                "",
                *map(escape_hidden, self.said),
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        found = to_record(
            self, "round", "model", "verdict", "holds", "open", "absent", "faults"
        )
        return {**found, "said": [each.to_dict() for each in self.said]}


@show_keywords(RoundOptions)
def check_proof(
    event: Event,
    proof: str | Path | bytes | Mapping[str, Any],
    model: ModelLike | None = None,
    **options: Unpack[RoundKeywords],
) -> CheckedProof:
    """Verify a proof: its claim is that of the rules, byte by byte; then the arithmetic.

    It is what `solve --proof` wrote: the file, its bytes, or what it holds; options are as they
    were for the pairing. Raises InputError where the file is no proof.
    """
    return check_for_problem(
        build_problem_with_budget(event, model, RoundOptions, options, "check")[0],
        proof,
    )


def check_for_problem(
    problem: Problem, proof: str | Path | bytes | Mapping[str, Any]
) -> CheckedProof:
    """The same of a round at hand."""
    name = str(proof) if isinstance(proof, str | Path) else "proof"
    try:
        shown = _verify_text(problem, _text(proof))
    except (verify.InvalidProof, NoClaimError) as error:
        return CheckedProof(problem, "", (str(error),))
    except InvalidValueError as error:
        raise InputError(
            name, with_heading(message("proof.malformed"), error.said)
        ) from None
    except (ValueError, RecursionError) as error:
        raise InputError(
            name, with_heading(message("proof.malformed"), message(str(error)))
        ) from None
    return CheckedProof(problem, shown.said, (), shown.open)


def round_of(file: str | Path) -> int | None:
    """The round that a file names, None where it names none."""
    text = read_bytes(file)[:1000].decode(errors="replace")
    found = (head := START.match(text)) and re.match(
        r'\{"round":([0-9]{1,9}),', text[head.end() :]
    )
    return int(found[1]) if found else None


def matches_in(proof: bytes) -> tuple[list[str | None], list[list[int]] | None]:
    """The players of a file, nobody after them, and its pairing. Raises ValueError for none."""
    text = _text(proof)
    found = {name: LINE[name].search(text) for name in LINE}
    if not (START.match(text) and all(found.values())):
        raise InvalidValueError("proof.not_as_written")
    players, pairing = (verify.read(match[1]) for match in found.values() if match)
    names = verify.require_list(players, "players", list, 2)
    if pairing is not None:
        verify.read_matching(pairing, len(names) + len(names) % 2, "pairing")
    return [*(str(name) for name, _ in names), None], pairing


def _text(proof: str | Path | bytes | Mapping[str, Any]) -> str:
    if isinstance(proof, Mapping):
        return format_proof(proof)
    return (proof if isinstance(proof, bytes) else read_bytes(proof)).decode()


def _verify_text(problem: Problem, text: str) -> verify.ProofStatement:
    """What a file shows of a round. Raises Wrong, NoClaimError, and ValueError."""
    verify.require(len(text) <= verify.MOST_BYTES, "expected a smaller file")
    begun = START.match(text)
    if begun is None:
        if (older := OLDER.match(text)) and int(older[1]) < VERSION:
            raise InvalidValueError("proof.older", version=older[1])
        raise InvalidValueError("proof.not_as_written")
    start, order = begun.end(), order_players(problem)
    head = heading(problem, order)
    before = verify.text_of(head)[:-1] + ',\n"pairing":'
    _require(text, start, before)
    arcs, further = _rounds(order, problem.lookahead, text, start + len(before))
    claim = build_claim(problem, arcs, further, head=head)
    _require(text, start, claim.text)
    rest, key = text[start + len(claim.text) :], ',\n"witness":'
    witness = verify.read(rest[len(key) : -2])
    data = {
        "format": FORMAT,
        "version": VERSION,
        "program": begun[1],
        "claim": json.loads(claim.text),
        "witness": witness,
    }
    if format_proof(data) != text:
        raise InvalidValueError("proof.bytes")
    return verify.verify(data, lambda levels, alive: _costs(claim, levels, alive))


def _require(text: str, start: int, claim: str) -> None:
    """Raises Wrong where the file claims something else from here on, and says what."""
    if text.startswith(claim, start):
        return
    for mine in claim.split("\n"):
        if not text.startswith(mine, start):
            named = KEY.match(mine)
            if named and named[1] in ("kinds", "rows"):
                raise verify.InvalidProof(
                    "not as the rules have them: who may meet whom, or at what cost"
                )
            found = text[start : text.find("\n", start) + 1 or None]
            theirs, own = (
                quote(KEY.sub("", each.rstrip(",\n"), 1).strip('"'))
                for each in (found, mine)
            )
            raise verify.InvalidProof(
                f"{named[1] if named else 'claim'}: found {theirs}, expected {own}"
            )
        start += len(mine) + 1
    raise verify.InvalidProof("claim: expected other line breaks")


def _rounds(
    order: IntArray, ahead: int, text: str, start: int
) -> tuple[Arcs | None, list[Arcs]]:
    """The pairing of a file, None for none, and its further rounds, in positions of the state."""
    count, found = len(order) + len(order) % 2, []
    for end, most in zip(ENDS, (1, ahead + 1), strict=True):
        stop = text.find(end, start, start + most * PER_PLAYER * (count + 1))
        verify.require(
            stop >= 0, "pairing: expected one of these players, and further rounds"
        )
        found.append(verify.read(text[start:stop]))
        start = stop + len(end)
    pairing, further = found
    verify.require(isinstance(further, list), "further: expected rounds")
    seats, made = np.append(order, BYE), list[Arcs | None]()
    for turn in [pairing, *further]:
        if turn is None:
            made.append(None)
            continue
        first, second = seats[np.array(verify.read_matching(turn, count, "pairing"))].T
        bye = first == BYE
        made.append(arcs_of(np.where(bye, second, first), np.where(bye, BYE, second)))
    return made[0], [turn for turn in made[1:] if turn is not None]


def _costs(claim: Claim, levels: list[int], alive: list[int]) -> tuple[Any, Any]:
    """What a step costs by the rules; `alive` are sets of players as bits."""
    size = (len(alive) + 7) // 8
    rows = np.frombuffer(
        b"".join(each.to_bytes(size, "little") for each in alive), np.uint8
    )
    bits = np.unpackbits(rows.reshape(len(alive), size), axis=1, bitorder="little")
    matrix: BoolArray = bits[:, : len(alive)].astype(np.bool_)
    content = step_costs(claim, levels, matrix).content(matrix)
    return content["kinds"], content["rows"]
