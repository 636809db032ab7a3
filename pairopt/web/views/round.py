"""Round: the one that is open, and paired again; the next before it is published, as a draft.

A draft stands in the address of its page, so a reload, the way back and a second page lose nothing,
and nor does the end of the process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote, urlencode

from starlette.datastructures import FormData, QueryParams

from pairopt.errors import PairoptError, UsageError
from pairopt.event.event import require_finished
from pairopt.folder import Done, change, preview, preview_repair, publish, repair
from pairopt.folder.fide_mode import read_mode
from pairopt.folder.open_folder import OpenFolder
from pairopt.folder.pair_round import HANDS, Preview, changed_by_hand, exchange, to_pair
from pairopt.messages.formatting import alphabetical_key, pair_text
from pairopt.messages.interfaces import PAGE
from pairopt.report.views import (
    MatchView,
    RoundView,
    paired_round,
    round_view,
    sides_of,
)
from pairopt.round.explain import explain_matches, headline
from pairopt.round.manual import swap_players
from pairopt.round.remedies import Remedy
from pairopt.round.result import Match
from pairopt.web.proofs import beside, cost_of, proof_download
from pairopt.web.view import (
    SURE,
    Context,
    PageRequest,
    View,
    command_change,
    number,
    part_of,
)
from pairopt.web.views.files import shared

TIME_LIMIT = 60.0  # seconds after which the best pairing found so far is shown


def context(asked: PageRequest) -> Context:
    """The last round, and why the next one cannot be paired, "" where it can."""
    desk, last = asked.desk, asked.desk.rounds()
    paired = round_view(desk.event, last)
    part = part_of(
        paired.lines, "/round", asked.query, lambda line: line.table or line.one
    )
    players = [
        both
        for line in paired.lines
        for both in zip(line.players, line.names, strict=True)
    ]
    return {
        "round": last,
        "next": last + 1,
        "paired": paired,
        "part": part,
        "shown": replace(paired, lines=tuple(part.items)),
        "players": sorted(players, key=lambda both: alphabetical_key(both[1])),
        "proof": proof_download(desk, last),
        "hindrance": _hindrance(desk),
        "open": [line.table for line in paired.lines if line.open],
        "mode": read_mode(desk.files),
        "pictures": shared(desk),
        "is_over": desk.has_all_rounds,
    }


def added(desk: OpenFolder, form: FormData) -> Done:
    """Add one round to the number that the event says."""
    return change(desk, {"rounds": str(desk.rounds() + 1)}, sure=SURE in form)


def _hindrance(desk: OpenFolder) -> str:
    try:
        to_pair(desk)
        require_finished(desk.event)
    except PairoptError as error:
        return error.format_with(PAGE)
    return ""


@dataclass(frozen=True, slots=True)
class PairingDraft:
    """What somebody wants of the next round.

    `pinned` are matches that are to be, `barred` ones that are not; of one player: the bye.
    `matches` is the whole pairing where players were exchanged by hand, empty where the rest is
    to be paired. `allowed` are matches that no constraint forbids, of one player again the bye;
    `ahead` is for how many more rounds there must be room, None: as the event says.
    """

    seed: int | None = None
    pinned: tuple[Match, ...] = ()
    barred: tuple[Match, ...] = ()
    matches: tuple[Match, ...] = ()
    allowed: tuple[Match, ...] = ()
    ahead: int | None = None

    @staticmethod
    def of(query: QueryParams) -> PairingDraft:
        """The draft in an address, with the one thing that was changed on its page. Raises
        UsageError for an address that is none of ours.
        """
        draft = PairingDraft(
            number(query["seed"], "seed") if query.get("seed") else None,
            pinned=_matches(query, "pinned"),
            barred=_matches(query, "barred"),
            matches=_matches(query, "match"),
            allowed=_matches(query, "allowed"),
            ahead=None
            if query.get("ahead") is None
            else number(query["ahead"], "ahead"),
        )
        if "again" in query:
            return draft.again()
        for name, adapt in {
            "pin": draft.pin,
            "bar": draft.bar,
            "free": draft.free,
        }.items():
            if name in query:
                return adapt(match_of(query[name]))
        return draft

    def again(self) -> PairingDraft:
        return replace(self, matches=())

    def pin(self, match: Match) -> PairingDraft:
        others = self.free(match)
        return replace(others, pinned=(*others.pinned, match))

    def bar(self, match: Match) -> PairingDraft:
        """The match is not to be: without it the rest is paired again."""
        others = self.free(match)
        return replace(others, barred=(*others.barred, match), matches=())

    def free(self, match: Match) -> PairingDraft:
        wanted = (self.pinned, self.barred, self.allowed)
        others = [
            tuple(each for each in some if {*each} != {*match}) for some in wanted
        ]
        return replace(self, pinned=others[0], barred=others[1], allowed=others[2])

    def exchange(self, shown: Sequence[Match], players: Sequence[str]) -> PairingDraft:
        """Two players in each other's places, in the pairing that was shown; both are pinned."""
        if len({*players}) != 2:
            raise UsageError("expected two players to exchange")
        one, other = players
        matches = swap_players(shown, one, other)
        stay = tuple(each for each in self.pinned if not {*each} & {*players})
        new = tuple(each for each in matches if {*each} & {*players})
        barred = tuple(
            each for each in self.barred if all({*each} != {*made} for made in new)
        )
        return replace(self, pinned=(*stay, *new), barred=barred, matches=matches)

    def options(self) -> dict[str, Any]:
        force, byes = _parted(self.pinned)
        forbid, no_bye = _parted(self.barred)
        if len(byes) > 1:
            raise UsageError("expected at most one player with the bye")
        return {
            "seed": self.seed,
            "force": force,
            "forbid": forbid,
            "no_bye": no_bye,
            "bye": next(iter(byes), None),
            **self.besides(),
        }

    def besides(self) -> dict[str, Any]:
        allow, allow_bye = _parted(self.allowed)
        return {
            "allow": allow,
            "allow_bye": allow_bye,
            "lookahead": self.ahead,
            "time_limit": TIME_LIMIT,
        }

    def fields(self) -> list[tuple[str, str]]:
        numbers = {"seed": self.seed, "ahead": self.ahead}
        every = {
            "allowed": self.allowed,
            "pinned": self.pinned,
            "barred": self.barred,
            "match": self.matches,
        }
        return [
            *((name, str(each)) for name, each in numbers.items() if each is not None),
            *(
                (name, match_text(match))
                for name, some in every.items()
                for match in some
            ),
        ]

    def query(self) -> str:
        return urlencode(self.fields())


