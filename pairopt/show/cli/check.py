"""`pairopt check`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.proof.checking import check_proof, read_proof
from pairopt.round.check import Check, check
from pairopt.round.replay import check_all
from pairopt.show.cli import EXIT_INFEASIBLE
from pairopt.show.cli.answers import Answer, answering
from pairopt.show.cli.console import echo_notes
from pairopt.show.cli.options import FILE, read, round_options
from pairopt.show.cli.show import levels_text
from pairopt.show.shown import checked_levels
from pairopt.wording import listed, plain


@click.command()
@round_options()
@click.argument("pairings", type=FILE, required=False)
@click.option("--proof", type=FILE, help="Verify what solve --proof wrote, instead of PAIRINGS.")
@click.option("--all", "every", is_flag=True, help="Check every round of EVENT, without PAIRINGS.")
@click.option("--no-solve", is_flag=True, help="Do not compare with an optimal pairing.")
@answering("table", "json", output=False)
def command(
    event: str,
    players: str | None,
    pairings: str | None,
    proof: str | None,
    every: bool,
    no_solve: bool,
    **options: Any,
) -> Answer:
    """Check PAIRINGS, somebody's pairing of EVENT's round, level by level.

    PAIRINGS has the columns of matches.csv; rows of other rounds are passed over. Exit code
    0: legal, 1: breaks a constraint, 3: not a pairing of this event. A proof is verified
    without a solver: 0: it holds, 1: it does not, or not of this round, 3: it is malformed.
    With --all each round of EVENT is checked by the rounds before it: whether it agrees with the
    model, or what an optimal pairing would improve first.
    """
    if [pairings is not None, proof is not None, every].count(True) != 1:
        raise UsageError("expected either PAIRINGS, --proof FILE or --all")
    if proof is not None:
        return _proof(event, players, proof, options)
    if every and options["round"]:
        raise UsageError("--all checks every round: leave out --round")
    given, options = read(event, players, options, unfinished=every, noted=not every)
    options["solve"] = not no_solve
    if every:
        return _all(given, options)
    assert pairings is not None
    found = check(given, pairings, **options)
    echo_notes(found.notes, given.notes)
    return Answer(text=lambda: _text(found), content=found.to_dict, code=_code(found.legal))


def _all(given: Event, options: Mapping[str, Any]) -> Answer:
    """Check every round, and say of each whether it agrees."""
    found = []
    for one in check_all(given, **options):
        found.append(one)
        echo_notes(one.notes, where=f"round {one.round}: ")
    return Answer(
        text=lambda: "".join(map(_line, found)),
        content=lambda: {"rounds": [one.to_dict() for one in found]},
        code=_code(all(one.legal for one in found)),
    )


def _proof(event: str, players: str | None, proof: str, options: dict[str, Any]) -> Answer:
    """Verify a proof of the round that it names, and say what it shows."""
    data = read_proof(proof)
    said = data.get("round")
    if type(said) is int and said > 0 and options["round"] is None:
        options = {**options, "round": said}
    given, options = read(event, players, options)
    found = check_proof(given, data, **options)
    echo_notes(found.problem.notes, given.notes)
    return Answer(text=lambda: f"{found.text()}\n", content=found.to_dict, code=_code(found.holds))


def _code(good: bool) -> int:
    return 0 if good else EXIT_INFEASIBLE


def _line(found: Check) -> str:
    """A round's verdict, and below what it comes from."""
    agrees = found.legal and found.better is None and found.optimum is not None
    said = f"agrees with {found.model}." if agrees else _verdict(found)
    lines = [f"Round {found.round}: {said}"]
    if found.blame:
        lines.append(f"  that level is due to: {plain(listed(found.blame))}")
    broken: dict[str, list[str]] = {}
    for violation in found.violations:
        broken.setdefault(violation.rule, []).append(" - ".join(violation.players))
    lines += [f"  breaks {rule}: {plain(listed(who))}" for rule, who in broken.items()]
    return "".join(f"{line}\n" for line in lines)


def _text(found: Check) -> str:
    levels = checked_levels(found)
    lines = [f"Round {found.round}, model {found.model}", ""]
    lines += [levels_text(levels)] if levels.rows else []
    lines += [levels.more, ""] if levels.more else []
    lines += [f"breaks {plain(violation.message)}" for violation in found.violations]
    lines += [_verdict(found)]
    if found.blame:
        lines.append(f"That level is due to: {plain(', '.join(found.blame))}.")
        lines.append(f"Of its {len(found.shares)} matches the optimal pairing has "
                     f"{len(found.shares) - len(found.changed)}.")  # fmt: skip
    return "\n".join([*lines, ""])


def _verdict(found: Check) -> str:
    legal = "It is legal" if found.legal else "It breaks a constraint"
    if found.optimum is None:
        return f"{legal}."
    if not found.optimum.matches:
        return f"{legal}; no optimal pairing was found to compare it with."
    if found.better is None:
        return f"{legal}, and no pairing is better." if found.legal else f"{legal}."
    return f"{legal}; {found.difference}."
