"""Engine `by_lot`: draw opponents at random and ignore the rules."""

from pairopt.extend import EngineAbilities

ABILITIES = EngineAbilities()
