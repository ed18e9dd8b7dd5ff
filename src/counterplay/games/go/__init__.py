"""Go: the board and its chains, the rules, how playouts choose, notation, pictures, SGF files."""
