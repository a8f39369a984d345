"""Writes the pages of the C and C++ reference from Doxygen's XML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree.ElementTree import Element, parse

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "include" / "fencepost.h"
SECTION = re.compile(r"^/\* -+ ([\w, ]+) \*/$")
SPECIAL = re.compile(r"([*`|\\])|(?<=\w)(_)(?=\W|$)")
NAME = re.compile(r"\b(fencepost_\w+|FENCEPOST_\w+)(\(\))?")
# These labels (such as "Returns" and "Threads") introduce the facts at the end of a function's description.
FACT = re.compile(r"(?:(?<=^   )|(?<=[.)] ))(Returns|Ownership|Threads|Complexity|Since): ", re.MULTILINE)
# These Doxygen elements are paragraphs of their own.
BLOCKS = ("parameterlist", "simplesect", "itemizedlist", "orderedlist", "verbatim", "programlisting")
FOLDER = "reference/c"


def _headings() -> list[tuple[int, str]]:
    lines = HEADER.read_text(encoding="utf-8").splitlines()
    found = [(number, match[1]) for number, line in enumerate(lines, 1) if (match := SECTION.match(line))]
    return [(number, title[0].upper() + title[1:]) for number, title in found]


def _slug(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower()).strip("-")


def names() -> dict[str, tuple[str, str]]:
    """The header's functions, structures, constants and macros: for each name its role and its page."""
    found: dict[str, tuple[str, str]] = {}
    page = f"{FOLDER}/status"
    headings = dict(_headings())
    for number, line in enumerate(HEADER.read_text(encoding="utf-8").splitlines(), 1):
        if number in headings:
            page = f"{FOLDER}/{_slug(headings[number])}"
        if match := re.match(r"(?:FENCEPOST_API|static inline) .*?\b(fencepost_\w+)\(", line):
            found[match[1]] = ("func", page)
        elif match := re.match(r"typedef struct (fencepost_\w+)", line):
            found[match[1]] = ("struct", page)
        elif match := re.match(r"typedef int32_t (fencepost_\w+);", line):
            found[match[1]] = ("type", page)
        elif match := re.match(r"  (FENCEPOST_\w+) = ", line):
            found[match[1]] = ("enumerator", page)
        elif match := re.match(r"#define (FENCEPOST_\w+)\b", line):
            found[match[1]] = ("macro", page)
    del found["FENCEPOST_H"], found["FENCEPOST_API"]
    return found


def _labelled(text: str) -> str:
    """Turns the paragraph with the rules on the first page of the reference into a list. In the header, each rule
    begins a new line with a label; Doxygen joins these lines."""
    first = HEADER.read_text(encoding="utf-8").partition("*/")[0]
    labels = "|".join({*re.findall(r"^ \* (\w[\w ]{2,12}):(?: |$)", first, re.MULTILINE)} - {"Fencepost"})
    paragraphs = text.split("\n\n")
    for at, paragraph in enumerate(paragraphs):
        start, *rules = re.split(rf"(?:^|(?<=[.)] ))({labels}): ", paragraph)
        if len(rules) > 4:
            listed = [f"* **{label}:** {rule.strip()}" for label, rule in zip(rules[::2], rules[1::2])]
            paragraphs[at] = "\n".join([*([start, ""] if start else []), *listed])
    return "\n\n".join(paragraphs)


