"""Round: how is one round paired, was it paired well, and why so?"""
