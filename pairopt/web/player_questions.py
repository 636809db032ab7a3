"""Answer a player's question "Why?": why this opponent, float or bye, and not another."""

import time
from collections.abc import Iterable

from pairopt.engines.base import EngineOptions
from pairopt.errors import UsageError
from pairopt.folder.explaining import PairedRound, PublishedRound, load_published_round
from pairopt.folder.open_folder import OpenFolder
from pairopt.messages import Note
from pairopt.messages.interfaces import PAGES
from pairopt.problem.options import RoundOptions
from pairopt.web.site import AnswerCache
from pairopt.web.view import Context

# Seconds for pairing a round again to answer a question.
TIME_LIMIT = 10.0
KEPT = AnswerCache(8)
"""The rounds that were asked about last, by the state of their event and their number."""


def explain_pairing(desk: OpenFolder, player: str, other_player: str = "") -> Context:
    """Return the values of a page that explains a player's pairing in the last round.

    "lines" are the short sentences, and "full" longer ones. With `other_player`, they
    also explain why the player does not meet that player. For a player who is not in
    the round both are empty. If pairopt would pair the round otherwise, a sentence says
    so. In a round that was asked about before, only the answer is computed. Raises
    UsageError for an unknown player, and in a round robin.
    """
    event = desk.event
    if event.settings.is_round_robin:
        raise UsageError("round_robin.model")
    round_number = desk.rounds()
    player_position = event.position(player)
    player_identifier = event.players[player_position]
    is_paired = (
        event.matches.paired_rows(round_number).player_mask(len(event.players)).tolist()
    )
    page_context = {
        "player": player,
        "called": event.shown[player_position],
        "number": round_number,
        "others": [],
        "lines": [],
        "full": [],
        "other": other_player,
    }
    if not is_paired[player_position]:
        return page_context

    published_round = read_answered_round(desk, round_number)
    origin_round = published_round.find_origin(player_identifier)
    opponent_identifier = origin_round.opponents[player_identifier]
    candidate_positions = [
        candidate_position
        for candidate_position, is_in_round in enumerate(is_paired)
        if is_in_round
        and event.players[candidate_position]
        not in (player_identifier, opponent_identifier)
    ]
    candidate_positions.sort(
        key=lambda candidate_position: event.shown[candidate_position].casefold()
    )

    is_model_pairing = origin_round.check.agrees
    answer_notes: list[Note | None] = [
        origin_round.sentences[player_identifier],
        origin_round.explain_side(player_identifier),
        *published_round.explain_repair(player_identifier),
    ]
    if other_player:
        other_identifier = event.players[event.position(other_player)]
        engine_options = _make_question_options(origin_round)
        answer_notes.append(
            origin_round.explain_apart(
                player_identifier, other_identifier, engine_options
            )
        )
    elif is_model_pairing:
        answer_notes.append(
            origin_round.explain_match(
                player_identifier, _make_question_options(origin_round)
            )
        )

    short_sentences = _draw_sentences("spoken", answer_notes)
    full_sentences = _draw_sentences("full", answer_notes)
    if not is_model_pairing:
        model_title = origin_round.check.problem.model.title
        short_sentences.append(f"{model_title} would pair this round otherwise.")
    return {
        **page_context,
        "lines": short_sentences,
        "full": [
            full_sentence
            for full_sentence in full_sentences
            if full_sentence not in short_sentences
        ],
        "others": [
            (event.players[candidate_position], event.shown[candidate_position])
            for candidate_position in candidate_positions
        ],
    }


def read_answered_round(desk: OpenFolder, number: int) -> PublishedRound:
    """Return a round as the files have it, with the steps that paired it.

    `number` is the round. It is stored for further questions, until the files change.
    Raises UsageError if there is no such round.
    """
    return KEPT.get_or_compute(
        (desk.state, number), lambda: load_published_round(desk, number)
    )


def _draw_sentences(length: str, notes: Iterable[Note | None]) -> list[str]:
    """Return messages as sentences, each with a capital letter and one full stop.

    `length` is "spoken" or "full". Messages that are None are skipped.
    """
    unended_sentences = (
        PAGES[length].format_message(answer_note).rstrip(".")
        for answer_note in notes
        if answer_note
    )
    return [
        f"{unended_sentence[:1].upper()}{unended_sentence[1:]}."
        for unended_sentence in unended_sentences
    ]


def _make_question_options(paired_round: PairedRound) -> EngineOptions:
    """Return the engine's options for a player's question about a round.

    They have the objective of the round's model, and TIME_LIMIT seconds from now.
    """
    budget = RoundOptions(time_limit=TIME_LIMIT).budget(time.monotonic())
    return EngineOptions(paired_round.check.problem.model.objective, budget=budget)
