"""Checks that every link within the site works, and that nothing is loaded from elsewhere."""

from __future__ import annotations

import functools
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """Collects a page's links, the files that it loads, and its anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag == "link" and values.get("rel") in ("stylesheet", "preload", "icon", "shortcut icon"):
            self.loads.append(values.get("href", ""))
        elif "src" in values:
            self.loads.append(values["src"])


@functools.cache
def page(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8", errors="replace"))


def guides(site: Path) -> list[Path]:
    """The pages that Sphinx makes, without the pages that DocC makes for the Swift reference."""
    foreign = {site / name for name in ("swift", "files", "_static")}
    return [path for path in sorted(site.rglob("*.html")) if not foreign & {*path.parents}]


def target_of(site: Path, path: Path, link: str) -> tuple[Path, str] | None:
    """Returns the file and the anchor of a link, or None if the link leaves the site."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    file = path if not parts.path else (site / parts.path[1:] if parts.path[0] == "/" else path.parent / parts.path)
    file = Path(unquote(str(file)))
    if file.is_dir():
        file /= "index.html"
    return file.resolve(), unquote(parts.fragment)


def test_all_pages_are_there(site: Path) -> None:
    there = {str(path.relative_to(site)) for path in guides(site)}
    assert {"index.html", "start.html", "guides/python.html", "guides/c.html", "guides/swift.html", "guides/qgis.html",
            "concepts/policies.html", "notebooks/tour.html", "notebooks/gis.html", "references.html",
            "project/architecture.html"} <= there  # fmt: skip


def test_every_internal_link_arrives(site: Path) -> None:
    broken, followed = set(), 0
    for path in guides(site):
        for link in [*page(path).links, *page(path).loads]:
            found = target_of(site, path, link)
            if found is None:
                continue
            file, anchor = found
            followed += 1
            if not file.is_file() or (anchor and file.suffix == ".html" and anchor not in page(file).anchors):
                broken.add((str(path.relative_to(site)), link))
    assert followed > 1000 and broken == set()


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for path in guides(site):
        assert [load for load in page(path).loads if re.match(r"(\w+:)?//", load)] == [], path
    for sheet in (site / "_static").rglob("*.css"):
        assert re.search(r"(url\(|@import)\s*['\"]?(https?:)?//", sheet.read_text(encoding="utf-8")) is None, sheet


def test_no_link_of_another_tool_is_left(site: Path) -> None:
    for path in guides(site):
        text = path.read_text(encoding="utf-8")
        assert "doc:" not in re.sub(r"<(pre|code|script).*?</\1>", "", text, flags=re.DOTALL), path
        assert "site:" not in "".join(page(path).links), path


def test_the_search_knows_the_words_of_the_guides(site: Path) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert index.startswith("Search.setIndex(")
    for word in ("dwell", "antimeridian", "gpsd", "checkpoint"):
        assert f'"{word}"' in index or f"{word}:" in index, word


def test_notebooks_show_their_results(site: Path) -> None:
    for name, result in (("tour", "9 visits to 8 conditions"), ("gis", "24 events and 14 visits came back")):
        assert result in (site / "notebooks" / f"{name}.html").read_text(encoding="utf-8")
