"""What `check` says of a pairing that cannot be one of this round."""

from __future__ import annotations

import pandas as pd
import pytest

from pairopt import InputError, check, read_event
from pairopt.errors import CellLocation


def test_each_who_is_nobody_of_the_event_is_told_with_the_cell() -> None:
    event = read_event(pd.DataFrame({"player": list("ABCD")}))
    rows = [(1, "A", "Nobody"), (1, "Noone", "B"), (1, "C", "D")]
    pairing = pd.DataFrame(rows, columns=["round", "player1", "player2"])
    with pytest.raises(InputError) as refused:
        check(event, pairing, "monrad")
    told = [
        (fault.place, fault.said.fields["player"]) for fault in refused.value.faults
    ]
    assert told == [
        (CellLocation(2, "player2"), "Nobody"),
        (CellLocation(3, "player1"), "Noone"),
    ]
