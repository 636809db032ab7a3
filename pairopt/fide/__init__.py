"""Pair rounds by FIDE's Swiss systems. Each sub-package or module is one system."""
