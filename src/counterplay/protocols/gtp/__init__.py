"""The Go Text Protocol, version 2 (Farnebäck 2002): how boards and tournament programs speak with a Go program."""
