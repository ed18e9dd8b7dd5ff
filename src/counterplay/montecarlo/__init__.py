"""Monte Carlo search: playouts, UCT, PUCT."""
