"""A whole engine that speaks the line protocol: it plays any game, by throwing dice.

    counterplay match connect-four line:examples/engines/dice.py random

docs/arena/engines.md says what the lines mean.
"""

import random
import sys

legal = []
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "counterplay":
        print("ready", flush=True)
    elif word == "legal":
        legal = rest.split()
    elif word == "choose":
        print("move", random.choice(legal), flush=True)
    elif word == "quit":
        break
