"""Statistics: what a study says with confidence, from its table alone.

A tournament is one observation; its rounds are not independent. Models are compared on the same
replicates, so differences are paired.
"""
