"""FIDE mode: whether an event follows FIDE's rules, and what breaks or ends that.

It is a state of the files: `fide = true` in event.toml, and `breaches` beside it. The
journal checks it at every step, so that no command, page or edit by hand can go around
it.
"""

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from pairopt.common.atomic_write import AGAINST
from pairopt.errors import ConfirmationError, InputError
from pairopt.event.column_layout import ADJOURNED
from pairopt.event.settings import CHESS, EVERYBODY, ROUND_ROBIN, SETTINGS
from pairopt.event.source_info import FideModeBreach
from pairopt.files.event_folder import EVENT, MATCHES, Files
from pairopt.files.text_source import decode_text
from pairopt.files.toml_editing import edit_toml
from pairopt.folder.protected_facts import (
    FactChange,
    ProtectedFact,
    Row,
    compare_facts,
    describe_changes,
    parse_points,
    points_by_player,
    read_facts,
    read_match_rows,
    read_player_rows,
)
from pairopt.messages.formatting import decimal_text

FORBID = "forbid"
SYSTEMS = ("fide-dutch", "fide-burstein")
KINDS = {
    "rounds": "mode.rounds",
    "tie_breaks": "mode.tie_breaks",
    FORBID: "mode.prohibition",
}
# Commands that pair a round.
PAIRING = ("pair", "repair")
# Steps for which nobody can be asked.
NOBODY_ASKED = ("edited by hand", "mend", "new", "found")
# A record of what was played: it is no breach.
AS_PLAYED = "mode.as_played"
# Tie-breaks that count opponents' points. In a round robin all players have the same
# opponents, so FIDE's list has these tie-breaks for Swiss tournaments only (C.07).
SWISS_TIE_BREAKS = (
    "AOB",
    "BH",
    "FB",
    "buchholz",
    "buchholz_cut1",
    "buchholz_median",
    "esos",
    "ogw",
    "omw",
    "opponents_game_win",
    "opponents_match_win",
    "sos",
)
# Settings that no event in FIDE mode has.
NEVER_SET = ("best_of", "first_round", "lookahead")


@dataclass(frozen=True)
class FideModeState:
    """What the files of an event say about FIDE mode.

    `fide` is whether it is on, None if they say nothing, as those of old events do.
    `breaches` are those that event.toml records. `values` are the settings as texts by
    their keys, and `worth` the points by names such as "win" and "bye". `rows` are
    those of matches.csv, as (round, cells by column, is it a requested bye), and
    `round` is the last one that is paired, 0 for none.
    """

    fide: bool | None
    breaches: tuple[FideModeBreach, ...]
    values: Mapping[str, str]
    worth: Mapping[str, Fraction]
    rows: Sequence[tuple[int, Row, bool]]
    round: int

    @property
    def left(self) -> FideModeBreach | None:
        """The breach by which the event first left FIDE mode for good, or None.

        A breach leaves the mode if it asks for two confirmations.
        """
        return next((breach for breach in self.breaches if breach.asks > 1), None)

    @property
    def is_round_robin(self) -> bool:
        """Whether the event is a round robin, whose pairings are in a Berger table."""
        return self.values.get("format") == ROUND_ROBIN

    @property
    def is_by_hand(self) -> bool:
        """Whether the changing of a round by hand has begun and not ended.

        The last of the breaches that mark its beginning or its end decides.
        """
        kind_of_beginning = "mode.by_hand"
        kinds_of_marks = (kind_of_beginning, "mode.as_due", "mode.mpa")
        kinds_of_marks_so_far = [
            breach.kind for breach in self.breaches if breach.kind in kinds_of_marks
        ]
        return (
            bool(kinds_of_marks_so_far)
            and kinds_of_marks_so_far[-1] == kind_of_beginning
        )


def read_mode(files: Files) -> FideModeState:
    """Read what the files of an event say about FIDE mode.

    `files` are their contents by name. If event.toml cannot be read, nothing is known:
    the mode is None, and there are no rows. A matches.csv that is missing or cannot be
    read has no rows.
    """
    with suppress(InputError, AttributeError, ArithmeticError, TypeError, ValueError):
        return _parse_mode(files.get(EVENT, b""), files.get(MATCHES, b""))
    return FideModeState(None, (), {}, {}, (), 0)


