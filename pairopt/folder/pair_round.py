"""Pairing: `pair` the next round of an event folder.

Or `preview` it, changed by hand, and `publish` it as it was shown.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.errors import ConfirmationError, JsonLocation, UsageError
from pairopt.event.column_layout import CellValue
from pairopt.event.event import REQUESTED, Event
from pairopt.event.source_info import FideModeBreach
from pairopt.event.table_assignment import add_name_columns
from pairopt.files.event_folder import EVENT, MATCHES
from pairopt.files.overwrite_guard import require_free
from pairopt.files.write import write_whole
from pairopt.folder.fide_mode import (
    has_same_pairs,
    read_mode,
    with_fide_mode,
    without_begin,
)
from pairopt.folder.open_folder import (
    Done,
    Folder,
    OpenFolder,
    open_folder,
    read_folder_state,
    requested_bye_row,
)
from pairopt.folder.pairing_numbers import require_numbers, with_pairing_numbers
from pairopt.folder.proofs import NoProofError, ProofStorage, as_claimed, with_proof
from pairopt.folder.protected_facts import MOST_NAMED
from pairopt.messages import Message, Note, as_note, join_notes, message, with_heading
from pairopt.messages.formatting import decimal_text, join_names
from pairopt.problem.keywords import RoundKeywords, SolveKeywords
from pairopt.problem.options import (
    RoundOptions,
    SolveOptions,
    options_text,
    show_keywords,
)
from pairopt.proof.file import Proof
from pairopt.proof.proving import require_proof
from pairopt.round.check import Check, check_played
from pairopt.round.check_event import check_paired, list_rounds
from pairopt.round.manual import SET_ASIDE, check_manual_pairing, list_broken_rules
from pairopt.round.remedies import Remedy, find_remedies
from pairopt.round.result import BY_HAND, Match, Result
from pairopt.round.solve import solve

HANDS: dict[str, Any] = {"force": (), "forbid": (), "bye": None, "no_bye": ()}
"""The options by which somebody changes a round by hand, and what says nothing."""


@show_keywords(SolveOptions)
def pair(
    folder: Folder,
    *,
    proof: str | Path | None = None,
    keep_proof: bool | None = None,
    sure: bool = False,
    **options: Unpack[SolveKeywords],
) -> Done:
    """Pair the next round of an event folder, and append it to its matches.

    `proof` is a file for the proof that no pairing is better; `keep_proof` whether it is kept in
    the folder, by default as the event says, else where it takes a moment; the options are those of
    `solve`. Where there is no pairing nothing is done (`step` is None). Raises UsageError: all
    rounds are paired, the cut is made, or an option does not fit; ConfirmationError where there is a
    `question`, unless `sure`. InputError: the last round is not finished, or a file has faults.
    """
    with open_folder(folder) as desk:
        known = to_pair(desk)
        given = as_claimed(known.event, options)
        keeping, twice = ProofStorage(keep_proof, given), {"verify": "small", **given}
        if proof is not None:
            require_free([proof])
            require_proof(known.event, **twice)
        result = solve(known.event, **twice)
        with proof_in(proof, result):
            if result.arcs is None:
                ways = find_remedies(result, partial(solve, known.event), given)
                return replace(desk.unchanged("pair"), result=result, ways=ways)
            result.require_sure(sure)
            return paired_desk(
                known, result, keeping, partial(proof_of, result, proof is not None)
            )


def to_pair(desk: OpenFolder) -> OpenFolder:
    """The desk with the rows that come before its next round is paired. Raises UsageError where all
    rounds are paired, or the cut is made.
    """
    desk.require_no_cut()
    last = desk.event.settings.rounds
    if last is not None and desk.event.round > last:
        raise UsageError("round.all_paired", rounds=last)
    if read_mode(desk.files).by_hand:
        raise UsageError("round.by_hand_open")
    require_numbers(desk)
    return with_missed(desk)


def paired_desk(
    known: OpenFolder,
    result: Result,
    keeping: ProofStorage,
    proving: Callable[[Budget], Proof],
) -> Done:
    """Append a pairing of the next round to the matches in one step."""
    event = known.event
    matches = known.matches.appended(_advance_bye_rows(event))
    new = with_pairing_numbers(known).changed(
        {MATCHES: matches.appended(add_name_columns(event, result.matches))}
    )
    new, of_proof = with_proof(new, event, keeping, proving)
    new = with_comparison(new, event.round, result.engine == BY_HAND, keeping.options)
    paired = with_heading(
        message("round.paired", round=event.round), counted_result(result)
    )
    said: list[Note] = [paired, of_proof]
    if read_mode(new.files).fide is None and result.problem.system is not None:
        new = new.changed({EVENT: with_fide_mode(new.files[EVENT], False, ())})
        said.append(message("mode.from_before"))
    did = describe_pairing_step("pair", event, result, keeping.options)
    return new.committed("pair", did, said, result)


def proof_of(result: Result, written: bool, budget: Budget) -> Proof:
    """The proof of a round, which is known already where it was written to another file."""
    found = result.proof if written else result.prove(budget)
    if found is None:
        raise NoProofError(message("proof.nothing_proven"))
    return found


def _by_hand_proof(
    event: Event, made: Result, options: Mapping[str, Any], budget: Budget
) -> Proof:
    """The proof of a round as it was shown, if none is better without what was done by hand."""
    require_proof(event, **options)
    left = budget.seconds_left()
    best = solve(
        event, **{**options, "time_limit": None if left is None else max(left, 0.001)}
    )
    if not best.proven:
        raise TimeUpError
    if made.differences(best):
        raise NoProofError(message("proof.worse_by_hand"))
    return proof_of(replace(best, arcs=made.arcs, matches=made.matches), False, budget)


@contextmanager
def proof_in(path: str | Path | None, result: Result) -> Iterator[None]:
    """A proof is written before the folder is changed, and gone again where that cannot be."""
    if path is None or result.proof is None:
        yield
        return
    write_whole(path, result.proof.text)
    try:
        yield
    except BaseException:
        Path(path).unlink(missing_ok=True)
        raise


def with_missed(desk: OpenFolder) -> OpenFolder:
    """With rows for the rounds that who is active now has missed, if these give points."""
    made = missed_round_rows(desk.event)
    return desk.changed({MATCHES: desk.matches.appended(made)}) if made else desk


def missed_round_rows(event: Event) -> list[dict[str, CellValue]]:
    """Rows for the rounds that who is active now has missed, if these give points."""
    points, rows, made = event.settings.points, event.matches, []
    if points is None or points.absent == 0:
        return []
    for turn in range(1, event.round):
        there = rows.take(rows.round == turn).player_mask(len(event.players))
        made += [
            requested_bye_row(
                event.players[position], turn, decimal_text(points.absent)
            )
            for position in np.flatnonzero(event.active & ~there)
        ]
    return made


def _advance_bye_rows(event: Event) -> list[dict[str, CellValue]]:
    rows, places = event.matches, event.origin.places
    known = np.array(
        [isinstance(places[k], JsonLocation) for k in rows.row.tolist()], np.bool_
    )
    chosen = rows.take((rows.round == event.round) & known)
    return [
        requested_bye_row(event.players[one], event.round, event.points_text(score))
        for one, score in zip(
            chosen.first.tolist(), chosen.score1.tolist(), strict=True
        )
    ]


def counted_result(result: Result) -> Message:
    alone = [str(row["player1"]) for row in result.matches if row["player2"] is None]
    byes = [result.event.shown[result.event.index[player]] for player in alone]
    kind = "round.matches_and_bye" if byes else "round.matches"
    return message(kind, matches=len(result.matches) - len(byes), byes=byes)


def describe_pairing_step(
    verb: str, event: Event, result: Result, options: Mapping[str, Any]
) -> Message:
    """What a step on a round did: the model, the seed, and which rules were set aside for whom."""
    kind = DESCRIBED[verb, result.engine == BY_HAND]
    value = f"{result.model}, seed {result.seed}"
    if set_aside := rules_set_aside(event, result, options):
        value += f", {set_aside}"
    return message(kind, round=event.round, value=value)


def rules_set_aside(
    event: Event, result: Result, options: Mapping[str, Any]
) -> Note | None:
    """Return which rules were set aside for a round and for whom, or None if none was."""
    given = {name: tuple(options[name]) for name in SET_ASIDE if options.get(name)}
    if not given:
        return None

    broken = list_broken_rules(event, result.pairs, **options)
    if not broken:
        return message("step.nothing_broken", options=options_text(given))

    first = [as_note(each) for each in broken[:MOST_NAMED]]
    if len(broken) > MOST_NAMED:
        first.append(message("fact.more", count=len(broken) - MOST_NAMED))
    return with_heading(message("step.set_aside"), *first)


DESCRIBED = {
    ("pair", False): "step.pair",
    ("pair", True): "step.pair_shown",
    ("repair", False): "step.repair",
    ("repair", True): "step.repair_shown",
}


@dataclass(frozen=True)
class Preview:
    """The next round as it would be written; nothing is yet. `result` is what is shown: its `pairs`
    are what `publish` takes, its `matches` the rows that it would write, its conflicts why it could
    not. `best` is an optimal pairing with nothing changed by hand; `ways` what could be allowed
    where there is none.
    """

    result: Result
    best: Result
    ways: tuple[Remedy, ...] = ()

    @property
    def worse(self) -> list[str]:
        """What changes for it, in words; nothing where it is as good as the best."""
        if self.result.arcs is None or self.best.arcs is None:
            return []
        return self.result.differences(self.best)


@show_keywords(RoundOptions)
def preview(
    folder: Folder,
    matches: Sequence[Match] | None = None,
    **options: Unpack[RoundKeywords],
) -> Preview:
    """Pair the next round without writing anything; nobody waits while it is solved. `matches` is a
    pairing that somebody wants instead of the optimal one; the options `force`, `forbid`, `bye` and
    `no_bye` are changes by hand too. Errors as `pair`; or the matches are no pairing.
    """
    event = to_pair(
        folder if isinstance(folder, OpenFolder) else read_folder_state(folder)
    ).event
    twice: dict[str, Any] = {"verify": "small", **options}
    free = solve(event, **{**twice, **HANDS})
    if matches is None:
        changed = any(options.get(name) for name in HANDS)
        made = solve(event, **twice) if changed else free
        return Preview(made, free, find_remedies(made, partial(solve, event), options))
    shown = Preview(check_manual_pairing(event, matches, **options), free)
    if free.proven and not shown.worse and not shown.result.conflicts:
        return replace(
            shown,
            result=replace(shown.result, status="optimal", proven_by=free.proven_by),
        )
    return shown


@show_keywords(RoundOptions)
def publish(
    folder: Folder,
    matches: Sequence[Match],
    *,
    keep_proof: bool | None = None,
    sure: bool = False,
    **options: Unpack[RoundKeywords],
) -> Done:
    """Append a pairing of the next round to the matches as it was shown, in one step.

    `matches` are the `pairs` of the result of a preview, the options those of that preview;
    `keep_proof`, `sure` and errors are those of `pair`. There is no proof to keep of a round that
    was made worse by hand. UsageError also where they are no pairing of this round, or break a
    constraint.
    """
    with open_folder(folder) as desk:
        known = to_pair(desk)
        result = check_manual_pairing(known.event, matches, **options)
        if result.conflicts:
            raise UsageError(
                join_notes([*map(as_note, result.conflicts)], name="pairing.faults")
            )
        result.require_sure(sure)
        own = as_claimed(known.event, {**options, **HANDS})
        proving = partial(_by_hand_proof, known.event, result, own)
        return paired_desk(known, result, ProofStorage(keep_proof, own), proving)


def changed_by_hand(folder: Folder, *, off: bool = False) -> Done:
    """Begin to change the last round by hand, or end that with `off`.

    At the end the round is compared with what the event's rules give. If it is as it was at the
    begin, the event keeps no mark of it. Raises UsageError where no round is open, or it is begun
    already, or not.
    """
    with open_folder(folder) as desk:
        number, now = desk.rounds(), read_mode(desk.files)
        if now.by_hand != off:
            raise UsageError(
                "round.by_hand_already" if now.by_hand else "round.not_by_hand"
            )
        if not off and not desk.rows.open.any():
            raise UsageError("round.none_open")
        if off and _is_as_begun(desk, number):
            did = message("step.by_hand_off", round=number)
            return _without_begin(desk).committed(
                "pair", did, [message("round.as_begun", round=number)]
            )
        other = find_rule_breach(desk.event, number) if off else None
        found = other or FideModeBreach(
            "mode.as_due" if off else "mode.by_hand", number
        )
        did = message("step.by_hand_off" if off else "step.by_hand", round=number)
        return _record_breach(desk, found).committed("pair", did, [found.said])


def _is_as_begun(desk: OpenFolder, number: int) -> bool:
    """Return whether a round has the pairs that it had when its change by hand began."""
    begun = desk.journal.come_from(number, "pair")
    if begun is None or begun[0].did.kind != "step.by_hand":
        return False
    return has_same_pairs(begun[1], desk.files, number)


def _without_begin(desk: OpenFolder) -> OpenFolder:
    """Return the desk without the mark that a change by hand began."""
    now = read_mode(desk.files)
    return desk.changed(
        {
            EVENT: with_fide_mode(
                desk.files[EVENT], now.fide, without_begin(now.breaches)
            )
        }
    )


def exchange(folder: Folder, players: Sequence[str], *, sure: bool = False) -> Done:
    """Put two players of the round that is changed by hand in each other's places; who meet
    exchange their sides. Raises UsageError where no round is, they are not both in it, or a table
    has a result; ConfirmationError for what the rules have against it, unless it is said for `sure`.
    """
    with open_folder(folder) as desk:
        event, rows, table, number = desk.event, desk.rows, desk.matches, desk.rounds()
        if not read_mode(desk.files).by_hand:
            raise UsageError("round.not_by_hand")
        two, here = (
            event.positions(players),
            (rows.round == number) & (rows.status != REQUESTED),
        )
        here &= rows.open | (rows.second < 0)
        seats = [
            (column, int(k), two[two[0] == own])
            for column, side in ((1, rows.first), (2, rows.second))
            for own in two
            for k in np.flatnonzero(here & (side == own))
        ]
        if len({*two}) != 2 or len(seats) != 2:
            raise UsageError("round.no_exchange", round=number)
        for column, k, p in seats:
            cells = {
                f"player{column}": event.players[p],
                f"name{column}": event.names[p],
            }
            table = table.changed(
                k, {each: cells[each] for each in cells if each in table.columns}
            )
        new = desk.changed({MATCHES: table})
        known, found = (
            [
                each.message
                for each in _check_as_paired(some, number, solve=False).violations
            ]
            for some in (event, new.event)
        )
        if (
            wary := [message(each) for each in found if each not in known]
        ) and not sure:
            raise ConfirmationError(*wary)
        did = message(
            "step.exchange",
            round=number,
            **desk.of(*map(event.players.__getitem__, two)),
        )
        return new.committed("repair", did, [did, *wary])


def _check_as_paired(event: Event, number: int, **given: Any) -> Check:
    before, options = next(
        each for each in list_rounds(event, {}) if each[1]["round"] == number
    )
    return check_played(before, **{**options, **given})


def compared_imports(event: Event) -> list[FideModeBreach]:
    """How the rounds that a file brings differ from what the event's rules give.

    The latest round may follow the rules of the last round if the file doesn't say how many rounds
    there are.
    """
    breaches = []
    rounds = list_rounds(event, {})
    latest = rounds[-1][1]["round"]
    for before, options in rounds:
        number = options["round"]
        found, _ = check_paired(before, options, latest=number == latest)
        breach = _breach(event, number, found)
        if breach is not None:
            breaches.append(replace(breach, kind="mode.import"))
    return breaches


def find_rule_breach(event: Event, number: int) -> FideModeBreach | None:
    """How a round that is paired differs from what the event's rules give, if it does."""
    return _breach(event, number, _check_as_paired(event, number))


