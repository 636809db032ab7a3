"""Write the results of checks for the terminal: of one round, or of many events' rounds."""

from typing import TYPE_CHECKING, Any

from pairopt.event.stated_standings import StandingsComparison
from pairopt.messages.formatting import MOST_NAMES, escape_hidden
from pairopt.messages.interfaces import TERMINAL
from pairopt.round.check import Check

if TYPE_CHECKING:
    from pairopt.analysis.explain_deviation import DeviationCauses

CauseSearch = tuple[bool, "DeviationCauses | None"]
"""Whether causes were searched, and those that were found (None if none are needed)."""


def search_causes(checked: Check, why: bool) -> CauseSearch:
    """Search what explains that a round differs from the model, if `why` asks for it.

    `checked` is the check of the round. It returns whether it searched, and what it
    found. Without `why` the result is (False, None). It is (True, None) if the round
    agrees, or if no proven optimum is there to compare it with. The round may be solved
    many times.
    """
    if not why:
        return False, None

    # Only --why solves the round again under other rules.
    from pairopt.analysis.explain_deviation import find_causes

    return True, find_causes(checked)


def causes_lines(search: CauseSearch) -> list[str]:
    """Return the line about causes; no line if none were searched or needed.

    `search` is whether causes were searched, and what was found. The line is also there
    if causes were needed but not found: it then says so.
    """
    _, found_causes = search
    if found_causes is None:
        return []
    causes_sentence = escape_hidden(TERMINAL.format_message(found_causes.sentence))
    return [f"What would explain it: {causes_sentence}."]


def causes_content(search: CauseSearch) -> dict[str, Any]:
    """Return the causes for JSON: the key "causes" only if they were searched.

    `search` is whether that was done, and what was found. The value is None if no
    causes are needed.
    """
    was_searched, found_causes = search
    if not was_searched:
        return {}
    return {"causes": found_causes and found_causes.to_dict()}


def standings_text(stated: StandingsComparison | None, prefix: str = "") -> str:
    """Return a line about the standings that a file states; "" if it states none.

    The line begins with `prefix`.
    """
    if stated is None:
        return ""
    # Some of its messages end with a full stop, others do not.
    standings_sentence = escape_hidden(stated.sentence).removesuffix(".")
    return f"{escape_hidden(prefix)}Standings: {standings_sentence}.\n"


def short_verdict(checked: Check) -> str:
    """Return a verdict on one of several rounds, such as "agrees with standard.".

    A round that does not agree with its model gets a longer text: whether it is legal,
    and what an optimal pairing improves. So does one without a pairing to compare with.
    """
    optimum = checked.optimum
    if checked.agrees and optimum is not None and optimum.arcs is not None:
        return f"agrees with {checked.model}."
    return describe_verdict(checked)


def describe_broken_rules(checked: Check) -> list[str]:
    """Return a line for each broken rule and match, at most MOST_NAMES lines.

    The lines have no full stops. The list is empty if no rule is broken.
    """
    verb_prefix = "breaks " if checked.problem.system is None else ""
    shown_violations = checked.violations[:MOST_NAMES]
    return [
        f"{verb_prefix}{escape_hidden(TERMINAL.format_message(violation.message))}"
        for violation in shown_violations
    ]


def describe_verdict(checked: Check) -> str:
    """Return a sentence: whether a pairing is legal, and whether another is better.

    It says nothing about other pairings if the check did not compare with an optimum.
    """
    legality_text = "It is legal" if checked.legal else "It breaks a constraint"
    if checked.optimum is None:
        return f"{legality_text}."
    if not checked.optimum.matches:
        return f"{legality_text}. No optimal pairing was found to compare it with."
    if checked.told is None:
        return (
            f"{legality_text}, and no pairing is better."
            if checked.legal
            else f"{legality_text}."
        )
    difference_text = TERMINAL.format_message(checked.told)
    return f"{legality_text}. {difference_text}{TERMINAL.mark_after(checked.told, '.')}"
