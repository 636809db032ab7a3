"""OR-Tools CP-SAT over classes of exchangeable pairs."""

from pairopt.engines.base import EngineAbilities

ABILITIES = EngineAbilities(exact=True, weighted=True, lookahead=True, brackets=True)
