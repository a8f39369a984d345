#!/usr/bin/env python3
"""Builds the documentation's site: one set of pages, made from the texts in the repository.

    .venv/bin/python bindings/site/build.py [FOLDER]      .build/docs, unless a folder is named

Each text is written once, in the file where a reader on GitHub or another forge looks for it, and with links that work
there. This program assigns each text to a page of the site, converts the links between texts into links between pages,
and copies the other files to which the texts link. `make docs` first builds the references of the three languages,
which become a part of the site. Needs no network.
"""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import playground
import reference_c
import reference_python
import reference_swift
import report_pictures
import search_words

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(__file__).resolve().parent
ARTICLES = "Sources/Fencepost/Fencepost.docc"

# Maps each page's place on the site to the file with its text, in the order of the table of contents. The pages without
# a file are generated: the reference pages and the list of decisions.
CHAPTERS: dict[str, dict[str, str]] = {
    "Begin": {
        "start": "bindings/site/start.md",
        "guides/choose": "bindings/site/guides/choose.md",
        "guides/install": "bindings/site/guides/install.md",
        "guides/cheat-python": "bindings/site/guides/cheat-python.md",
        "guides/cheat-c": "bindings/site/guides/cheat-c.md",
        "guides/no-event": "bindings/site/guides/no-event.md",
        "guides/compared": "bindings/site/guides/compared.md",
    },
    "Guides": {
        "guides/python": "bindings/python/README.md",
        "guides/c": "bindings/c/README.md",
        "guides/javascript": "bindings/js/README.md",
        "guides/swift": f"{ARTICLES}/GettingStarted.md",
        "guides/fleets": "bindings/site/guides/fleets.md",
        "guides/databases": "bindings/site/guides/databases.md",
        "guides/spark": "bindings/site/guides/spark.md",
        "guides/command-line": "bindings/site/guides/command-line.md",
        "guides/files": "bindings/site/guides/files.md",
        "guides/service": "bindings/site/guides/service.md",
        "guides/phones": "bindings/site/guides/phones.md",
        "guides/operating": "bindings/site/guides/operating.md",
        "guides/tuning": "bindings/site/guides/tuning.md",
        "guides/probability": "bindings/site/guides/probability.md",
        "guides/plausibility": "bindings/site/guides/plausibility.md",
        "guides/schedules": "bindings/site/guides/schedules.md",
        "guides/heights": "bindings/site/guides/heights.md",
        "guides/rules": "bindings/site/guides/rules.md",
        "guides/drones": "bindings/site/guides/drones.md",
        "guides/late-fixes": "bindings/site/guides/late-fixes.md",
        "guides/own-service": "bindings/site/guides/own-service.md",
        "guides/security-and-privacy": "bindings/site/guides/security-and-privacy.md",
        "guides/systemd": "examples/service/README.md",
        "guides/qgis": "bindings/qgis/README.md",
        "guides/best-practices": f"{ARTICLES}/BestPractices.md",
        "guides/host-capabilities": f"{ARTICLES}/HostCapabilities.md",
        "guides/conformance": "bindings/site/guides/conformance.md",
        "guides/scenarios": "Tests/Conformance/README.md",
        "guides/examples": "examples/README.md",
        "guides/changed-in-0.3": "bindings/site/guides/changed-in-0.3.md",
    },
    "Notebooks": {
        "notebooks/tour": "examples/python/tour.ipynb",
        "notebooks/gis": "examples/python/gis.ipynb",
        "notebooks/fleet": "examples/python/fleet.ipynb",
    },
    "Concepts": {
        "concepts/states": "bindings/site/concepts/states.md",
        "concepts/shapes": "bindings/site/concepts/shapes.md",
        "concepts/paths": "bindings/site/concepts/paths.md",
        "concepts/gates": "bindings/site/concepts/gates.md",
        "concepts/questions": "bindings/site/concepts/questions.md",
        "concepts/policies": "bindings/site/concepts/policies.md",
        "concepts/time": "bindings/site/concepts/time.md",
        "concepts/determinism": "bindings/site/concepts/determinism.md",
        "concepts/stability": "bindings/site/concepts/stability.md",
        "concepts/accuracy": "bindings/site/concepts/accuracy.md",
        "concepts/semantics": f"{ARTICLES}/Semantics.md",
        "concepts/persistence": f"{ARTICLES}/Persistence.md",
        "concepts/concurrency": f"{ARTICLES}/Concurrency.md",
        "concepts/words": "bindings/site/concepts/words.md",
        "concepts/glossary": f"{ARTICLES}/Glossary.md",
    },
    "References": {
        "references": "bindings/site/references.md",
        "reference/python/index": "",
        "reference/c/index": "",
        "reference/swift": "",
    },
    "The project": {
        "project/contributing": "CONTRIBUTING.md",
        "project/security": "SECURITY.md",
        "project/changelog": "CHANGELOG.md",
        "project/abi-policy": f"{ARTICLES}/ABIPolicy.md",
        "project/benchmarks": "Tests/Benchmarks/README.md",
        "project/architecture": f"{ARTICLES}/Architecture.md",
        "project/decisions": "",
        "project/tests": "Tests/README.md",
        "project/tracks": "examples/data/tracks/SOURCES.md",
    },
}
# These titles in the table of contents differ from the pages' headings.
TITLES = {
    "start": "Ten minutes",
    "guides/python": "Python",
    "guides/c": "C and C++",
    "guides/javascript": "JavaScript",
    "guides/swift": "Swift",
    "guides/command-line": "The command",
    "guides/files": "Files",
    "guides/service": "A service",
    "guides/phones": "Phones and trackers",
    "guides/systemd": "Under systemd",
    "guides/qgis": "QGIS",
    "guides/conformance": "Conformance",
    "guides/compared": "Compared with",
    "concepts/words": "Words",
    "notebooks/tour": "Tour",
    "notebooks/gis": "Among GIS tools",
    "concepts/gates": "Gates",
    "concepts/policies": "Policies",
    "concepts/accuracy": "Exactness",
    "project/tracks": "Recorded tracks",
    "references": "Overview",
    "reference/python/index": "Python",
    "reference/c/index": "C and C++",
    "reference/swift": "Swift",
}
LINK = re.compile(r"(?P<picture>!?)\[(?P<text>(?:[^\[\]`]|`[^`]*`)*)\]\((?P<target>[^()\s]+)\)")
# Matches inline code that may be a name in an API reference, except in links and headings.
CODE = re.compile(
    r"(?P<skip>!?\[(?:[^\[\]`]|`[^`]*`)*\]\([^()\s]+\)|<a [^>]*>.*?</a>|^#.*$|``.*?``)"
    r"|(?<!`)`(?P<name>[A-Za-z_][\w.]*)(?:\(\))?`(?!`)",
    re.MULTILINE,
)
# The pages whose text uses Python names; the other pages use names of Swift, C or JavaScript, or describe the project.
OF_PYTHON = re.compile(r"index$|start$|guides/(?!swift|javascript|c$|cheat-c)|concepts/|notebooks/")
# Matches text in which no line break is allowed: a number with a space between thousands or before its unit, and an
# abbreviated name such as …_poll. Does not match other inline code.
UNBROKEN = re.compile(
    r"(?<![\w.`])\d+(?: \d{3})+(?!\w)(?: (?:m|km|s|ms)\b)?"
    r"|(?<![\w`])[\d.]+ (?:m|km|mm|nm|s|ms|µs|MB|KB|kB|GB|bytes|%)(?!\w)|…_"
)
FENCE = re.compile(r"^(```.*?^```|~~~.*?^~~~)$", re.MULTILINE | re.DOTALL)


