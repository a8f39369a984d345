"""Refuses the idioms that make sentences hard to read, in comments, docstrings, messages and guides.

    Tests/Style/language.py             lists new findings: a part of make format-check
    Tests/Style/language.py --counts    the findings of each folder
    Tests/Style/language.py --show P    the findings of the paths that begin with P, including the allowed ones
    Tests/Style/language.py --shrink    lowers the allowances to today's findings; make format does it

`language-allowed.txt` lists how many findings each file may still have. An allowance may be lowered but not raised. A
file that is not listed, such as a new file, must have no findings. A folder whose line in the file ends with `*` is not
checked.
"""

from __future__ import annotations

import collections
import re
import sys
from pathlib import Path
from typing import NamedTuple

from messages import is_message
from texts import files, sentences, texts_of

ALLOWED = Path(__file__).with_name("language-allowed.txt")
INTRODUCTION = """\
# Findings of Tests/Style/language.py that each file may still have. Lower them; never raise them.
"""
VERBS = "is|are|was|were|has|have|had|can|cannot|may|must|does|did|comes|came|stands|lies|holds"


class Rule(NamedTuple):
    name: str
    pattern: re.Pattern[str]
    bad: str
    good: str


def rule(name: str, pattern: str, bad: str, good: str) -> Rule:
    return Rule(name, re.compile(pattern), bad, good)


RULES = (
    rule("whoever", r"(?i)\bwho(?:m)?ever\b", "Whoever stands still sets out never.", "A device stands still."),
    rule(
        "of which",
        r"(?<!\bone )(?<!\btwo )(?<!\bboth )(?<!\bmost )(?<!\bsome )(?<!\beach )(?<!\ball )\bof (?:which|whom)\b",
        "Columns of which a row is bad.",
        "Rows, one of which is bad.",
    ),
    rule("for good", r"\bfor good\b", "The file is removed for good.", "The file is removed permanently."),
    rule("by itself", r"\bby (?:itself|themselves)\b", "It recovers by itself.", "It recovers without a restart."),
    rule("told", r"(?i)\btold\b(?! apart)", "The states that were told.", "The states that were reported."),
    rule("asked", r"(?i)\basked\b(?! for)", "The index is asked once.", "The index is queried once."),
    rule(
        "given",
        r"(?i)\b(?:what|that|those|one|as) (?:(?:is|was|are|were) )?given\b",
        "What was given is kept.",
        "The arguments are kept; a radius is given.",
    ),
    rule(
        "what is", rf"(?i)\bwhat (?:{VERBS})\b(?! wrong| next)", "Returns what is near.", "Returns the near conditions."
    ),
    rule("what begins", r"^[*_(]*(?:What|Who)\b(?![^?]*\?)", "What follows reads it.", "What is a fix? Read it."),
    rule("is none", r"\b(?:is|are|was|were) none\b", "Returns nil if there is none.", "Returns nil without a fix."),
    rule(
        "is no",
        r"(?<![Tt]here )\b(?:is|are|was|were) no (?!longer|more|less|way|matter)\w",
        "NaN is no number.",
        "There is no number; it is no longer used.",
    ),
    rule(
        "accepted is",
        r"\baccepted (?:is|are)\b",
        "radius is -1; accepted are values above 0.",
        "radius is -1; must be above 0.",
    ),
    rule(
        "go on",
        r"\bgo(?:es)? on\b(?! to\b)",
        "The fleet goes on in memory.",
        "The fleet continues in memory; go on to 4.",
    ),
    rule(
        "but for",
        r"\bbut for\b(?! less| more)",
        "All but for the last.",
        "All except the last; but for less than 20 s.",
    ),
    rule("likewise", r"(?i)\blikewise\b", "Likewise, of the conditions.", "The layer of the conditions."),
    rule("known of", r"(?i)\b(?:no more|nothing) is known of\b", "Nothing is known of it.", "It is unknown."),
)


class Finding(NamedTuple):
    path: str
    line: int
    rule: str
    sentence: str


def findings_in(path: str) -> list[Finding]:
    """Returns the findings in one file."""
    found = []
    for text in texts_of(path):
        if text.kind == "string" and not is_message(text):
            continue
        for sentence in [text.text] if text.kind == "string" else sentences(text.text):
            plain = re.sub(r"`[^`]*`|\{[^{}]*\}", "x", sentence)
            found += [Finding(path, text.line, r.name, sentence) for r in RULES if r.pattern.search(plain)]
    return found


def allowances() -> tuple[dict[str, int], list[str]]:
    """The allowance of each listed file, and the folders that are not checked."""
    rows = [row.split() for row in ALLOWED.read_text(encoding="utf-8").splitlines() if row and row[0] != "#"]
    return {path: int(count) for path, count in rows if count != "*"}, [path for path, count in rows if count == "*"]


def check_rules() -> None:
    """Checks that each rule finds its bad example and accepts its good example."""
    for each in RULES:
        if not each.pattern.search(each.bad) or each.pattern.search(each.good):
            raise SystemExit(f"language: the rule '{each.name}' does not tell its examples apart")


def print_counts(found: dict[str, list[Finding]]) -> None:
    """Prints the number of findings of each folder."""
    counts: collections.Counter[str] = collections.Counter()
    for path, findings in found.items():
        counts["/".join(path.split("/")[:4][:-1]) or "."] += len(findings)
    for folder, count in sorted(counts.items()):
        print(f"{count:6} {folder}")
    print(f"{counts.total():6} in all")


def shrink(found: dict[str, list[Finding]], allowed: dict[str, int], free: list[str]) -> None:
    """Lowers the allowances to the current numbers of findings."""
    kept = {path: min(len(found.get(path, [])), count) for path, count in allowed.items()}
    rows = [f"{path} *" for path in free] + [f"{path} {count}" for path, count in sorted(kept.items()) if count]
    ALLOWED.write_text(INTRODUCTION + "\n".join(rows) + "\n", encoding="utf-8")


def print_new(found: dict[str, list[Finding]], allowed: dict[str, int]) -> bool:
    """Prints the findings of files that exceed their allowance; returns True if there are any."""
    exceeding = {path: findings for path, findings in found.items() if len(findings) > allowed.get(path, 0)}
    for path, findings in exceeding.items():
        print(f"{path}: {len(findings)} idioms, {allowed.get(path, 0)} allowed; write plain words (CONTRIBUTING.md):")
        for finding in findings:
            print(f"  line {finding.line}, {finding.rule}: {finding.sentence[:200]}")
    return bool(exceeding)


def main(arguments: list[str]) -> int:
    check_rules()
    allowed, free = allowances()
    if arguments[:1] == ["--show"]:
        for finding in (f for path in files() if path.startswith(arguments[1]) for f in findings_in(path)):
            print(f"{finding.path}:{finding.line}: {finding.rule}: {finding.sentence}")
        return 0
    every = "--counts" in arguments
    paths = [path for path in files() if every or not path.startswith(tuple(free))]
    found = {path: findings for path in paths if (findings := findings_in(path))}
    if every:
        print_counts(found)
    elif "--shrink" in arguments:
        shrink(found, allowed, free)
    else:
        return int(print_new(found, allowed))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
