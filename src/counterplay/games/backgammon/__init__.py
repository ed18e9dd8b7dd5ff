"""Backgammon: the board, plays, the rules, evaluation, the bear-off, notation, pictures."""
