"""Watching a search: recording every event, and the record as a file."""
