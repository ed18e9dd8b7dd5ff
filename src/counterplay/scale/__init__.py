"""The same jobs in one process, in several, or on a Ray cluster."""
