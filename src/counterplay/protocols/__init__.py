"""Protocols by which other programs play against ours."""
