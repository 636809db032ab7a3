"""Round: the open round and its re-pairing, and the draft of the next round.

A draft is in the address of its page. So it survives a reload, going back, a second page,
and the end of the process.
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
from pairopt.folder.pair_round import (
    HANDS,
    Preview,
    changed_by_hand,
    exchange,
    prepare_round,
)
from pairopt.folder.repair_round import Repair
from pairopt.folder.round_robin import pair_all_rounds
from pairopt.messages.formatting import alphabetical_key, pair_text
from pairopt.messages.interfaces import PAGE
from pairopt.report.views import (
    MatchView,
    RoundView,
    paired_round,
    round_view,
    sides_of,
)
from pairopt.round.explain import explain_matches, list_highlights
from pairopt.round.manual import swap_players
from pairopt.round.remedies import Remedy
from pairopt.round.result import Match
from pairopt.web.proofs import compare_with_best, describe_cost, find_proof_download
from pairopt.web.view import (
    SURE,
    Context,
    PageRequest,
    View,
    command_change,
    parse_number,
    read_text,
    select_part,
)
from pairopt.web.views.files import list_picture_names

# Seconds after which the page shows the best pairing found so far.
TIME_LIMIT = 60.0


def context(request: PageRequest) -> Context:
    """Return the last round, and why the next one cannot be paired ("" if it can).

    In a round robin it is the round in the address, or the one that is played now.
    "paired" has all lines of the round, "shown" only the part of them in the address.
    """
    desk = request.desk
    is_round_robin = desk.event.settings.is_round_robin
    last_round = desk.current_round()
    if is_round_robin and request.round:
        last_round = request.round
    last_round_view = round_view(desk.event, last_round)
    shown_part = select_part(
        last_round_view.lines,
        "/round",
        request.query,
        lambda match_line: match_line.table or match_line.one,
    )
    seated_players = [
        (player, player_name)
        for match_line in last_round_view.lines
        for player, player_name in zip(
            match_line.players, match_line.names, strict=True
        )
    ]
    return {
        "round": last_round,
        "next": last_round + 1,
        "paired": last_round_view,
        "part": shown_part,
        "shown": replace(last_round_view, lines=tuple(shown_part.items)),
        "players": sorted(
            seated_players, key=lambda player: alphabetical_key(player[1])
        ),
        "round_robin": is_round_robin,
        "rounds": range(1, desk.rounds() + 1),
        "last_round": desk.rounds(),
        "active": int(desk.event.present.sum()),
        "numbers": desk.event.settings.numbers or "",
        "proof": find_proof_download(desk, last_round),
        "hindrance": _find_hindrance(desk),
        "open": [
            match_line.table for match_line in last_round_view.lines if match_line.open
        ],
        "mode": read_mode(desk.files),
        "pictures": list_picture_names(desk),
        "is_over": desk.has_all_rounds,
    }


def add_round(desk: OpenFolder, form: FormData) -> Done:
    """Set the event's number of rounds to one more than are paired, as one step.

    Return what was done. Raises ConfirmationError if the change is unusual and the form
    does not confirm it.
    """
    return change(desk, {"rounds": str(desk.rounds() + 1)}, sure=SURE in form)


def pair_all(desk: OpenFolder, form: FormData) -> Done:
    """Pair all rounds of a round robin, with start numbers as the form says.

    The field "numbers" says how players get them; if it is empty, they are drawn by
    lot. Return what was done. Raises UsageError if the event is no round robin, has too
    few or too many players, or lacks a start number.
    """
    return pair_all_rounds(desk, numbers=read_text(form, "numbers") or "")


def begin_by_hand(desk: OpenFolder, _: FormData) -> Done:
    """Let the organiser change the last round by hand from now on.

    Return what was done. Raises UsageError if no round is open, or this has begun
    already.
    """
    return changed_by_hand(desk)


def end_by_hand(desk: OpenFolder, _: FormData) -> Done:
    """End the changes by hand of the last round, and return what was done.

    The round is then compared with what the event's rules give. Raises UsageError if no
    such changes have begun.
    """
    return changed_by_hand(desk, off=True)


def swap_in_round(desk: OpenFolder, form: FormData) -> Done:
    """Exchange the two ticked players in the round that is changed by hand.

    Return what was done. Raises UsageError unless there are two of them in open matches
    or with the bye, and ConfirmationError if the exchange breaks a rule and the form
    does not confirm it.
    """
    ticked_players = [*map(str, form.getlist("swap"))]
    return exchange(desk, ticked_players, sure=SURE in form)


def _find_hindrance(desk: OpenFolder) -> str:
    """Return the error that keeps the next round from being paired, as text.

    It is "" if nothing does; for example, results may be missing.
    """
    try:
        prepare_round(desk)
        require_finished(desk.event)
    except PairoptError as error:
        return error.format_with(PAGE)
    return ""


@dataclass(frozen=True, slots=True)
class PairingDraft:
    """What the organiser wants of the next round.

    A match of one player is the bye.

    Attributes
    ----------
    seed : int, optional
        The seed for random draws; by default the event's own.
    pinned, barred : tuple of Match
        Matches that must be made, and matches that must not.
    matches : tuple of Match
        The whole pairing, if players were swapped by hand; empty to let pairopt pair.
    allowed : tuple of Match
        Matches that no constraint forbids.
    ahead : int, optional
        The number of lookahead rounds; by default the event's own.
    """

    seed: int | None = None
    pinned: tuple[Match, ...] = ()
    barred: tuple[Match, ...] = ()
    matches: tuple[Match, ...] = ()
    allowed: tuple[Match, ...] = ()
    ahead: int | None = None

    @staticmethod
    def of(query: QueryParams) -> PairingDraft:
        """Return the draft in an address, with the one change that its page asks for.

        The change is a parameter: "again" drops the changes by hand, and "pin", "bar"
        and "free" have a match. Raises UsageError for an address that is not valid.
        """
        draft_in_address = PairingDraft(
            seed=parse_number(query["seed"], "seed") if query.get("seed") else None,
            pinned=_parse_matches(query, "pinned"),
            barred=_parse_matches(query, "barred"),
            matches=_parse_matches(query, "match"),
            allowed=_parse_matches(query, "allowed"),
            ahead=parse_number(query["ahead"], "ahead") if "ahead" in query else None,
        )
        if "again" in query:
            return draft_in_address.without_matches()
        if "pin" in query:
            return draft_in_address.with_pinned(parse_match(query["pin"]))
        if "bar" in query:
            return draft_in_address.with_barred(parse_match(query["bar"]))
        if "free" in query:
            return draft_in_address.without_wishes(parse_match(query["free"]))
        return draft_in_address

    def without_matches(self) -> PairingDraft:
        """Return the draft for pairopt to pair, without the pairing changed by hand.

        Pinned, barred and allowed matches stay.
        """
        return replace(self, matches=())

    def with_pinned(self, match: Match) -> PairingDraft:
        """Return the draft with a match that must be made.

        The match is no longer barred or allowed.
        """
        draft_without_wishes = self.without_wishes(match)
        return replace(
            draft_without_wishes, pinned=(*draft_without_wishes.pinned, match)
        )

    def with_barred(self, match: Match) -> PairingDraft:
        """Return the draft with a match that must not be made, to be paired again.

        The match is no longer pinned or allowed, and changes by hand are dropped.
        """
        draft_without_wishes = self.without_wishes(match)
        return replace(
            draft_without_wishes,
            barred=(*draft_without_wishes.barred, match),
            matches=(),
        )

    def without_wishes(self, match: Match) -> PairingDraft:
        """Return the draft in which a match is neither pinned, barred nor allowed.

        The order of the match's players does not matter.
        """
        return replace(
            self,
            pinned=_without_match(self.pinned, match),
            barred=_without_match(self.barred, match),
            allowed=_without_match(self.allowed, match),
        )

    def with_swapped(
        self, matches: Sequence[Match], players: Sequence[str]
    ) -> PairingDraft:
        """Return the draft with two players of a pairing swapped, and matches pinned.

        `matches` are the pairing, whose changed copy the draft gets. `players` are the
        identifiers of the two. The new matches of both players are pinned. Older pins
        of the two, and bars of their new matches, are dropped. Raises UsageError unless
        there are two different players.
        """
        swapped_players = {*players}
        if len(swapped_players) != 2:
            raise UsageError(
                "Select exactly two players to swap. Tick the boxes next to their names."
            )

        first_player, second_player = players
        swapped_matches = swap_players(matches, first_player, second_player)
        changed_matches = tuple(
            swapped_match
            for swapped_match in swapped_matches
            if {*swapped_match} & swapped_players
        )
        kept_pins = tuple(
            pinned_match
            for pinned_match in self.pinned
            if not {*pinned_match} & swapped_players
        )
        changed_sets = [{*changed_match} for changed_match in changed_matches]
        kept_bars = tuple(
            barred_match
            for barred_match in self.barred
            if {*barred_match} not in changed_sets
        )
        return replace(
            self,
            pinned=(*kept_pins, *changed_matches),
            barred=kept_bars,
            matches=swapped_matches,
        )

    def options(self) -> dict[str, Any]:
        """Return the draft as options of `preview` and `publish`, by name.

        The draft's own `matches` are not among them. Raises UsageError if several
        players are pinned to the bye.
        """
        pinned_pairs, pinned_byes = _split_byes(self.pinned)
        barred_pairs, barred_byes = _split_byes(self.barred)
        if len(pinned_byes) > 1:
            raise UsageError(
                "You can pin the bye to one player only. Unpin the other one."
            )
        return {
            "seed": self.seed,
            "force": pinned_pairs,
            "forbid": barred_pairs,
            "no_bye": barred_byes,
            "bye": next(iter(pinned_byes), None),
            **self.common_options(),
        }

    def common_options(self) -> dict[str, Any]:
        """Return those options that a re-pairing of the open round has, too.

        They are the allowed matches, the lookahead and the time limit.
        """
        allowed_pairs, allowed_byes = _split_byes(self.allowed)
        return {
            "allow": allowed_pairs,
            "allow_bye": allowed_byes,
            "lookahead": self.ahead,
            "time_limit": TIME_LIMIT,
        }

    def form_fields(self) -> list[tuple[str, str]]:
        """Return names and values of the form fields that stand for the draft.

        Defaults have no field. A list of matches has one field per match, each with the
        same name.
        """
        number_fields = {"seed": self.seed, "ahead": self.ahead}
        form_fields = [
            (field_name, str(field_value))
            for field_name, field_value in number_fields.items()
            if field_value is not None
        ]
        match_lists = {
            "allowed": self.allowed,
            "pinned": self.pinned,
            "barred": self.barred,
            "match": self.matches,
        }
        for field_name, listed_matches in match_lists.items():
            form_fields += [
                (field_name, format_match(listed_match))
                for listed_match in listed_matches
            ]
        return form_fields

    def to_query(self) -> str:
        """Return the draft as the query of an address; "" for the default draft.

        It has no "?" at the beginning.
        """
        return urlencode(self.form_fields())


def _without_match(matches: Sequence[Match], excluded: Match) -> tuple[Match, ...]:
    """Return the matches without one of them, in whichever order its players are.

    If it is not among them, they stay as they are.
    """
    return tuple(kept_match for kept_match in matches if {*kept_match} != {*excluded})


def _split_byes(
    matches: Sequence[Match],
) -> tuple[tuple[Match, ...], tuple[str, ...]]:
    """Return the matches of two players, and the players of matches of one (byes).

    Both keep their order.
    """
    return (
        tuple(drafted_match for drafted_match in matches if len(drafted_match) == 2),
        tuple(drafted_match[0] for drafted_match in matches if len(drafted_match) == 1),
    )


def format_match(match: Match) -> str:
    """Return a match for an address: players joined by a colon.

    Colons and percent signs in names are escaped. The bye is the player alone.
    """
    return ":".join(
        player_identifier.replace("%", "%25").replace(":", "%3A")
        for player_identifier in match
    )


def list_remedies(
    remedies: Sequence[Remedy],
) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Return for each remedy a sentence, its cost, and the form fields of its button.

    The fields are names and values of what the remedy adds to a draft: allowed matches,
    or a lookahead.
    """
    remedy_buttons = []
    for remedy in remedies:
        bye_matches = ((player_identifier,) for player_identifier in remedy.allow_bye)
        remedy_draft = PairingDraft(
            allowed=(*remedy.allow, *bye_matches), ahead=remedy.lookahead
        )
        remedy_buttons.append(
            (
                PAGE.format_message(remedy.said),
                PAGE.format_message(remedy.costs),
                remedy_draft.form_fields(),
            )
        )
    return remedy_buttons


