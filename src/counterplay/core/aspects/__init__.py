"""What a game may have beyond its six methods, a small class for each; `Game` inherits them all."""
