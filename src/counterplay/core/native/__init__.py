"""How games compile: everything that touches Numba's internals. Imported when the first kernel compiles.

Many modules here are the compiled half of a plain Python module of the same name one folder up.
"""

from __future__ import annotations


def _spare_scipy() -> None:
    """Numba loads SciPy (0.2 s) at its start only to ask whether there is a BLAS; it asks again when one is used."""
    from numba.np import linalg

    asks, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        linalg.ensure_blas = asks


try:
    _spare_scipy()
except (ImportError, AttributeError):  # another version of Numba: it starts as it likes
    pass


def load_compiler() -> None:
    """Load Numba: most of it comes with the first function that it compiles."""
    from numba import njit

    njit(lambda x: x + 1)(1)
