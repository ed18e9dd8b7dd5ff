"""`python -m counterplay` is the command `counterplay`."""

from counterplay.cli import main

main()
