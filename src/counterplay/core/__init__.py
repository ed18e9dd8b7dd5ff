"""The Game class, how it compiles, actions, keys, random numbers, the registry of games."""
