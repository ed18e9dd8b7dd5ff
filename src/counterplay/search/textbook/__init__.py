"""Minimax and alpha-beta as a lecture shows them, and the engine's oracles."""
