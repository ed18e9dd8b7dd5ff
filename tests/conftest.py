"""Settings that every test runs under."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

# The same examples on every run, so that a red suite is red for everyone; `explore` looks for new ones.
# No deadline: the first example that uses a kernel waits for its compilation.
UNHURRIED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("steady", derandomize=True, max_examples=50, **UNHURRIED)
settings.register_profile("explore", max_examples=1000, print_blob=True, **UNHURRIED)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

# A shell that runs the tests in the background ignores Ctrl-C for all that it starts; the programs under test must not.
signal.signal(signal.SIGINT, signal.default_int_handler)
