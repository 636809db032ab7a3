"""OR-Tools CP-SAT over classes of exchangeable pairs."""

from pairopt.engines.base import Abilities

ABILITIES = Abilities(exact=True, weighted=True, lookahead=True, brackets=True)
