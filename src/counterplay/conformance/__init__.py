"""Is a game correct? What `counterplay check` examines."""
