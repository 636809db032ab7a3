"""Maximum-weight matching by rustworkx, which cannot be interrupted while it matches."""

from pairopt.engines.base import EngineAbilities

ABILITIES = EngineAbilities(exact=True, weighted=True, brackets=True)
