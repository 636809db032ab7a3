"""Half-point byes: who is excluded from them, and who gets a second one."""

from fractions import Fraction

from pairopt.errors import ConfirmationError
from pairopt.event.column_layout import HALF_POINT_BYES
from pairopt.event.event import REQUESTED, Event
from pairopt.event.points import CHESS
from pairopt.messages import Message, message


def check_half_point_bye(
    event: Event, position: int, number: int, points: Fraction, sure: bool
) -> list[Message]:
    """Return a warning on a player's second half-point bye, as a list of one message.

    The list is empty if the player has no half-point bye in another round. `position`
    is the player's position in the event, `number` the round of the bye, and `points`
    what the bye gives. It is a half-point bye if it gives as much as a draw; other byes
    give no warning. Raise ConfirmationError, unless `sure`, if the column
    `half_point_byes` of players.csv excludes the player from half-point byes.
    """
    if not points or points != (event.settings.points or CHESS).draw:
        return []

    player_name = event.shown[position]
    half_point_bye_cells = event.columns.get(HALF_POINT_BYES, ())
    is_excluded = bool(half_point_bye_cells) and half_point_bye_cells[
        position
    ].strip().lower() in ("no", "false")
    if is_excluded and not sure:
        raise ConfirmationError("bye.excluded", name=player_name)
    match_rows = event.matches
    is_other_half_point_bye = (
        (match_rows.first == position)
        & (match_rows.second < 0)
        & (match_rows.status == REQUESTED)
        & (match_rows.round != number)
        & (match_rows.score1 == points * event.scale)
    )
    rounds_of_other_byes = sorted(
        set(match_rows.round[is_other_half_point_bye].tolist())
    )
    return (
        [message("bye.second_half", name=player_name, rounds=rounds_of_other_byes)]
        if rounds_of_other_byes
        else []
    )