@lru_cache(maxsize=8)
def _parse_mode(event: bytes, matches: bytes) -> FideModeState:
    """Parse event.toml and matches.csv, which are given by their contents.

    Settings that are not there get their defaults where FIDE mode needs them. Raise
    InputError, or a Python error such as ValueError, if event.toml cannot be read. A
    matches.csv that cannot be read counts as empty.
    """
    event_text = decode_text(EVENT, event).text
    event_toml_values: dict[str, Any] = tomllib.loads(event_text, parse_float=str)
    points_table = event_toml_values.pop("points", {})
    points_by_name = {
        points_name: Fraction(points_value)
        for points_name, points_value in points_table.items()
    }
    points_text_by_name = {
        points_name: decimal_text(points_value)
        for points_name, points_value in points_by_name.items()
    }

    setting_text_by_key = {}
    for setting_key in (*SETTINGS, FORBID):
        if event_toml_values.get(setting_key):
            setting_text_by_key[setting_key] = format_setting(
                event_toml_values[setting_key]
            )
    for setting_key in SETTINGS:
        points_name = setting_key[len("points.") :]
        if points_name in points_text_by_name:
            setting_text_by_key[setting_key] = points_text_by_name[points_name]

    # These rank the players if no others are named.
    is_round_robin = setting_text_by_key.get("format") == ROUND_ROBIN
    usual_tie_breaks = EVERYBODY if is_round_robin else CHESS
    setting_text_by_key.setdefault("tie_breaks", ",".join(usual_tie_breaks))
    names_of_game_results = ("win", "draw", "loss")
    setting_text_by_key["points"] = "-".join(
        points_text_by_name.get(points_name, "0")
        for points_name in names_of_game_results
    )
    breaches = tuple(
        FideModeBreach(**breach_fields)
        for breach_fields in event_toml_values.get("breaches", ())
    )
    match_rows, last_round = read_match_rows(matches)
    return FideModeState(
        event_toml_values.get("fide"),
        breaches,
        setting_text_by_key,
        points_by_name,
        match_rows,
        last_round,
    )


def find_unfit_settings(state: FideModeState) -> Iterator[str]:
    """Yield the keys of settings with which no event can be in FIDE mode.

    The model has to be one of FIDE's systems, unless the event is a round robin, which
    has none. The sides have to be white and black. A win has to be worth more than a
    loss, and a draw at most half of a win and a loss together; a match has one game. An
    allocated bye may give what a win, a draw or a loss gives, or none. A requested bye
    and an absence may give what a draw or a loss gives, or none. Settings in
    `NEVER_SET` must not be there. A round robin must not have tie-breaks of Swiss
    tournaments.
    """
    setting_text_by_key, points_by_name, zero_points = (
        state.values,
        state.worth,
        Fraction(0),
    )
    win_points, draw_points, loss_points = (
        points_by_name.get(points_name, zero_points)
        for points_name in ("win", "draw", "loss")
    )
    has_unfit_points = (
        2 * draw_points > win_points + loss_points
        or win_points <= loss_points
        or points_by_name.get("games", 1) != 1
    )
    is_unfit_by_key = {
        "model": not state.is_round_robin
        and setting_text_by_key.get("model") not in SYSTEMS,
        "sides": setting_text_by_key.get("sides", "").lower() != "white,black",
        "points": has_unfit_points,
        "points.bye": points_by_name.get("bye", win_points)
        not in (win_points, draw_points, loss_points, zero_points),
        "tie_breaks": state.is_round_robin
        and _has_swiss_tie_break(setting_text_by_key),
    }
    for points_name in ("requested_bye", "absent"):
        bye_points = points_by_name.get(points_name, zero_points)
        is_unfit_by_key[f"points.{points_name}"] = bye_points not in (
            draw_points,
            loss_points,
            zero_points,
        )
    for setting_key in NEVER_SET:
        is_unfit_by_key[setting_key] = setting_key in setting_text_by_key
    yield from (
        setting_key
        for setting_key, is_key_unfit in is_unfit_by_key.items()
        if is_key_unfit
    )


