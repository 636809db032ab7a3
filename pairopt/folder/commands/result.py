"""Command `result`: write down, correct or take away the result of a table."""

from __future__ import annotations

from pairopt.folder.commands import CommandParameter, FolderCommand

VERB = FolderCommand(
    "result",
    group="An evening",
    line="Write down, correct or take away the result of a table.",
    words="""
    Write down the SCORE of a TABLE in the last round of FOLDER, or of a match of its bracket.

    SCORE has the points of the first and the second player: 3-0, 0.5-0.5, ½-½; or 1F-0F, 0F-0F for a
    match that was not played. What the points do not give is games, won, lost and drawn: 2-1, 1-1-1; with
    best_of each score is, and ID is an intentional draw, 0-0-3. A game that is adjourned is "adjourned", a draw until its score comes. A
    correction names the later rounds that would have been others. With --off it is not played yet.
    After the cut TABLE is B1, B2, …, and the higher score wins.

    You can also record that a match was played differently, even in an earlier round and in FIDE mode.
    With --reversed the two players had each other's sides. With --opponent the first player of TABLE met
    another player of the round. If you leave out SCORE then, the result stays.
    """,
    params=(
        CommandParameter("table", required=True),
        CommandParameter("score"),
        CommandParameter(
            "--round", "Correct an earlier round.", metavar="N", allowed="rounds"
        ),
        CommandParameter(
            "--decided",
            "An arbiter's decision: 0-0 or ½-0 of a match that was played, or of one of its "
            "two games.",
            form="flag",
        ),
        CommandParameter(
            "--off", "There is no result yet.", form="flag", also="--clear"
        ),
        CommandParameter(
            "--reversed",
            "Record that the two players of TABLE had each other's sides. Each player keeps "
            "their points. SCORE still gives the first player's points first.",
            form="flag",
        ),
        CommandParameter(
            "--opponent",
            "Record that the first player of TABLE met PLAYER, and that PLAYER's opponent met "
            "the other player of TABLE. Each table keeps its result.",
            metavar="PLAYER",
        ),
        CommandParameter(
            "--bye",
            "TABLE is a player, and SCORE the points of their bye.",
            form="flag",
        ),
        CommandParameter(
            "--sure",
            "Reopen later matches of the cut that will have other players, or give a bye more "
            "points than a win.",
            form="flag",
        ),
    ),
    mode="leaves",
)
