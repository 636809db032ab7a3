"""Settings: the rules that an event keeps for all its rounds, as its event.toml says them.

All that is said of a setting is said here, once: event.toml's schema, `new` and `set`, options, the
page's forms and the tables of the docs follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal

from pairopt.bounds import IN_FORMS, MOST_ROUNDS, MOST_SEED
from pairopt.event.points import Points

FirstRound = Literal["random", "slide", "fold"]
Form = Literal["text", "model", "label", "number", "ahead", "choice", "truth", "labels",
               "tie-breaks", "columns", "points", "amount"]  # fmt: skip
"""What a value is, and how its text is read. "ahead" is a number or "all"; "labels" none or two."""
AfterStart = Literal["rounds to come", "any time", "asks"]
"""What a change does after the start: it holds for the rounds to come, or for all at once; with
"asks" it is only made for sure where there are results."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its key in event.toml, what it may be, and its words for whoever sets it.

    `hint` says what it means, `otherwise` what a new event has where nobody says it; `group` is
    its part of the page; `choices` are its values in words, "" where nothing is said. `metavar`
    is its form in a command. `fide` is what FIDE's handbook asks of it, "" for nothing."""

    key: str
    form: Form
    group: str
    label: str
    hint: str = ""
    otherwise: str = ""
    metavar: str = "TEXT"
    allowed: range = range(1, MOST_ROUNDS + 1)
    choices: tuple[tuple[str, str], ...] = ()
    after: AfterStart = "any time"
    fide: str = ""

    @property
    def name(self) -> str:
        """Its name in Python."""
        return self.key.replace(".", "_")


@dataclass(frozen=True, slots=True)
class Apart:
    """Players who share a value of a players.csv column are kept apart, by the criterion
    `conflicts` at this place among the model's, from 1; None: they never meet."""

    column: str
    place: int | None = None


def _of(*settings: Setting) -> Mapping[str, tuple[Setting, ...]]:
    return {"settings": settings}


EVENT, PAIRING, POINTS, STANDINGS = "The event", "Pairing", "Points", "Standings and proofs"


@dataclass(frozen=True, slots=True)
class Settings:
    """What an event says of itself; None where it says nothing.

    `model` is a shipped one or the path of a file; in capitals, a system that no model pairs by.
    `sides` () means a game without; `lookahead` "all" keeps room for all rounds that are left;
    `apart` says who is kept apart. A field has its setting, and those of event.toml beside it."""

    # fmt: off
    title: str = field(default="", metadata=_of(
        Setting("title", "text", EVENT, "Title", "On every page, screen and list.",
                otherwise="the event's own, else the folder's name")))
    model: str | None = field(default=None, metadata=_of(
        Setting("model", "model", PAIRING, "Model", "The rules: a shipped model, or a file.",
                metavar="NAME|FILE", after="rounds to come",
                fide="one of its own systems (C.04.3, C.04.4)")))
    rounds: int | None = field(default=None, metadata=_of(
        Setting("rounds", "number", EVENT, "Rounds", "The last one is paired by last-round rules; "
                "without a number no round is the last by itself.", metavar="N",
                fide="declared beforehand (C.04.1)")))
    sides: tuple[str, ...] | None = field(default=None, metadata=_of(
        Setting("sides", "labels", PAIRING, "Sides", "Two labels with a comma, as white,black; "
                "none: a game without.", metavar="A,B|none", after="rounds to come"),
        Setting("initial_side", "label", PAIRING, "Initial side", "Of the first player in round 1, "
                "for FIDE's systems. Drawn by the seed where it is not said.", metavar="LABEL",
                after="rounds to come", fide="drawn by lot before round 1 (C.04.3)")))
    seed: int | None = field(default=None, metadata=_of(
        Setting("seed", "number", PAIRING, "Seed", "Chooses among equally good pairings.",
                "drawn by lot, and kept", "N", range(MOST_SEED + 1), after="rounds to come")))
    tie_breaks: tuple[str, ...] | None = field(default=None, metadata=_of(
        Setting("tie_breaks", "tie-breaks", STANDINGS, "Tie-breaks", "Names or codes with commas.",
                "the usual ones", "A,B", fide="declared beforehand (C.07)")))
    first_round: FirstRound | None = field(default=None, metadata=_of(
        Setting("first_round", "choice", PAIRING, "Round 1", "Who meets in it.",
                after="rounds to come", choices=(
                    ("", "as the model has it"), ("random", "random opponents"),
                    ("slide", "upper half against lower half, by rating"),
                    ("fold", "first against last, by rating")))))
    lookahead: int | Literal["all"] | None = field(default=None, metadata=_of(
        Setting("lookahead", "ahead", PAIRING, "Keep room for rounds", "How many more without a "
                "rematch, or all that are left.", metavar="K|all",
                allowed=range(MOST_ROUNDS + 1), after="rounds to come")))
    apart: tuple[Apart, ...] = field(default=(), metadata=_of(
        Setting("conflicts", "columns", PAIRING, "Keep apart who shares", "A column of the "
                "players, as club: they never meet. club:2 makes it the model's second criterion "
                "instead. Several with commas.", metavar="COLUMN", after="rounds to come")))
    proofs: bool | None = field(default=None, metadata=_of(
        Setting("proofs", "truth", STANDINGS, "Proof of each round", "Whether it is kept in the "
                "folder.", choices=(("", "kept where that takes a moment"),
                                    ("true", "always kept"), ("false", "never kept")))))
    points: Points | None = field(default=None, metadata=_of(
        Setting("points", "points", POINTS, "Win, draw and loss", "What they give, as 3-1-0 or "
                "1-½-0; 3-1-0x2 for two games a match.",
                "what the results show, else the usual ones", "W-D-L", after="asks"),
        Setting("points.bye", "amount", POINTS, "Bye of the pairing", "Those of a win where it is "
                "not said.", metavar="P"),
        Setting("points.requested_bye", "amount", POINTS, "Bye asked for", "0 where it is not "
                "said.", metavar="P"),
        Setting("points.absent", "amount", POINTS, "Round missed", "0 where it is not said.",
                metavar="P")))
    best_of: int | None = field(default=None, metadata=_of(
        Setting("best_of", "number", POINTS, "Best of", "Games of a match, as 3: its score is the "
                "games won and lost, as 2-1, and those drawn, as 1-1-1.", "one game", "N",
                range(1, 8))))
    first_table: int | None = field(default=None, metadata=_of(
        Setting("first_table", "number", EVENT, "First table", "Where its tables begin, as another "
                "event of the evening has those before.", "1", "N", IN_FORMS["table"],
                after="rounds to come")))
    # fmt: on

    def seeded(self, asked: int | None) -> int:
        return (self.seed or 0) if asked is None else asked


SETTINGS: Mapping[str, Setting] = {
    each.key: each for one in fields(Settings) for each in one.metadata["settings"]
}
"""The settings by their keys in event.toml."""
KEYS = {one.name: one.metadata["settings"][0].key for one in fields(Settings)}
"""The key of each field."""
