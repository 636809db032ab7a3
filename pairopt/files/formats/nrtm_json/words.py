"""What NRTM JSON says besides, and as what it is kept, so that it is written again."""

FORM = "json"
CUT = "the cut"
"""The matches after the Swiss rounds, by round."""
OF_EVENT = ("name", "players", "rounds", "preliminaryRounds")
"""Keys of which an event says everything, but for the cut."""
IDENTITIES = ("corp_identity", "runner_identity")
"""Columns of players.csv."""
GAMES = ("corp1", "runner1", "corp2", "runner2")
MARKS = ("intentional_draw", "two_for_one")
"""Further columns of matches.csv."""

USUAL = {
    "name": "",
    "date": "",
    "cutToTop": 0,
    "preliminaryRounds": 0,
    "tournamentOrganiser": {"nrdbId": "", "nrdbUsername": ""},
    "players": list[object](),
    "eliminationPlayers": list[object](),
    "rounds": list[object](),
    "uploadedFrom": "pairopt",
    "links": list[object](),
}
"""What is written where the event does not say it, and says nothing where it is read."""
