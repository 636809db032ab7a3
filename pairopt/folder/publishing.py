"""Publishing: the next round looked at, changed by hand, and written as it was shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pairopt.errors import UsageError
from pairopt.folder.desk import Desk, Done, Folder, opened, seen
from pairopt.folder.pairing import paired_desk, to_pair
from pairopt.problem.options import RoundOptions, spelled_out
from pairopt.round.by_hand import by_hand
from pairopt.round.result import Match, Result
from pairopt.round.solve import solve

if TYPE_CHECKING:
    from typing import Unpack

    from pairopt.problem.options import RoundKeywords


HANDS: dict[str, Any] = {"force": (), "forbid": (), "bye": None, "no_bye": ()}
"""The options by which somebody changes a round by hand, and what says nothing."""


@dataclass(frozen=True)
class Preview:
    """The next round as it would be written; nothing is yet.

    `result` is what is shown: its `pairs` are what `publish` takes, its `matches` the rows that
    it would write, its conflicts why it could not. `best` is an optimal pairing with nothing
    changed by hand.
    """

    result: Result
    best: Result

    @property
    def worse(self) -> list[str]:
        """What changes for it, in words; nothing where it is as good as the best."""
        if self.result.arcs is None or self.best.arcs is None:
            return []
        return self.result.differences(self.best)


@spelled_out(RoundOptions)
def preview(
    folder: Folder, matches: Sequence[Match] | None = None, **options: Unpack[RoundKeywords]
) -> Preview:
    """Pair the next round without writing anything; nobody waits while it is solved.

    Args:
        folder: the event folder.
        matches: a pairing that somebody wants instead of the optimal one.
        options: the fields of `RoundOptions`; `force`, `forbid`, `bye` and `no_bye` are changes
            by hand too.

    Raises:
        UsageError, InputError: as `pairopt.folder.pair`; or the matches are no pairing.
    """
    desk = folder if isinstance(folder, Desk) else seen(folder)
    event = to_pair(desk).event
    twice: dict[str, Any] = {"verify": "small", **options}
    free = solve(event, **{**twice, **HANDS})
    if matches is None:
        changed = any(options.get(name) for name in HANDS)
        return Preview(solve(event, **twice) if changed else free, free)
    made = Preview(by_hand(event, matches, **options), free)
    if free.proven and not made.worse and not made.result.conflicts:
        return replace(
            made, result=replace(made.result, status="optimal", proven_by=free.proven_by)
        )
    return made


@spelled_out(RoundOptions)
def publish(folder: Folder, matches: Sequence[Match], **options: Unpack[RoundKeywords]) -> Done:
    """Append a pairing of the next round to the matches as it was shown, in one step.

    Args:
        folder: the event folder.
        matches: the `pairs` of the result of a preview.
        options: as for that preview.

    Raises:
        UsageError: they are no pairing of this round, break a constraint, or all rounds are
            paired.
        InputError: the last round is not finished, or a file has faults.
    """
    with opened(folder) as desk:
        known = to_pair(desk)
        result = by_hand(known.event, matches, **options)
        if result.conflicts:
            raise UsageError("; ".join(result.conflicts))
        return paired_desk(known, result)
