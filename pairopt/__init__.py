"""pairopt: pairs a round of a Swiss tournament and proves that no pairing is better."""

from pairopt.registry import on_first_use

__getattr__, __all__ = on_first_use(__name__)
