"""Settings: the rules that an event keeps for all its rounds, in event.toml.

Each setting is declared once, as a `SettingDeclaration` of a field of `EventSettings`.
The schema of event.toml, `new` and `set` with their options, the page's forms and the
tables of the docs follow from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from pairopt.common.limits import IN_FORMS
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
"""The form of a value and its text: "ahead" is a number or "all", "labels" none or two."""
AfterStart = Literal["rounds to come", "any time", "asks"]
"""When a change after the start applies: to the rounds to come, or to all rounds.

With "asks" it needs a confirmation where there are results.
"""
Mode = Literal["keeps", "notes", "leaves"]
"""The effect of a change on FIDE mode: none, a breach that is noted, or the end of it."""


@dataclass(frozen=True, slots=True)
class SettingDeclaration:
    """One setting: its key in event.toml, its values, and its texts for organisers.

    `hint` says what it means, `otherwise` what a new event has without it; `group` is
    its part of the page; `choices` are its values in words, "" for no value. `metavar`
    is its form in a command. `fide` is what FIDE's handbook asks of it, "" for nothing,
    and `mode` what a change after the start does to FIDE mode.
    """

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
        """The key with _ instead of dots, for forms and options."""
        return self.key.replace(".", "_")


@dataclass(frozen=True, slots=True)
class SeparationRule:
    """A column of players.csv whose equal values keep players apart.

    With a `place`, counted from 1, the criterion `conflicts` stands there among the
    model's. With None such players never meet.
    """

    column: str
    place: int | None = None


SCHEDULE, CHESS, BY_GAMES = ("sos", "esos"), ("BH/C1", "BH", "SB"), ("omw", "gw", "ogw")
"""The default tie-breaks: in general, in chess, and in matches best of several games."""
EVENT, PAIRING, POINTS, STANDINGS = (
    "The event",
    "Pairing",
    "Points",
    "Standings and proofs",
)
"""The parts of the page's settings."""


def setting(*declared: SettingDeclaration, default: Any = None) -> Any:
    """Declare a field of `EventSettings` with the settings of its keys.

    The schema of event.toml, `new` and `set` with their options, the page's forms and the tables of
    the docs follow from it.
    """
    return field(default=default, metadata={"settings": declared})