def _parse_matches(query: QueryParams, name: str) -> tuple[Match, ...]:
    """Return the matches of all parameters of this name in an address.

    Raises UsageError for a match of more than two players.
    """
    return tuple(map(parse_match, query.getlist(name)))


def parse_match(text: str) -> Match:
    """Return the match in a text from an address; the inverse of `format_match`.

    Raises UsageError for more than two players.
    """
    match_players = tuple(map(unquote, text.split(":")))
    if len(match_players) > 2:
        raise UsageError(f"found {text}, expected two players, or one for the bye")
    return match_players


def _preview_draft(request: PageRequest, draft: PairingDraft) -> Preview:
    """Return the preview of a draft; it is computed once per state of the event.

    It is stored in the answers of the request's site. Raises UsageError if the draft
    cannot be paired as it asks.
    """
    return request.site.answers.get_or_compute(
        ("draft", request.desk.state, draft),
        lambda: preview(request.desk, draft.matches or None, **draft.options()),
    )


def draft_context(request: PageRequest) -> Context:
    """Return what the page of a draft shows: its preview, or why there is none.

    The draft is in the query. If that asks for an exchange, the ticked players are
    swapped first.
    """
    event = request.desk.event
    shown_draft = PairingDraft()
    draft_preview: Preview | None = None
    refusal_lines: tuple[str, ...] = ()
    try:
        shown_draft = PairingDraft.of(request.query)
        draft_preview = _preview_draft(request, shown_draft)
        if "exchange" in request.query:
            ticked_players = filter(None, request.query.getlist("swap"))
            swapped_players = [
                event.players[player_position]
                for player_position in event.positions(ticked_players)
            ]
            shown_draft = shown_draft.with_swapped(
                draft_preview.result.pairs, swapped_players
            )
            draft_preview = _preview_draft(request, shown_draft)
    except PairoptError as error:
        draft_preview = None
        refusal_lines = tuple(error.format_with(PAGE).split("\n"))

    preview_rows: list[PreviewRow] = []
    pairing_cost = None
    if draft_preview is not None:
        refusal_lines = tuple(map(PAGE.format_message, draft_preview.result.conflicts))
        preview_rows = _build_preview_rows(shown_draft, draft_preview)
        # Changes by hand that leave the pairing optimal need no mention.
        is_still_optimal = draft_preview.best.proven and not draft_preview.worse
        unmentioned_options = HANDS if is_still_optimal else ()
        pairing_cost = describe_cost(
            draft_preview.result, unmentioned_options, bool(draft_preview.worse)
        )
    shown_part = select_part(
        preview_rows,
        "",
        request.query,
        lambda preview_row: preview_row.line.table or preview_row.line.one,
    )
    return {
        "round": event.round,
        "part": shown_part,
        "paired": RoundView(
            sides_of(event), tuple(preview_row.line for preview_row in preview_rows)
        ),
        "seed": event.settings.seeded(shown_draft.seed),
        "draft": shown_draft,
        "refusal": refusal_lines,
        "lines": preview_rows,
        "cost": pairing_cost,
        "headline": [*map(PAGE.format_message, list_highlights(draft_preview.result))]
        if draft_preview
        else [],
        "notes": draft_preview.result.notes if draft_preview else (),
        "question": draft_preview and draft_preview.result.question,
        "worse": draft_preview.worse if draft_preview else [],
        "ways": list_remedies(draft_preview.ways) if draft_preview else [],
        "allowed": with_names(request.desk, shown_draft.allowed),
        "pinned": with_names(request.desk, shown_draft.pinned),
        "barred": with_names(request.desk, shown_draft.barred),
    }


