"""The binary contract of the C library, as text, and checks that header, exports and library agree.

    Tests/Golden/abi.py             compares with Tests/Golden/abi.txt; a difference is a deliberate ABI change or a bug
    Tests/Golden/abi.py --update    rewrites that file (see Fencepost.docc/ABIPolicy.md for when this is right)

The declarations come from Clang's syntax tree; sizes and offsets are measured with GCC and Clang; the exports are read
from the built library (make setup-test).
"""

from __future__ import annotations

import difflib
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "include" / "fencepost.h"
GOLDEN = ROOT / "Tests" / "Golden" / "abi.txt"
MAP = ROOT / "bindings" / "c" / "fencepost.map"
WRAPPER = ROOT / "include" / "fencepost.hpp"

INTRODUCTION = """\
# The binary contract of the C library on 64-bit platforms, written by Tests/Golden/abi.py --update.
# Before 1.0 a changed line needs a new minor version, from 1.0 on a new major one; an added one does not.
"""


def run(*arguments: str | Path) -> str:
    return subprocess.run([str(a) for a in arguments], check=True, capture_output=True, text=True).stdout


class Header:
    """The declarations of the header, from Clang's syntax tree."""

    def __init__(self) -> None:
        self.functions: dict[str, str] = {}
        self.structures: dict[str, list[tuple[str, str]]] = {}
        self.enumerators: list[str] = []
        self.types: dict[str, str] = {}
        tree = json.loads(run("clang", "-std=c11", "-x", "c", "-fsyntax-only", "-Xclang", "-ast-dump=json", HEADER))
        file = ""
        for node in tree["inner"]:
            # Clang names a file only where it changes.
            for place in (node.get("loc", {}), node.get("loc", {}).get("expansionLoc", {})):
                file = place.get("file", file)
            if Path(file).name == "fencepost.h" and node.get("loc"):
                self.take(node)

    def take(self, node: dict) -> None:
        kind, name = node["kind"], node.get("name", "")
        if kind == "FunctionDecl":
            if not node.get("inline"):  # an inline function is compiled into the caller
                self.functions[name] = node["type"]["qualType"]
        elif kind == "TypedefDecl":
            if not node["type"]["qualType"].startswith("struct "):
                self.types[name] = node["type"]["qualType"]
        elif kind == "RecordDecl":
            self.structures[name] = [
                (field["name"], field["type"]["qualType"])
                for field in node.get("inner", [])
                if field["kind"] == "FieldDecl"
            ]
        elif kind == "EnumDecl":
            self.enumerators += [each["name"] for each in node["inner"] if each["kind"] == "EnumConstantDecl"]
        else:
            raise SystemExit(f"abi: the header declares a {kind} {name}, which this test does not know")

    def names(self) -> set[str]:
        return {*self.functions, *self.structures, *self.types, *self.enumerators}


def macros() -> dict[str, str]:
    """The macros that the header itself defines, with their bodies."""
    text = HEADER.read_text()
    own = set(re.findall(r"(?m)^#define (\w+)", text))
    every = re.findall(r"(?m)^#define (\w+) ?(.*)$", run("clang", "-E", "-dM", "-x", "c", HEADER))
    return {name: " ".join(body.split()) for name, body in every if name in own}


def measured(header: Header, constants: list[str], compiler: str) -> list[str]:
    """Sizes, offsets and values as a compiler sees them."""
    lines = ["#include <fencepost.h>", "#include <stdio.h>", "int main(void) {"]
    for name, members in header.structures.items():
        if not members:
            lines.append(f'puts("struct {name}, opaque");')
            continue
        lines.append(f'printf("struct {name}, %zu bytes, aligned to %zu\\n", sizeof({name}), _Alignof({name}));')
        lines += [
            f'printf("  at %3zu, %3zu bytes: {kind} {member}\\n", offsetof({name}, {member}), '
            f"sizeof((({name} *)0)->{member}));"
            for member, kind in members
        ]
    for name in header.enumerators + constants:
        lines.append(f'printf("value {name} = %lld\\n", (long long){name});')
    lines.append("return 0; }")
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "layout.c"), Path(folder, "layout")
        source.write_text("\n".join(lines))
        run(compiler, "-std=c11", "-Werror", "-I", HEADER.parent, source, "-o", program)
        return run(program).splitlines()


