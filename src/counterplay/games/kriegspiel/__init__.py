"""Kriegspiel, chess in the dark; and its endings, in which only one side is blind."""
