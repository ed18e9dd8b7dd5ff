"""Search for many players and any sum: max^n, paranoid, best reply."""
