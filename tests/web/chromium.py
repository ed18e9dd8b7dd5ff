"""A server of our own and real Chromium browsers that visit it, for the tests of the pages."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")
PATIENCE = 240.0
"""Seconds: compiling may come first, on a machine that has other things to do."""


def is_missing() -> str:
    """What the browser tests lack here; empty if nothing is missing."""
    if shutil.which("chromium") is None or shutil.which("chromedriver") is None:
        return "needs Debian's chromium and chromium-driver"
    try:
        import nicegui  # noqa: F401
        import selenium  # noqa: F401
    except ImportError as wrong:
        return str(wrong)
    return ""


@contextmanager
def served(*arguments: str, log: list[str] | None = None) -> Iterator[str]:
    """The address of a server in a separate process, which is ended at the end; its `log` has the lines that it wrote
    after the address.
    """
    command = [sys.executable, "-m", "counterplay", "serve", "--no-prepare", "--port", "0", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        heard = ""
        while not (found := re.search(r"http://\S+", heard)):
            line = process.stderr.readline()
            assert line, f"the server ended: {heard}"
            heard += line
        yield found[0].rstrip("/")
    finally:
        process.terminate()
        process.wait(20)
        if log is not None:
            log += process.stderr.readlines()
        process.stderr.close()


class Browser:
    """A visitor."""

    def __init__(self, address: str, width: int = 1200, height: int = 850, dark: bool = False) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        self.address = address
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for flag in (
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            f"--user-data-dir={self.folder.name}",
            f"--window-size={width},{height}",
        ):
            options.add_argument(flag)
        if dark:
            options.add_argument("--force-dark-mode")
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.size = width, height
        self.resize(*self.size)

    def resize(self, width: int, height: int) -> None:
        """Show pages as on a screen of that size; a narrow one counts as a phone."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
        )

    def forget(self) -> None:
        """Become a new visitor."""
        self.driver.delete_all_cookies()
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.resize(*self.size)

    def open(self, path: str) -> Browser:
        """Go to a page, and wait until it is connected."""
        self.driver.get(self.address + path)
        self.until(lambda: self.driver.execute_script("return !!(window.socket && window.socket.connected)"))
        self.until(lambda: not self.all(".cp-opening"))
        return self

    def until(self, done: Callable[[], T], patience: float = PATIENCE) -> T:
        """The first answer that is not empty; exceptions on the way are ignored."""
        from selenium.common.exceptions import WebDriverException

        deadline, last = time.monotonic() + patience, None
        while time.monotonic() < deadline:
            try:
                if found := done():
                    return found
            except WebDriverException as wrong:
                last = wrong
            time.sleep(0.05)
        raise AssertionError(f"nothing after {patience:g} s on {self.driver.current_url}: {last}\n{self.text('body')}")

    def all(self, selector: str) -> list[Any]:
        """The elements of a selector."""
        return self.driver.find_elements("css selector", selector)

    def text(self, selector: str) -> str:
        """The text of the first element of a selector; empty if there is none."""
        found = self.all(selector)
        return found[0].text if found else ""

    def click(self, selector: str, text: str | None = None) -> None:
        """Click on the first element of a selector (with this text), as soon as there is one."""
        self.until(lambda: self._click(selector, text))

    def _click(self, selector: str, text: str | None) -> bool:
        for each in self.all(selector):
            if (text is None or each.text.strip() == text) and each.is_displayed():
                each.click()
                return True
        return False

    def write(self, selector: str, text: str) -> None:
        """Replace the text of a field."""
        from selenium.webdriver.common.keys import Keys

        field = self.until(lambda: self.all(selector))[0]
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text, Keys.TAB)
        self.until(lambda: field.get_attribute("value") == text)

    def read(self, selector: str, pattern: str) -> str:
        """Wait until an element's text matches, and return the match."""
        return self.until(lambda: (re.search(pattern, self.text(selector)) or [""])[0])

    def picture(self, path: str) -> None:
        """A screenshot."""
        self.driver.save_screenshot(path)

    def close(self) -> None:
        """Leave."""
        self.driver.quit()
        self.folder.cleanup()