@dataclass(frozen=True, slots=True)
class EventSettings:
    """The settings of an event; None where it does not say one.

    `model` is a shipped one or the path of a file; in capitals, a system that no model
    pairs by. `sides` () means a game without sides; `lookahead` "all" keeps all rounds
    that are left possible; `apart` says who is kept apart.
    """

    title: str = setting(
        SettingDeclaration(
            "title",
            "text",
            EVENT,
            "Title",
            hint="On every page, screen and list.",
            otherwise="the event's own, else the folder's name",
            mode="keeps",
        ),
        default="",
    )
    fide: bool | None = setting(
        SettingDeclaration(
            "fide",
            "truth",
            EVENT,
            "FIDE mode",
            hint="What its rules do not allow is asked about and kept; what leaves the mode "
            "is asked about twice, and is final.",
            otherwise="true for chess by FIDE's systems",
            choices=(
                ("", "not said"),
                ("true", "in FIDE mode"),
                ("false", "not in it"),
            ),
            fide="C.02, for rated events",
            mode="leaves",
        )
    )
    model: str | None = setting(
        SettingDeclaration(
            "model",
            "model",
            PAIRING,
            "Model",
            hint="The rules: a shipped model, or a file.",
            metavar="NAME|FILE",
            after="rounds to come",
            fide="one of its own systems (C.04.3, C.04.4)",
            mode="leaves",
        )
    )
    rounds: int | None = setting(
        SettingDeclaration(
            "rounds",
            "number",
            EVENT,
            "Rounds",
            hint="The last one is paired by last-round rules; without a number no round is "
            "the last by itself.",
            metavar="N",
            fide="declared beforehand (C.04.1)",
            mode="leaves",
        )
    )
    sides: tuple[str, ...] | None = setting(
        SettingDeclaration(
            "sides",
            "labels",
            PAIRING,
            "Sides",
            hint="Two labels with a comma, as white,black; none: a game without.",
            metavar="A,B|none",
            after="rounds to come",
            mode="leaves",
        ),
        SettingDeclaration(
            "initial_side",
            "label",
            PAIRING,
            "Initial side",
            hint="Of the first player in round 1, for FIDE's systems. Drawn by the seed "
            "where it is not said.",
            metavar="LABEL",
            after="rounds to come",
            fide="drawn by lot before round 1 (C.04.3)",
            mode="leaves",
        ),
    )
    seed: int | None = setting(
        SettingDeclaration(
            "seed",
            "number",
            PAIRING,
            "Lot",
            hint="Chooses among equally good pairings.",
            otherwise="drawn by lot, and kept",
            metavar="N",
            allowed=IN_FORMS["seed"],
            after="rounds to come",
            mode="keeps",
        )
    )
    tie_breaks: tuple[str, ...] | None = setting(
        SettingDeclaration(
            "tie_breaks",
            "tie-breaks",
            STANDINGS,
            "Tie-breaks",
            hint="Names or codes with commas.",
            otherwise="the usual ones",
            metavar="A,B",
            fide="declared beforehand (C.07)",
            mode="leaves",
        )
    )
    first_round: FirstRound | None = setting(
        SettingDeclaration(
            "first_round",
            "choice",
            PAIRING,
            "Round 1",
            hint="Who meets in it.",
            choices=(
                ("", "as the model has it"),
                ("random", "random opponents"),
                ("slide", "upper half against lower half, by rating"),
                ("fold", "first against last, by rating"),
            ),
            after="rounds to come",
            mode="leaves",
        )
    )
    lookahead: int | Literal["all"] | None = setting(
        SettingDeclaration(
            "lookahead",
            "ahead",
            PAIRING,
            "Keep room for rounds",
            hint="How many more without a rematch, or all that are left.",
            metavar="K|all",
            allowed=IN_FORMS["ahead"],
            after="rounds to come",
            mode="leaves",
        )
    )
    apart: tuple[SeparationRule, ...] = setting(
        SettingDeclaration(
            "conflicts",
            "columns",
            PAIRING,
            "Keep apart who shares",
            hint="A column of the players, as club: they never meet. club:2 makes it the "
            "model's second criterion instead. Several with commas.",
            metavar="COLUMN",
            after="rounds to come",
            mode="leaves",
        ),
        default=(),
    )
    proofs: bool | None = setting(
        SettingDeclaration(
            "proofs",
            "truth",
            STANDINGS,
            "Proof of each round",
            hint="Whether it is kept in the folder.",
            choices=(
                ("", "kept where that takes a moment"),
                ("true", "always kept"),
                ("false", "never kept"),
            ),
            mode="keeps",
        )
    )
    points: Points | None = setting(
        SettingDeclaration(
            "points",
            "points",
            POINTS,
            "Win, draw and loss",
            hint="What they give, as 3-1-0 or 1-½-0; 3-1-0x2 for two games a match.",
            otherwise="what the results show, else the usual ones",
            metavar="W-D-L",
            after="asks",
            fide="a draw is worth at most half of a win and a loss",
            mode="leaves",
        ),
        SettingDeclaration(
            "points.bye",
            "amount",
            POINTS,
            "Bye of the pairing",
            hint="Those of a win where it is not said.",
            metavar="P",
            mode="leaves",
        ),
        SettingDeclaration(
            "points.requested_bye",
            "amount",
            POINTS,
            "Bye asked for",
            hint="Also for a bye in round 1 that the list of players has. 0 unless you set it.",
            metavar="P",
            mode="leaves",
        ),
        SettingDeclaration(
            "points.absent",
            "amount",
            POINTS,
            "Round missed",
            hint="0 where it is not said.",
            metavar="P",
            mode="leaves",
        ),
    )
    best_of: int | None = setting(
        SettingDeclaration(
            "best_of",
            "number",
            POINTS,
            "Best of",
            hint="Games of a match, as 3: its score is the games won and lost, as 2-1, and "
            "those drawn, as 1-1-1.",
            otherwise="one game",
            metavar="N",
            allowed=IN_FORMS["best_of"],
            mode="leaves",
        )
    )
    first_table: int | None = setting(
        SettingDeclaration(
            "first_table",
            "number",
            EVENT,
            "First table",
            hint="Where its tables begin, as another event of the evening has those before.",
            otherwise="1",
            metavar="N",
            allowed=IN_FORMS["table"],
            after="rounds to come",
            mode="keeps",
        )
    )

    def seeded(self, seed: int | None) -> int:
        """Return the seed to use: the given one, otherwise the event's, otherwise 0.

        A given seed of 0 counts as given; None does not.
        """
        return (self.seed or 0) if seed is None else seed


SETTINGS: Mapping[str, SettingDeclaration] = {
    declaration.key: declaration
    for setting_field in fields(EventSettings)
    for declaration in setting_field.metadata["settings"]
}
"""The settings by their keys in event.toml."""
KEYS = {
    setting_field.name: setting_field.metadata["settings"][0].key
    for setting_field in fields(EventSettings)
}
"""The key of each field."""
