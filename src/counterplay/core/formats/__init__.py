"""Files and texts: reading and writing them whole, options, records, small pictures."""
