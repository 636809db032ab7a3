"""The FIDE (Dutch) System by py4swiss, which proves nothing by the model's own levels."""

from pairopt.engines.base import Abilities

ABILITIES = Abilities()
