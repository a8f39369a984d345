"""The references are pages of the site: each public name is listed, and guides and references link to each other."""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from types import ModuleType

import pytest
from conftest import ROOT
from test_links import guides

import fencepost
import fencepost.duckdb
import fencepost.sqlite


def members_of(value: type) -> list[str]:
    """The members that a user may name in a program, including inherited ones, but not the members of Python's own
    classes."""
    if issubclass(value, enum.Enum):
        return list(value.__members__)
    own = [base for base in value.__mro__ if not base.__module__.startswith("fencepost") and base is not value]
    foreign = {name for base in own for name in vars(base)}
    return [name for name in dir(value) if not name.startswith("_") and name not in foreign]


def public_names(module: ModuleType) -> Iterator[str]:
    """Yields each name that a user may write in a program, as the reference spells it."""
    elsewhere = set() if module is fencepost else set(fencepost.__all__)
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.ismodule(value):
            yield from public_names(value)
        elif name != "__version__" and name not in elsewhere:
            yield f"{module.__name__}.{name}"
            if isinstance(value, type) and getattr(value, "__module__", "").startswith("fencepost"):
                yield from (f"{module.__name__}.{name}.{member}" for member in members_of(value))


@pytest.fixture(scope="session")
def anchors(site: Path) -> dict[str, set[str]]:
    pages = sorted((site / "reference").rglob("*.html"))
    return {str(page.relative_to(site)): set(re.findall(r'\bid="([^"]+)"', page.read_text("utf-8"))) for page in pages}


def test_every_public_name_of_python_has_its_place(anchors: dict[str, set[str]]) -> None:
    there = set().union(*(found for page, found in anchors.items() if page.startswith("reference/python/")))
    names = [name for module in (fencepost, fencepost.sqlite, fencepost.duckdb) for name in public_names(module)]
    assert len(names) > 400
    assert [name for name in names if name not in there] == []


def test_members_of_pythons_own_classes_are_not_listed(anchors: dict[str, set[str]]) -> None:
    """A reader who looks for an error's `code` or a cause does not have to scroll past 47 methods of `str`."""
    there = set().union(*(found for page, found in anchors.items() if page.startswith("reference/python/")))
    # `center` and `count` are methods of `str`, but also attributes of a circle and of a rule.
    foreign = {*vars(str), *vars(BaseException), *vars(OSError)} - {"center", "count"}
    listed = [name for name in there if re.fullmatch(r"fencepost(\.\w+){2,3}", name)]
    assert len(listed) > 400
    assert [name for name in listed if name.rpartition(".")[2] in foreign] == []


def test_every_name_of_the_header_has_its_place(anchors: dict[str, set[str]]) -> None:
    there = set().union(*(found for page, found in anchors.items() if page.startswith("reference/c/")))
    header = (ROOT / "include" / "fencepost.h").read_text(encoding="utf-8")
    names = re.findall(
        r"^FENCEPOST_API .*?\b(fencepost_\w+)\(|^  (FENCEPOST_\w+) = |^} (fencepost_\w+);", header, re.MULTILINE
    )
    assert len(names) > 200
    assert [name for name in map("".join, names) if f"c.{name}" not in there] == []


def test_the_page_of_swift_lists_the_module(site: Path) -> None:
    text = (site / "reference" / "swift.html").read_text(encoding="utf-8")
    for name in ("Monitor", "Fleet", "CircularGeographicCondition", "RotationPlanner"):
        assert f">{name}</a>" in text and (site / "swift/documentation/fencepost" / name.lower()).is_dir()


def test_texts_of_properties_are_whole(site: Path) -> None:
    """The docstrings of properties may contain colons. The page must not show a part of a property's docstring as the
    type, because the annotation states the type."""
    text = (site / "reference/python/Monitor.html").read_text(encoding="utf-8")
    place = re.search(r'id="fencepost.Monitor.next_deadline_us".*?<dd>(.*?)</dd>', text, re.DOTALL)
    assert place is not None and place[1].startswith("<p>The next time at which a state can change")
    assert "1970-01-01T00:00:00Z" in place[1]
    for page in (site / "reference" / "python").rglob("*.html"):
        assert ">Type<" not in page.read_text(encoding="utf-8"), page


