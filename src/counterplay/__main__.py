"""`python -m counterplay` is the command `counterplay`."""

from counterplay.cli import run

run()
