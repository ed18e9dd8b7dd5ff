"""A user's own file, edited while it is served."""

from __future__ import annotations

import os
from pathlib import Path

from counterplay.web.admission import Shelf
from counterplay.web.thinking import forget_rules, rules_of

SOURCE = (Path(__file__).parents[2] / "examples" / "chomp.py").read_text()


def save(file: Path, text: str, at: int) -> None:
    file.write_text(text)
    os.utime(file, ns=(at, at))


def test_a_file_that_is_saved_is_loaded_anew(tmp_path):
    file = tmp_path / "chomp.py"
    save(file, SOURCE, 10**9)
    spec = str(file)
    shelf = Shelf({"Chomp": spec})
    before = shelf.game("Chomp")
    assert rules_of(spec) == before
    assert shelf.look_again() == []
    save(file, SOURCE.replace("columns: int = 4", "columns: int = 6"), 2 * 10**9)
    assert shelf.look_again() == [spec]
    assert (before.columns, shelf.game("Chomp").columns) == (4, 6)
    assert rules_of(spec).columns == 4  # a worker keeps the old rules until it is notified
    forget_rules(spec)
    assert rules_of(spec).columns == 6
    assert shelf.look_again() == []


def test_a_file_that_no_longer_holds_a_game_says_so_and_the_old_one_stays(tmp_path):
    file = tmp_path / "chomp.py"
    save(file, SOURCE, 10**9)
    shelf = Shelf({"Chomp": str(file)})
    before = shelf.game("Chomp")
    save(file, SOURCE.replace("return s.left == 0", "return s.left ="), 2 * 10**9)
    assert shelf.look_again() == []
    assert "chomp.py:" in shelf.wrong["Chomp"]
    assert "SyntaxError" in shelf.wrong["Chomp"]
    assert shelf.game("Chomp") is before
    save(file, SOURCE, 3 * 10**9)
    assert shelf.look_again() == [str(file)]
    assert shelf.wrong == {}


def test_an_open_page_goes_on_by_the_rules_that_were_saved(tmp_path):
    import pytest
    from web.chromium import Browser, is_missing, served

    if why := is_missing():
        pytest.skip(why)
    file = tmp_path / "chomp.py"
    file.write_text(SOURCE)
    with served("--workers", "1", str(file)) as address:
        browser = Browser(address)
        try:
            browser.open("/")
            assert browser.text(".cp-shelf h2") == "Your games"
            browser.click(".cp-shelf a")
            browser.until(lambda: browser.all(".cp-cell"))
            before = len(browser.all(".cp-cell"))
            file.write_text(SOURCE.replace("columns: int = 4", "columns: int = 6"))
            browser.until(lambda: len(browser.all(".cp-cell")) > before)
        finally:
            browser.close()
