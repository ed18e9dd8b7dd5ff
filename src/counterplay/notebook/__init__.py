"""Playthroughs, traces and matches in notebooks (extra `notebook`)."""
