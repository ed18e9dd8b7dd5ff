"""Chess: tables, rules, notation, evaluation and picture."""
