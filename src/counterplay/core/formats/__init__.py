"""Files and text: reading and writing whole files, options, records, small pictures."""