def exported(library: Path) -> dict[str, str]:
    """The names that the library exports, each with its version node. The nodes themselves are left out."""
    names: dict[str, str] = {}
    for line in run("nm", "-D", "--defined-only", library).splitlines():
        kind, symbol = line.split()[-2:]
        name, _, version = symbol.partition("@@")
        if kind != "A":
            names[name] = version
    return names


def description(header: Header, library: Path) -> str:
    soname = re.search(r"\(SONAME\).*\[(.+)\]", run("readelf", "--dynamic", "--wide", library))
    lines = [f"library {soname[1] if soname else 'without SONAME'}"]
    nodes = exported(library)
    lines += [f"function {name}@{nodes.get(name)}: {kind}" for name, kind in header.functions.items()]
    lines += [f"type {name} = {kind}" for name, kind in header.types.items()]
    plain, initialisers = [], []
    for name, body in macros().items():
        if name.endswith("_INIT"):
            # Initialisers are compiled into the caller's program.
            initialisers.append(f"initialiser {name} = {body}")
        elif body and not name.endswith("_API") and "VERSION" not in name:
            plain.append(name)
    by_compiler = {compiler: measured(header, plain, compiler) for compiler in ("gcc", "clang")}
    if by_compiler["gcc"] != by_compiler["clang"]:
        raise SystemExit("abi: GCC and Clang lay the structures out differently")
    return INTRODUCTION + "\n".join(lines + by_compiler["gcc"] + sorted(initialisers)) + "\n"


def comments_of(text: str) -> dict[str, str]:
    """The comment before each function."""
    found = re.finditer(r"/\*\n((?: \*.*\n)+?) \*/\nFENCEPOST_API [^;()]*?\b(fencepost_\w+)\(", text)
    return {each[2]: each[1] for each in found}


def unknown_names(text: str) -> list[str]:
    """Finds names with our prefix that the header's comments mention and its code does not declare. In a comment "..."
    stands for part of a name."""
    comment = re.compile(r"/\*.*?\*/", re.DOTALL)
    declared = set(re.findall(r"\b(?:fencepost|FENCEPOST)_\w+", comment.sub("", text)))
    wrong = []
    for name in sorted(
        set(re.findall(r"\b(?:fencepost|FENCEPOST)_\w*(?:\.{3}\w*)?", "\n".join(comment.findall(text))))
    ):
        pattern = re.escape(name).replace(r"\.\.\.", r"\w+")
        if not any(re.fullmatch(pattern, each) for each in declared):
            wrong.append(f"the header's comments name {name}, which it does not declare")
    return wrong


