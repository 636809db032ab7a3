"""Limits, deadlines, serialization and atomic writes, apart from tournaments."""
