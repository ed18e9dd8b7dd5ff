"""Is a game right? What `counterplay check` asks of rules that someone has just written."""
