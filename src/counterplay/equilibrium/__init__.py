"""Equilibria: games in normal form, games with secrets as information sets, best responses, policies."""
