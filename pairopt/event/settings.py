"""Settings: the rules that an event keeps for all its rounds, in event.toml.

Each setting is declared once, as a `SettingDeclaration` of a field of `EventSettings`.
The schema of event.toml, `new` and `set` with their options, the page's forms and the
tables of the docs follow from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from typing import Any, Literal

from pairopt.common.limits import IN_FORMS
from pairopt.event.groups import PlayerGroup
from pairopt.event.points import Points
from pairopt.event.prizes import PrizeRules
from pairopt.event.report_head import RatingKind

FirstRound = Literal["random", "slide", "fold"]
CrossNumbers = Literal["rank", "start"]
Format = Literal["round-robin"]
StartNumbers = Literal["list", "start"]
ROUND_ROBIN: Format = "round-robin"
RatingChoice = Literal["fide", "national", "national-first", "larger"]
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
    "groups",
    "list-columns",
    "amounts",
    "group-prizes",
    "money",
    "federation",
    "day",
    "days",
    "person",
    "persons",
    "time control",
]
"""The form of a value and its text: "ahead" is a number or "all", "labels" none or two.

A "person" is an arbiter with a FIDE number; semicolons separate "persons".
"""
AfterStart = Literal["rounds to come", "any time", "asks", "before round 1"]
"""When a change after the start applies: to the rounds to come, or to all rounds.

With "asks" it needs a confirmation where there are results. With "before round 1" it is
refused once a round is paired.
"""
Mode = Literal["keeps", "notes", "leaves"]
"""The effect of a change on FIDE mode: none, a breach that is noted, or the end of it."""


@dataclass(frozen=True, slots=True)
class SettingDeclaration:
    """One setting: its key in event.toml, its values, and its texts for organisers.

    `form` says how its text is read, and `allowed` is the range of a number. `label` is
    its name, `hint` says what it means, `otherwise` what a new event has without it;
    `group` is its part of the page; `choices` are its values in words, "" for no value.
    `metavar` is its form in a command. `after` says until when it may change. `fide` is
    what FIDE's handbook asks of it, "" for nothing, and `mode` what a change after the
    start does to FIDE mode.
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
        """The key with _ instead of dots, for form fields and options of commands."""
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
GO = ("MMS", "SOSM", "SOSOSM")
"""The default tie-breaks in Go: McMahon score, SOS and SOSOS."""
EVERYBODY = ("DE/P", "WIN", "SB/P", "KS")
"""The default tie-breaks of a round robin, where forfeits count as matches (C.07, 15.2)."""
EVENT, PAIRING, POINTS, STANDINGS, LISTS, PRIZES, REPORT = (
    "The event",
    "Pairing",
    "Points",
    "Standings and proofs",
    "Printed lists",
    "Prizes",
    "For the report",
)
"""The parts of the page's settings."""
LIST_COLUMNS = (
    "title",
    "federation",
    "rating",
    "club",
    "fide_id",
    "sex",
    "birth",
    "groups",
)
"""What printed lists can show of each player. The setting also orders them."""


def setting(*declared: SettingDeclaration, default: Any = None) -> Any:
    """Declare a field of `EventSettings` with the settings of its keys.

    `default` is the field's value if event.toml does not say it. The schema of
    event.toml, `new` and `set` with their options, the page's forms and the tables of
    the docs follow from the declarations.
    """
    return field(default=default, metadata={"settings": declared})


