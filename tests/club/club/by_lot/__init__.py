"""Opponents by lot, whatever the rules say."""

from pairopt.engines.base import Abilities

ABILITIES = Abilities()
