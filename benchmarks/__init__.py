"""How fast and how strong Counterplay is beside other programs: `python -m benchmarks [NAME ...] [--json] [--quick]`."""
