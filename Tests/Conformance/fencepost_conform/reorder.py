"""Conformance scenarios of the reorderer. Tests/Conformance/README.md describes the format."""

from __future__ import annotations

from typing import Any

from fencepost._monitor.reorderer import Reorderer
from fencepost._native import FencepostError

from .scenarios import Scenario, to_us
from .steps import Mismatch, text

VERBS = ("add", "advance", "flush", "held")


class ReorderRun:
    """One run of a scenario of the reorderer. A reorderer has no store, so a restart does nothing."""

    def __init__(self, scenario: Scenario) -> None:
        self.reorderer: Reorderer[str] = Reorderer(**scenario.options)

    def end(self) -> None:
        pass

    def after_step(self) -> None:
        pass

    def step(self, step: dict[str, Any]) -> None:
        if "refused" in step:
            expected = f"refused with {step['refused']}"
            try:
                self.released(step["step"])
            except FencepostError as error:
                if error.name != step["refused"]:
                    raise Mismatch(expected, f"refused with {error.name}: {error}") from None
            else:
                raise Mismatch(expected, "accepted")
        elif "held" in step:
            if len(self.reorderer) != step["held"]:
                raise Mismatch(text(step["held"]), text(len(self.reorderer)))
        elif (released := self.released(step)) != step["released"]:
            raise Mismatch(text(step["released"]), text(released))

    def released(self, step: dict[str, Any]) -> list[str]:
        if sum(verb in step for verb in VERBS) != 1:
            raise ValueError(f"it has not one verb; the verbs are {', '.join(VERBS)}")
        device = step.get("device")
        if "add" in step:
            return self.reorderer.add(step["add"], time=to_us(step["time"]), device=device)
        if "advance" in step:
            return self.reorderer.advance(to_us(step["advance"]), device)
        return self.reorderer.flush(device)
