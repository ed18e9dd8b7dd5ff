"""What a game may have beyond its six methods, one small class each; `Game` inherits them all."""
