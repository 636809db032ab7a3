"""Settings: the rules that an event keeps for all its rounds, as its event.toml says them.

All that is said of a setting is said once, in settings.toml: event.toml's schema, `new` and `set`,
options, the page's forms and the tables of the docs follow from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from pairopt.common.limits import IN_FORMS
from pairopt.common.serialization import packaged
from pairopt.event.points import Points

FirstRound = Literal["random", "slide", "fold"]
Form = Literal[
    "text",
    "model",
    "label",
    "number",
    "ahead",
    "choice",
    "truth",
    "labels",
    "tie-breaks",
    "columns",
    "points",
    "amount",
]
"""What a value is, and how its text is read. "ahead" is a number or "all"; "labels" none or two."""
AfterStart = Literal["rounds to come", "any time", "asks"]
"""What a change does after the start: it holds for the rounds to come, or for all at once; with
"asks" it is only made for sure where there are results."""
Mode = Literal["keeps", "notes", "leaves"]
"""What a change may do to FIDE mode: nothing; be kept as a breach; leave it for good."""


@dataclass(frozen=True, slots=True)
class SettingDeclaration:
    """One setting: its key in event.toml, what it may be, and its words for whoever sets it.

    `hint` says what it means, `otherwise` what a new event has where nobody says it; `group` is
    its part of the page; `choices` are its values in words, "" where nothing is said. `metavar`
    is its form in a command. `fide` is what FIDE's handbook asks of it, "" for nothing, and `mode`
    what a change after the start does to FIDE mode."""

    key: str
    form: Form
    group: str
    label: str
    hint: str = ""
    otherwise: str = ""
    metavar: str = "TEXT"
    allowed: range = IN_FORMS["rounds"]
    choices: Sequence[tuple[str, str]] = ()
    after: AfterStart = "any time"
    fide: str = ""
    mode: Mode = field(kw_only=True)

    @property
    def name(self) -> str:
        return self.key.replace(".", "_")


@dataclass(frozen=True, slots=True)
class SeparationRule:
    """Players who share a value of a players.csv column are kept apart, by the criterion
    `conflicts` at this place among the model's, from 1; None: they never meet."""

    column: str
    place: int | None = None


SCHEDULE, CHESS, BY_GAMES = ("sos", "esos"), ("BH/C1", "BH", "SB"), ("omw", "gw", "ogw")
"""What ranks where nobody has said: usually, in chess, and in matches of the best of some games."""
SAID = packaged("pairopt.event", "settings.toml")


def setting_field(*keys: str, default: Any = None) -> Any:
    """The field of a setting, and those of event.toml beside it, as settings.toml has them."""
    allowed = {key: IN_FORMS[SAID[key].get("allowed", "rounds")] for key in keys}
    made = [
        SettingDeclaration(key=key, **{**SAID[key], "allowed": allowed[key]})
        for key in keys
    ]
    return field(default=default, metadata={"settings": made})


EVENT, PAIRING, POINTS, STANDINGS = (
    "The event",
    "Pairing",
    "Points",
    "Standings and proofs",
)


@dataclass(frozen=True, slots=True)
class EventSettings:
    """What an event says of itself; None where it says nothing.

    `model` is a shipped one or the path of a file; in capitals, a system that no model pairs by.
    `sides` () means a game without; `lookahead` "all" keeps room for all rounds that are left;
    `apart` says who is kept apart."""

    title: str = setting_field("title", default="")
    fide: bool | None = setting_field("fide")
    model: str | None = setting_field("model")
    rounds: int | None = setting_field("rounds")
    sides: tuple[str, ...] | None = setting_field("sides", "initial_side")
    seed: int | None = setting_field("seed")
    tie_breaks: tuple[str, ...] | None = setting_field("tie_breaks")
    first_round: FirstRound | None = setting_field("first_round")
    lookahead: int | Literal["all"] | None = setting_field("lookahead")
    apart: tuple[SeparationRule, ...] = setting_field("conflicts", default=())
    proofs: bool | None = setting_field("proofs")
    points: Points | None = setting_field(
        "points", "points.bye", "points.requested_bye", "points.absent"
    )
    best_of: int | None = setting_field("best_of")
    first_table: int | None = setting_field("first_table")

    def seeded(self, asked: int | None) -> int:
        return (self.seed or 0) if asked is None else asked


SETTINGS: Mapping[str, SettingDeclaration] = {
    each.key: each for one in fields(EventSettings) for each in one.metadata["settings"]
}
"""The settings by their keys in event.toml."""
KEYS = {one.name: one.metadata["settings"][0].key for one in fields(EventSettings)}
"""The key of each field."""
