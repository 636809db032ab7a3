"""The Burstein System: the bye, the criteria of each bracket and the order of pairings as levels.

As in the Dutch System, which pairs its seeding rounds, a match is made in the bracket of its lower
player's score. The bye is given first, by score, games and rank; then C5 to C8 of each bracket are
sums over matches, and so is the place of a pairing among all, once it is known who is there.

Source: FIDE Handbook C.04.4.2, in force since 1 February 2026.
"""

from pairopt.fide.burstein.system import Burstein

__all__ = ["Burstein"]
