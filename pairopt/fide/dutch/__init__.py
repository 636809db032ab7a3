"""The FIDE (Dutch) System: the criteria of each bracket and the order of candidates as levels.

In a complete pairing a match is made in the bracket of its lower player's score, and its upper
player floats out of every bracket from their own score down to there. So every criterion of every
bracket is a sum over matches, and the system is one lexicographic order over complete pairings.

Source: FIDE Handbook C.04.3, in force since 1 February 2026.
"""

from pairopt.fide.dutch.system import Dutch

__all__ = ["Dutch"]
