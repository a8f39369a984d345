"""Fixtures of the browser tests: Chromium, the built package, and the events of the native library."""

from __future__ import annotations

import functools
import http.server
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

ROOT = Path(__file__).resolve().parents[3]
LIBRARY = ROOT / ".build" / "lib"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without logging."""

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture(scope="session")
def native(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Returns a function that runs Tests/Determinism/replay.c with the C library."""
    program = tmp_path_factory.mktemp("native") / "replay"
    library = next(LIBRARY.glob("libfencepost.so.*"))
    subprocess.run(
        ["cc", "-O1", "-ffp-contract=off", "-Iinclude", "-o", str(program), "Tests/Determinism/replay.c", str(library),
         f"-Wl,-rpath,{LIBRARY}"],
        cwd=ROOT, check=True,
    )  # fmt: skip
    return lambda *words: subprocess.run([program, *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serves the package, the programs and the data over HTTP on the loopback interface."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "package").symlink_to(ROOT / ".build" / "js")
    (folder / "wasm").symlink_to(ROOT / ".build" / "wasm")
    (folder / "data").symlink_to(ROOT / "examples" / "data")
    (folder / "index.html").write_text(
        "<!doctype html><meta charset=utf-8><title>Package</title><link rel=icon href=data:,>"
    )
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join(timeout=10)
    server.server_close()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory, address: str) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    profile = tmp_path_factory.mktemp("profile")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--disable-background-networking", f"--user-data-dir={profile}"):  # fmt: skip
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver") or "chromedriver"))
    driver.set_script_timeout(60)
    driver.get(f"{address}/index.html")
    yield driver
    driver.quit()
