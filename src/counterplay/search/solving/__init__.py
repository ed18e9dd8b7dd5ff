"""Exact solving: alpha-beta to the end, deepening, proof numbers, Grundy values, books of solved openings."""
