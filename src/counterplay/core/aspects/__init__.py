"""What a game can have beyond its six methods, in small classes; `Game` inherits them all."""
