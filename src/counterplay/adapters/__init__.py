"""Interfaces between our games and other packages: PettingZoo, Gymnasium, OpenSpiel, JSON, language models.

The packages they need are imported on first use; if one is missing, `extras.py` says how to install it.
"""