def _parted(matches: Sequence[Match]) -> tuple[tuple[Match, ...], tuple[str, ...]]:
    """The matches of two, and who has the bye."""
    return (
        tuple(match for match in matches if len(match) == 2),
        tuple(match[0] for match in matches if len(match) == 1),
    )


def match_text(match: Match) -> str:
    """Players with a colon between them; one in a name is escaped."""
    return ":".join(player.replace("%", "%25").replace(":", "%3A") for player in match)


def ways_shown(ways: Sequence[Remedy]) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Ways out as they stand on buttons: in words, what they cost, and the fields that they add."""
    return [
        (
            PAGE.format_message(way.said),
            PAGE.format_message(way.costs),
            PairingDraft(
                allowed=(*way.allow, *((player,) for player in way.allow_bye)),
                ahead=way.lookahead,
            ).fields(),
        )
        for way in ways
    ]


def _matches(query: QueryParams, name: str) -> tuple[Match, ...]:
    return tuple(map(match_of, query.getlist(name)))


def match_of(text: str) -> Match:
    players = tuple(map(unquote, text.split(":")))
    if len(players) > 2:
        raise UsageError(f"found {text}, expected two players, or one for the bye")
    return players


def _preview(asked: PageRequest, draft: PairingDraft) -> Preview:
    return asked.site.kept.answer(
        ("draft", asked.desk.state, draft),
        lambda: preview(asked.desk, draft.matches or None, **draft.options()),
    )


def preview_draft(asked: PageRequest) -> Context:
    """The preview of the draft in the address; or why there is none, in words."""
    draft, made, refusal, event = (
        PairingDraft(),
        None,
        tuple[str, ...](),
        asked.desk.event,
    )
    try:
        draft = PairingDraft.of(asked.query)
        made = _preview(asked, draft)
        if "exchange" in asked.query:
            two = event.positions(filter(None, asked.query.getlist("swap")))
            draft = draft.exchange(made.result.pairs, [event.players[p] for p in two])
            made = _preview(asked, draft)
    except PairoptError as error:
        made, refusal = None, tuple(error.format_with(PAGE).split("\n"))
    rows, cost = list[PreviewRow](), None
    if made is not None:
        refusal, rows = (
            tuple(map(PAGE.format_message, made.result.conflicts)),
            _rows(draft, made),
        )
        same = made.best.proven and not made.worse
        cost = cost_of(made.result, HANDS if same else (), bool(made.worse))
    part = part_of(rows, "", asked.query, lambda row: row.line.table or row.line.one)
    return {
        "round": event.round,
        "part": part,
        "paired": RoundView(sides_of(event), tuple(row.line for row in rows)),
        "seed": event.settings.seeded(draft.seed),
        "draft": draft,
        "refusal": refusal,
        "lines": rows,
        "cost": cost,
        "headline": []
        if made is None
        else [*map(PAGE.format_message, headline(made.result))],
        "notes": () if made is None else made.result.notes,
        "question": made and made.result.question,
        "worse": [] if made is None else made.worse,
        "ways": [] if made is None else ways_shown(made.ways),
        "allowed": named(asked.desk, draft.allowed),
        "pinned": named(asked.desk, draft.pinned),
        "barred": named(asked.desk, draft.barred),
    }


def named(desk: OpenFolder, matches: Sequence[Match]) -> list[tuple[str, str]]:
    """Matches as they stand in an address, and by names; those of players who are known."""
    known = {*desk.event.players}
    return [
        (match_text(match), pair_text(*map(desk.event.called.__getitem__, match)))
        for match in matches
        if {*match} <= known
    ]


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A match or the bye of a preview. `text` is how it stands in an address; `moved` that the best
    pairing has another, and `worse` what gets worse by it.
    """

    line: MatchView
    text: str
    pinned: bool
    moved: bool
    worse: Sequence[str]


