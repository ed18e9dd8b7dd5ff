"""Search in games with chance: expectiminimax, Star1 and Star2."""
