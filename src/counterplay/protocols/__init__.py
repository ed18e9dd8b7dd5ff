"""Other people's interfaces: how programs of theirs play with ours."""