def _has_swiss_tie_break(values: Mapping[str, str]) -> bool:
    """Return whether the settings name a tie-break that only Swiss tournaments have.

    `values` are the settings as texts by key. Modifiers, such as C1 in BH/C1, don't
    matter.
    """
    tie_break_names = values.get("tie_breaks", "").split(",")
    return any(
        tie_break_name.partition("/")[0] in SWISS_TIE_BREAKS
        for tie_break_name in tie_break_names
    )


def find_breaches(before: Files, after: Files) -> tuple[FideModeBreach, ...]:
    """Find all differences between two versions of the files that break FIDE mode.

    `before` and `after` are the contents of the event's files. There are none if the
    event was not in FIDE mode before. A breach with `asks` above 1 leaves the mode for
    good.
    """
    mode_before = read_mode(before)
    mode_after = read_mode(after)
    if not mode_before.fide:
        return ()

    recorded_rounds = {
        breach.round
        for breach in find_recorded_breaches(mode_before, mode_after)
        if breach.kind == AS_PLAYED
    }
    return (
        *_find_setting_breaches(mode_before, mode_after),
        *_find_result_breaches(mode_before, before, after, recorded_rounds),
        *_find_round_breaches(mode_before, mode_after, after, recorded_rounds),
    )


def find_recorded_breaches(
    before: FideModeState, after: FideModeState
) -> tuple[FideModeBreach, ...]:
    """Return the breaches that a step itself has written into event.toml.

    These are the ones of `after` that `before` does not have.
    """
    breach_count_before = len(before.breaches)
    if after.breaches[:breach_count_before] == before.breaches:
        return after.breaches[breach_count_before:]
    return tuple(breach for breach in after.breaches if breach not in before.breaches)


def _find_setting_breaches(
    before: FideModeState, after: FideModeState
) -> Iterator[FideModeBreach]:
    """Yield breaches by settings that became unfit, or changed after round 1 started.

    `before` and `after` are the states before and after a step. A change counts once
    round 1 is paired. The number of rounds may be set then, but not changed. A step
    that turns FIDE mode off is a breach, too.
    """
    newly_unfit_keys = {*find_unfit_settings(after)} - {*find_unfit_settings(before)}
    if not after.fide:
        yield FideModeBreach("mode.asked", before.round)
    for setting_key in (*SETTINGS, FORBID):
        setting_text_before = before.values.get(setting_key, "")
        setting_text_after = after.values.get(setting_key, "")

        # The number of rounds may be set later, but not changed.
        may_be_set_late = setting_key == "rounds" and not setting_text_before
        is_locked = setting_key == FORBID or (
            SETTINGS[setting_key].mode == "leaves" and not may_be_set_late
        )
        is_changed = setting_text_before != setting_text_after and setting_key != "fide"
        if setting_key in newly_unfit_keys or (
            is_changed and before.round and is_locked
        ):
            breach_kind = KINDS.get(setting_key, "mode.setting")
            yield FideModeBreach(
                breach_kind,
                before.round,
                setting_key,
                setting_text_before,
                setting_text_after,
            )


