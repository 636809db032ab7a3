"""Event: players and rounds, and what follows from them about each player."""
