"""The event of the arbiter's manual, played to its end: eleven players, five rounds.

Gruber, Jensen and Kovac are equal in points and in every tie-break. Dahl lost round 1 by forfeit,
and each round has a bye.
"""

from __future__ import annotations

from pathlib import Path

from places import ROOT

from pairopt import Event, read_event

PLAYERS = ROOT / "examples" / "fide" / "spring.csv"
MATCHES = """round,table,player1,player2,side1,score1,score2,status
1,1,"Berzins, Janis","Farkas, Anna",white,1,0,
1,2,"Gruber, Max","Aalto, Minna",white,0,1,
1,3,"Costa, Bruno","Hansen, Ole",white,0.5,0.5,
1,4,"Ivanov, Petar","Dahl, Ingrid",white,1,0,forfeit
1,5,"Eder, Paul","Jensen, Liv",white,0,1,
1,,"Kovac, Luka",,,1,,bye
2,1,"Ivanov, Petar","Berzins, Janis",white,1,0,
2,2,"Aalto, Minna","Kovac, Luka",white,1,0,
2,3,"Jensen, Liv","Costa, Bruno",white,1,0,
2,4,"Hansen, Ole","Dahl, Ingrid",white,1,0,
2,5,"Farkas, Anna","Eder, Paul",white,1,0,
2,,"Gruber, Max",,,1,,bye
3,1,"Jensen, Liv","Ivanov, Petar",white,0.5,0.5,
3,2,"Hansen, Ole","Aalto, Minna",white,0.5,0.5,
3,3,"Berzins, Janis","Gruber, Max",white,0.5,0.5,
3,4,"Kovac, Luka","Farkas, Anna",white,0.5,0.5,
3,5,"Dahl, Ingrid","Costa, Bruno",white,0.5,0.5,
3,,"Eder, Paul",,,1,,bye
4,1,"Aalto, Minna","Jensen, Liv",white,1,0,
4,2,"Ivanov, Petar","Hansen, Ole",white,0.5,0.5,
4,3,"Kovac, Luka","Berzins, Janis",white,0,1,
4,4,"Farkas, Anna","Gruber, Max",white,1,0,
4,5,"Costa, Bruno","Eder, Paul",white,0.5,0.5,
4,,"Dahl, Ingrid",,,1,,bye
5,1,"Aalto, Minna","Ivanov, Petar",white,0.5,0.5,
5,2,"Berzins, Janis","Hansen, Ole",white,1,0,
5,3,"Jensen, Liv","Farkas, Anna",white,0,1,
5,4,"Gruber, Max","Dahl, Ingrid",white,1,0,
5,5,"Eder, Paul","Kovac, Luka",white,0,1,
5,,"Costa, Bruno",,,1,,bye
"""
EVENT_TOML = """id = "spring"
title = "Spring Open"
model = "fide-dutch"
rounds = 5
sides = ["white", "black"]
tie_breaks = ["DE", "BH/C1", "BH", "SB"]
"""
POINTS = """
[points]
win = 1
draw = 0.5
loss = 0
bye = 1
"""


def write_manual_event(
    folder: Path, settings: str = "", matches: str = MATCHES
) -> Path:
    """Write the event as a folder, with further lines of event.toml."""
    folder.mkdir(parents=True)
    (folder / "event.toml").write_text(EVENT_TOML + settings + POINTS, encoding="utf-8")
    (folder / "players.csv").write_bytes(PLAYERS.read_bytes())
    (folder / "matches.csv").write_text(matches, encoding="utf-8")
    return folder


def manual_event(folder: Path, settings: str = "") -> Event:
    """Read the event, with further lines of event.toml."""
    return read_event(write_manual_event(folder, settings), unfinished=True)
