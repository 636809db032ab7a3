"""What the terminal says of a check, of one round or of the rounds of many events."""

from typing import TYPE_CHECKING, Any

from pairopt.event.stated_standings import StandingsComparison
from pairopt.messages.formatting import MOST_NAMES, escape_hidden
from pairopt.messages.interfaces import TERMINAL
from pairopt.round.check import Check

if TYPE_CHECKING:
    from pairopt.analysis.explain_deviation import DeviationCauses

Asked = tuple[bool, "DeviationCauses | None"]
"""Whether causes are asked for, and what was found: None where a round needs none."""


def explained_by(found: Check, why: bool) -> Asked:
    """Return whether causes are asked for, and what explains that a round differs."""
    if not why:
        return False, None

    # Only --why solves the round again under other rules.
    from pairopt.analysis.explain_deviation import find_causes

    return True, find_causes(found)


def explanation(asked: Asked) -> list[str]:
    """Return the line about causes; no line if none are asked for or needed."""
    if asked[1] is None:
        return []
    return [
        f"What would explain it: {escape_hidden(TERMINAL.format_message(asked[1].sentence))}."
    ]


def asked_for(asked: Asked) -> dict[str, Any]:
    """Return the causes for JSON: a key that is there only if they are asked for."""
    return {"causes": asked[1] and asked[1].to_dict()} if asked[0] else {}


def standings_text(stated: StandingsComparison | None, path: str = "") -> str:
    """Return a line about the standings that a file states; "" if it states none."""
    return (
        ""
        if stated is None
        else f"{escape_hidden(path)}Standings: {escape_hidden(stated.sentence)}.\n"
    )


def verdict(found: Check) -> str:
    """Return a short verdict on a round that is checked among others."""
    there = found.optimum is not None and found.optimum.arcs is not None
    return (
        f"agrees with {found.model}."
        if found.agrees and there
        else describe_verdict(found)
    )


def broken_rules(found: Check) -> list[str]:
    """Return a line for each broken rule and match; only the first of very many."""
    breaks = "breaks " * (found.problem.system is None)
    some = found.violations[:MOST_NAMES]
    return [
        f"{breaks}{escape_hidden(TERMINAL.format_message(each.message))}"
        for each in some
    ]


def describe_verdict(found: Check) -> str:
    """Return a sentence: is the pairing legal, and is another one better?"""
    legal = "It is legal" if found.legal else "It breaks a constraint"
    if found.optimum is None:
        return f"{legal}."
    if not found.optimum.matches:
        return f"{legal}; no optimal pairing was found to compare it with."
    if found.told is None:
        return f"{legal}, and no pairing is better." if found.legal else f"{legal}."
    return f"{legal}; {TERMINAL.format_message(found.told)}."
