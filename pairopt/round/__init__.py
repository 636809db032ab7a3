"""Pair, check, explain and re-pair one round."""
