"""Opponents by lot, whatever the rules say."""

from pairopt.extend import Abilities

ABILITIES = Abilities()
