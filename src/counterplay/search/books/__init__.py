"""Opening books: positions with what each action is worth, grown by searches, corrected by games."""
