"""pairopt: pairs a round of a Swiss tournament and proves that no pairing is better."""

from pairopt.registry import lazy_exports

__getattr__, __all__ = lazy_exports(__name__)
