"""Instruments: what a single round shows of criteria and of temptation."""
