"""The exact engines together: CP-SAT over classes, what it leaves by matching."""

from pairopt.engines.base import EngineAbilities

ABILITIES = EngineAbilities(exact=True, weighted=True, lookahead=True, brackets=True)