class Writer:
    """Turns Doxygen's descriptions into reStructuredText."""

    def __init__(self) -> None:
        self.known = names()

    def words(self, text: str) -> str:
        """Returns text with its special characters escaped, and with links for the header's names."""
        parts, done = [], 0
        for match in NAME.finditer(text):
            if match[1] in self.known:
                parts += [
                    SPECIAL.sub(r"\\\1\2", text[done : match.start()]),
                    f":c:{self.known[match[1]][0]}:`{match[1]}`\\ ",
                ]
                done = match.end()
        return "".join([*parts, SPECIAL.sub(r"\\\1\2", text[done:])])

    def text(self, parts: list[str]) -> str:
        return self.words(re.sub(r"\s+", " ", "".join(parts)).strip())

    def blocks(self, element: Element | None) -> Iterator[str]:
        """The paragraphs, lists and code blocks of a description, in their order."""
        for child in element if element is not None else ():
            if child.tag == "para":
                parts = [child.text or ""]
                for part in child:
                    if part.tag in BLOCKS:
                        if line := self.text(parts):
                            yield line
                        yield from self.block(part)
                        parts = [part.tail or ""]
                    else:
                        parts += ["".join(part.itertext()), part.tail or ""]
                if line := self.text(parts):
                    yield line
            elif child.tag in BLOCKS:
                yield from self.block(child)

    def block(self, child: Element) -> Iterator[str]:
        if child.tag in ("itemizedlist", "orderedlist"):
            yield "\n".join("* " + " ".join(self.blocks(item)).replace("\n", " ") for item in child)
        elif child.tag in ("verbatim", "programlisting"):
            code = child.text or "\n".join("".join(line.itertext()) for line in child)
            is_c = child.tag == "programlisting" or (re.search(r";$", code, re.MULTILINE) and "__" not in code)
            lines = "\n".join(f"   {line}".rstrip() for line in code.strip("\n").splitlines())
            yield f".. code-block:: {'c' if is_c else 'text'}\n\n{lines}"
        elif child.tag == "parameterlist":
            for item in child:
                label = ", ".join("".join(name.itertext()).strip() for name in item.iter("parametername"))
                yield f"* ``{label}``: " + " ".join(self.blocks(item.find("parameterdescription")))
        elif child.tag == "simplesect":
            label = {"return": "Returns: ", "since": "Since ", "note": "Note: "}.get(child.get("kind", ""), "")
            yield label + " ".join(self.blocks(child))

    def described(self, element: Element, indent: str = "   ") -> str:
        parts = [*self.blocks(element.find("briefdescription")), *self.blocks(element.find("detaileddescription"))]
        text = "\n\n".join(parts)
        return "\n".join(f"{indent}{line}".rstrip() for line in text.splitlines()) + "\n\n" if text else "\n"


def _text(element: Element, path: str) -> str:
    found = element.find(path)
    return re.sub(r"\s+", " ", "".join(found.itertext())).strip() if found is not None else ""


def _line(element: Element) -> int:
    location = element.find("location")
    return int(location.get("line", "0")) if location is not None else 0


def _member(writer: Writer, member: Element, domain: str, indent: str) -> str:
    declared = f"{_text(member, 'type')} {_text(member, 'name')}{_text(member, 'argsstring')}"
    return f"{indent}.. {domain}:member:: {declared}\n\n{writer.described(member, indent + '   ')}"


def _entries(writer: Writer, xml: Path) -> list[tuple[int, str]]:
    """The declarations of the header, in the header's order."""
    entries: list[tuple[int, str]] = []
    (header,) = parse(xml / "fencepost_8h.xml").getroot().iter("compounddef")
    for member in header.iter("memberdef"):
        kind, name, line = member.get("kind"), _text(member, "name"), _line(member)
        if kind == "function":
            returned = re.sub(r"\b(FENCEPOST_API|static|inline)\b", "", _text(member, "type")).strip()
            signature = f"{returned} {name}{_text(member, 'argsstring')}"
            said = FACT.sub(r"**\1:** ", writer.described(member))
            entries.append((line, f".. c:function:: {signature}\n\n{said}"))
        elif kind == "define" and name in writer.known:
            value = _text(member, "initializer")
            shown = f"   ``{value}``\n\n" if value and "`" not in value else ""
            entries.append((line, f".. c:macro:: {name}\n\n{shown}{writer.described(member)}"))
        elif kind == "enum":
            text = writer.described(member, "").strip()
            values = "".join(
                f".. c:enumerator:: {_text(value, 'name')}\n\n   ``{_text(value, 'initializer') or '='}``\n\n"
                + writer.described(value)
                for value in member.iter("enumvalue")
            )
            entries.append((line, f"{text}\n\n{values}"))
        elif kind == "typedef" and writer.known.get(name, ("",))[0] == "type":
            entries.append((line, f".. c:type:: {_text(member, 'type')} {name}\n\n{writer.described(member)}"))
        elif kind == "typedef":  # an opaque structure
            entries.append((line, f".. c:struct:: {name}\n\n{writer.described(member)}"))
    for file in xml.glob("structfencepost__*.xml"):
        (struct,) = parse(file).getroot().iter("compounddef")
        members = "".join(_member(writer, member, "c", "   ") for member in struct.iter("memberdef"))
        name = _text(struct, "compoundname")
        entries.append((_line(struct), f".. c:struct:: {name}\n\n{writer.described(struct)}{members}"))
    return sorted(entries)


