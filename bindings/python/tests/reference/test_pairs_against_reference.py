"""Tests that the engine and the reference agree on random worlds with each pair of features, and with all of them. A
failure prints its seed; FENCEPOST_SEED=17 plays other worlds. FENCEPOST_SOAK=1 plays twenty times as many."""

from __future__ import annotations

import os
import random
from collections import Counter
from itertools import combinations

import pytest
from conftest import IS_FULL
from worlds import FEATURES, World

SEED = os.environ.get("FENCEPOST_SEED", "1")
IS_SOAK = os.environ.get("FENCEPOST_SOAK") == "1"
WORLDS = int(os.environ.get("FENCEPOST_WORLDS", "80" if IS_SOAK else "12" if IS_FULL else "4"))
STEPS = 60
DELIVERIES = ("every", "latest", "every", "first")
PAIRS = [*map("".join, combinations(FEATURES, 2)), FEATURES]


@pytest.mark.full
@pytest.mark.parametrize("features", PAIRS)
def test_engine_and_reference_agree(features: str) -> None:
    met: Counter[str] = Counter()
    for number in range(WORLDS):
        seed = f"{features} {SEED} {number}"
        print("seed", seed)
        met += World(random.Random(seed), features, DELIVERIES[number % 4]).play(STEPS)
    print(dict(met))
    assert "L" not in features or met["doubted"] > 0
    assert "S" not in features or met["inactive"] > 0
    assert "P" not in features or met["uncertain"] > 0
    if len(features) == 2:  # each feature decided events, and both together the same events, unless one is the order
        wanted = [*features] if "O" in features else [*features, features]
        assert min(met[sign] for sign in wanted) > 0, "too few worlds; set FENCEPOST_WORLDS"