def with_names(desk: OpenFolder, matches: Sequence[Match]) -> list[tuple[str, str]]:
    """Return each match as a pair of texts: as in an address, and by players' names.

    Matches with an unknown player are left out.
    """
    known_players = {*desk.event.players}
    return [
        (
            format_match(named_match),
            pair_text(*map(desk.event.called.__getitem__, named_match)),
        )
        for named_match in matches
        if {*named_match} <= known_players
    ]


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A match or the bye in a preview.

    `line` is the match for the page, `text` the match as in an address, `pinned`
    whether it must be made, `moved` whether the best pairing is without it, and `worse`
    what it makes worse.
    """

    line: MatchView
    text: str
    pinned: bool
    moved: bool
    worse: Sequence[str]


def _build_preview_rows(
    draft: PairingDraft, draft_preview: Preview
) -> list[PreviewRow]:
    """Return a row for each match and the bye of a preview; [] without a pairing.

    `draft` only says which of them are pinned. They are in the order of the preview's
    pairing.
    """
    if draft_preview.result.arcs is None:
        return []
    explained_matches = explain_matches(draft_preview.result)
    match_sentences = [
        PAGE.format_message(explained_match.said)
        for explained_match in explained_matches
    ]
    match_lines = paired_round(draft_preview.result, match_sentences).lines
    comparisons_with_best = compare_with_best(draft_preview, explained_matches)
    pinned_sets = [{*explained_match} for explained_match in draft.pinned]
    return [
        PreviewRow(
            match_line,
            format_match(match_line.players),
            {*match_line.players} in pinned_sets,
            is_not_in_best,
            worse_levels,
        )
        for match_line, (is_not_in_best, worse_levels) in zip(
            match_lines, comparisons_with_best, strict=False
        )
    ]


def publish_round(desk: OpenFolder, form: FormData) -> Done:
    """Publish the pairing that the page of the draft has shown.

    Return what was done. Raises UsageError if the form has no pairing, and
    ConfirmationError if the pairing needs a confirmation that the form does not have.
    """
    published_draft = PairingDraft.of(_convert_to_query(form))
    if not published_draft.matches:
        raise UsageError(
            "There is no pairing to publish. Open Round, check the pairing, then click Publish."
        )
    return publish(
        desk, published_draft.matches, sure=SURE in form, **published_draft.options()
    )


def _convert_to_query(form: FormData) -> QueryParams:
    """Return the text fields of a form, in their order, as if in an address."""
    return QueryParams(
        [
            (field_name, str(field_value))
            for field_name, field_value in form.multi_items()
        ]
    )


def _read_repair_options(query: QueryParams) -> dict[str, Any]:
    """Return the options of a re-pairing in an address.

    The keys are "keep" (tables to keep), "again" (whether to pair all open tables
    again), "allow" and "allow_bye" (allowed pairs and byes), "lookahead" and
    "time_limit". Raises UsageError for an address that is not valid.
    """
    return {
        "keep": [
            parse_number(kept_table, "keep") for kept_table in query.getlist("keep")
        ],
        "again": "anew" in query,
        **PairingDraft.of(query).common_options(),
    }


def repair_context(request: PageRequest) -> Context:
    """Return which tables a re-pairing changes, or why there is none.

    In both cases there may be remedies. The options are in the query. The re-pairing is
    computed once per state of the event; nothing is written.
    """
    desk = request.desk
    query = request.query
    repair_draft = PairingDraft()
    repair_preview: Repair | None = None
    refusal_lines: tuple[str, ...] = ()
    try:
        repair_draft = PairingDraft.of(query)
        repair_preview = request.site.answers.get_or_compute(
            ("repair", desk.state, str(query)),
            lambda: preview_repair(desk, **_read_repair_options(query)),
        )
        refusal_lines = tuple(map(PAGE.format_message, repair_preview.result.conflicts))
    except PairoptError as error:
        refusal_lines = tuple(error.format_with(PAGE).split("\n"))

    marked_lines: list[tuple[MatchView, str]] = []
    change_sentences: list[str] = []
    pairing_cost = None
    if repair_preview is not None and repair_preview.changes is not None:
        pairing_cost = describe_cost(repair_preview.result)
        change_sentences = [*map(PAGE.format_message, repair_preview.changes.lines())]
        changed_pairs = {
            frozenset(kept_table.players) for kept_table in repair_preview.changes.new
        }
        for match_line, repaired_pair in zip(
            paired_round(repair_preview.result).lines,
            repair_preview.result.pairs,
            strict=False,
        ):
            is_changed = frozenset(repaired_pair) in changed_pairs
            marked_lines.append((match_line, "changed" if is_changed else ""))
    kept_table_fields = [("keep", kept_table) for kept_table in query.getlist("keep")]
    repaired_pairs = repair_preview.result.pairs if repair_preview else ()
    return {
        "round": desk.rounds(),
        "paired": RoundView(
            sides_of(desk.event), tuple(match_line for match_line, _ in marked_lines)
        ),
        "refusal": refusal_lines,
        "ways": list_remedies(repair_preview.ways) if repair_preview else [],
        "changes": change_sentences,
        "cost": pairing_cost,
        "notes": repair_preview.result.notes if repair_preview else (),
        "lines": marked_lines,
        "question": repair_preview and repair_preview.question,
        "matches": [format_match(repaired_pair) for repaired_pair in repaired_pairs],
        "fields": [*kept_table_fields, *repair_draft.form_fields()],
        "anew": "anew" in query,
        "allowed": with_names(desk, repair_draft.allowed),
    }


def publish_repair(desk: OpenFolder, form: FormData) -> Done:
    """Publish the re-pairing that the page has shown, with the options in the form.

    Return what was done. Raises UsageError if the round is paired again in another way
    now, and ConfirmationError if something unusual is not confirmed by the form.
    """
    query = _convert_to_query(form)
    shown_matches = [parse_match(match_text) for match_text in query.getlist("match")]
    return repair(
        desk, shown=shown_matches, sure=SURE in form, **_read_repair_options(query)
    )


ROUND = View(
    "round",
    "Round",
    context,
    {
        "begin": begin_by_hand,
        "all": pair_all,
        "exchange": swap_in_round,
        "end": end_by_hand,
        "add": add_round,
    },
    weight=2,
)
DRAFT = View(
    "round/draft",
    "Next round",
    draft_context,
    {"publish": publish_round},
    then="/round",
)
REPAIR = View(
    "round/again",
    "Re-pair",
    repair_context,
    {"publish": publish_repair},
    then="/round",
)
AWAY = View("round/away", "Next round", draft_context, {"out": command_change("drop")})
GONE = View(
    "round/gone",
    "Re-pair",
    repair_context,
    {"out": command_change("drop")},
    then="/round/again",
)