def disagreements(header: Header, library: Path) -> list[str]:
    """Lists every disagreement between the header, the list of exports, the library and the comments."""
    wrong: list[str] = []
    declared = set(header.functions)
    listed = set(re.findall(r"(?m)^\s*(fencepost_\w+);", MAP.read_text()))
    nodes = re.findall(r"(?m)^(\w+) \{", MAP.read_text())
    built = exported(library)
    for what, names in (("bindings/c/fencepost.map", listed), ("the library", set(built))):
        wrong += [f"{name} is declared and not in {what}" for name in sorted(declared - names)]
        wrong += [f"{name} is in {what} and not declared" for name in sorted(names - declared)]
    wrong += [f"{name} is exported as {node}" for name, node in sorted(built.items()) if node not in nodes]
    if len(nodes) != 1:
        wrong.append(f"version nodes {nodes}: one until a release has been made")

    prefixed = re.compile(r"fencepost_[a-z0-9_]+|FENCEPOST_[A-Z0-9_]+")
    every = sorted({*header.names(), *macros()})
    wrong += [f"{name} has not our prefix" for name in every if not prefixed.fullmatch(name)]

    wrong += unknown_names(HEADER.read_text())

    # The version must be the same everywhere; the Python tests compare the Python package's.
    own = macros()
    version = ".".join(own[f"FENCEPOST_VERSION_{part}"] for part in ("MAJOR", "MINOR", "PATCH"))
    entries = re.findall(r"(?m)^## (\S+)(.*)", (ROOT / "CHANGELOG.md").read_text())
    if next((entry for entry, rest in entries if "in work" not in rest), None) != version:
        wrong.append(f"the header is {version}, and CHANGELOG does not begin with it")

    # README must state the glibc and libstdc++ versions that the built library needs.
    readme = (ROOT / "README.md").read_text()
    needs = run("readelf", "--version-info", "--wide", library)
    for family, words in (("GLIBC", "glibc"), ("GLIBCXX", "GLIBCXX")):
        versions = re.findall(rf"\b{family}_([0-9.]+)", needs)
        if not versions:
            continue  # the embedded library uses nothing from C++
        newest = max(versions, key=lambda text: [int(number) for number in text.split(".")])
        if f"{words} {newest}" not in " ".join(readme.split()):
            wrong.append(f"the library needs {family} {newest}, and README does not say so")

    # The C++ wrapper must call each function, or say in its "Not wrapped" list why it does not.
    mentioned = set(re.findall(r"\bfencepost_\w+", WRAPPER.read_text()))
    wrong += [f"{name} is neither wrapped by fencepost.hpp nor named there" for name in sorted(declared - mentioned)]

    # Each structure that can grow must be tested with older and newer callers.
    growth = (ROOT / "Tests" / "CCases" / "case_growth.c").read_text()
    growing = [name for name, members in header.structures.items() if members and members[0][0] == "struct_size"]
    tried = set(re.findall(r"\bfencepost_\w+", growth))
    wrong += [f"{name} is not in Tests/CCases/case_growth.c" for name in growing if name not in tried]

    statuses = {name.removeprefix("FENCEPOST_E_") for name in header.enumerators if name.startswith("FENCEPOST_E_")}
    comments = comments_of(HEADER.read_text())
    for name in sorted(declared):
        comment = comments.get(name, "")
        for part in ("Threads:", "Since:"):
            if part not in comment:
                wrong.append(f"{name}: its comment says nothing of {part}")
        if header.functions[name].startswith("fencepost_status"):
            stated = re.search(r"@return (.*?)\n \*(?:\n|.*(?:Ownership|Threads):)", comment + " *\n", re.DOTALL)
            if stated is None and "@return" not in comment and not comment.lstrip(" *\n").startswith("Like "):
                wrong.append(f"{name}: its comment names no status")
            for status in re.findall(r"\b[A-Z]{2,}(?:_[A-Z]+)+\b", stated[1] if stated else ""):
                known = status in statuses or any(each.endswith(status) for each in header.enumerators)
                if not known and not status.startswith("FENCEPOST"):
                    wrong.append(f"{name}: its comment names {status}, which is no status")
    return wrong


def main() -> int:
    header = Header()
    library = ROOT / ".build" / "lib" / "libfencepost.so"
    if not library.exists():
        print("abi: the library is not built; make setup-test builds it", file=sys.stderr)
        return 2
    wrong = disagreements(header, library)
    now = description(header, library)
    if "--update" in sys.argv[1:]:
        GOLDEN.write_text(now)
    golden = GOLDEN.read_text() if GOLDEN.exists() else ""
    wrong += difflib.unified_diff(golden.splitlines(), now.splitlines(), "Tests/Golden/abi.txt", "now", lineterm="")
    for line in wrong:
        print(line if line.startswith(("-", "+", "@", " ")) else f"abi: {line}", file=sys.stderr)
    if wrong:
        return 1
    print(
        f"abi: {len(header.functions)} functions, {len(header.structures)} structures, "
        f"{len(header.enumerators)} enumerators as in Tests/Golden/abi.txt"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
