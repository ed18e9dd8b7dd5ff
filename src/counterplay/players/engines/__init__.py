"""External engines as players: other programs, each in its own process, driven over a protocol of lines."""
