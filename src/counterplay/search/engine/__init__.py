"""The alpha-beta engine: one kernel, with a switch for every technique."""
