"""Opponents by lot, whatever the rules say."""

from pairopt.extend import EngineAbilities

ABILITIES = EngineAbilities()
