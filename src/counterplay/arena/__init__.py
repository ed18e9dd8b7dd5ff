"""Arena: matches and tournaments between players, ratings, significance."""