INSTALL = "<!-- README: Install -->"


class Broken(Exception):
    """A text contains a reference to something that does not exist."""


def version() -> str:
    """The header's version, and whether the changelog has a section for a newer, unreleased version."""
    header = (ROOT / "include/fencepost.h").read_text(encoding="utf-8")
    parts = re.findall(r"^#define FENCEPOST_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, re.MULTILINE)
    newest = re.search(r"^## ([\d.]+) \(in work\)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    return ".".join(parts) + (f", {newest[1]} in work" if newest else "")


def pages() -> dict[str, Path]:
    """Maps each page to the file that contains its text."""
    found = {"index": SITE / "index.md"}
    for chapter in CHAPTERS.values():
        for page, text in chapter.items():
            if text:
                found[page] = ROOT / text
            if page != "project/decisions":
                continue
            for decision in sorted((ROOT / ARTICLES / "Decisions").glob("*.md")):
                found[f"{page}/{decision.stem}"] = decision
    return found


class Assembly:
    """The folder that Sphinx reads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.extra = folder / "_extra"
        self.pages = pages()
        self.page_of = {text.resolve(): page for page, text in self.pages.items()}
        self.python, self.c = reference_python.names(), reference_c.names()
        # Maps each reference page to the guides that mention a name on that page.
        self.mentions: dict[str, list[str]] = {}
        # README is the repository's front page; on the site, links to README lead to the site's own front page.
        self.page_of[ROOT / "README.md"] = "index"

    def link(self, page: str, text: Path, found: re.Match[str]) -> str:
        """Converts a link in a source text to a link for the given page of the site."""
        words, target = found["text"], found["target"]
        if found["picture"]:
            words = " ".join(words.split())  # Docutils joins the lines of an alternative text without a space
        if re.match(r"https?:|mailto:|#", target):
            return found[0]
        up = "../" * page.count("/")
        if target.startswith("site:"):
            return f'<a href="{up}{target.removeprefix("site:")}">{words}</a>'
        path, _, anchor = unquote(target).partition("#")
        file = (text.parent / path).resolve()
        if not file.exists() or not file.is_relative_to(ROOT):
            raise Broken(f"{text.relative_to(ROOT)}: {target} is not there")
        dark = file.with_stem(f"{file.stem}-dark")
        if found["picture"] and dark.is_file():
            kept = self.extra / "pictures"
            kept.mkdir(exist_ok=True)
            for picture in (file, dark):
                for each in (picture, picture.with_stem(f"{picture.stem}-phone")):
                    shutil.copy(each, kept)
            return self.picture(page, file.stem, words)
        if found["picture"]:
            kept = self.folder / "pictures" / file.name
            kept.parent.mkdir(exist_ok=True)
            shutil.copy(file, kept)
            return f"![{words}]({up}pictures/{file.name})"
        if file in self.page_of:
            other = self.page_of[file]
            ending = ".ipynb" if file.suffix == ".ipynb" else ".md"
            return f"[{words}]({os.path.relpath(other, Path(page).parent)}{ending}{'#' + anchor if anchor else ''})"
        if file.is_dir():
            raise Broken(f"{text.relative_to(ROOT)}: {target} is a folder, which no page shows")
        kept = self.extra / "files" / file.relative_to(ROOT)
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, kept)
        return f'<a href="{up}files/{file.relative_to(ROOT)}">{words}</a>'

    def picture(self, page: str, name: str, words: str) -> str:
        """A picture that exists for light and dark pages, at the widths of a desk and a phone."""
        start, shown = "../" * page.count("/") + "pictures/" + name, ""
        for scheme, ending in report_pictures.SCHEMES.items():
            image = f'<img src="{start}{ending}.png" alt="{html.escape(words)}">'
            source = f'<source media="(max-width: 46em)" srcset="{start}{ending}-phone.png">'
            shown += f'<picture class="only-{scheme}">{source}{image}</picture>'
        return shown

    def name(self, page: str, text: Path, linked: set[str], found: re.Match[str]) -> str:
        """Converts inline code of a guide: the first mention of a name links to the reference."""
        name = found["name"]
        if found["skip"] is not None:
            return found[0]
        if name in self.c:
            role, of = f"c:{self.c[name][0]}", self.c[name][1]
            target = name
        elif name in self.python and OF_PYTHON.match(page) and ARTICLES not in str(text):
            role, (target, of) = "py:obj", self.python[name]
        else:
            return found[0]
        guides = self.mentions.setdefault(of, [])
        if page not in guides and not page.startswith(("index", "project/")):
            guides.append(page)
        if target in linked:
            return found[0]
        linked.add(target)
        return f"{{{role}}}`{found[0].strip('`')} <{target}>`"

    def read(self, page: str, text: Path) -> str:
        """Reads a source text; for the front page, inserts the version and the README's section "Install"."""
        found = text.read_text(encoding="utf-8")
        if page == "index":
            readme = (ROOT / "README.md").read_text(encoding="utf-8")
            install = re.search(
                r"^## Install\n+(?:<!-- until the first release -->\n)?(.*?)(?:<!-- end -->\n|^[|#])",
                readme,
                re.MULTILINE | re.DOTALL,
            )
            if install is None or INSTALL not in found:
                raise Broken(f"README.md has no section Install, or index.md no line {INSTALL}")
            found = found.replace(INSTALL, install[1]).replace("**Version VERSION**", f"**Version {version()}**")
        return found

    def markdown(self, page: str, text: Path) -> str:
        """Returns a text in which the links are converted to links of the site. Code blocks stay unchanged."""
        parts = FENCE.split(self.read(page, text))
        linked: set[str] = set()
        for number in range(0, len(parts), 2):
            part = LINK.sub(lambda found: self.link(page, text, found), parts[number])
            part = report_pictures.COMMENT.sub(
                lambda found: self.picture(page, *report_pictures.name_and_words(page, found)), part
            )
            if number == 0 and page in search_words.PAGES:
                part = search_words.with_words(page, part)
            # DocC's links to symbols, such as ``Monitor/events``, become plain names, since the Swift reference is a
            # separate site.
            part = re.sub(
                r"``([\w/]+(?:\([\w:]*\))?)``",
                lambda found: f"`{found[1].replace('/', '.')}`",
                part,
            )
            part = CODE.sub(lambda found: self.name(page, text, linked, found), part)
            parts[number] = UNBROKEN.sub(lambda found: found[0].replace(" ", "\xa0").replace("…_", "…\u2060_"), part)
        return "".join(parts)

    def references(self) -> None:
        """Writes the references' pages, each with a list of the guides that mention its names."""
        docs, made = ROOT / ".build" / "docs", ROOT / ".build" / "docs-build"
        xml, swift = made / "c" / "xml", docs / "swift"
        for needed in (xml / "fencepost_8h.xml", swift / "index" / "index.json"):
            if not needed.is_file():
                raise Broken(f"{needed.relative_to(ROOT)} is not there: make docs-c")
        for page, text in {
            **reference_python.pages(self.mentions),
            **reference_c.pages(xml, self.mentions),
            **reference_swift.pages(swift, self.mentions),
        }.items():
            place = self.folder / f"{page}.rst"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")

    def write(self) -> None:
        """Writes the whole folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "_own").mkdir(parents=True)
        self.extra.mkdir()
        shutil.copy(SITE / "conf.py", self.folder)
        shutil.copytree(SITE / "templates", self.folder / "_templates")
        for file in (playground.TOKENS, SITE / "wide.css", SITE / "copy.js", SITE / "tables.js", SITE / "icon.svg"):
            shutil.copy(file, self.folder / "_own")
        report_pictures.write(self.pages, self.extra / "pictures")
        for page, text in self.pages.items():
            place = self.folder / f"{page}{'.ipynb' if text.suffix == '.ipynb' else '.md'}"
            place.parent.mkdir(parents=True, exist_ok=True)
            if text.suffix == ".ipynb":
                shutil.copy(text, place)
            else:
                place.write_text(self.markdown(page, text), encoding="utf-8")
        self.references()
        if not (playground.PACKAGE / "fencepost.wasm").is_file():
            raise Broken(f"{playground.PACKAGE} has no fencepost.wasm: make wasm")
        (self.extra / "playground").mkdir()
        (self.extra / "playground" / "index.html").write_text(playground.page(), encoding="utf-8")
        listed = [page.removeprefix("project/") for page in self.pages if page.startswith("project/decisions/")]
        (self.folder / "project/decisions.md").write_text(
            "# Decisions\n\nWhat a newcomer would question, and why it is so.\n\n"
            "```{toctree}\n:maxdepth: 1\n\n" + "\n".join(listed) + "\n```\n",
            encoding="utf-8",
        )
        with (self.folder / "index.md").open("a", encoding="utf-8") as index:
            for chapter, listed in CHAPTERS.items():
                names = "\n".join(f"{TITLES[page]} <{page}>" if page in TITLES else page for page in listed)
                index.write(f"\n```{{toctree}}\n:hidden:\n:caption: {chapter}\n\n{names}\n```\n")


def main() -> None:
    if len(sys.argv) > 2:
        sys.exit(f"usage: {sys.argv[0]} [FOLDER]")
    out = Path(sys.argv[1]).resolve() if len(sys.argv) == 2 else ROOT / ".build" / "docs"
    work = out.parent / f"{out.name}-source"
    try:
        Assembly(work).write()
    except Broken as broken:
        sys.exit(f"site: {broken}")
    out.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "sphinx", "--builder", "html", "--fail-on-warning", "--keep-going", "--quiet",
               "--doctree-dir", str(work / "_trees"), str(work), str(out)]  # fmt: skip
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit("site: Sphinx complains")
    shutil.rmtree(out / "_sources", ignore_errors=True)
    print(f"site: {len(pages())} pages: {out / 'index.html'}")


if __name__ == "__main__":
    main()
