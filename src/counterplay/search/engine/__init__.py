"""The alpha-beta engine: one kernel, every technique a switch."""
