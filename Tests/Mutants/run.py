#!/usr/bin/env python3
"""Shows that the conformance corpus and the invariants detect defects. Each defect in a list is put into the engine
separately, and at least one scenario, C case or Python test must fail. In a build that checks all invariants after each
call, a defect that breaks an invariant must be detected by the check of that invariant.

    .venv/bin/python Tests/Mutants/run.py [--list | --check] [WORD...]

If words are given, runs only the mutants whose names contain at least one of these words. The program works in a copy
of the tree under .build/mutants, builds the library there and runs ``python -m fencepost_conform`` on Tests/Conformance
with a copy of the installed package that loads this library. The program prints which scenario detects each mutant. The
exit code is 1 if a mutant is not detected, and 2 if the mutants cannot be checked.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / ".build" / "mutants"
TREE, SCRATCH, PYTHON = WORK / "tree", WORK / "scratch", WORK / "python"
CHECKED = WORK / "scratch-checked"
SONAME = "libfencepost.so." + ".".join(
    re.search(rf"(?m)^#define FENCEPOST_VERSION_{part} (\d+)$", (ROOT / "include/fencepost.h").read_text())[1]
    for part in ("MAJOR", "MINOR")
)
CORE = Path("Sources", "FencepostCore")
LIMIT_S = 60
"""How many seconds of processor time the corpus, the C cases or a Python test may use. A mutant with which they need
more is detected. Other programs on the machine do not use up this time."""
FILE_LIMIT_S = 20
"""How many seconds of processor time one file of the corpus may use."""
WAIT_FACTOR = 8
"""The factor from these times to the time after which a program that waits for something is ended."""
CORPUS = sorted((ROOT / "Tests" / "Conformance").rglob("*.json"))


class Mutant(NamedTuple):
    name: str
    file: str
    """Relative to Sources/FencepostCore."""
    old: str
    """Stands there once."""
    new: str
    invariant: str = ""
    """Words that identify the invariant whose check detects the mutant; empty if a scenario detects the mutant."""
    case: str = ""
    """A word in the names of the C cases that detect the mutant; needed if Python refuses the call before it reaches
    the engine."""
    test: str = ""
    """The Python test that detects the mutant, below bindings/python/tests; needed if no scenario does."""

    @property
    def is_python(self) -> bool:
        """Whether the mutant changes the Python package. No library is built for it."""
        return self.file.startswith(PYTHON_SOURCE)

    @property
    def path(self) -> Path:
        """The file in which the mutant is put."""
        return PYTHON / self.file.removeprefix(PYTHON_SOURCE) if self.is_python else TREE / CORE / self.file


SHAPES = "Detection/Tracker+Places.swift"
HEIGHTS = "Detection/Tracker+Heights.swift"
BANDS = "Model/AltitudeBand.swift"
LOCAL = "Detection/Watches.swift"
KERNEL_NEAR = "../FencepostKernel/Shapes/NearEdges.swift"
CELLS = "../FencepostKernel/Shapes/EdgeCells.swift"
FLEET_FIXES = "Fleet/FleetEngine+Fixes.swift"
DEVICES = "Detection/Tracker+Devices.swift"
KERNEL_PATCHES = "../FencepostKernel/Index/CapPatches.swift"
WATCHES = "Detection/Lookout.swift"
SURVEY = "Detection/Survey.swift"
REACHED = "Detection/Tracker+Reached.swift"
DUE = "Detection/Tracker+Due.swift"
BEACONS = "Detection/Tracker+Beacons.swift"
POLICY = "Model/TransitionPolicy.swift"
DELIVERY = "Delivery/Delivery.swift"
POST = "Delivery/Post.swift"
EVERY = "Delivery/EveryOutbox.swift"
TURNS = "Delivery/TurnOutbox.swift"
TOLD = "Delivery/ToldStates.swift"
TRACKER = "Detection/Tracker.swift"
STATES = "Detection/SlotStates.swift"
OBSERVED = "Detection/ObservedStates.swift"
CONDITIONS = "MonitorEngine+Conditions.swift"
HOST = "MonitorEngine+Inputs.swift"
FIXES = "MonitorEngine+Inputs.swift"
ENGINE = "MonitorEngine.swift"
TABLE = "../FencepostKernel/OpenTable.swift"
AREA = "Shapes/Area.swift"
KERNEL_SHAPE = "../FencepostKernel/Shapes/GeodesicShape.swift"
ADMISSION = "Detection/Admission.swift"
PASSING = "Detection/Tracker+Fixes.swift"
LINE_MASS = "../FencepostKernel/Probability/LineMass.swift"
CONTAINMENT = "../FencepostKernel/Probability/Containment.swift"
BATCHES = "monitor/test_plausibility.py::test_a_batch_decides_each_fix_as_a_single_feed_does"
PLAUSIBILITY, CHAIN = "Model/Plausibility.swift", "Detection/DoubtChain.swift"
LINE_CROSSING = "../FencepostKernel/Shapes/LineCrossing.swift"
RULES = "Detection/Tracker+Rules.swift"
BOOK = "Conditions/RuleBook.swift"
CIRCLE_BOUND = "../FencepostKernel/Probability/CircleBound.swift"
PYTHON_SOURCE = "../../bindings/python/src/"
REORDERER = PYTHON_SOURCE + "fencepost/_monitor/reorderer.py"

MUTANTS = [
    # These mutants change the shape detector.
    Mutant("the line belongs to the outside when undetermined", SHAPES,
           "let isInside = measure.isInside\n    if isCoarse", "let isInside = measure.distance < measure.line\n    if isCoarse"),
    Mutant("the line belongs to the outside when determined", SHAPES,
           "let isOwnSide = measure.isInside ==", "let isOwnSide = (measure.distance < measure.line) =="),
    Mutant("a fix on the own side does not cancel a candidate", SHAPES,
           "if known.closeCandidate(slot) {", "if known.candidate(of: slot) == nil {"),
    Mutant("an exit needs to be beyond the margin, not at it", SHAPES,
           "? measure.distance >= measure.line + margins.outer", "? measure.distance > measure.line + margins.outer"),
    Mutant("the exit margin is dropped", SHAPES,
           "? measure.distance >= measure.line + margins.outer", "? measure.distance >= measure.line"),
    Mutant("the entry margin is dropped", SHAPES,
           ": measure.distance <= measure.line - margins.inner && ", ": measure.distance <= measure.line && "),
    Mutant("a coarse fix may open an entry", SHAPES,
           " && !policy.isTooCoarse(size: size, accuracy: fix.accuracy)\n", "\n"),
    Mutant("a coarse fix decides an undetermined circle by its side", SHAPES,
           "!(measure.distance - fix.accuracy > measure.line)", "!(measure.distance > measure.line)"),
    Mutant("a coarse fix whose uncertainty touches the line decides", SHAPES,
           "!(measure.distance - fix.accuracy > measure.line)", "!(measure.distance - fix.accuracy >= measure.line)"),
    Mutant("entry and exit dwell are exchanged", SHAPES,
           "observed == .inside ? policy.exitDwellMicroseconds : policy.entryDwellMicroseconds",
           "observed == .inside ? policy.entryDwellMicroseconds : policy.exitDwellMicroseconds"),
    Mutant("with evidence a later decisive fix starts the dwell again", SHAPES,
           "date: time, table, &survey) }\n      return\n", "date: time, table, &survey) }\n      if candidate.isTimed { return }\n"),
    Mutant("evidence must come after the dwell, not at its end", SHAPES,
           "time >= candidate.deadline", "time > candidate.deadline"),
    Mutant("evidence confirms only with a decisive fix", SHAPES,
           "if !candidate.isTimed, time >= candidate.deadline {",
           "if !candidate.isTimed, time >= candidate.deadline, measure.boundaryDistance.magnitude >= outer {"),
    Mutant("the evidence date is that of the confirmation", SHAPES,
           "candidate.fix, boundaryDistance: candidate.boundaryDistance, isOnPath: candidate.isOnPath)",
           "candidate.fix, boundaryDistance: candidate.boundaryDistance, isOnPath: candidate.isOnPath)\n"
           "    entry.evidenceDate = date"),
    # Policies with probabilities.
    Mutant("any probability is decisive inwards", POLICY, "? probability >= entryProbability", "? true"),
    Mutant("any probability is decisive outwards", POLICY, ": probability <= exitProbability", ": true"),
    Mutant("an undefined probability is decisive", POLICY,
           "guard !probability.isNaN else { return false }", "guard !probability.isNaN else { return true }"),
    Mutant("the margins do not matter to a policy with probabilities", SHAPES,
           "guard Self.isBeyondMargin(fix, measure, size: shape.size, margins: (inner, outer), policy, from: observed) else {",
           "guard policy.hasProbability || Self.isBeyondMargin(fix, measure, size: shape.size, margins: (inner, outer), policy, from: observed) else {"),
    Mutant("the probability does not matter to a crossing", SHAPES,
           "guard policy.isDecisive(inwards: measure.isInside, probability) else { return nil }", ""),
    Mutant("the probability does not matter to a determination", SHAPES,
           "if Self.decisiveProbability(slot, fix, measure, table, error(of: fix), reachOfMetre) != nil { return false }", "return false"),
    Mutant("the accuracy holds 68 % whatever the option says", SHAPES,
           "confidence: options.accuracyConfidence)", "confidence: 0.68)"),
    Mutant("the error ellipse of a fix does not matter", SHAPES,
           "timeline.lastEllipse?.error ?? .accuracy", "FixEllipse?.none?.error ?? .accuracy"),
    Mutant("the reach of an error ellipse is that of the accuracy", SHAPES,
           "ellipse.map { min($0.major, 1e9)", "ellipse.map { _ in min(fix.accuracy, 1e9)"),
    Mutant("the probability of the fix that opened a candidate is forgotten", SHAPES,
           "if !candidate.probability.isNaN {", "if candidate.probability.isNaN {"),
    Mutant("a fix without an error ellipse has that of the fix before", "Detection/Timeline.swift",
           "number == lastNumber ? last : number == numberBefore ? before",
           "number >= lastNumber ? last : number >= numberBefore ? before"),
    Mutant("a start looks back with the error ellipse of the next fix", "Detection/Timeline.swift",
           "arrival == .min ? counters.acceptedFixes : counters.acceptedFixes &- 1", "counters.acceptedFixes"),
    Mutant("a refused fix leaves its error ellipse", "MonitorEngine+Inputs.swift",
           "if tracker.counters.acceptedFixes == accepted {", "if accepted == .max {"),
    Mutant("a fleet keeps no error ellipse", "Fleet/FleetEngine.swift", "state.ellipse = tracker.lastEllipse", "state.ellipse = nil"),
    Mutant("an error ellipse is replaced in place", "Fleet/FleetEngine+Path.swift",
           ", !DeviceState.hasExtras(in: words) else", " else",
           test="monitor/test_probability_policy.py::test_a_fix_of_a_device_without_an_ellipse_follows_one_with_an_ellipse"),
    Mutant("a position of a path decides by its probability", SHAPES,
           "if isOnPath { return true }", ""),
    Mutant("a path is laid for a policy with probabilities", "Path/Tracker+Path.swift",
           "!table.hasProbability(slot), !isSuspended(slot, table) else", "!isSuspended(slot, table) else"),
    Mutant("a device that was suspended is measured", "Fleet/DeviceRecord.swift",
           "header.isDisjoint(with: [.wide, .rewound])", "!header.contains(.wide)"),
    Mutant("the reported states of a device that was suspended are not known", "Fleet/FleetEngine.swift",
           "observed.supposeUnsatisfied(through: state.rewoundThrough)", "observed.supposeUnsatisfied(through: 0)", test="fleet/test_fleet_paths.py"),
    Mutant("explain gives the probability of no fix", "Explain/MonitorEngine+Explain.swift",
           "if !probability.isNaN { explanation.probability = probability }", "explanation.probability = nil"),
    # Polygons and corridors.
    Mutant("the buffer of a polygon is forgotten", KERNEL_SHAPE,
           "(made.line, true, buffer, made.leftOutRings)", "(made.line, true, 0, made.leftOutRings)"),
    Mutant("margins of a polygon are not limited by its depth", "Shapes/Shape.swift",
           "case .polygon(let area), .corridor(let area), .line(let area): area.shape.depth",
           "case .polygon, .corridor, .line: .infinity"),
    Mutant("margins of a polygon are judged by bounds", AREA,
           "guard isClear(0), isClear(-margins.inner), isClear(margins.outer) else", "guard isClear(0) else"),
    Mutant("a device that leaves a polygon is found too late", AREA,
           "case .outwards(let level): level - most", "case .outwards(let level): 1_000 * (level - most)"),
    Mutant("a device that enters a polygon is found too late", AREA,
           "case .inwards(let level): least - level", "case .inwards(let level): 1_000 * (least - level)"),
    # These mutants change how crossed lines are detected.
    Mutant("a line is crossed as it is listed the other way", LINE_CROSSING, "isToLeft: endsLeft", "isToLeft: !endsLeft"),
    Mutant("who goes around the end of a line has crossed it", LINE_CROSSING,
           "side(of: part, edge, atStart: true) != side(of: part, edge, atStart: false)", "true"),
    Mutant("a line is crossed at its open end", LINE_CROSSING,
           "guard startsLeft != endsLeft, !meetsOpenEnd(part, edge),", "guard startsLeft != endsLeft,"),
    Mutant("who is on a line is right of it", LINE_CROSSING,
           "side(of: way.start) >= -GeodesicShape.onTheLine", "side(of: way.start) >= GeodesicShape.onTheLine"),
    Mutant("only the first crossing of a line is told", "Delivery/EveryOutbox.swift",
           "observed.direction != nil || observed.marks", "observed.marks"),
    Mutant("the first determination since a start is compared with what was told", "Delivery/EveryOutbox.swift",
           "|| observed.marks.contains(.news)", "|| false"),
    Mutant("an interval contains its end", "Model/EdgeRuns.swift",
           "if offsets[middle] <= elapsed {", "if offsets[middle] < elapsed {"),
    Mutant("a schedule repeats its last week for ever", "Model/EdgeRuns.swift",
           "min(passed + low - run.place, count)", "passed + low - run.place"),
    # These mutants change bands of altitudes.
    Mutant("the limits do not belong to the band", BANDS,
           "isInside: isDistanceKnown && distance <= 0,", "isInside: isDistanceKnown && distance < 0,"),
    Mutant("the vertical margin is dropped", BANDS, "Swift.max(policy.verticalMargin, ", "Swift.max(0, "),
    Mutant("the vertical accuracy does not count", BANDS,
           "policy.accuracyFactor == 0 ? 0 : policy.accuracyFactor * accuracy)", "0)"),
    Mutant("the vertical margin inwards has no limit", BANDS,
           "let inner = Swift.min(margin, thickness / 2)", "let inner = margin"),
    Mutant("a coarse height counts", BANDS, "if isCoarse { (low, high) = (.nan, .nan) }", ""),
    Mutant("a height that is missing makes the other limit unknown", BANDS,
           " || known.below > 0 || known.above > 0", ""),
    Mutant("the better accuracy counts on a path", BANDS,
           "accuracy: max(start.accuracy, end.accuracy))", "accuracy: min(start.accuracy, end.accuracy))"),
    Mutant("limits are equal only if they are the same", BANDS,
           "|| (one - other).magnitude <= 0.5 }", "}"),
    Mutant("without a height, a fix is outside", HEIGHTS,
           "guard isInside || !measure.isInside || place.isOutside else { return }", ""),
    Mutant("the height does not determine outside", HEIGHTS,
           "guard isInside || isOutside || place.isOutside else {", "guard isInside || isOutside else {"),
    Mutant("the height of the last fix counts on the path to it", HEIGHTS,
           "isOnPath ? timeline.heightsOnPath(at: fix.time.microseconds) : ", ""),
    Mutant("a height alone does not decide outwards", HEIGHTS,
           ": isDecisive || place.isDecisiveOutwards else", ": isDecisive else"),
    Mutant("fixes within a band are not looked at", WATCHES,
           "if band(of: slot) != nil {", "if band(of: slot) != nil, candidate != nil {"),
    Mutant("the height of the last fix is not restored", "Snapshot/MonitorEngine+Restoring.swift",
           "    timeline.setHeight(row.height, of: row.counters.acceptedFixes)\n", ""),
    Mutant("repeats count from the change, not from its evidence", "Detection/Tracker+Schedules.swift",
           "next.evidenceDate = entry.evidenceDate == .min ? entry.date : entry.evidenceDate\n",
           "next.evidenceDate = entry.date\n"),
    Mutant("a start settles the last shape too", STATES,
           "if lastIsAlone, generation == lastGeneration {", "if lastIsAlone {"),
    Mutant("an exhausted condition goes on", "Detection/Tracker+Schedules.swift",
           "state.isExhausted = true", "state.isExhausted = false"),
    Mutant("what lies before the clock is not crossed", "Path/Tracker+Lines.swift",
           "let after = start ?? last.time.microseconds", "let after = start ?? max(last.time.microseconds, clock)"),
    Mutant("nobody knows that a fix was too coarse", STATES,
           "      $0.hasMetCoarseFix = true\n", "      $0.hasMetCoarseFix = false\n"),
    # Policies.
    Mutant("the entry margin is not limited to half the radius", POLICY,
           "return min(max(entryMargin, scaled), size / 2)", "return max(entryMargin, scaled)"),
    Mutant("accuracy does not widen the exit margin", POLICY,
           "return max(exitMargin(size: size), scaled)", "return exitMargin(size: size)"),
    Mutant("accuracy does not widen the entry margin", POLICY,
           "return min(max(entryMargin, scaled), size / 2)", "return min(entryMargin, size / 2)"),
    Mutant("the exit margin of core_location has no upper limit", POLICY,
           "min(max(size, exitMargin), exitMarginLimit)", "max(size, exitMargin)"),
    Mutant("every limit of the exit margin is that of core_location", POLICY,
           "min(max(size, exitMargin), exitMarginLimit)", "min(max(size, exitMargin), 200)"),
    Mutant("with a limit the exit margin may be less than it says", POLICY,
           "min(max(size, exitMargin), exitMarginLimit)", "min(size, exitMarginLimit)"),
    Mutant("a limit below the exit margin is accepted", POLICY,
           "exitMarginLimit != 0, exitMarginLimit < exitMargin", "exitMarginLimit < 0", case="bad policies"),
    Mutant("an accuracy at the limit is too coarse", POLICY,
           "accuracy > max(size, Self.alwaysFineEnough)", "accuracy >= max(size, Self.alwaysFineEnough)"),
    Mutant("the accuracy limit of a small circle is its radius", POLICY,
           "accuracy > max(size, Self.alwaysFineEnough)", "accuracy > size"),
    # What becomes due.
    Mutant("deadlines at one instant fire in add order only", DUE,
           "($0.deadline, $0.generation) < ($1.deadline, $1.generation)", "$0.generation < $1.generation"),
    Mutant("equal deadlines fire in reverse add order", DUE,
           "($0.deadline, $0.generation) < ($1.deadline, $1.generation)",
           "($0.deadline, $1.generation) < ($1.deadline, $0.generation)"),
    Mutant("a crossing is dated with the clock", DUE, "of: slot), slot: slot, date: deadline,", "of: slot), slot: slot, date: time,"),
    Mutant("a deadline at an input's own time fires before it", DUE,
           "confirmDue(through: time.microseconds - 1, table, &delivery, &survey)", "confirmDue(through: time.microseconds, table, &delivery, &survey)"),
    # Beacons.
    Mutant("the weakest sighting refines", BEACONS, "return rssi > other.rssi", "return rssi < other.rssi"),
    Mutant("of equal sightings the highest number refines", BEACONS,
           "(major, minor) < (other.major, other.minor)", "(major, minor) > (other.major, other.minor)"),
    Mutant("a sighting does not extend the absence timer", OBSERVED,
           "lastSighting: time, deadline: deadline)", "lastSighting: time, deadline: beacons[slot]?.deadline ?? .max)"),
    Mutant("the exit timeout is the initial one", BEACONS,
           "options.beaconExitTimeoutMicroseconds", "options.beaconInitialTimeoutMicroseconds"),
    Mutant("switching the scanner off changes nothing", BEACONS, "          stop(slot, table, &delivery)\n", ""),
    Mutant("a suspended beacon is seen", BEACONS,
           "guard !isSuspended(slot, table), let beacon", "guard let beacon"),
    Mutant("only a bare UUID is refined", BEACONS, "if beacon.minor == nil {", "if beacon.major == nil {"),
    Mutant("absence does not name the last sighting", BEACONS,
           "    entry.evidenceDate = track.lastSighting\n", "    _ = track\n"),
    Mutant("an absence after a sighting is a determination", BEACONS,
           "entry.notify = track.observed == .undetermined ? .initial : .exit", "entry.notify = track.observed == .inside ? .initial : .exit"),
    # These mutants change how observations become events.
    Mutant("notify is ignored", POST,
           "let isNotified = entry.notify.isSubset(of: table.notify(of: entry.slot))",
           "let isNotified = entry.generation > 0"),
    Mutant("a diagnostic event has the state of the record", "Model/EventEntry.swift",
           "state: flags.isDisjoint(with: .unmonitored) ? state : .unmonitored", "state: state"),
    Mutant("ceasing to be unmonitored is told", "Model/Diagnostics.swift",
           "return !(isDisjoint(with: .unmonitored) ? difference.subtracting(.unmonitored) : difference).isEmpty",
           "return !difference.isEmpty"),
    Mutant("after a commit a change and then its flags are told", TURNS,
           "guard !turns.isBusy(slot), let flags = turns.flags[slot]", "guard let flags = turns.flags[slot]"),
    Mutant("a silent change swallows what the flags have to tell", POST,
           "    if !isNotified {\n      // A silent", "    if false {\n      // A silent"),
    Mutant("latest tells an event that was replaced", TURNS,
           "    return waiting\n", "    return waiting.sequence == 0 ? entry : waiting\n"),
    Mutant("a slot that becomes free for an unsupported condition is not reported", CONDITIONS,
           "    if flags.isNews(to: before) { flagsChanged(slot) }\n", "    _ = before\n"),
    Mutant("latest keeps a waiting event that is back at the record", TURNS,
           "    dropWaiting(slot, &post, table)\n    let isTold",
           "    if entry.state != noted { dropWaiting(slot, &post, table) }\n    let isTold"),
    Mutant("first tells what was observed first behind an event", TURNS,
           "      setPresent(slot, entry, &post)\n", "      setPresent(slot, replaces ? entry : turns.present[slot] ?? entry, &post)\n"),
    # Delivery.
    Mutant("a condition's second event has the sequence number of the last", DELIVERY,
           "    lastSequence += 1\n", "    if told.record(of: entry.slot) == nil { lastSequence += 1 }\n"),
    Mutant("a sequence number is given when an event is asked for in vain", DELIVERY,
           "    guard var entry = takeNext(table) else { return false }\n", "    guard var entry = takeNext(table) else { lastSequence += 1; return false }\n"),
    Mutant("what was in flight is lost at a restart", DELIVERY,
           "{ inFlight.abandon() }", "{ inFlight.commit() }"),
    Mutant("a restart commits", "MonitorEngine+Delivery.swift", "    delivery.abandon()\n", "    acknowledge()\n    delivery.abandon()\n"),
    Mutant("the record shows an event as soon as it is handed out", DELIVERY,
           "    inFlight.append(entry)\n    return true", "    inFlight.append(entry)\n    post.write(entry, table)\n    return true"),
    Mutant("an event of a removed condition is still delivered", EVERY,
           "if table.holds(entry.slot, entry.generation) { return entry }",
           "if table.holds(entry.slot, entry.generation) || !table.isLive(entry.slot) { return entry }"),
    Mutant("events built at a commit come last", "Delivery/EventQueue.swift",
           "entries[entries.count - 1].change > entry.change {", "entries[entries.count - 1].change == 0 {"),
    Mutant("events that are handed out together have one sequence number", POST,
           "      sequence += 1\n", "      if count == 0 { sequence += 1 }\n"),
    Mutant("a void event between others is handed out", POST,
           "while count < most, table.holds(queue[ahead: count].slot, queue[ahead: count].generation) {",
           "while count < most {"),
    # The shapes that one fix reaches.
    Mutant("the neighbourhood does not hear that a circle was entered", WATCHES,
           "      neighbourhood.update(slot, exit)\n", ""),
    Mutant("the events of circles come before those of polygons", REACHED,
           "\n      && (table.isOfCircles || survey.reached.allSatisfy { table.isRound($0) })", ""),
    Mutant("a crossing without a dwell comes before one that was in the making", REACHED,
           "known.candidates.isEmpty && survey.confirmed", "survey.confirmed"),
    Mutant("the events of one fix come in the order in which they were found", REACHED,
           "      arrangeReached(table, &survey)\n", ""),
    Mutant("two far circles have one distance", REACHED,
           "      distance = distances[1]\n", "      distance = distances[0]\n"),
    Mutant("the distance of a far circle is also that of the near circle before it", REACHED,
           "    if index &+ 1 < next { return .nan }\n", "    if index &+ 1 < next { return distance }\n"),
    Mutant("the reached circles do not limit the safe region", "Detection/Neighbourhood.swift",
           "      var rest = lanes | changed\n", "      var rest = changed & 0\n"),
    # These mutants change the edge cells. To detect these mutants, EdgeCellsTests compares the answers of the cells
    # with those of the shapes.
    Mutant("a polygon that a device of a fleet entered is overlooked", FLEET_FIXES,
           "guard polygons == place.polygonCount else", "guard polygons <= place.polygonCount else"),
    Mutant("cells outlive a change of the table", FLEET_FIXES,
           "    edges.keepUp(with: table.index.count, version: table.indexVersion)\n", ""),
    Mutant("a position has the sides of the reference of its cell", CELLS,
           "let sides = cell.sides ^ flips", "let sides = cell.sides"),
    # These mutants change what a fleet remembers about a device's surroundings. To detect these mutants,
    # SurroundingsTests measures distances and checks which circles contain each device.
    Mutant("the room around a device does not shrink while the device moves", FLEET_FIXES,
           "let room = surroundings.room - moved", "let room = surroundings.room"),
    Mutant("only the nearest circle limits the room around a device", KERNEL_PATCHES,
           "    } else if slack < next {\n      next = slack\n", "    } else if false {\n"),
    Mutant("a circle that a device has left is not near the device", DEVICES,
           "      clearance.nearest.add(slot, slack: table.entrySlack(slot, at: position))\n", "      _ = slot\n"),
    # These mutants change the code for conditions, for the limit on their number, for the host's capabilities, and for
    # inputs.
    Mutant("the newest waiting condition gets a free place", "Conditions/ConditionLimit.swift",
           "queue.append((slot, lastTicket))", "queue.insert((slot, lastTicket), at: head)"),
    Mutant("a replacement over the limit is monitored", "Conditions/ConditionTable.swift",
           "var isOverLimit = isOverLimit(slot)", "var isOverLimit = false"),
    Mutant("a fix of exactly the greatest age is too old for an add", TRACKER,
           "<= options.initialFixMaxAgeMicroseconds", "< options.initialFixMaxAgeMicroseconds"),
    Mutant("a promoted condition looks back", CONDITIONS,
           "begin(slot, lookingBack: false,", "begin(slot, lookingBack: true,"),
    Mutant("a resumed condition looks back", TRACKER, "begin(slot, lookingBack: false,", "begin(slot, lookingBack: true,"),
    Mutant("suspension keeps observation and candidate", TRACKER,
           "      if new.suspends, !old.suspends { stop(slot, table, &delivery) }\n", ""),
    Mutant("events of a removed condition count as waiting", POST,
           "    pendingEvents -= told.drop(slot)\n", "    _ = told.drop(slot)\n"),
    Mutant("ensure compares radii to 5 m", "Model/CircularGeographicCondition.swift",
           "<= 0.5", "<= 5"),
    Mutant("an input at the clock is late", ADMISSION,
           "guard time.microseconds >= clock else", "guard time.microseconds > clock else"),
    Mutant("late inputs are not counted", ADMISSION, "    case .lateInput: lateInputs += 1\n", "    case .lateInput: others += 1\n"),
    Mutant("one event more than allowed may wait", ENGINE,
           "pendingEvents >= options.maxPendingEvents", "pendingEvents > options.maxPendingEvents"),
    # These mutants change plausibility.
    Mutant("accuracies do not make a jump shorter", PLAUSIBILITY,
           "Self.seconds(from: before, to: fix) + min(before.accuracy, Self.mostAccuracy)\n"
           "      + min(fix.accuracy, Self.mostAccuracy)", "Self.seconds(from: before, to: fix)"),
    Mutant("only the accuracy of the later fix makes a jump shorter", PLAUSIBILITY,
           "to: fix) + min(before.accuracy, Self.mostAccuracy)", "to: fix)"),
    Mutant("every fix follows a coarse one", PLAUSIBILITY, "mostAccuracy: Double { 5_000 }", "mostAccuracy: Double { 1e9 }"),
    Mutant("two fixes may be less than a second apart", PLAUSIBILITY,
           "leastStep: Int64 { 1_000_000 }", "leastStep: Int64 { 1 }"),
    Mutant("two fixes are at least two seconds apart", PLAUSIBILITY,
           "leastStep: Int64 { 1_000_000 }", "leastStep: Int64 { 2_000_000 }"),
    Mutant("an earlier fix follows", PLAUSIBILITY, "guard fix.time >= before.time else { return false }", ""),
    Mutant("what the map does not show as near is too far", PLAUSIBILITY,
           "if surelyFollows(before, fix) { return true }", "return surelyFollows(before, fix)"),
    Mutant("the chord of a long jump decides", PLAUSIBILITY, ": Self.distance(before, fix))", ": chord)"),
    Mutant("a short jump is as long as allowed", PLAUSIBILITY,
           "ShortDistance.distance(from: start, to: end) :", "reach :"),
    Mutant("the first of two fixes at once follows at any distance", PASSING,
           "let larger = steps.replacing(with: nextSteps, where: steps .< nextSteps)", "let larger = nextSteps", test=BATCHES),
    Mutant("the second of two fixes at once follows at any distance", PASSING,
           "let larger = steps.replacing(with: nextSteps, where: steps .< nextSteps)", "let larger = steps", test=BATCHES),
    Mutant("fixes in the safe region follow a little beyond the speed", PASSING,
           "max(plausibility.speed - 1e-6, 0)", "plausibility.speed * 1.001", test=BATCHES),
    Mutant("the second of two fixes at once may be outside of the safe region", PASSING,
           "guard otherSquare.x + otherSquare.y < squaredRadius else { break }", "", test=BATCHES),
    Mutant("the second of two fixes at once may have no position", PASSING,
           "guard early.hasPlainAccuracy, late.hasPlainAccuracy,", "guard early.hasPlainAccuracy,", test=BATCHES),
    Mutant("the steps of two fixes at once overflow", PASSING,
           "min(longestStep, 1 << 61)", "longestStep", case="times that are far apart"),
    Mutant("each doubted fix extends the chain", CHAIN,
           "if isEmpty || !plausibility.follows(last, fix) {", "if isEmpty {"),
    Mutant("a chain counts one fix too few", CHAIN,
           "guard count >= UInt64(plausibility.corroborationCount)", "guard count > UInt64(plausibility.corroborationCount)"),
    Mutant("a chain counts one fix too many", CHAIN,
           "guard count >= UInt64(plausibility.corroborationCount)",
           "guard count + 1 >= UInt64(plausibility.corroborationCount)"),
    Mutant("a chain must span more than the time", CHAIN,
           ">= plausibility.corroborationTimeMicroseconds", "> plausibility.corroborationTimeMicroseconds"),
    Mutant("a chain need not span the time", CHAIN,
           ">= plausibility.corroborationTimeMicroseconds", ">= 0"),
    Mutant("a chain begins with its last fix", CHAIN, "      first = fix\n      count = 0\n    }\n", "      count = 0\n    }\n    first = fix\n"),
    Mutant("a fix that follows leaves the chain", "Detection/Timeline.swift",
           "      chain = DoubtChain()\n      return .follows", "      return .follows"),
    Mutant("a fix that follows leaves the chain of a device", FLEET_FIXES,
           "if follows, !DeviceState.hasChain(in: devices.cold.words(handle)) { return .follows }",
           "if follows { return .follows }"),
    Mutant("a rewind leaves the chain", "Detection/Timeline.swift",
           "    lastFix = nil\n    chain = DoubtChain()\n    gap = .min", "    gap = .min"),
    Mutant("a trusted jump is a path", CHAIN, "guard options.path.isGeodesic else { return }", "guard false else { return }"),
    Mutant("a trusted jump ends the gap before what was due", CHAIN,
           "    passTime(to: fix.time, table, &delivery, &survey)\n    timeline.markGap(before: fix)",
           "    timeline.markGap(before: fix)"),
    Mutant("doubted fixes are not counted", "Detection/Timeline.swift", "    counters.doubtedFixes += 1\n    return .doubted", "    return .doubted"),
    Mutant("doubted fixes of devices are not counted", FLEET_FIXES, "      state.counters.doubtedFixes += 1\n", ""),
    Mutant("the row of a device forgets its chain", "Snapshot/Rows/DoubtRows.swift",
           "    writer.putCompact(count)\n    guard !isEmpty else { return }", "    writer.putCompact(UInt64(0))\n    guard false else { return }"),
    # These mutants change rules.
    Mutant("a rule counts its unknown parts as unsatisfied", BOOK,
           "if satisfied + unknown < count {", "if satisfied < count {"),
    Mutant("a rule counts its unknown parts as satisfied", BOOK,
           "if satisfied >= count {", "if satisfied + unknown >= count {"),
    Mutant("a rule needs one satisfied part too many", BOOK, "if satisfied >= count {", "if satisfied > count {"),
    Mutant("the rule none is the rule any", BOOK, "let isNegated = isNegated(name)", "let isNegated = false"),
    Mutant("the part that changed first decides a rule", RULES,
           "if state != .unknown, state != start {", "if state != .unknown, state != start, states.cells[container].decider < 0 {"),
    Mutant("a rule is looked at before the rules that are its parts", RULES,
           "if rules.depth(of: names[index]) == depth {", "if rules.depth(of: names[index]) >= depth {"),
    Mutant("rules of one depth are in no order", RULES,
           "guard names.count > 1 else { return }", "if names.count > 1 { names.reverse() }; guard names.count < 0 else { return }"),
    Mutant("entry and exit dwell of a rule are exchanged", RULES,
           "found == .inside ? policy.entryDwellMicroseconds : policy.exitDwellMicroseconds",
           "found == .inside ? policy.exitDwellMicroseconds : policy.entryDwellMicroseconds"),
    Mutant("a rule that returns to its state still changes after its dwell", RULES,
           "if states.closeCandidate(name) {", "if now == .min, states.closeCandidate(name) {"),
    Mutant("a rule of unknown parts keeps its state", RULES,
           "if observed != .undetermined { stop(slot, table, &delivery) }", "_ = observed"),
    Mutant("an inactive part of a rule is unknown", RULES,
           "known.hasTimed && isInactive(slot) ? .unsatisfied :", "known.hasTimed && isInactive(slot) ? .unknown :"),
    # The order exits_first.
    Mutant("with exits_first, entries come first", DELIVERY, "state == .satisfied ? 1 : 0", "state == .satisfied ? 0 : 1"),
    Mutant("with exits_first, crossings of lines come first", DELIVERY, "direction != nil ? 2 : state", "direction != nil ? 0 : state"),
    Mutant("with exits_first, exits come before entries of an earlier instant", DELIVERY,
           "held[end].date == held[start].date {", "held[end].date >= held[start].date {"),
    # How the probability is integrated.
    Mutant("a few steps go around every circle", CONTAINMENT, "mostTurning: Double { 25 }", "mostTurning: Double { 2_500 }",
           test="reference/test_probability_against_reference.py::test_round_errors_and_circles_of_all_sizes"),
    Mutant("long edges count as short", LINE_MASS, "shortSquare = 0.09", "shortSquare = 9.0",
           test="reference/test_probability_against_reference.py::test_polygons_with_long_and_short_edges"),
    Mutant("the curvature of the integrand does not count", LINE_MASS,
           "let curved: SIMD2<Double> = bends - (a.first + b.first) * square", "let curved: SIMD2<Double> = bends",
           test="reference/test_probability_against_reference.py::test_polygons_with_long_and_short_edges"),
    # The bounds of the probability for circles.
    Mutant("the bound for a position in a circle excludes certain fixes", CIRCLE_BOUND,
           "depth < (quantile(1 - limit) - guardWidth)", "depth < (quantile(1 - limit) + 0.05)",
           test="monitor/test_probability_policy.py::test_fixes_just_beyond_a_limit_decide"),
    Mutant("the bound for a position outside of a circle counts the circle as a half-plane", CIRCLE_BOUND,
           "distance + sigma * sigma / radius <", "distance <",
           test="monitor/test_probability_policy.py::test_fixes_just_beyond_a_limit_decide"),
    # More about bands of altitudes.
    Mutant("the thickness of a band does not make a coarse height count", BANDS,
           "accuracy > Swift.max(thickness / 2, TransitionPolicy.alwaysFineEnough)",
           "accuracy > TransitionPolicy.alwaysFineEnough"),
    Mutant("the vertical distance is that from the farther limit", BANDS,
           "isKnown.below && isKnown.above ? Swift.max(known.below, known.above)",
           "isKnown.below && isKnown.above ? Swift.min(known.below, known.above)"),
    Mutant("the thickness between two references is the difference of the limits", BANDS,
           "thickness = Swift.max(0, thickness + known)", "_ = known"),
    # More about schedules.
    Mutant("a condition has one event more than its largest number", POST, "let isLast = count == most", "let isLast = count > most"),
    Mutant("the last event of a condition does not say so", POST,
           "    entry.diagnostics.formUnion([.inactive, .exhausted])\n", ""),
    # These mutants change the reorderer of the Python package.
    Mutant("an item that is as old as the window is held", REORDERER,
           "or found.rows[0][0] <= found.largest - self._window_us:\n            return self._released",
           "or found.rows[0][0] < found.largest - self._window_us:\n            return self._released"),
    Mutant("items of one time are released in reverse", REORDERER,
           "(at, next(self._arrivals), item)", "(at, -next(self._arrivals), item)"),
    Mutant("a late item sets the largest time back", REORDERER, "        if at > found.largest:\n", "        if at != found.largest:\n"),
    Mutant("a device may hold one item more than the limit", REORDERER,
           "if len(found.rows) > self._limit or", "if len(found.rows) > self._limit + 1 or"),
    Mutant("the time of one device passes for all", REORDERER,
           "return [device] if device in self._devices else []", "return list(self._devices)"),
    Mutant("flush leaves the devices", REORDERER, "for row in self._devices.pop(name).rows]", "for row in self._devices[name].rows]",
           test="monitor/test_reorderer.py"),
    Mutant("absence is not counted for beacons added before any time", ENGINE,
           "      tracker.startAbsences(at: time.microseconds, table)\n", ""),
    # Invariants.
    Mutant("a removed condition is still counted", "Conditions/AddOrder.swift",
           "    count -= 1\n    if slots.count", "    if slots.count", "the add order counts"),
    Mutant("a removed identifier is still counted", "Conditions/IdentifierTable.swift",
           "    entries.remove(at: place)\n", "", "identifiers for"),
    Mutant("a removed condition keeps its policy", "Conditions/ConditionTable.swift",
           "    policies.release(row.policy)\n", "", "a policy is counted once"),
    Mutant("a removed circle stays in the index", "Conditions/ConditionTable.swift",
           "    if row.kind.isGeographic { index.remove(slot, centre: row.bounds.centre, reach: row.bounds.reach) }\n",
           "", "the index"),
    Mutant("who is promoted holds no place under the limit", "Conditions/ConditionLimit.swift",
           "        held += 1\n        closeUp()\n", "        closeUp()\n", "each condition has a place"),
    Mutant("a beacon's identity still leads to a condition that was replaced", "Conditions/ConditionTable.swift",
           "        slots.removeAll { $0 == slot }\n", "        slots.removeAll { $0 == .max }\n", "a beacon's identity leads"),
    Mutant("an undetermined shape is not listed", STATES,
           "    listed.append(slot)\n", "", "a shape listed as undetermined"),
    Mutant("what is as most shapes are keeps its entry", "Detection/DeviceEntries.swift",
           "    if value == common {", "    if value == common, place < 0 {", "a shape in the common state"),
    Mutant("a removed shape keeps its entry", STATES,
           "exceptions[slot] = state.isListed ? SlotState(isListed: true) : nil", "_ = state", "an entry belongs to a shape"),
    Mutant("an entry that was taken out of a hash table is still counted", TABLE,
           "    taken &-= 1\n", "", "a hash table counts"),
    Mutant("what follows a gap in a hash table stays where it is", TABLE,
           "        if (next &- home) & mask >= (next &- gap) & mask {\n", "        if home < 0 {\n", "a live slot belongs to one identifier"),
    Mutant("who was removed is still announced", "Conditions/AddOrder.swift",
           "    announced[place / 64] &= ~bit\n", "", "each announced condition exists"),
    Mutant("a tracker does not know which shape came last", STATES,
           "    lastGeneration = max(lastGeneration, generation)\n", "", "no shape is later than the last"),
    Mutant("an event that was handed out still waits, to its condition", TOLD,
           "    told[slot, or: Self.untold(slot, table)].waiting -= 1\n", "", "a condition counts its waiting events"),
    Mutant("the beacon that an event named is forgotten", TOLD,
           "    if entry.hasRefinement || !refinements.isEmpty { refinements[entry.slot] = table.refinement(of: entry) }\n", "",
           "the reported beacon"),
    Mutant("who was announced and removed is still counted", "Conditions/AddOrder.swift",
           "{ announcedCount -= 1 }", "{}", "the count of announced conditions"),
    Mutant("the safe region stays when a shape is undetermined", TRACKER,
           "    lookout.removeSafeRegion()\n    known.wait", "    known.wait", "no safe region"),
    Mutant("a circle with a candidate is not active", WATCHES,
           "(candidate != nil || table.shape(of: slot).isNear(local))", "table.shape(of: slot).isNear(local)", "a shape is active when"),
    Mutant("the neighbourhood does not hear of a circle's state", WATCHES,
           "    neighbourhood.update(slot, watch)\n", "", "the list"),
    # These mutants change the cache of nearby edges: a wrong value there makes a safe ball too large, or selects the
    # wrong ball.
    Mutant("a ball that is drawn anew keeps its centre", LOCAL,
           "    watches[Int(index)].centre = position\n", "", "the state of an active shape"),
    Mutant("what was measured near is not remembered", LOCAL,
           "    locals[Int(index)] = Watch.Local(position: position, least: least, most: most, passage: passage)\n",
           "", "the state of an active shape"),
    Mutant("a shape is watched near from outside of what holds it", LOCAL,
           "    if case .inwards = passage, area.bounds.isFarther(than: 1, position) { return nil }\n", "",
           "a shape is active when"),
    Mutant("what was gathered for a fix is there for the next one", SURVEY,
           "    // The index may change before the next fix, so the result is valid only for this fix.\n    ahead.radius = -1\n", ""),
    Mutant("the ball of one shape is drawn for its neighbour in the list", WATCHES,
           "        neighbourhood.replace(lane, active.watches[Int(index)])\n",
           "        neighbourhood.replace(0, active.watches[Int(index)])\n", "the list"),
    Mutant("edges beyond what is remembered are none", KERNEL_NEAR,
           "moved + LineCandidates.widened(found.most) < reach,\n",
           "moved >= 0,\n", "the stored distance of a watched shape"),
    Mutant("the groups that were near stay near", KERNEL_NEAR,
           "guard gap - moved <= limit else {", "guard gap <= limit else {",
           "the stored distance of a watched shape"),
    Mutant("after a move, only the edge that was nearest counts", KERNEL_NEAR,
           "(ahead + normal.dot(apart), free - moved)", "(ahead + normal.dot(apart), 1e9)",
           "the stored distance of a watched shape"),
    Mutant("a move towards the nearest edge is not one", KERNEL_NEAR,
           "(ahead + normal.dot(apart), free - moved)", "(ahead, free - moved)",
           "the stored distance of a watched shape"),
    Mutant("the distance after a move is at most that before", KERNEL_NEAR,
           "return (min(ahead, free), most + moved)", "return (min(ahead, free), most)",
           "the stored distance of a watched shape"),
    Mutant("a candidate has no reminder", SHAPES,
           "    if candidate.isTimed { deadlines.schedule(slot, at: candidate.deadline) }\n", "",
           "a candidate with a timer"),
    Mutant("an absence has no reminder", BEACONS,
           "    known.countAbsence(slot, until: deadline.microseconds)\n    deadlines.schedule(slot, at: deadline.microseconds)\n",
           "    known.countAbsence(slot, until: deadline.microseconds)\n",
           "each absence has a reminder"),
    Mutant("a suspended condition keeps its state", TRACKER,
           "      if new.suspends, !old.suspends { stop(slot, table, &delivery) }\n", "", "a suspended condition"),
    Mutant("what is handed out still counts as waiting", POST,
           "    pendingEvents -= 1\n", "", "are counted as waiting"),
    Mutant("a sequence number is beyond the last one given", DELIVERY,
           "    entry.sequence = lastSequence\n", "    entry.sequence = lastSequence + 1\n",
           "an event gets its sequence number"),
    Mutant("the flags that were told are forgotten", TOLD,
           "    told.flags = UInt16(truncatingIfNeeded: flags.rawValue)\n", "",
           "the reported state of a condition"),
    Mutant("a committed event still flies", TURNS,
           "    turns.flying.remove(slot)\n", "", "the conditions in flight"),
    Mutant("silent changes wait for an event that was handled", "Delivery/SilentChanges.swift",
           "    if lastEvents[event.slot] == event.change { lastEvents[event.slot] = nil }\n", "",
           "silent changes wait only"),
    Mutant("the record of a removed condition is not freed", TOLD,
           "    if old.record != Told.none { records.remove(old.record) }\n", "", "a record is free"),
    Mutant("events built at a commit wait behind later ones", "Delivery/EventQueue.swift",
           "head < entries.count, entries[entries.count - 1].change > entry.change {",
           "head < entries.count, entries[entries.count - 1].change == 0 {",
           "events wait in the order"),
    Mutant("changes are noted though nobody saves them", "Detection/Journal.swift",
           "    if isOn { note(entry.change, .put(entry, follows: follows)) }\n",
           "    note(entry.change, .put(entry, follows: follows))\n", "no changes are listed without a store"),
]  # fmt: skip


class Broken(Exception):
    """Raised if the mutants cannot be checked."""


def mirror() -> None:
    """Updates the copy of the tree in which the mutants are built. Unchanged files keep their modification times, so
    that builds stay incremental."""
    for name in ("Package.swift", "include", "Sources", "Tests", "examples", "bindings/c"):
        source = ROOT / name
        files = [source] if source.is_file() else [path for path in source.rglob("*") if path.is_file()]
        wanted = {path.relative_to(ROOT) for path in files}
        for path in wanted:
            copy = TREE / path
            if not copy.is_file() or copy.read_bytes() != (ROOT / path).read_bytes():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / path, copy)
        for path in (TREE / name).rglob("*") if (TREE / name).is_dir() else ():
            if path.is_file() and path.relative_to(TREE) not in wanted:
                path.unlink()


def build(checked: bool = False) -> None:
    """Builds the library. With `checked`, the library ends the process if an invariant is violated after a call."""
    scratch = CHECKED if checked else SCRATCH
    command = ["swift", "build", "--product", "fencepost-c", "--package-path", str(TREE), "--scratch-path", str(scratch),
               *(["-Xswiftc", "-DFENCEPOST_CHECK_CALLS"] if checked else []),
               # An unused declaration in a mutant is not a defect.
               "-Xswiftc", "-no-warnings-as-errors",
               "-Xlinker", f"-soname={SONAME}", "-Xlinker", f"--version-script={TREE / 'bindings/c/fencepost.map'}"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Broken(f"swift build failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    library = PYTHON / "fencepost" / SONAME
    library.unlink(missing_ok=True)
    shutil.copyfile(scratch / "debug" / "libfencepost-c.so", library)


def copy_package() -> None:
    import fencepost

    shutil.rmtree(PYTHON, ignore_errors=True)
    shutil.copytree(Path(fencepost.__file__).parent, PYTHON / "fencepost")


def run(command: list[str], limit: int = LIMIT_S, **options: Any) -> subprocess.CompletedProcess[str] | None:
    """Runs a program; returns None if the program does not end within its limit."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", timeout=limit * WAIT_FACTOR,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)), **options
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    return None if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL) else done


