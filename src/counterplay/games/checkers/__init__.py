"""English draughts: the board, the rules, judgement, PDN, pictures."""