def _find_result_breaches(
    mode: FideModeState, before: Files, after: Files, recorded: Collection[int]
) -> Iterator[FideModeBreach]:
    """Yield breaches by changed results of earlier rounds, and by virtual points.

    `mode` is the state before the step; `before` and `after` are the files. For rounds
    in `recorded` the step itself says what was played instead: there only changed
    points are breaches. Results of the last paired round and byes of removed players
    may change. In a round robin no pairing depends on a result, so all results may
    change.
    """
    row_by_player_before = read_player_rows(before)
    row_by_player_after = read_player_rows(after)
    adjourned_pairs = {
        (
            round_number,
            frozenset((csv_row.get("player1", ""), csv_row.get("player2", ""))),
        )
        for round_number, csv_row, _ in mode.rows
        if csv_row.get(ADJOURNED) == "true"
    }
    result_changes: Sequence[FactChange] = ()
    if not mode.is_round_robin:
        result_changes = compare_facts(read_facts(before), read_facts(after))
    for round_number in sorted(recorded):
        if round_number < mode.round:
            changes_of_round = [
                result_change
                for result_change in result_changes
                if result_change.fact.round == round_number
            ]
            yield from _find_points_correction(
                changes_of_round, round_number, mode, before, after
            )

    for result_change in result_changes:
        changed_fact = result_change.fact
        has_only_removed_players = not any(
            identifier in row_by_player_after for identifier in changed_fact.players
        )
        is_removed_bye = changed_fact.status == "requested" and has_only_removed_players
        if changed_fact.round in recorded or is_removed_bye:
            continue
        if not 0 < changed_fact.round < mode.round:
            continue
        if result_change.before or changed_fact.kind == "match":
            was_adjourned = (
                changed_fact.round,
                frozenset(changed_fact.players),
            ) in adjourned_pairs
            may_be_corrected = was_adjourned or changed_fact.round == mode.round - 1
            breach_kind = "mode.correction" if may_be_corrected else "mode.older"
            start_numbers = [
                row_by_player_before.get(identifier, {}).get("start") or "?"
                for identifier in changed_fact.players
            ]
            score_before = _format_scores(result_change.before)
            score_after = _format_scores(result_change.after)
            change_text = str(describe_changes([result_change], before, after)[0])
            text_before = f"{'-'.join(start_numbers)}: {score_before}"
            yield FideModeBreach(
                breach_kind, changed_fact.round, change_text, text_before, score_after
            )

    has_other_virtual_points = any(
        csv_row.get("virtual", "") != row_by_player_after[identifier].get("virtual", "")
        for identifier, csv_row in row_by_player_before.items()
        if identifier in row_by_player_after
    )
    if mode.round and has_other_virtual_points:
        yield FideModeBreach("mode.setting", mode.round, "virtual")


def _format_scores(fact: ProtectedFact | None) -> str:
    """Return the scores of a fact with hyphens, such as 1-0; "none" without a fact.

    A bye has one score.
    """
    if fact is None:
        return "none"
    return "-".join(map(decimal_text, fact.scores))


def _find_points_correction(
    changes: Sequence[FactChange],
    number: int,
    mode: FideModeState,
    before: Files,
    after: Files,
) -> Iterator[FideModeBreach]:
    """Yield a breach if a record of what was played changes points of players.

    `changes` are those of round `number`, `mode` is the state before the step, and
    `before` and `after` are the files. The one breach names all players whose points
    differ. Nothing is yielded if all players keep their points.
    """
    points_before = points_by_player(result_change.before for result_change in changes)
    points_after = points_by_player(result_change.after for result_change in changes)
    identifiers_with_other_points = sorted(
        identifier
        for identifier in points_before
        if points_before[identifier] != points_after.get(identifier)
    )
    if not identifiers_with_other_points:
        return

    row_by_player = read_player_rows(before)
    start_number_by_player = {
        identifier: row_by_player.get(identifier, {}).get("start") or "?"
        for identifier in identifiers_with_other_points
    }
    texts_before_and_after = [
        ", ".join(
            f"{start_number_by_player[identifier]}: {decimal_text(points_of_one_state[identifier])}"
            for identifier in identifiers_with_other_points
        )
        for points_of_one_state in (points_before, points_after)
    ]
    breach_kind = "mode.correction" if number == mode.round - 1 else "mode.older"
    change_text = "; ".join(map(str, describe_changes(changes, before, after)))
    yield FideModeBreach(breach_kind, number, change_text, *texts_before_and_after)


