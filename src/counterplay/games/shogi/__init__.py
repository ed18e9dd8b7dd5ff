"""Shogi on 9x9 and minishogi on 5x5: rules, evaluation, notation, records, picture."""
