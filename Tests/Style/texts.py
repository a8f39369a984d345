"""The prose of the sources: comments, docstrings, strings and guides, with file and line.

Python files are read with Python's own parser. For languages other than Python, a scanner recognises only strings and
comments. The scanner does not understand a C macro that builds a text, a text that the linker or a shell composes, or a
JavaScript regular expression after a closing bracket.
"""

from __future__ import annotations

import ast
import bisect
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
C_LIKE = {".c", ".h", ".cpp", ".hpp", ".js", ".ts", ".swift"}
SCRIPTS = {".sh", ".yml", ".yaml", ".toml", ".cmake", ".map"}
# Skipped files: data of tests or examples that was not written for a reader of the project.
# The programs of version 0.1 must stay as they were.
SKIPPED = re.compile(r"(^|/)(Golden|corpus|data|CInstalled/0\.1|__pycache__)/|LICENSE|\.min\.js$|page_files/.*\.json$")


class Text(NamedTuple):
    """One text.

    Attributes:
        kind: comment, docstring, string or guide.
        use: The call or statement around a string, for example `raise InputError`.
    """

    path: str
    line: int
    kind: str
    text: str
    use: str = ""


def files() -> list[str]:
    """The paths of all tracked and new files, sorted."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return sorted(p for p in listed.stdout.splitlines() if not SKIPPED.search(p) and (ROOT / p).is_file())


def texts_of(path: str) -> list[Text]:
    """Returns the texts of one file in order; the list is empty if the file type is unknown."""
    suffix = Path(path).suffix
    if suffix not in C_LIKE | SCRIPTS | {".py", ".pyi", ".md", ".sql"} and Path(path).name != "Makefile":
        return []
    source = (ROOT / path).read_text(encoding="utf-8")
    if suffix in (".py", ".pyi"):
        found = [*_python_comments(path, source), *_python_strings(path, source)]
    elif suffix in C_LIKE:
        found = list(_scanned(path, source, suffix))
    elif suffix == ".md":
        found = list(_guide(path, source))
    else:
        found = list(_line_comments(path, source, "--" if suffix == ".sql" else "#"))
    return sorted(found, key=lambda text: text.line)


def sentences(text: str) -> list[str]:
    """The sentences of a text, each on one line; the entries of `Args`, `@param` and lists count as sentences."""
    found = []
    # A line such as "radius: ..." begins an entry only if the text before it has ended.
    name = r"(?<=[.:])\n(?=\s*[`*\w., ]{1,40}: )"
    for entry in re.split(
        rf"\n\s*\n|\n(?=\s*(?:[-*] |[A-Z]\w+:\s*\n))|{name}|(?<=:)\n|\s(?=@(?:param|return|throws)\b)", text
    ):
        plain = re.sub(r"``[^`]*``|`[^`]*`", lambda code: code[0].replace(". ", "."), " ".join(entry.split()))
        found += re.split(r"(?<=[.!?])\s+(?=[A-Z`(\"*])", plain)
    return [part for part in found if len(re.findall(r"[A-Za-z]{2,}", part)) >= 4]


# ---- Python


def _python_comments(path: str, source: str) -> Iterator[Text]:
    block: list[str] = []
    first = last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        text = token.string.lstrip("#: ").rstrip()
        if re.match(r"!|noqa|type:|fmt:|ruff|pragma|mypy", text) or token.string.startswith("#!"):
            continue
        row, alone = token.start[0], not token.line[: token.start[1]].strip()
        if block and alone and row == last + 1:
            block.append(text)
        else:
            if block:
                yield Text(path, first, "comment", " ".join(block))
            block, first = [text], row
        last = row if alone else 0
    if block:
        yield Text(path, first, "comment", " ".join(block))


def _python_strings(path: str, source: str) -> Iterator[Text]:
    tree = ast.parse(source)
    skipped: set[int] = set()
    for node in ast.walk(tree):
        # Includes docstrings, and the strings that document an attribute.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            skipped.add(id(node.value))
            yield Text(path, node.lineno, "docstring", without_examples(node.value.value))
    yield from _uses(path, tree, "", skipped)


def without_examples(text: str) -> str:
    """A docstring without doctests and code blocks."""
    kept, inside = [], False
    for line in text.splitlines():
        inside = line.lstrip().startswith((">>>", "... ")) or (inside and bool(line.strip()))
        if not inside:
            kept.append(line)
    return re.sub(r"```.*?```", "", "\n".join(kept), flags=re.DOTALL)


def _uses(path: str, node: ast.AST, use: str, skipped: set[int]) -> Iterator[Text]:
    """Yields the strings in a node, each with the call or statement in which it is used."""
    if id(node) in skipped:
        return
    text = _joined(node)
    if text is not None:
        yield Text(path, node.lineno, "string", text, use or "text")  # type: ignore[attr-defined]
        return
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        use = "raise " + ast.unparse(node.exc.func)
    elif isinstance(node, ast.Call):
        name = ast.unparse(node.func)
        use = use if use.startswith("raise") or len(name) > 40 else f"{name}()"
    elif isinstance(node, ast.keyword) and node.arg in ("help", "description", "epilog", "metavar"):
        use = "help"
    for child in ast.iter_child_nodes(node):
        yield from _uses(path, child, use, skipped)


def _joined(node: ast.AST) -> str | None:
    """The text of a string, an f-string or a concatenation of these, with its values in braces."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else _value(part.value) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _joined(node.left), _joined(node.right)
        if left is None and right is None:
            return None
        return (left if left is not None else _value(node.left)) + (right if right is not None else _value(node.right))
    return None


