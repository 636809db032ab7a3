"""Test vectors: tiny rounds with all that is legal and best, said by oracles."""