@dataclass(frozen=True, slots=True)
class EventSettings:
    """The settings of an event; None or empty where event.toml does not say one.

    Each field is declared with the hints and allowed values of its settings. `model` is
    a shipped one or the path of a file; in capitals, a system that no model pairs by.
    `sides` () means a game without sides, None that nothing is said; `lookahead` "all"
    keeps all rounds that are left possible; `apart` says who is kept apart. Data for
    reports, such as the city, are "" if unknown.
    """

    title: str = setting(
        SettingDeclaration(
            "title",
            "text",
            EVENT,
            "Title",
            hint="Title of the event, on every page, screen and printed list.",
            otherwise="the title in the file that you import, otherwise the folder's name",
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
            hint="Whether the event is in FIDE mode. In this mode, pairopt asks before it does anything that FIDE's rules do not provide for. The report names such an action. A change that ends FIDE mode is final, so pairopt asks twice.",
            otherwise="true for chess with one of FIDE's pairing systems",
            choices=(
                ("", "not set"),
                ("true", "FIDE mode is on"),
                ("false", "FIDE mode is off"),
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
            hint="Pairing rules: the name of a shipped model, or the path of a model file.",
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
            hint="Number of rounds. pairopt pairs the last one by the rules for the last round. Without this number, no round counts as the last one.",
            metavar="N",
            fide="declared beforehand (C.04.1)",
            mode="leaves",
        )
    )
    format: Format | None = setting(
        SettingDeclaration(
            "format",
            "choice",
            EVENT,
            "Format",
            hint="Whether pairopt pairs each round by the results so far, or everybody meets everybody.",
            otherwise="a Swiss tournament",
            choices=(
                ("", "Swiss: each round is paired by the results so far"),
                (ROUND_ROBIN, "round robin: everybody meets everybody"),
            ),
            after="before round 1",
            mode="leaves",
        )
    )
    cycles: int | None = setting(
        SettingDeclaration(
            "cycles",
            "number",
            EVENT,
            "Cycles",
            hint="How often everybody meets everybody in a round robin. Write 2 for a double round robin, in which colours are reversed the second time.",
            otherwise="1",
            metavar="N",
            allowed=IN_FORMS["cycles"],
            after="before round 1",
            mode="keeps",
        )
    )
    reversed: bool | None = setting(
        SettingDeclaration(
            "reversed",
            "truth",
            EVENT,
            "Colours reversed",
            hint="Whether all games of a round robin have the colours of the Berger table reversed.",
            choices=(
                ("", "as in the Berger table"),
                ("true", "all colours reversed"),
                ("false", "as in the Berger table"),
            ),
            after="before round 1",
            mode="keeps",
        )
    )
    numbers: StartNumbers | None = setting(
        SettingDeclaration(
            "numbers",
            "choice",
            EVENT,
            "Start numbers",
            hint="How the players of a round robin get their start numbers.",
            otherwise="drawn by lot",
            choices=(
                ("", "drawn by lot"),
                ("list", "in the order of the list of players"),
                ("start", "as typed in the column start of the list"),
            ),
            after="before round 1",
            mode="keeps",
        )
    )
    sides: tuple[str, ...] | None = setting(
        SettingDeclaration(
            "sides",
            "labels",
            PAIRING,
            "Sides",
            hint="Names of the two sides with a comma between them, for example white,black. Write none for a game without sides.",
            metavar="A,B|none",
            after="rounds to come",
            mode="leaves",
        ),
        SettingDeclaration(
            "initial_side",
            "label",
            PAIRING,
            "Initial side",
            hint="Side of the player with pairing number 1 in round 1, for example white. Only FIDE's systems use it.",
            otherwise="drawn at random",
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
            hint="Number that chooses among equally good pairings. The same number gives the same pairings.",
            otherwise="a random number, which pairopt keeps",
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
            hint="Tie-breaks in order of priority, with commas between them, for example BH/C1,BH,SB.",
            otherwise=f"{','.join(CHESS)} in chess, {','.join(GO)} in Go, {','.join(BY_GAMES)} for matches of several games, "
            f"{','.join(SCHEDULE)} in other games",
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
            hint="How pairopt pairs round 1.",
            otherwise="as the model does it",
            choices=(
                ("", "as the model does it"),
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
            hint="How many more rounds must stay possible without a rematch after the next one. Write all for every round that is left.",
            otherwise="as the model does it",
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
            hint="Column of the list of players that keeps players apart. With club, players of the same club never meet. With club:2, this is the model's second criterion instead. Put commas between several columns.",
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
            hint="Whether pairopt stores a proof of each round in the event folder.",
            choices=(
                ("", "stored when that is quick"),
                ("true", "always stored"),
                ("false", "never stored"),
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
            hint="Points for a win, a draw and a loss, for example 3-1-0 or 1-½-0. Write 3-1-0x2 if a match has two games.",
            otherwise="the points that the results show, otherwise the usual ones",
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
            hint="Points for a pairing-allocated bye.",
            otherwise="the points for a win",
            metavar="P",
            mode="leaves",
        ),
        SettingDeclaration(
            "points.requested_bye",
            "amount",
            POINTS,
            "Bye asked for",
            hint="Points for a requested bye, also for byes in round 1 from the list of players.",
            otherwise="0",
            metavar="P",
            mode="leaves",
        ),
        SettingDeclaration(
            "points.absent",
            "amount",
            POINTS,
            "Round missed",
            hint="Points for a round that a player misses without a bye.",
            otherwise="0",
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
            hint="Most games in a match, for example 3. Results are then games won and lost, for example 2-1, with the drawn games at the end if there are any, for example 1-1-1.",
            otherwise="one game",
            metavar="N",
            allowed=IN_FORMS["best_of"],
            mode="leaves",
        )
    )
    rating_choice: RatingChoice | None = setting(
        SettingDeclaration(
            "rating_choice",
            "choice",
            EVENT,
            "Rating that counts",
            hint="Which rating of a rating list counts in this event.",
            otherwise="the FIDE rating, for players without one the national rating",
            choices=(
                ("", "the FIDE rating, otherwise the national rating"),
                ("fide", "only the FIDE rating"),
                ("national", "only the national rating"),
                (
                    "national-first",
                    "the national rating, for players without one the FIDE rating",
                ),
                ("larger", "the higher of the two ratings"),
            ),
            mode="keeps",
        )
    )
    first_table: int | None = setting(
        SettingDeclaration(
            "first_table",
            "number",
            EVENT,
            "First table",
            hint="Number of the first table. Use it if another event in the room has the tables before it.",
            otherwise="1",
            metavar="N",
            allowed=IN_FORMS["table"],
            after="rounds to come",
            mode="keeps",
        )
    )
    city: str = setting(
        SettingDeclaration(
            "city",
            "text",
            REPORT,
            "City",
            hint="City where the event takes place, for FIDE's report.",
            fide="C.02.03, record 022",
            mode="keeps",
        ),
        default="",
    )
    federation: str = setting(
        SettingDeclaration(
            "federation",
            "federation",
            REPORT,
            "Federation",
            hint="Code of the federation that the event belongs to, for example GER.",
            metavar="CODE",
            fide="C.02.03, record 032",
            mode="keeps",
        ),
        default="",
    )
    first_day: date | None = setting(
        SettingDeclaration(
            "first_day",
            "day",
            REPORT,
            "First day",
            hint="First day of the event, for example 2026-05-01.",
            metavar="DATE",
            fide="C.02.03, record 042",
            mode="keeps",
        )
    )
    last_day: date | None = setting(
        SettingDeclaration(
            "last_day",
            "day",
            REPORT,
            "Last day",
            hint="Last day of the event, for example 2026-05-03.",
            metavar="DATE",
            fide="C.02.03, record 052",
            mode="keeps",
        )
    )
    round_days: tuple[date, ...] = setting(
        SettingDeclaration(
            "round_days",
            "days",
            REPORT,
            "Days of the rounds",
            hint="Day of each round, from round 1 on, with commas between them, for example 2026-05-01,2026-05-01,2026-05-02.",
            metavar="DATE,DATE,...",
            fide="C.02.03, record 132",
            mode="keeps",
        ),
        default=(),
    )
    chief_arbiter: str = setting(
        SettingDeclaration(
            "chief_arbiter",
            "person",
            REPORT,
            "Chief arbiter",
            hint="Name of the chief arbiter with the FIDE number in parentheses, for example Moss, Alex (12345678).",
            metavar="PERSON",
            fide="C.02.03, record 102",
            mode="keeps",
        ),
        default="",
    )
    deputies: tuple[str, ...] = setting(
        SettingDeclaration(
            "deputies",
            "persons",
            REPORT,
            "Deputy chief arbiters",
            hint="Names of the deputy chief arbiters with their FIDE numbers in parentheses. Put semicolons between several persons.",
            metavar="PERSON;PERSON",
            fide="C.02.03, record 112",
            mode="keeps",
        ),
        default=(),
    )
    organiser: str = setting(
        SettingDeclaration(
            "organiser",
            "text",
            REPORT,
            "Organiser",
            hint="Person or club that organises the event. FIDE's report has no record for it, so it becomes a comment there.",
            mode="keeps",
        ),
        default="",
    )
    time_control: str = setting(
        SettingDeclaration(
            "time_control",
            "time control",
            REPORT,
            "Time control",
            hint="Time per player in seconds, and seconds per move after a plus sign. For 90 minutes and 30 seconds per move, write 5400+30. For 40 moves in 100 minutes and then 15 minutes, write 40/6000:900.",
            metavar="CODE",
            fide="C.02.03, record 222",
            mode="keeps",
        ),
        default="",
    )
    time_control_words: str = setting(
        SettingDeclaration(
            "time_control_words",
            "text",
            REPORT,
            "Time control in words",
            hint="Time control for people to read, for example 90 minutes and 30 seconds per move.",
            fide="C.02.03, record 122",
            mode="keeps",
        ),
        default="",
    )
    rating_kind: RatingKind | None = setting(
        SettingDeclaration(
            "rating_kind",
            "choice",
            REPORT,
            "Rating",
            hint="Which of FIDE's ratings the event counts for.",
            otherwise="the rating that the time control belongs to",
            choices=(
                ("", "by the time control"),
                ("standard", "standard"),
                ("rapid", "rapid"),
                ("blitz", "blitz"),
            ),
            mode="keeps",
        )
    )
    tournament_type: str = setting(
        SettingDeclaration(
            "tournament_type",
            "text",
            REPORT,
            "Type of tournament",
            hint="Type of tournament in words, for example Individual: Swiss-System.",
            fide="C.02.03, record 092",
            mode="keeps",
        ),
        default="",
    )

    groups: tuple[PlayerGroup, ...] = setting(
        SettingDeclaration(
            "groups",
            "groups",
            LISTS,
            "Groups",
            hint="Groups of players with a ranking of their own, for example U18: born 2009 or later; Women: sex is w; B: rating 1400 to 1799. Put semicolons between several groups, and the word and between two conditions of a group.",
            otherwise="no groups",
            metavar="NAME: CONDITION",
            mode="keeps",
        ),
        default=(),
    )
    list_columns: tuple[str, ...] | None = setting(
        SettingDeclaration(
            "list_columns",
            "list-columns",
            LISTS,
            "Columns of printed lists",
            hint=f"What printed lists show of each player: {', '.join(LIST_COLUMNS)}. Put commas between several, or write none.",
            otherwise="all of these that at least one player has; the ranking shows no FIDE IDs and no birth years",
            metavar="A,B",
            mode="keeps",
        )
    )
    cross_table: CrossNumbers | None = setting(
        SettingDeclaration(
            "cross_table",
            "choice",
            LISTS,
            "Numbers in the cross table",
            hint="How the cross table refers to opponents.",
            otherwise="rank",
            choices=(
                ("", "not set"),
                ("rank", "their place in the ranking"),
                ("start", "their start number"),
            ),
            mode="keeps",
        )
    )
    prizes: PrizeRules | None = setting(
        SettingDeclaration(
            "prizes.main",
            "amounts",
            PRIZES,
            "Main prizes",
            hint="Amounts of the main prizes by place, with commas between them, for example 200,120,80,50.",
            otherwise="no main prizes",
            metavar="A,B",
            mode="keeps",
        ),
        SettingDeclaration(
            "prizes.groups",
            "group-prizes",
            PRIZES,
            "Prizes of groups",
            hint="Prizes of groups in the order in which you announce them, for example Women: 60; U18: 50, 30. The setting groups says who is in a group.",
            otherwise="no prizes of groups",
            metavar="GROUP: A, B",
            mode="keeps",
        ),
        SettingDeclaration(
            "prizes.sharing",
            "choice",
            PRIZES,
            "Sharing",
            hint="How players with equal points share the prizes of their places. With hort, half of a prize goes by place, and the other halves are shared equally.",
            otherwise="none",
            choices=(
                ("", "not set"),
                ("none", "tie-breaks decide"),
                ("equal", "equal shares"),
                ("hort", "Hort system"),
            ),
            mode="keeps",
        ),
        SettingDeclaration(
            "prizes.shared",
            "choice",
            PRIZES,
            "Shared prizes",
            hint="Which prizes players share.",
            otherwise="main",
            choices=(
                ("", "not set"),
                ("main", "the main prizes"),
                ("all", "all prizes"),
            ),
            mode="keeps",
        ),
        SettingDeclaration(
            "prizes.per_person",
            "choice",
            PRIZES,
            "Prizes per person",
            hint="How many prizes one person can get. With one, it is the most valuable prize. At equal value the main prize comes first, then the groups in their order.",
            otherwise="one",
            choices=(
                ("", "not set"),
                ("one", "one prize"),
                ("several", "several prizes"),
            ),
            mode="keeps",
        ),
        SettingDeclaration(
            "prizes.equal_players",
            "choice",
            PRIZES,
            "Players equal in everything",
            hint="What decides between players who are equal in points and all tie-breaks. With lot, the prize list names the players who draw lots.",
            otherwise="lot",
            choices=(
                ("", "not set"),
                ("lot", "they draw lots"),
                ("share", "they share equally"),
            ),
            mode="keeps",
        ),
        SettingDeclaration(
            "prizes.rounding",
            "money",
            PRIZES,
            "Rounding",
            hint="Unit of the amounts that are paid, for example 1 or 0.01. Rounding keeps the sum of shared prizes.",
            otherwise="0.01",
            metavar="UNIT",
            mode="keeps",
        ),
        SettingDeclaration(
            "prizes.least_share",
            "money",
            PRIZES,
            "Least share",
            hint="Least amount that a player behind the last prize can get by sharing. If the shares are smaller, fewer players share.",
            otherwise="no least share",
            metavar="AMOUNT",
            mode="keeps",
        ),
        SettingDeclaration(
            "prizes.least_players",
            "number",
            PRIZES,
            "Least players of a group",
            hint="Least number of players that a group needs for its prizes.",
            otherwise="1",
            metavar="N",
            allowed=IN_FORMS["players"],
            mode="keeps",
        ),
    )

    @property
    def is_round_robin(self) -> bool:
        """Whether the format is a round robin, in which everybody meets everybody."""
        return self.format == ROUND_ROBIN

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
    setting_field.name: setting_field.metadata["settings"][0].key.partition(".")[0]
    for setting_field in fields(EventSettings)
}
"""The key of each field at the top of event.toml; that of a table is the table's."""
