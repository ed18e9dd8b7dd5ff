"""The app in the browser: pages to play, to analyse, to watch a search think, and an HTTP API beside them."""
