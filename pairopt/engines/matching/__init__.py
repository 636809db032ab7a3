"""Maximum-weight matching by rustworkx, which cannot be interrupted while it matches."""

from pairopt.engines.base import Abilities

ABILITIES = Abilities(exact=True, weighted=True, brackets=True)
