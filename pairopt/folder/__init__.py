"""Folder: an event that keeps its own rules, and the verbs that run it, one step each."""