def _value(node: ast.AST) -> str:
    text = ast.unparse(node)
    return "{" + (text if len(text) <= 40 else "...") + "}"


# ---- C, C++, Swift, JavaScript, TypeScript

_PIECE = re.compile(r"//[^\n]*|/\*.*?\*/|[\"'`]|/", re.DOTALL)
_BEFORE_REGULAR = re.compile(r"(?:[(,=:\[!&|?{};+]|\breturn|^)\s*$")


def _scanned(path: str, source: str, suffix: str) -> Iterator[Text]:
    at, block, block_line, block_end, strings = 0, [], 0, -1, []
    kind = "comment"
    is_script, is_swift = suffix in (".js", ".ts"), suffix == ".swift"
    lines = [0, *(m.end() for m in re.finditer("\n", source))]

    def line_of(offset: int) -> int:
        return bisect.bisect_right(lines, offset)

    while piece := _PIECE.search(source, at):
        token, start = piece[0], piece.start()
        at = piece.end()
        if token.startswith("//"):
            line, alone = line_of(start), not source[lines[line_of(start) - 1] : start].strip()
            is_doc = token.startswith("///")
            text = re.sub(r"^///?<?", "", token).strip()
            if block and alone and line == block_end + 1 and (kind == "docstring") == is_doc:
                block.append(text)
            else:
                if block:
                    yield Text(path, block_line, kind, _comment(block))
                block, block_line, kind = [text], line, "docstring" if is_doc else "comment"
            block_end = line if alone else -1
        elif token.startswith("/*"):
            is_doc = token.startswith(("/**", "/*!")) or path.startswith("include/")
            text = "\n".join(re.sub(r"^\s*\*? ?", "", row) for row in token.strip("/*!<").splitlines())
            yield Text(path, line_of(start), "docstring" if is_doc else "comment", _comment(text.splitlines()))
        elif token == "/":
            if is_script and _BEFORE_REGULAR.search(source[max(0, start - 20) : start]):
                end = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*").match(source, start)
                at = end.end() if end else at
        elif token == "'" and not is_script:
            end = re.compile(r"'(?:\\.|[^'\\\n])+'").match(source, start) if not is_swift else None
            at = end.end() if end else at
        elif token == "`" and not is_script:
            continue
        else:
            text, at = _string(source, start, token, is_swift, is_script)
            between = source[strings[-1][1] : start] if strings else ""
            # A text may consist of several strings: adjacent strings in C, sums of strings in Swift and JavaScript, or
            # strings joined by C's format macros.
            if (
                strings
                and re.fullmatch(r"(?:\s|\+(?=[^;]*$)|\bPRI\w+)*", between)
                and (is_swift or is_script) <= ("+" in between)
            ):
                strings[-1] = (strings[-1][0] + ("{}" if "PRI" in between else "") + text, at, strings[-1][2])
            else:
                strings.append((text, at, start))
    if block:
        yield Text(path, block_line, kind, _comment(block))
    for text, _, start in strings:
        ahead = re.search(r"(\.?\w+)\s*\(\s*(?:\w+\s*[:,]\s*)*$", source[max(0, start - 80) : start])
        yield Text(path, line_of(start), "string", text, f"{ahead[1]}()" if ahead else "text")


