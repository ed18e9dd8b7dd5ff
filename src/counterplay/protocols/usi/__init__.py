"""The Universal Shogi Interface: Counterplay as an engine for shogi programs."""
