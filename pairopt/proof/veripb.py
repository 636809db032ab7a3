"""VeriPB: why no pairing is better, or why there is none, in the cutting planes of its proofs.

Prices of a certificate are multiples of rows, "each player has exactly one match". What a set costs
to leave is one, too: the rows of its players say that matches inside, twice, and those that leave
it are as many as players; half of that, rounded up as they are an odd number, twice, less the rows
again, leaves that one match at least leaves it. All of these together, and that the total is less
than the pairing's, are a contradiction.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pairopt.common.serialization import read_package_toml
from pairopt.errors import UsageError
from pairopt.files.binary_program import BinaryProgram

VERSIONS = read_package_toml("pairopt.proof", "veripb.toml")


class VeripbContradiction(NamedTuple):
    """What contradicts a better pairing, or any: how often each exact row counts, less than 0 from
    above; `sets`, the rows of their players, with how often they do; the pairing's Booleans, None
    for none, of whose total being less twice is counted.
    """

    rows: Mapping[int, int]
    sets: Sequence[tuple[Sequence[int], int]]
    pairing: set[int] | None


def format_refutation(
    program: BinaryProgram, reason: VeripbContradiction, version: str
) -> str:
    """The proof of a program as an OPB file. In VeriPB a row that is exact is two constraints.
    Raises UsageError for another version of its syntax.
    """
    if version not in VERSIONS:
        raise UsageError("program.versions", versions=[*VERSIONS], found=version)
    least, last = list[int](), 0
    for row in program.rows:
        least.append(last + 1)
        last += 1 + row.exact
    known, lines, every = VERSIONS[version], [f"f {last}"], list[str]()
    for last, (members, times) in enumerate(reason.sets, last + 1):  # noqa: B020
        low, high = (_sum([f"{least[k] + most}" for k in members]) for most in (0, 1))
        lines.append(f"pol {low} 2 d 2 * {high} +")
        every.append(f"{last} {times} *")
    best = "INF"
    if (on := reason.pairing) is not None:
        best, last = str(sum(program.costs[k] for k in on)), last + 1
        said = (
            f"{'' if k in on else '~'}{name}" for k, name in enumerate(program.names)
        )
        lines.append(f"{known['better']} {' '.join(said)}")
        every.append(f"{last} 2 *")
    rows = (
        (least[k] + (times < 0), abs(times))
        for k, times in reason.rows.items()
        if times
    )
    every += [f"{k} {times} *" for k, times in rows]
    lines += [f"pol {_sum(every)}", *known["last"]]
    made = (line.format(id=last + 1, best=best) + known["end"] for line in lines)
    return "\n".join([known["head"], *made, ""])


def _sum(terms: Sequence[str]) -> str:
    return " ".join([*terms[:1], *(f"{term} +" for term in terms[1:])])
