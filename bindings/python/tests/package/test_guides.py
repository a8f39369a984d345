"""Runs the documentation's programs and commands word for word; they must print what the pages show."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, in_full

SITE = ROOT / "bindings" / "site"
if not SITE.is_dir():
    pytest.skip("a source distribution holds no guides", allow_module_level=True)
sys.path.insert(0, str(SITE))
import blocks  # noqa: E402
import drawings  # noqa: E402

PAGES = blocks.pages()


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def test_the_pages_are_found() -> None:
    assert {"README.md", "bindings/python/README.md", "bindings/site/guides/command-line.md"} <= {*map(name, PAGES)}


# The part `pages` of `make test-all` runs the programs of all pages, each with only the packages that the page names.
FIRST = [page for page in PAGES if name(page) in ("README.md", "bindings/python/README.md", "bindings/site/start.md")]


@pytest.mark.parametrize("page", [*FIRST, *in_full(*(page for page in PAGES if page not in FIRST))], ids=name)
def test_page(page: Path) -> None:
    for block, _, wrong in blocks.run(page):
        assert not wrong, f"{name(page)}: line {block.line}: {wrong}"


def programs(folder: Path) -> list[Path]:
    """Writes the Python code of each page to files; each program has its own file. The programs of the Spark guide are
    not written, because they run in one session."""
    files: list[Path] = []
    for page in (page for page in PAGES if page.name != "spark.md"):
        found = [block for block in blocks.blocks_of(page.read_text("utf-8")) if block.language == "python"]
        for number, block in enumerate(found):
            if block.says == "continues":
                files[-1].write_text(files[-1].read_text() + block.code)
                continue
            files.append(folder / f"{re.sub('[^a-z0-9]', '_', name(page).lower())}_{number}.py")
            files[-1].write_text(block.code)
    return files


def test_the_programs_of_the_pages_are_clean_for_mypy(tmp_path: Path) -> None:
    """Runs the checker in strict mode, but ignores libraries that have no types or are not installed."""
    pytest.importorskip("mypy")
    files = programs(tmp_path)
    assert len(files) >= 20
    ignored = ("--disable-error-code", "import-untyped", "--disable-error-code", "import-not-found")
    command = [sys.executable, "-m", "mypy", "--strict", *ignored, "--cache-dir", str(tmp_path / "cache")]
    done = subprocess.run([*command, *files], capture_output=True, text=True, timeout=600, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_programs_of_the_pages_are_clean_for_pyright(tmp_path: Path) -> None:
    pytest.importorskip("pyright")
    files = programs(tmp_path)
    settings = {"typeCheckingMode": "standard", "reportMissingImports": False, "reportMissingModuleSource": False}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    environment = os.environ | {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=tmp_path, env=environment)
    answer = json.loads(done.stdout)
    found = [f"{d['file']}:{d['range']['start']['line'] + 1}: {d['message']}" for d in answer["generalDiagnostics"]]
    assert found == [] and answer["summary"]["filesAnalyzed"] == len(files)


def test_what_others_run_is_run_by_them() -> None:
    found = ((page, block) for page in PAGES for block in blocks.blocks_of(page.read_text("utf-8")))
    elsewhere = [(page, block.runner) for page, block in found if block.runner]
    assert len(elsewhere) >= 4
    for page, runner in elsewhere:
        # The runner names the page either by its path, or by folder and name separately.
        text = (ROOT / runner).read_text("utf-8")
        assert page.name in text and page.parent.name in text, (name(page), runner)


def test_a_block_that_lies_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```sh\necho one\n```\n\n```text\none\n```\n\n```python\nprint(2)\n```\n\n```text\n3\n```\n\n"
        "```sh\necho four\n```\n\n```sh\nfalse\n```\n\n<!-- exits with 3 -->\n```sh\nexit 3\n```\n\n"
        "```sh\nseq 9\n```\n\n```text\n1\n…\n9\n```\n\n```python\na = 1\n```\n\n"
        "<!-- continues -->\n```python\nprint(a)\n```\n\n```text\n1\n```\n"
    )
    assert [bool(wrong) for _, _, wrong in blocks.run(page)] == [False, True, True, True, False, False, False, False]


def test_the_python_of_a_block_has_what_the_page_named_before_it(tmp_path: Path) -> None:
    """Tests/Packaging/pages.py runs each page in an environment with the packages that the page names."""
    page = tmp_path / "page.md"
    program = "```python\npass\n```\n"
    page.write_text(
        f"{program}Then `pip install 'fencepost[geo,arrow]' duckdb movingpandas`, or \n"
        f"\n    pip install 'fencepost[report]'    on the driver\n\n<!-- needs nothing-of-this-name -->\n{program}"
    )
    asked: list[blocks.Needs] = []

    def python_with(needs: blocks.Needs) -> Path:
        asked.append(needs)
        return Path(sys.executable)

    assert [wrong for _, _, wrong in blocks.run(page, python_with)] == ["", ""]
    packages = frozenset({"duckdb", "movingpandas"})
    assert asked == [blocks.Needs(), blocks.Needs(frozenset({"geo", "arrow", "report"}), packages)]


def test_the_spark_line_of_the_page_which_one_is_in_the_guide_of_spark() -> None:
    guides = SITE / "guides"
    found = re.findall(r"^```py\n(.*?)^```", (guides / "choose.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(found) == 1 and found[0] in (guides / "spark.md").read_text("utf-8")


@pytest.mark.parametrize("name", drawings.DRAWINGS)
def test_drawings_show_what_the_engine_says(name: str) -> None:
    assert drawings.DRAWINGS[name]() == (SITE / "pictures" / name).read_text(encoding="utf-8")


def test_the_front_page_is_short_and_has_a_picture() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.encode()) <= 7_000
    assert "![" in text


def anchors(page: Path) -> set[str]:
    """Returns the anchors that a code host such as GitHub generates for the headings of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    heads = [re.sub(r"[`*]", "", head).strip().lower() for head in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
    return {re.sub(r"[^\w\- ]", "", head).replace(" ", "-") for head in heads}


def test_links_between_texts_arrive_on_a_forge() -> None:
    texts = [path for path in ROOT.rglob("*.md") if not {".build", ".venv"} & {*path.relative_to(ROOT).parts}]
    broken, followed = [], 0
    for text in texts:
        prose = re.sub(r"^```.*?^```|``?[^`]*``?", "", text.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for target in re.findall(r"\]\(([^()\s]+)\)", prose):
            if re.match(r"https?:|mailto:|site:", target):
                continue
            place, _, anchor = target.partition("#")
            file = text.parent / place if place else text
            followed += 1
            if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
                broken.append(f"{name(text)}: {target}")
    assert len(texts) > 20 and followed > 80 and broken == []
