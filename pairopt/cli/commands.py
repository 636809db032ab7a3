"""List the commands of `pairopt --help` by their groups, without importing their modules.

The commands on an event folder are in `pairopt.folder.commands`.
"""

from __future__ import annotations

from collections.abc import Mapping

GROUPS: Mapping[str, Mapping[str, str]] = {
    "An evening": {
        "standings": "Points, strength of schedule and side bias so far.",
        "serve": "The organiser's page: an event folder in the browser.",
    },
    "People": {},
    "One round": {
        "solve": "Pair the next round, and prove that no pairing is better.",
        "check": "Every level and constraint of somebody's pairing.",
        "explain": "Each match in a sentence; what another pairing would cost.",
        "compare": "Pair one round under several models.",
        "convert": "Write an event in another format.",
        "export": "Write a round as a program for solvers, with a proof for VeriPB.",
        "models": "List the models, or show one in plain words.",
    },
    "Instruments": {
        "frontier": "What two criteria of a model cost each other in a round.",
        "odds": "Who meets whom, and how likely, over all optimal pairings.",
        "incentive": "Whether losing a match helps in the next round.",
    },
    "Studies": {
        "simulate": "Play a whole tournament with random results.",
        "study": "Compare models on simulated tournaments or folders of real events.",
        "study run": "Play what a study.toml says, into a folder.",
        "study check": "Whether all in a study's folder follows from its games.",
        "study plan": "How many tournaments a study.toml needs.",
        "plot": "Draw what study found.",
    },
}
"""The help line of each command by its group, except for those on an event folder."""

MODULES: Mapping[str, str] = {
    "compare": "asking",
    "explain": "asking",
    "odds": "asking",
    "frontier": "instruments",
    "incentive": "instruments",
    "convert": "events",
    "standings": "events",
    "serve": "verbs",
    "plot": "simulate",
    "study run": "study",
    "study check": "study",
    "study plan": "study",
}
"""The modules of commands that share one. All other commands have a module of their own name."""

FIRST: Mapping[str, str] = {
    "pairopt new FOLDER --players FILE": "an event folder from a list of players",
    "pairopt pair FOLDER": "pair its next round",
    "pairopt result FOLDER TABLE SCORE": "write down a result",
    "pairopt standings FOLDER": "who leads",
    "pairopt undo FOLDER": "take the last step back",
    "pairopt serve FOLDER": "all of this in the browser",
    "pairopt solve EVENT": "pair a round of any file, and prove it",
}
"""The commands that a new user needs first."""

NEXT: Mapping[str, str] = {
    "pairopt serve friday": "a page in your browser, which asks for your list of players",
    "pairopt pair --help": "all that a command can do",
    "pairopt --help": "all commands",
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
