"""Command `result`: write down, correct or take away the result of a table."""

from __future__ import annotations

from pairopt.folder.commands import CommandParameter, FolderCommand

VERB = FolderCommand(
    "result",
    group="Run an event",
    line="Enter, correct or remove the result of a table.",
    words="""
    Enter, correct or remove the result of a table.

    Examples:
      pairopt result friday 1 3-0               player 1 of table 1 wins
      pairopt result friday 4 0.5-0.5           a draw with half points
      pairopt result friday 2 1F-0F             a win by forfeit
      pairopt result friday 1 0-3 --round 2     correct an earlier round
      pairopt result friday 1 --off             remove the result

    SCORE is the points of the first player, then the points of the second player, for
    example 1-0. The score 0F-0F means that both players forfeit. You can also type the
    games of a match: won and lost (2-1), or won, lost and drawn (1-1-1). If the event
    has best_of, SCORE is always in games, and ID means an intentional draw (0-0-3). If
    a game is adjourned, type the word adjourned as SCORE. An adjourned game counts as a
    draw until you enter the score.

    If you correct an earlier round, pairopt names the later rounds that it would have
    paired differently. In a top cut, TABLE is the name of the match, for example B1.

    With --reversed or --opponent, you record that a match was played differently from
    the pairing, also in earlier rounds and in FIDE mode. Leave out SCORE to keep the
    result of the match.

    If a correction comes too late for the standings, use --rating-only. The corrected
    result then counts only for the rating, and stands in the tournament report.
    """,
    params=(
        CommandParameter("table", required=True),
        CommandParameter("score"),
        CommandParameter(
            "--round",
            "Round of TABLE. Default: the last round, in a round robin the first round with a missing result.",
            metavar="N",
            allowed="rounds",
        ),
        CommandParameter(
            "--decided",
            "Record an arbiter's decision, such as 0-0 or ½-0, about a match that was played or about one of its two games.",
            form="flag",
        ),
        CommandParameter(
            "--off", "Remove the result of this table.", form="flag", also="--clear"
        ),
        CommandParameter(
            "--reversed",
            "Record that the two players of TABLE played with reversed sides. Each player keeps "
            "their points. SCORE still gives the first player's points first.",
            form="flag",
        ),
        CommandParameter(
            "--opponent",
            "Record that the first player of TABLE played against PLAYER, and that PLAYER's opponent played against the other player of TABLE. Each table keeps its result.",
            metavar="PLAYER",
        ),
        CommandParameter(
            "--unrated",
            "Record that the game lasted less than one move, so that FIDE does not rate it.",
            form="flag",
        ),
        CommandParameter(
            "--rating-only",
            "Correct the result only for the rating. Standings and pairings keep the result that TABLE has. With --off, remove this correction.",
            form="flag",
        ),
        CommandParameter(
            "--bye",
            "Change the points of a bye: TABLE is the player's name, and SCORE the points.",
            form="flag",
        ),
        CommandParameter(
            "--sure",
            "Confirm that later matches of the bracket lose their results because their players change, that a bye is worth more than a win, or that a player who is excluded from half-point byes gets one.",
            form="flag",
        ),
    ),
    mode="leaves",
)
