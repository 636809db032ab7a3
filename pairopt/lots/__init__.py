"""Lots: which pairings are optimal, how many are there, and which of them is drawn?"""
