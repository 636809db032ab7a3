"""The slips-of-paper procedure of Aesop's Tables, a heuristic."""

from pairopt.engines.base import EngineAbilities

ABILITIES = EngineAbilities()
