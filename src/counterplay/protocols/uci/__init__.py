"""The Universal Chess Interface: Counterplay as an engine for chess programs."""
