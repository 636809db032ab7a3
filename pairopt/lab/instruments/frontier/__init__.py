"""Frontier: all that can be had of two or three criteria of a model, each compromise proven."""
