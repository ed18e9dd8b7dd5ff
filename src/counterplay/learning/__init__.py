"""Learning: weights from data, from play against oneself, from search."""
