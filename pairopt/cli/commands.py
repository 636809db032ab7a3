"""List the commands of `pairopt --help` by their groups, without importing their modules.

The commands on an event folder are in `pairopt.folder.commands`.
"""

from __future__ import annotations

from collections.abc import Mapping

GROUPS: Mapping[str, Mapping[str, str]] = {
    "Run an event": {
        "standings": "Show the standings of an event or a league.",
        "print": "Print a list for the wall, such as the cross table.",
        "publish": "Write an event as web pages for your own web space.",
        "serve": "Run an event in your browser.",
    },
    "Players": {
        "lists": "Show the rating lists that are stored on this computer.",
        "lists add": "Store a rating list of FIDE or another federation.",
        "lists find": "Find persons in a rating list.",
        "lists remove": "Remove a stored rating list.",
    },
    "One round": {
        "solve": "Pair the next round, and prove that no pairing is better.",
        "check": "Check a pairing, a proof, or every round of an event.",
        "explain": "Explain each match, and what another pairing would cost.",
        "compare": "Compare the pairings of several models for one round.",
        "convert": "Convert an event to another file format.",
        "export": "Write a round as an integer program for other solvers.",
        "models": "List the shipped models, or explain one model.",
    },
    "Analysis": {
        "frontier": "Show the trade-off between two or three criteria.",
        "odds": "Show each player's possible opponents and probabilities.",
        "draw": "Show the odds of a cup draw, uniform and by UEFA's mechanism.",
        "incentive": "Test whether losing a match helps in the next round.",
    },
    "Research": {
        "simulate": "Simulate a tournament with random results.",
        "study": "Compare models on simulated tournaments or real events.",
        "study run": "Run the study that a study.toml describes.",
        "study check": "Check that a study's results follow from its study.toml.",
        "study plan": "Compute how many tournaments a study.toml needs.",
        "plot": "Draw figures of a study.",
    },
}
"""The help line of each command by its group, except for those on an event folder."""

MODULES: Mapping[str, str] = {
    "lists add": "lists",
    "lists find": "lists",
    "lists remove": "lists",
    "compare": "asking",
    "explain": "asking",
    "odds": "asking",
    "frontier": "instruments",
    "incentive": "instruments",
    "convert": "events",
    "standings": "events",
    "print": "print_list",
    "serve": "verbs",
    "plot": "simulate",
    "study run": "study",
    "study check": "study",
    "study plan": "study",
}
"""The modules of commands that share one. All other commands have a module of their own name."""

FIRST: Mapping[str, str] = {
    "pairopt new FOLDER --players FILE": "create an event from a list of players",
    "pairopt pair FOLDER": "pair the next round",
    "pairopt result FOLDER TABLE SCORE": "enter a result",
    "pairopt standings FOLDER": "show the standings",
    "pairopt undo FOLDER": "undo the last change",
    "pairopt serve FOLDER": "do all this in your browser",
    "pairopt solve EVENT": "pair a round of any file, with a proof",
}
"""The commands that a new user needs first."""

NEXT: Mapping[str, str] = {
    "pairopt serve friday": "run an event in your browser, from your list of players",
    "pairopt pair --help": "show examples and options of a command",
    "pairopt --help": "list all commands",
}
"""The commands that `pairopt` without a command suggests."""

GONE: Mapping[str, str] = {
    "back": "pairopt drop FOLDER PLAYER --off",
    "check-in": "pairopt drop FOLDER --all",
    "rename": "pairopt edit FOLDER PLAYER --name NAME",
    "repair": "pairopt pair FOLDER --again",
    "table": "pairopt edit FOLDER PLAYER --table N",
}
"""Commands that were removed, and what to type instead."""

OTHER_WORDS: Mapping[str, str] = {
    "add": "pairopt enter FOLDER PLAYER",
    "config": "pairopt set FOLDER KEY VALUE",
    "create": "pairopt new FOLDER --players FILE",
    "cut": "pairopt bracket FOLDER --cut N",
    "delete": "pairopt remove FOLDER PLAYER",
    "import": "pairopt new FOLDER --players FILE",
    "init": "pairopt new FOLDER --players FILE",
    "open": "pairopt serve FOLDER",
    "pairings": "pairopt pair FOLDER",
    "prizes": "pairopt print FOLDER prizes",
    "ranking": "pairopt standings FOLDER",
    "recover": "pairopt mend FOLDER",
    "redo": "pairopt undo FOLDER --to N",
    "score": "pairopt result FOLDER TABLE SCORE",
    "start": "pairopt serve FOLDER",
    "withdraw": "pairopt drop FOLDER PLAYER",
}
"""Words that other programs have for a command, and what to type instead."""
