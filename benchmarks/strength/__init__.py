"""How well Counterplay plays, against other programs."""
