"""Law: which facts each verb may add, correct or take away (law.toml). The journal asks it at every
step."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pairopt.errors import PairoptError
from pairopt.files.folder import Files
from pairopt.folder.facts import Change, Facts, Kind, changes, facts, told
from pairopt.words import Said, tell

Kinds = Sequence[Kind]


class LawError(PairoptError):
    """A verb would have changed a fact that is not its to change: a fault of ours."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a verb may do to facts, by their kinds.

    What it `corrects` has other scores, and the same players and sides; what it may `turn` can
    become anything. `one` is for a verb that changes no more than one fact. `says` is how whoever
    reads the log learns of it; the journal itself `names` what is another after some."""

    adds: Kinds = ()
    corrects: Kinds = ()
    takes: Kinds = ()
    turns: Kinds = ()
    one: bool = False
    names: bool = False
    says: str = ""

    def lets(self, change: Change) -> bool:
        """Whether a fact may change so."""
        kind = change.fact.kind
        if change.before is None or change.after is None:
            return kind in (self.adds if change.before is None else self.takes)
        return kind in self.turns or (change.corrected and kind in self.corrects)


SAID = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
LAW: Mapping[str, Rule] = {verb: Rule(**rule) for verb, rule in SAID.items()}
"""By the verbs as steps have them; what the page posts is a step of one of these."""


def rule_of(verb: str) -> Rule:
    """The rule of a verb: one that the table does not name changes no facts."""
    return LAW.get(verb, Rule())


def allowed(before: Facts, after: Facts, verb: str) -> tuple[Change, ...]:
    """What a verb changes that it may not: nothing where it is allowed."""
    rule, found = rule_of(verb), changes(before, after)
    if rule.one and len(found) > 1:
        return found
    return tuple(change for change in found if not rule.lets(change))


def named(verb: str, did: Said, before: Files, after: Files) -> Said:
    """What a step did, with the facts that it changes where it has to name them. Raises LawError
    where the verb may not change what it does."""
    one, two = facts(before), facts(after)
    if barred := allowed(one, two, verb):
        raise LawError("fact.barred", verb=verb, facts=told(barred, before, after))
    if not rule_of(verb).names or not (found := changes(one, two)):
        return did
    what = tell("fact.named", files=did.fields["value"], facts=told(found, before, after))
    return Said(did.kind, {**did.fields, "value": str(what)})
