"""Draws random sentences of each kind for a reader who does not know the project: make sample-text SEED=n.

Tests/Style/sample.py SEED [COUNT]    COUNT (default 10) of each kind: comments (outside the core), docstrings,
messages, guides
"""

from __future__ import annotations

import random
import sys

from messages import is_message
from texts import files, sentences, texts_of


def main(seed: str, count: str = "10") -> None:
    drawn: dict[str, list[str]] = {"comment": [], "docstring": [], "string": [], "guide": []}
    for path in files():
        if path.startswith("Sources/FencepostCore/"):
            continue
        for text in texts_of(path):
            if text.kind != "string":
                drawn[text.kind] += [f"{path}:{text.line}: {sentence}" for sentence in sentences(text.text)]
            elif is_message(text):
                drawn["string"].append(f"{path}:{text.line}: {' '.join(text.text.split())}")
    order = random.Random(seed)
    for kind, name in (
        ("comment", "comments"),
        ("docstring", "docstrings"),
        ("string", "messages"),
        ("guide", "guides"),
    ):
        print(f"== {name}, {count} of {len(drawn[kind])}")
        print(*order.sample(drawn[kind], int(count)), "", sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
