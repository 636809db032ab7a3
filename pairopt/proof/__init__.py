"""Proof: why is no pairing better, or why is there none, for anybody to verify and to read?"""
