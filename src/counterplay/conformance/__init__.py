"""Is a game right? What `counterplay check` asks of rules that somebody has just written."""