def _cpp(writer: Writer, xml: Path) -> str:
    """The classes of the C++ wrapper."""
    text = ""
    for file in sorted([*xml.glob("classfencepost_1_1*.xml"), *xml.glob("structfencepost_1_1*.xml")]):
        (found,) = parse(file).getroot().iter("compounddef")
        name = _text(found, "compoundname")
        text += f".. cpp:{found.get('kind')}:: {name}\n\n{writer.described(found)}"
        for member in found.iter("memberdef"):
            if member.get("prot") != "public" or _text(member, "name").startswith("~"):
                continue
            kind = "function" if member.get("kind") == "function" else "member"
            if kind == "member" and member.get("kind") != "variable":
                continue
            declared = f"{_text(member, 'type')} {_text(member, 'name')}{_text(member, 'argsstring')}".strip()
            declared = re.sub(r"\bnodiscard\b|\[\[\]\]|=delete|=default", "", declared).strip()
            text += f"   .. cpp:{kind}:: {declared}\n\n{writer.described(member, '      ')}"
    return text


def pages(xml: Path, mentions: Mapping[str, list[str]]) -> dict[str, str]:
    """Returns the path and the text of each page of the reference. ``mentions`` lists, for each page, the guides that
    mention a name from the page."""
    writer = Writer()
    entries = _entries(writer, xml)
    (header,) = parse(xml / "fencepost_8h.xml").getroot().iter("compounddef")

    def head(title: str) -> str:
        return f"{title}\n{'=' * len(title)}\n\n"

    made: dict[str, str] = {}
    headings = _headings()
    for (start, title), (end, _) in zip(headings, [*headings[1:], (1 << 30, "")]):
        page = f"{FOLDER}/{_slug(title)}"
        found = [text for line, text in entries if start <= line < end or (start == headings[0][0] and line < start)]
        guides = ", ".join(f":doc:`/{guide}`" for guide in mentions.get(page, []))
        made[page] = head(f"C: {title[0].lower() if title[1].islower() else title[0]}{title[1:]}") + (
            f"**Guides:** {guides}\n\n" if guides else ""
        )
        made[page] += "\n".join(found)
    made[f"{FOLDER}/cpp"] = (
        head("C++")
        + ("``fencepost.hpp`` wraps the C library for C++17. The C function of its name says what a member does.\n\n")
        + _cpp(writer, xml)
    )

    def functions_of(page: str) -> str:
        of_page = (name for name, (role, of) in writer.known.items() if of == page and role == "func")
        return ", ".join(f":c:func:`{name}`" for name in of_page)

    rows = "".join(
        f"   * - :doc:`{page.rpartition('/')[2]}`\n     - "
        + (functions_of(page) or "types and constants")
        + "\n"
        for page in made
        if not page.endswith("/cpp")
    )  # fmt: skip
    listed = "\n".join(f"   {page.rpartition('/')[2]}" for page in made)
    made[f"{FOLDER}/index"] = (
        f"{head('C reference')}``fencepost.h`` is the whole contract; :doc:`cpp` wraps it. The guide is\n"
        ":doc:`/guides/c`, the page\n"
        f":doc:`/guides/cheat-c` shows the API in use.\n\n{_labelled(writer.described(header, ''))}\n"
        f".. list-table::\n   :widths: 20 80\n\n{rows}\n.. toctree::\n   :hidden:\n\n{listed}\n"
    )
    return made