def test_abstracts_of_swift_keep_their_names(site: Path) -> None:
    text = re.sub("<.*?>", "", (site / "reference" / "swift.html").read_text(encoding="utf-8"))
    assert "A circle on the Earth; satisfied within radius of center, including the line." in text


def test_guides_and_references_lead_to_each_other(site: Path) -> None:
    fleets = (site / "guides" / "fleets.html").read_text(encoding="utf-8")
    assert 'href="../reference/python/Fleet.html#fencepost.Fleet"' in fleets
    assert '"../../guides/fleets.html"' in (site / "reference/python/Fleet.html").read_text(encoding="utf-8")
    guide = (site / "guides" / "c.html").read_text(encoding="utf-8")
    assert 'href="../reference/c/inputs-of-monitors.html#c.fencepost_monitor_feed_fixes"' in guide
    assert '"../../guides/c.html"' in (site / "reference/c/inputs-of-monitors.html").read_text(encoding="utf-8")


def test_the_search_page_has_a_field(site: Path) -> None:
    """The theme's own search field is in the navigation, which a phone hides, so the search page needs a field."""
    text = (site / "search.html").read_text(encoding="utf-8")
    article = text[text.index("<article") : text.index("</article>")]
    assert "<h1>Search</h1>" in article and re.search(r'<form [^>]*role="search"[^>]*>\s*<input [^>]*name="q"', article)
    assert 'id="search-results"' in article


def test_alternative_texts_keep_their_spaces(site: Path) -> None:
    found = [alt for path in guides(site) for alt in re.findall(r'<img [^>]*?alt="([^"]+)"', path.read_text("utf-8"))]
    assert len(found) > 5
    assert [alt for alt in map(unescape, found) if re.search(r"[;,][A-Za-z]", alt)] == []


def test_numbers_stay_on_one_line(site: Path) -> None:
    """A space in a number, or between a number and its unit, is non-breaking; spaces in code stay unchanged."""
    split = re.compile(r"[^\w.]\d{1,3}( \d{3})+[ .,;)<]|\d (?:km|ms|MB)\b")
    found = []
    for page in guides(site):
        text = re.sub(r"<(style|script|pre|code|title|head).*?</\1>", "", page.read_text("utf-8"), flags=re.DOTALL)
        if not page.is_relative_to(site / "reference") and "genindex" not in page.name:
            found += [f"{page.name}: {each[0]}" for each in split.finditer(text.partition("<article")[2])]
    assert "20\xa0000 circles" in (site / "guides/databases.html").read_text("utf-8")
    assert found == []


def test_rules_of_the_header_are_a_list(site: Path) -> None:
    """The C reference begins with the header's first page, which consists of text, a program and the rules, in this
    order."""
    page = (site / "reference/c/index.html").read_text(encoding="utf-8")
    listed = re.findall(r"<li><p><strong>([^<]+):</strong>", page)
    assert listed[:2] == ["Units", "Errors"] and "Wrong times" in listed and "Sanitizer" in listed and len(listed) > 20
    places = [page.index(words) for words in ("A monitor holds", "highlight-c", "every program needs", "Units:")]
    assert places == sorted(places)
    functions = (site / "reference/c/inputs-of-monitors.html").read_text(encoding="utf-8")
    assert functions.count("<strong>Threads:</strong>") > 5


def test_variables_have_their_own_docstring(site: Path) -> None:
    page = (site / "reference/python/functions.html").read_text(encoding="utf-8")
    assert "Layout of one row of a buffer of fixes" in page
    assert "compiled struct object" not in page and "PEP 604" not in page


def test_no_mark_up_is_left(site: Path) -> None:
    for page in (site / "reference").rglob("*.html"):
        text = re.sub(r"<(style|script|pre).*?</\1>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert re.search(r":(class|meth|attr|func|mod|exc|data|obj):|\{py:", text) is None, page
