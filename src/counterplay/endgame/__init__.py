"""Tables of solved positions: every position of a small game, or of an ending, by retrograde analysis."""
