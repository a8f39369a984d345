"""Lists every message that a user can read: errors, warnings, `explain`, the commands' help and output, the log.

    Tests/Style/messages.py            compares the list with Tests/Golden/messages.txt, and refuses tests that repeat
                                       messages
    Tests/Style/messages.py --print    prints the list, as `make messages` does
    Tests/Style/messages.py --update   rewrites Tests/Golden/messages.txt, so that reviewers see the changes

A message is a string of two words or more in the sources of the library, the package, the plugin and the extensions,
however it reaches the user. The list also contains a few strings that no user reads but that look like messages. The
list misses messages of a single word, and messages that are composed of single words. Values within a message appear in
braces. SQL, HTML, CSS and script texts are left out.

A test asserts the type, code, row, place and values of an error, not its wording. A literal in a Python test must not
repeat five consecutive words of a message; names with an underscore, and values, do not count as words.
"""

from __future__ import annotations

import ast
import difflib
import re
import sys

from texts import ROOT, Text, files, texts_of

GOLDEN = ROOT / "Tests" / "Golden" / "messages.txt"
SOURCES = re.compile(
    r"Sources/|bindings/(?:python/(?:src|native)|qgis/fencepost_qgis|js/lib|sql/(?:core|sqlite|duckdb|postgresql))/"
    r"|bindings/js/(?:fencepost\.js|wasm\.c)"
)
SQL = re.compile(
    r"\s*(?:select|insert|create|delete|update|drop|pragma|begin|commit|rollback|attach|copy|alter|with|install|load"
    r"|savepoint|release|explain query|on conflict|where|values)\b",
    re.IGNORECASE,
)
WORDS = re.compile(r"[A-Za-z'`-]{2,}[,;:]? +(?:[A-Za-z'`({-]{2,}|a\b)")
# Matches texts that are not messages: lists of names, columns of tables, HTTP headers, CSS selectors and regular
# expressions.
DATA = re.compile(
    r"[A-Z_]\w*(?: [A-Z_]\w*)*|[a-z_]+ (?:int|bigint|binary|TEXT)\b.*|default-src .*|text/plain; .*|\([a-z-]+: \w+\)"
    r"|[.#][a-z]+ [a-z]+|.*\(\?:.*",
    re.DOTALL,
)
TESTS = re.compile(r"(?:.*/)?test_\w+\.py")
TOKENS = re.compile(r"\{[^{}]*\}|[\w.+'-]*[\d_][\w.+'-]*|[A-Za-z]+(?:[-'][A-Za-z]+)*|[^\s,;:]")
REPEATED = 5
INTRODUCTION = """\
# Every message, by its source, written by Tests/Style/messages.py --update. Values are in braces.
"""


def is_message(text: Text) -> bool:
    """True if a string is prose for a user."""
    if text.kind != "string" or not SOURCES.match(text.path):
        return False
    words = text.text.strip()
    if DATA.fullmatch(words):
        return False
    if SQL.match(words) and not re.match(r"[a-z]+ [a-z]+(?: [a-z]+)* (?:is|are|was)\b|with \w+|where ", words):
        return False
    if re.search(r"</?\w+[ >]|;\n|\bfunction\b|=>|\bvar |^\s*[.#@]?\w+ *\{|=\\?\"|\bNOT NULL\b|\bBLOB\b", words):
        return False
    return bool(WORDS.search(re.sub(r"\{[^{}]*\}", "{}", words)))


def messages() -> list[Text]:
    """The messages by file, in each file's order."""
    return [text for path in files() if SOURCES.match(path) for text in texts_of(path) if is_message(text)]


def listing() -> str:
    """The text of the golden file."""
    rows, path = [INTRODUCTION], ""
    for message in messages():
        if message.path != path:
            path = message.path
            rows.append(f"\n{path}\n")
        rows.append(f"  {message.use}: {' '.join(message.text.split())}\n")
    return "".join(rows)


def runs(text: str) -> set[tuple[str, ...]]:
    """The runs of consecutive words in a text."""
    words = [token.lower() if token[0].isalpha() and "_" not in token else "" for token in TOKENS.findall(text)]
    found = zip(*(words[start:] for start in range(REPEATED)))
    return {run for run in found if all(word and not re.search(r"\d", word) for word in run)}


def repetitions(listed: str) -> list[str]:
    """The string literals in tests that repeat words from a message in the list."""
    known = {run for line in listed.splitlines() for run in runs(line.partition(": ")[2])}
    found = []
    for path in filter(TESTS.fullmatch, files()):
        nodes = list(ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))))
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                same = runs(node.value) & known
                if same:
                    found.append(f"{path}:{node.lineno}: repeats a message: {' '.join(min(same))}")
    return found


def main() -> int:
    now = listing()
    if "--print" in sys.argv:
        sys.stdout.write(now)
    elif "--update" in sys.argv:
        GOLDEN.write_text(now, encoding="utf-8")
    else:
        before = GOLDEN.read_text(encoding="utf-8") if GOLDEN.exists() else ""
        difference = list(difflib.unified_diff(before.splitlines(), now.splitlines(), "committed", "now", "", "", 0))
        print(*difference[:60], sep="\n", end="\n" if difference else "")
        if difference:
            print("messages: if the change is wanted, Tests/Style/messages.py --update", file=sys.stderr)
            return 1
        repeated = repetitions(now)
        if repeated:
            print(*repeated, "messages: assert the code, row, place or values instead", sep="\n", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
