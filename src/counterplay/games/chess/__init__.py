"""Chess: tables, rules, notation, judgement and picture."""
