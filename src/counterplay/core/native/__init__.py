"""How games compile: everything that touches Numba's insides. Imported when the first kernel compiles.

Each module here is the compiled half of a plain Python module of the same name one folder up.
"""
