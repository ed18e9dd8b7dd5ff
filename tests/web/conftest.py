"""One server for the tests of the pages, and browsers that are closed when a test ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from web.chromium import Browser, is_missing, served


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("nicegui")
    with served("--results", str(tmp_path_factory.mktemp("results"))) as found:
        yield found


@pytest.fixture
def visit(address: str) -> Iterator[Callable[[str], Browser]]:
    """Open a page in a browser of its own."""
    if why := is_missing():
        pytest.skip(why)
    browsers: list[Browser] = []

    def visit(path: str) -> Browser:
        browsers.append(Browser(address))
        return browsers[-1].open(path)

    yield visit
    for browser in browsers:
        browser.close()
