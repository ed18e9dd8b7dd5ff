"""What a state is worth without search, by weights that are data."""
