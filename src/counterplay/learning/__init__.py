"""Learning: weights from data, from self-play, from search."""
