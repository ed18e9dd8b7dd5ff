"""Exercises drawn from the real algorithms' traces and graded with the reason, sheets of them, and lessons."""
