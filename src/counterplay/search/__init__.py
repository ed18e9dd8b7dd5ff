"""Search in games with open information."""
