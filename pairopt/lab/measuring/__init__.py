"""Measuring: what tournaments were like, as tables, statistics and figures."""
