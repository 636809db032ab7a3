"""Event: who plays, what has happened so far, and what follows from it about each player?"""
