"""The engine's node counts are the recorded ones: no unnoticed change in the search, the table, an ordering or an
estimate.
"""

import json

import pytest
from search.signatures import FILE, POSITIONS, signature, title

RECORDED = json.loads(FILE.read_text())


LONGER = ("mnk:5,5,4", "hex:5")


@pytest.mark.parametrize(
    "spec", [pytest.param(spec, marks=pytest.mark.slow) if spec in LONGER else spec for spec in POSITIONS]
)
def test_node_counts_are_those_on_record(spec):
    found = {title(moves, depth): signature(spec, moves, depth) for moves, depth in POSITIONS[spec]}
    assert found == RECORDED[spec], (
        f"the engine visits other nodes of {spec} than are on record; if that is what you wanted, record them anew by "
        "`python tests/search/signatures.py` (docs/search/index.md shows a study, which may have changed, too)"
    )


def test_nothing_else_is_on_record():
    assert {spec: list(found) for spec, found in RECORDED.items()} == {
        spec: [title(moves, depth) for moves, depth in searches] for spec, searches in POSITIONS.items()
    }
