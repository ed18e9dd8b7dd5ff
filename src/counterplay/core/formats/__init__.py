"""Files and texts: reading and writing whole files, options, records, small pictures."""
