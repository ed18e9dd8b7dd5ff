"""The famous machines of the field, rebuilt: each is a player under its own name."""
