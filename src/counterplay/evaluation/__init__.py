"""The value of a state without search, by weights that are data."""
