"""Keep the import path `pairopt.lab.incentive.agreements` of version 1.0.0."""

from pairopt.analysis.agreements import agreements

__all__ = ["agreements"]
