"""The library of rounds: how they are drawn, solved, described and written."""
