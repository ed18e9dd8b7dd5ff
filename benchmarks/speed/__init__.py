"""How fast Counterplay is, side by side with other programs."""
