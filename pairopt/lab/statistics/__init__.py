"""Statistics of a study's table: means, paired differences, confidence intervals and tests.

A tournament is one observation. Differences are paired, because models are compared on the same
replicates.
"""