def _find_round_breaches(
    before: FideModeState,
    after: FideModeState,
    files_after: Files,
    recorded: Collection[int],
) -> Iterator[FideModeBreach]:
    """Yield breaches by byes with the points of a win, and by changed pairings.

    `before` and `after` are the states before and after a step, and `files_after` the
    files after it. Only new byes count, and only pairings of the last paired round or a
    new one; in a round robin, pairings of all rounds. Rounds in `recorded` may have
    other pairs, and so may a round that is being changed by hand.
    """
    new_byes = _find_full_point_byes(after) - _find_full_point_byes(before)
    for round_number, identifier in sorted(new_byes):
        start_number = (
            read_player_rows(files_after).get(identifier, {}).get("start") or "?"
        )
        yield FideModeBreach(
            "mode.fpb", round_number, identifier, now=f"{start_number}=FPB"
        )

    is_change_by_hand_open = before.is_by_hand and after.is_by_hand
    last_round_to_compare = max(before.round, after.round)
    first_round_to_compare = 1 if before.is_round_robin else max(before.round, 1)
    for round_number in range(first_round_to_compare, last_round_to_compare + 1):
        if round_number in recorded:
            continue
        if (
            _find_pairs(before, round_number) != _find_pairs(after, round_number)
            and not is_change_by_hand_open
        ):
            yield FideModeBreach("mode.hand", round_number)


def _find_full_point_byes(state: FideModeState) -> set[tuple[int, str]]:
    """Return round and player of each requested bye that gives as much as a win.

    `state` has the rows of matches.csv. The player is an identifier. A win is worth 1
    if the settings do not say it.
    """
    win_points = state.worth.get("win", 1)
    return {
        (round_number, match_row.get("player1", ""))
        for round_number, match_row, is_requested_bye in state.rows
        if is_requested_bye
        and (parse_points(match_row.get("score1", "")) or 0) >= win_points
    }


def _find_pairs(state: FideModeState, number: int) -> set[tuple[frozenset[str], str]]:
    """Return the pairs and the allocated byes of a round; requested byes are skipped.

    `state` has the rows of matches.csv, and `number` is the number of the round. Each
    pair is the set of its players' identifiers, "" for nobody, and a text of the first
    player and their side. The result is empty if there is no such round.
    """
    pairs_with_sides = set()
    for round_of_row, match_row, is_requested_bye in state.rows:
        if round_of_row == number and not is_requested_bye:
            first_player = match_row.get("player1", "")
            player_pair = frozenset((first_player, match_row.get("player2", "")))
            pairs_with_sides.add(
                (player_pair, first_player + match_row.get("side1", "").lower())
            )
    return pairs_with_sides


def has_same_pairs(first: Files, second: Files, number: int) -> bool:
    """Return whether a round has the same pairs and sides in two versions of files.

    `first` and `second` are the contents of the event's files by name, and `number` is
    the round. Requested byes and the order of rows do not count.
    """
    pairs_in_first_version = _find_pairs(read_mode(first), number)
    return pairs_in_first_version == _find_pairs(read_mode(second), number)