def conform(files: list[Path], *options: str, limit: int = LIMIT_S) -> tuple[int | None, str]:
    """Returns the exit code (None if the program did not end) and the output."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(PYTHON), str(ROOT / "Tests" / "Conformance"))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SWIFT_BACKTRACE": "enable=no",
    }
    command = [sys.executable, "-m", "fencepost_conform", *options, *map(str, files)]
    done = run(command, limit, cwd=WORK, env=environment)
    return (None, "") if done is None else (done.returncode, done.stdout + done.stderr)


def killers() -> list[str]:
    """The scenarios that detect the mutant; empty if none does."""
    for options in ((), ("--restart-every-step",)):
        code, output = conform(CORPUS, *options)
        suffix = " (restarted)" if options else ""
        if code == 0:
            continue
        if code == 1:
            lines = output.splitlines()
            failed = [line for line, after in itertools.pairwise(lines) if after.startswith("  step ")]
            return [line.split(": ", 1)[1] + suffix for line in failed]
        if code == 2:
            raise Broken(f"fencepost_conform: {output}")
        # The program crashed, or did not end: find the file of the corpus that causes this.
        fate = "hangs" if code is None else f"crashes ({code})"
        bad = (path.name for path in CORPUS if conform([path], *options, limit=FILE_LIMIT_S)[0] not in (0, 1))
        return [f"{next(bad, 'all files together')}: {fate}{suffix}"]
    return []


def failed_case(word: str) -> list[str]:
    """The C case that detects the mutant; empty if no case detects it. Cases whose names do not contain the word are
    ignored."""
    program = WORK / "cases"
    sources = [*sorted((TREE / "Tests/CCases").glob("*.c")), TREE / "Tests/CInstalled/cases.c"]
    library = PYTHON / "fencepost" / SONAME
    command = ["gcc", "-std=gnu11", *(f"-I{TREE / folder}" for folder in ("include", "Tests/CCases", "Tests/CCases/include")),
               *map(str, sources), "-o", str(program), str(library), f"-Wl,-rpath,{library.parent}", "-lm", "-pthread"]  # fmt: skip
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode != 0:
        raise Broken(f"the C cases do not compile:\n{made.stderr[-3000:]}")
    done = run([str(program), word], cwd=WORK)
    if done is None:
        return [f"the C cases of {word}, which hang"]
    if done.returncode != 0 and "FAILED" not in done.stdout:
        raise Broken(f"the C cases of {word} do not run: {done.stdout}{done.stderr}")
    return [line.removeprefix("FAILED ") for line in done.stdout.splitlines() if line.startswith("FAILED")]


def failed_test(test: str) -> list[str]:
    """The Python tests that detect the mutant; empty if no test detects it."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(PYTHON),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SWIFT_BACKTRACE": "enable=no",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-rf", "-p", "no:cacheprovider", f"tests/{test}"]
    done = run(command, cwd=ROOT / "bindings/python", env=environment)
    if done is None:
        return [f"{test}, which hangs"]
    if done.returncode == 0:
        return []
    failed = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("FAILED ")]
    if done.returncode == 1 and failed:
        return failed
    if done.returncode < 0:
        return [f"{test} crashes ({done.returncode})"]
    raise Broken(f"{test} does not run: {done.stdout[-3000:]}{done.stderr[-3000:]}")


