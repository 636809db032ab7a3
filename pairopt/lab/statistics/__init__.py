"""Statistics: what a study says with confidence, from its table alone; a tournament is one
observation, and differences are paired, as models are compared on the same replicates.
"""
