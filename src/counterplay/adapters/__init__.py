"""Other people's interfaces to our games, and ours to theirs: PettingZoo, Gymnasium, OpenSpiel, JSON, language models.

Each needs a package that is imported when it is first used; where one is missing, `extras.py` says how to get it.
"""
