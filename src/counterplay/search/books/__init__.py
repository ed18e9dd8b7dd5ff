"""Opening books: positions with the value of each action, grown by searches, corrected by games."""