def apply_mode(
    verb: str, before: Files, after: Files, asks: bool = True
) -> tuple[Files, tuple[FideModeBreach, ...]]:
    """Return the files with the breaches of a step recorded, and these breaches.

    `verb` is the command of the step, `before` and `after` are the contents of the
    files. Breaches stay recorded, and an event that has left FIDE mode stays outside.
    There are three exceptions. An undo in an event that is in FIDE mode takes back the
    breaches of the undone steps. An undo of the step that left FIDE mode, before the
    next round is paired, takes that back. A change by hand that ends with the pairs
    that it began with takes the mark of its begin back. Nothing is recorded if
    event.toml is missing before or after the step.

    Raises
    ------
    ConfirmationError
        If the step `asks` and consent is missing: one consent to break the mode, two to
        leave it.
    """
    mode_before = read_mode(before)
    mode_after = read_mode(after)
    leaving_breach = mode_before.left
    was_undone = any(breach.kind == "mode.undone" for breach in mode_before.breaches)
    stays_outside_mode = leaving_breach and (
        was_undone or mode_before.round > leaving_breach.round
    )
    takes_breaches_back = verb == "undo" and not stays_outside_mode
    if takes_breaches_back or not (before.get(EVENT) and after.get(EVENT)):
        return after, ()

    if verb == "undo":
        breaches_of_step: tuple[FideModeBreach, ...] = ()
        if mode_after.fide:
            breaches_of_step = (FideModeBreach("mode.undone", mode_after.round),)
    else:
        recorded_breaches = find_recorded_breaches(mode_before, mode_after)
        breaches_of_step = tuple(
            breach
            for breach in (*find_breaches(before, after), *recorded_breaches)
            if verb not in PAIRING or breach.kind != "mode.hand"
        )
    required_consents = max((breach.asks for breach in breaches_of_step), default=0)
    if asks and verb not in NOBODY_ASKED:
        _require_consent(breaches_of_step, required_consents)

    has_ended_as_begun = (
        mode_before.is_by_hand
        and mode_after.breaches == without_by_hand_mark(mode_before.breaches)
    )
    if verb in PAIRING and has_ended_as_begun and not breaches_of_step:
        breaches = mode_after.breaches
    else:
        breaches = (*mode_before.breaches, *breaches_of_step)

    has_left_or_paired_or_unset_mode = (
        leaving_breach or mode_before.round or mode_after.fide is None
    )
    is_mode_closed = mode_before.fide is False and has_left_or_paired_or_unset_mode
    is_newly_on = mode_after.fide and not mode_before.fide
    is_on_with_unfit_settings = is_newly_on and any(find_unfit_settings(mode_after))
    fide_after = (
        False
        if is_mode_closed or is_on_with_unfit_settings or required_consents > 1
        else mode_after.fide
    )
    if (fide_after, breaches) != (mode_after.fide, mode_after.breaches):
        after = {**after, EVENT: with_fide_mode(after[EVENT], fide_after, breaches)}
    return after, breaches_of_step


def _require_consent(breaches: Sequence[FideModeBreach], required: int) -> None:
    """Raise ConfirmationError if the user consented less often than `required`.

    The consents are those of the command that runs now, in the context variable
    AGAINST. The error says what the `breaches` are, and whether they break the mode or
    end it.
    """
    given_consents = AGAINST.get()
    if required <= given_consents:
        return
    if required == 1:
        error_message_id = "mode.breaks"
    elif given_consents:
        error_message_id = "mode.final"
    else:
        error_message_id = "mode.leaves"
    raise ConfirmationError(error_message_id, *(breach.said for breach in breaches))


def without_by_hand_mark(
    breaches: Sequence[FideModeBreach],
) -> tuple[FideModeBreach, ...]:
    """Return the breaches without the last mark that a change by hand began.

    They are the same if there is no such mark.
    """
    mark_indices = [
        breach_index
        for breach_index, breach in enumerate(breaches)
        if breach.kind == "mode.by_hand"
    ]
    return tuple(
        breach
        for breach_index, breach in enumerate(breaches)
        if breach_index not in mark_indices[-1:]
    )


def with_fide_mode(
    event: bytes, fide: bool | None, breaches: Sequence[FideModeBreach]
) -> bytes:
    """Return event.toml with another FIDE mode and other breaches.

    `event` is the content of event.toml. The mode stays if `fide` is None. `breaches`
    replace all breaches of the file; without any, the key is removed. The rest stays as
    it is.
    """
    # Few steps write the mode, and the others start faster without this import.
    import tomlkit

    def write(content: Any) -> None:
        """Write the mode and the breaches into the parsed event.toml, in place.

        `content` is the parsed document. The mode stays if `fide` is None, and without
        breaches their key is removed.
        """
        if fide is not None:
            content["fide"] = fide
        content.pop("breaches", None)
        if breaches:
            breach_tables = [
                {
                    field_name: field_value
                    for field_name, field_value in asdict(breach).items()
                    if field_value != ""
                }
                for breach in breaches
            ]
            content["breaches"] = tomlkit.item(breach_tables)

    return edit_toml(EVENT, event, write)


def format_setting(value: object, separator: str = ",") -> str:
    """Return a value of event.toml as users type it, such as "white,black" or "true".

    `separator` stands between the entries of a list. An empty list is "none". The
    values of a table are joined by colons.
    """
    if isinstance(value, list):
        return separator.join(map(format_setting, value)) or "none"
    if isinstance(value, dict):
        return ":".join(map(str, value.values()))
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