def _rows(draft: PairingDraft, made: Preview) -> list[PreviewRow]:
    if made.result.arcs is None:
        return []
    matches = explain_matches(made.result)
    pinned = [{*match} for match in draft.pinned]
    lines = paired_round(
        made.result, [PAGE.format_message(match.said) for match in matches]
    ).lines
    both = zip(lines, beside(made, matches), strict=False)
    return [
        PreviewRow(
            line, match_text(line.players), {*line.players} in pinned, moved, worse
        )
        for line, (moved, worse) in both
    ]


def publish_round(desk: OpenFolder, form: FormData) -> Done:
    draft = PairingDraft.of(
        QueryParams([(name, str(value)) for name, value in form.multi_items()])
    )
    if not draft.matches:
        raise UsageError("expected a pairing that was shown")
    return publish(desk, draft.matches, sure=SURE in form, **draft.options())


def _wanted(query: QueryParams) -> dict[str, Any]:
    """What an address wants: tables to keep, all others anew, and what is allowed."""
    return {
        "keep": [number(table, "keep") for table in query.getlist("keep")],
        "again": "anew" in query,
        **PairingDraft.of(query).besides(),
    }


def again(asked: PageRequest) -> Context:
    """Which tables would change, with names; or why nothing can be done, and the ways out."""
    query, desk, made, refusal = asked.query, asked.desk, None, tuple[str, ...]()
    draft = PairingDraft()
    try:
        draft = PairingDraft.of(query)
        made = asked.site.kept.answer(
            ("repair", desk.state, str(query)),
            lambda: preview_repair(desk, **_wanted(query)),
        )
        refusal = tuple(map(PAGE.format_message, made.result.conflicts))
    except PairoptError as error:
        refusal = tuple(error.format_with(PAGE).split("\n"))
    lines, cost, changes = list[tuple[MatchView, str]](), None, list[str]()
    if made is not None and made.changes is not None:
        cost, changes = (
            cost_of(made.result),
            [*map(PAGE.format_message, made.changes.lines())],
        )
        new = {frozenset(place.players) for place in made.changes.new}
        shown = zip(paired_round(made.result).lines, made.result.pairs, strict=False)
        lines = [
            (line, "changed" if frozenset(pair) in new else "") for line, pair in shown
        ]
    return {
        "round": desk.rounds(),
        "paired": RoundView(sides_of(desk.event), tuple(line for line, _ in lines)),
        "refusal": refusal,
        "ways": [] if made is None else ways_shown(made.ways),
        "changes": changes,
        "cost": cost,
        "notes": () if made is None else made.result.notes,
        "lines": lines,
        "question": made and made.question,
        "matches": []
        if made is None
        else [match_text(pair) for pair in made.result.pairs],
        "fields": [
            *(("keep", table) for table in query.getlist("keep")),
            *draft.fields(),
        ],
        "anew": "anew" in query,
        "allowed": named(desk, draft.allowed),
    }


def publish_repair(desk: OpenFolder, form: FormData) -> Done:
    query = QueryParams([(name, str(value)) for name, value in form.multi_items()])
    shown = [match_of(text) for text in query.getlist("match")]
    return repair(desk, shown=shown, sure=SURE in form, **_wanted(query))


ROUND = View(
    "round",
    "Round",
    context,
    {
        "begin": lambda desk, _: changed_by_hand(desk),
        "exchange": lambda desk, form: exchange(
            desk, [*map(str, form.getlist("swap"))], sure=SURE in form
        ),
        "end": lambda desk, _: changed_by_hand(desk, off=True),
        "add": added,
    },
    weight=2,
)
DRAFT = View(
    "round/draft",
    "Next round",
    preview_draft,
    {"publish": publish_round},
    then="/round",
)
REPAIR = View(
    "round/again", "Pair again", again, {"publish": publish_repair}, then="/round"
)
AWAY = View("round/away", "Next round", preview_draft, {"out": command_change("drop")})
GONE = View(
    "round/gone",
    "Pair again",
    again,
    {"out": command_change("drop")},
    then="/round/again",
)