def _string(source: str, start: int, quote: str, is_swift: bool, is_script: bool) -> tuple[str, int]:
    """Returns a string's text with its values in braces, and the offset where it ends."""
    closing = '"""' if is_swift and source.startswith('"""', start) else quote
    at, text = start + len(closing), []
    while at < len(source) and not source.startswith(closing, at):
        two = source[at : at + 2]
        if (is_swift and two == "\\(") or (is_script and quote == "`" and two == "${"):
            end = _nested(source, at + 2, is_swift, is_script)
            inner = " ".join(source[at + 2 : end].split())
            text.append("{" + (inner if len(inner) <= 40 else "...") + "}")
            at = end + 1
        elif source[at] == "\\":
            text.append({"\\n": "\n", "\\t": "\t"}.get(two, "" if two == "\\\n" else two[1:]))
            at += 2
        elif source[at] == "\n" and len(closing) == 1 and quote != "`":
            break
        else:
            text.append(source[at])
            at += 1
    return "".join(text), at + len(closing)


def _nested(source: str, at: int, is_swift: bool, is_script: bool) -> int:
    depth = 1
    while at < len(source):
        character = source[at]
        if character in '"`' or (character == "'" and is_script):
            _, at = _string(source, at, character, is_swift, is_script)
            continue
        depth += (character in "({") - (character in ")}")
        if depth == 0:
            return at
        at += 1
    return at


def _comment(rows: list[str]) -> str:
    return without_examples("\n".join(row for row in rows if not re.match(r"\s*(MARK|clang-format|swift-format)", row)))


# ---- Others


def _line_comments(path: str, source: str, mark: str) -> Iterator[Text]:
    block: list[str] = []
    first = 0
    for number, line in enumerate([*source.splitlines(), ""], 1):
        if line.lstrip().startswith(mark) and not line.startswith("#!"):
            if not block:
                first = number
            block.append(line.strip().lstrip(mark).strip())
        elif block:
            yield Text(path, first, "comment", "\n".join(block))
            block = []


def _guide(path: str, source: str) -> Iterator[Text]:
    source = re.sub(r"^```.*?^```", lambda m: "\n" * m[0].count("\n"), source, flags=re.DOTALL | re.MULTILINE)
    source = re.sub(r"<!--.*?-->", lambda m: "\n" * m[0].count("\n"), source, flags=re.DOTALL)
    for block in re.finditer(r"(?:^(?!\s*$|#|\|| {4}\S).+\n?)+", source, re.MULTILINE):
        line = source.count("\n", 0, block.start()) + 1
        for item in re.split(r"\n(?=\s*(?:[-*]|\d+\.) )", block[0]):
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", item)
            yield Text(path, line, "guide", re.sub(r"^\s*(?:[-*]|\d+\.) ", "", plain))
            line += item.count("\n") + 1
