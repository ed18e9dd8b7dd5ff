"""English draughts: the board, the rules, evaluation, PDN, pictures."""
