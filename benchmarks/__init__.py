"""How fast Counterplay is, side by side with other programs: `python -m benchmarks [NAME ...] [--json] [--quick]`."""
