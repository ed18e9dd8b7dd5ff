"""`python -m counterplay` is the command `counterplay`."""

import sys

from counterplay.cli import main

sys.exit(main())
