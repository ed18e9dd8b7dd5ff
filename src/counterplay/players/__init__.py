"""Players: ways to choose an action within a budget, named by specs such as `alphabeta:time=1`."""
