"""External engines as players: other programs, each in a process of its own, driven over a protocol of lines."""
