"""Simulate whole tournaments under several models and compare them with common random numbers."""

from pairopt.registry import lazy_exports

__getattr__, __all__ = lazy_exports(__name__)