def broken_invariant() -> str:
    """The first invariant that the checks after each call report as violated; empty if no invariant is violated."""
    for options in ((), ("--restart-every-step",)):
        for path in CORPUS:
            output = conform([path], *options, limit=FILE_LIMIT_S)[1]
            if "invariant: " in output:
                return f"{path.name}: {output.split('invariant: ', 1)[1].splitlines()[0]}"
    return ""


def check() -> None:
    """Checks that each mutant can be applied: its text occurs exactly once in its file, and no two mutants have the
    same name."""
    for mutant in MUTANTS:
        count = (ROOT / CORE / mutant.file).read_text(encoding="utf-8").count(mutant.old)
        if count != 1:
            raise Broken(f"{mutant.name}: its text stands {count} times in {mutant.file}")
    if len({mutant.name for mutant in MUTANTS}) != len(MUTANTS):
        raise Broken("two mutants have one name")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--list", action="store_true", help="only print the mutants")
    parser.add_argument("--check", action="store_true", help="only look whether each can still be put in")
    options = parser.parse_args()
    chosen = [m for m in MUTANTS if not options.words or any(word in m.name for word in options.words)]
    if options.list:
        print(*(f"{mutant.name} ({mutant.file})" for mutant in chosen), sep="\n")
        return 0
    check()
    if options.check:
        return 0
    if not chosen:
        raise Broken("no such mutant")
    TREE.mkdir(parents=True, exist_ok=True)
    copy_package()
    mirror()
    # Mutants of the Python package alone run with the library of the installed package.
    for checked in {bool(mutant.invariant) for mutant in chosen if not mutant.is_python} or {None}:
        if checked is not None:
            build(checked)
        for mode in ((), ("--restart-every-step",)):
            code, output = conform(CORPUS, *mode)
            if code != 0:
                raise Broken(f"the corpus does not pass without a mutant:\n{output}")
        for word in {mutant.case for mutant in chosen if mutant.case}:
            if found := failed_case(word):
                raise Broken(f"the C cases do not pass without a mutant: {found[0]}")
        for test in {mutant.test for mutant in chosen if mutant.test}:
            if found := failed_test(test):
                raise Broken(f"a Python test does not pass without a mutant: {found[0]}")
    survivors = []
    chosen.sort(key=lambda mutant: not mutant.is_python)  # mutants of the package need the library without a mutant
    for number, mutant in enumerate(chosen, 1):
        started = time.monotonic()
        path = mutant.path
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        try:
            if not mutant.is_python:
                build(bool(mutant.invariant))
            if mutant.invariant:
                broken = broken_invariant()
                found = [broken] if mutant.invariant in broken else []
                if broken and not found:
                    print(f"  {mutant.name}: another invariant notices it: {broken}")
            elif mutant.case:
                found = failed_case(mutant.case)
            elif mutant.test:
                found = failed_test(mutant.test)
            else:
                found = killers()
        finally:
            path.write_text(text, encoding="utf-8")
        if not found:
            survivors.append(mutant)
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        verdict = f"killed by {found[0]}{more}" if found else "SURVIVES"
        print(f"{number:2}. {mutant.name}: {verdict} [{time.monotonic() - started:.0f} s]", flush=True)
    print(f"{len(chosen) - len(survivors)} killed, {len(survivors)} survive")
    return 1 if survivors else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Broken as broken:
        print(f"mutants: {broken}", file=sys.stderr)
        sys.exit(2)
