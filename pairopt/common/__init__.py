"""Provide limits, deadlines, serialization and atomic writes. It knows no tournaments."""
