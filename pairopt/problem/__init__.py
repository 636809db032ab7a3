"""Problem: what do an event and a model together ask of a round, and does a pairing keep it?"""
