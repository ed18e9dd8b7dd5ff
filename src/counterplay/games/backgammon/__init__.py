"""Backgammon: the board, plays, the rules, judgement, the bear-off, notation, pictures."""
