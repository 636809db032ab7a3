"""Write a certificate in the cutting planes of VeriPB's proofs.

The duals of vertices are multiples of rows, "each player has exactly one match". The
constraint of an odd set is derived from rows, too. The rows of its players say that matches
inside the set, twice, and those that cross it are as many as its players. Half of that,
rounded up because the number is odd, twice, less the rows again, says that at least one match
crosses the set. All of these together, and that the total is less than the pairing's, are a
contradiction.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pairopt.common.serialization import read_package_toml
from pairopt.errors import UsageError
from pairopt.files.binary_program import BinaryProgram

VERSIONS = read_package_toml("pairopt.proof", "veripb.toml")


class VeripbContradiction(NamedTuple):
    """The linear combination that contradicts a better pairing, or any pairing.

    `rows` has the multiple of each exact row, negative for its upper bound. `sets` has for
    each odd set the rows of its players, and its multiple. `pairing` has the Booleans of the
    pairing, whose better total is counted twice; None if there is no pairing.
    """

    rows: Mapping[int, int]
    sets: Sequence[tuple[Sequence[int], int]]
    pairing: set[int] | None


def format_refutation(
    program: BinaryProgram, reason: VeripbContradiction, version: str
) -> str:
    """Format the proof of a program as text, in a version of VeriPB's syntax.

    The proof shows that no pairing is better than that of `reason`, or that there is no
    pairing at all if `reason` has none. `reason` also has the multiples of constraints
    whose sum is a contradiction. `version` is a key of veripb.toml. The proof refers to
    the constraints of the program's OPB file by their numbers, and an exact row is two
    constraints there. Raises UsageError for an unknown version.
    """
    if version not in VERSIONS:
        raise UsageError("program.versions", versions=[*VERSIONS], found=version)
    version_syntax = VERSIONS[version]

    # the id of each row's lower bound; its upper bound has the next id
    lower_bound_ids = list[int]()
    last_id = 0
    for program_row in program.rows:
        lower_bound_ids.append(last_id + 1)
        last_id += 1 + program_row.exact
    proof_lines = [f"f {last_id}"]

    sum_terms = list[str]()
    for row_indices, set_multiple in reason.sets:
        last_id += 1
        lower_sum = _format_sum(
            [f"{lower_bound_ids[row_index]}" for row_index in row_indices]
        )
        upper_sum = _format_sum(
            [f"{lower_bound_ids[row_index] + 1}" for row_index in row_indices]
        )
        proof_lines.append(f"pol {lower_sum} 2 d 2 * {upper_sum} +")
        sum_terms.append(f"{last_id} {set_multiple} *")

    best_total = "INF"
    if reason.pairing is not None:
        true_booleans = reason.pairing
        best_total = str(
            sum(program.costs[boolean_index] for boolean_index in true_booleans)
        )
        last_id += 1
        literals = [
            variable_name if variable_index in true_booleans else f"~{variable_name}"
            for variable_index, variable_name in enumerate(program.names)
        ]
        proof_lines.append(f"{version_syntax['better']} {' '.join(literals)}")
        sum_terms.append(f"{last_id} 2 *")

    for row_index, row_multiple in reason.rows.items():
        if row_multiple:
            constraint_id = lower_bound_ids[row_index] + (row_multiple < 0)
            sum_terms.append(f"{constraint_id} {abs(row_multiple)} *")
    proof_lines.append(f"pol {_format_sum(sum_terms)}")
    proof_lines += version_syntax["last"]
    formatted_lines = [
        proof_line.format(id=last_id + 1, best=best_total) + version_syntax["end"]
        for proof_line in proof_lines
    ]
    return "\n".join([version_syntax["head"], *formatted_lines, ""])


def _format_sum(terms: Sequence[str]) -> str:
    """Return the sum of terms in reverse Polish notation; "" without terms.

    The terms a, b, c give "a b + c +".
    """
    return " ".join([*terms[:1], *(f"{term} +" for term in terms[1:])])