def _breach(event: Event, number: int, found: Check) -> FideModeBreach | None:
    if found.agrees or found.optimum is None:
        return None
    start = dict(zip(event.players, event.start_numbers.tolist(), strict=True))
    rows = event.matches.paired_rows(number)
    seats = zip(rows.first.tolist(), rows.second.tolist(), strict=True)
    due = [*map(frozenset, found.optimum.pairs)]
    made = [frozenset(event.players[p] for p in seat if p >= 0) for seat in seats]
    was, now = (
        " ".join(
            "-".join(map(str, sorted(map(start.__getitem__, each))))
            for each in some
            if each not in others
        )
        for some, others in ((due, made), (made, due))
    )
    what = join_names(found.changed, 3) or str(found.told)
    return FideModeBreach("mode.mpa", number, what, was, now)


ELSE = (*HANDS, "allow", "allow_bye", "relax", "model", "points", "sides", "lookahead")


def with_comparison(
    desk: OpenFolder, number: int, changed: bool, options: Mapping[str, Any]
) -> OpenFolder:
    """The desk, in FIDE mode with how a round differs that was `changed` by hand or by options."""
    changed = changed or any(options.get(name) for name in ELSE)
    found = (
        find_rule_breach(desk.event, number)
        if changed and read_mode(desk.files).fide
        else None
    )
    return desk if found is None else _record_breach(desk, found)


def _record_breach(desk: OpenFolder, found: FideModeBreach) -> OpenFolder:
    now = read_mode(desk.files)
    return desk.changed(
        {EVENT: with_fide_mode(desk.files[EVENT], now.fide, (*now.breaches, found))}
    )
