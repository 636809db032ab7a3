"""`pairopt check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pairopt.errors import UsageError
from pairopt.show.cli import EXIT_INFEASIBLE
from pairopt.show.cli.console import give
from pairopt.show.cli.options import FILE, echo_notes, read, round_options

if TYPE_CHECKING:
    from pairopt.event.event import Event
    from pairopt.round.check import Check


@click.command()
@round_options()
@click.argument("pairings", type=FILE, required=False)
@click.option("--proof", type=FILE, help="Verify what solve --proof wrote, instead of PAIRINGS.")
@click.option("--all", "every", is_flag=True, help="Check every round of EVENT, without PAIRINGS.")
@click.option("--no-solve", is_flag=True, help="Do not compare with an optimal pairing.")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table",
              show_default=True)  # fmt: skip
@click.pass_context
def command(
    ctx: click.Context,
    /,
    event: str,
    players: str | None,
    pairings: str | None,
    proof: str | None,
    every: bool,
    no_solve: bool,
    form: str,
    **options: Any,
) -> None:
    """Check PAIRINGS, somebody's pairing of EVENT's round, level by level.

    PAIRINGS has the columns of matches.csv; rows of other rounds are passed over. Exit code
    0: legal, 1: breaks a constraint, 3: not a pairing of this event. A proof is verified
    without a solver: 0: it holds, 1: it does not, or not of this round, 3: it is malformed.
    With --all each round of EVENT is checked by the rounds before it: whether it agrees with the
    model, or what an optimal pairing would improve first.
    """
    if [pairings is not None, proof is not None, every].count(True) != 1:
        raise UsageError("expected either PAIRINGS, --proof FILE or --all")
    from pairopt.files.write import json_text

    if proof is not None:
        ctx.exit(_proof(event, players, proof, form, options))
    if every and options["round"]:
        raise UsageError("--all checks every round: leave out --round")
    given, options = read(event, players, options, unfinished=every)
    if every:
        ctx.exit(_all(given, not no_solve, form, options))
    echo_notes(given.notes)
    from pairopt.round.check import check

    assert pairings is not None
    found = check(given, pairings, solve=not no_solve, **options)
    echo_notes(note for note in found.notes if note not in given.notes)
    give(json_text(found.to_dict()) if form == "json" else _text(found), form)
    ctx.exit(0 if found.legal else EXIT_INFEASIBLE)


def _all(given: Event, solve: bool, form: str, options: dict[str, Any]) -> int:
    """Check every round, and say of each whether it agrees; the exit code."""
    from pairopt.files.write import json_text
    from pairopt.round.replay import check_all

    found = []
    for one in check_all(given, solve=solve, **options):
        found.append(one)
        echo_notes(f"round {one.round}: {note}" for note in one.notes)
    if form == "json":
        text = json_text({"rounds": [one.to_dict() for one in found]})
    else:
        text = "".join(_line(one) for one in found)
    give(text, form)
    return 0 if all(one.legal for one in found) else EXIT_INFEASIBLE


def _line(found: Check) -> str:
    """A round's verdict, and below what it comes from."""
    from pairopt.wording import listed, plain

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


def _proof(event: str, players: str | None, proof: str, form: str, options: dict[str, Any]) -> int:
    """Verify a proof of the round that it names, and say what it shows; the exit code."""
    from pairopt.files.write import json_text
    from pairopt.proof.checking import check_proof, read_proof

    data = read_proof(proof)
    said = data.get("round")
    if type(said) is int and said > 0 and options["round"] is None:
        options = {**options, "round": said}
    given, options = read(event, players, options)
    echo_notes(given.notes)
    found = check_proof(given, data, **options)
    echo_notes(note for note in found.problem.notes if note not in given.notes)
    give(json_text(found.to_dict()) if form == "json" else f"{found.text()}\n", form)
    return 0 if found.holds else EXIT_INFEASIBLE


def _text(found: Check) -> str:
    from pairopt.problem.levels import zeros_text
    from pairopt.show.cli.show import table_text
    from pairopt.wording import amount, plain

    shown = [c for c in found.checked if not found.problem.system or c.value or c.optimum]
    rows = [
        [c.criterion, c.level, c.words, amount(c.value, c.scale), amount(c.optimum, c.scale)]
        for c in shown
    ]
    heads = ["criterion", "level", "counts", "this", "optimum"]
    lines = [f"Round {found.round}, model {found.model}", ""]
    lines += [table_text(heads, rows, "level,this,optimum")] if rows else []
    more = zeros_text(len(found.checked) - len(shown))
    lines += [more, ""] if more else []
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
