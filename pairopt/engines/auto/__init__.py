"""The exact engines together: CP-SAT over classes, what it leaves by matching."""

from pairopt.engines.base import Abilities

ABILITIES = Abilities(exact=True, weighted=True, lookahead=True, brackets=True)
