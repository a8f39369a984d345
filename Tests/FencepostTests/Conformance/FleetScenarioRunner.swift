import FencepostKernel

@testable import Fencepost
@testable import FencepostCore

/// Runs one scenario of a fleet (Tests/Conformance/README.md, "Fleets") on the engine.
struct FleetScenarioRunner {
  private let scenario: Scenario
  private let restartsEveryStep: Bool
  private let options: FleetOptions
  private let table = Conditions()
  private var fleets: [String: FleetEngine]
  /// The delivered but uncommitted event of each fleet.
  private var inFlight: [String: FleetEvent] = [:]
  /// The last circle with each identifier, even if the circle was removed.
  private var circles: [String: CircularGeographicCondition] = [:]

  init(_ scenario: Scenario, restartsEveryStep: Bool) throws {
    self.scenario = scenario
    self.restartsEveryStep = restartsEveryStep
    var options = FleetOptions()
    options.plausibility = try JSON.object(scenario.fleet ?? [:]).plausibility()
    for (key, value) in scenario.fleet ?? [:] where !JSON.movementOptions.contains(key) {
      switch key {
      case "beacon_exit_timeout": options.beaconExitTimeoutMicroseconds = try value.microseconds()
      case "beacon_initial_timeout": options.beaconInitialTimeoutMicroseconds = try value.microseconds()
      case "max_time_step": options.maxTimeStepMicroseconds = value == .null ? nil : try value.microseconds()
      case "accuracy_confidence": options.accuracyConfidence = try value.double()
      case "order": options.order = try value.oneOf(["add": .add, "exits_first": .exitsFirst])
      case "max_pending_events": options.maxPendingEvents = Int(try value.double())
      case "device_limit": options.deviceLimit = Int(try value.double())
      default: throw Mismatch("unknown option \(key)")
      }
    }
    self.options = options
    fleets = ["main": try FleetEngine(table, options: options)]
  }

  /// Throws a ``Mismatch`` that names the step.
  mutating func run() throws {
    for (index, step) in scenario.steps.enumerated() {
      do {
        try perform(step)
        if restartsEveryStep {
          for name in fleets.keys.sorted() { try restartBetweenSteps(name) }
        }
      } catch {
        throw Mismatch("\(scenario.file): \(scenario.name)\n  step \(index + 1): \(step)\n  \(error)")
      }
    }
  }

  /// The fleet is restored from its snapshot and continues with the same table; uncommitted events are redelivered.
  private mutating func restart(_ name: String) throws {
    guard let fleet = fleets[name] else { return }
    var restored = try FleetEngine(restoring: fleet.snapshot(), conditions: table)
    // A device that has had no input is not saved; its host adds it again.
    for number in fleet.deviceNumbers {
      if let identifier = fleet.identifier(of: number) { _ = try restored.device(identifier) }
    }
    fleets[name] = restored
  }

  private mutating func restartBetweenSteps(_ name: String) throws {
    try restart(name)
    guard let event = inFlight[name] else { return }
    guard table.condition(for: event.event.identifier) != nil,
      table.read({ table in table.slot(of: event.event.identifier).map { table.generation(of: $0) } })
        == event.event.generation
    else {
      inFlight[name] = nil
      return
    }
    let again = fleets[name]?.nextEvent()
    if again != event { throw Mismatch("after a restart expected again \(event), got \(String(describing: again))") }
  }

  private mutating func perform(_ step: JSON) throws {
    if let status = step["refused"]?.string {
      do {
        try perform(try step.member("step"))
      } catch let error as MonitorError {
        if error.status != status { throw Mismatch("expected \(status), got \(error.status)") }
        return
      }
      throw Mismatch("expected a refusal with \(status), got none")
    }
    let name = step["fleet"]?.string ?? "main"
    guard var fleet = fleets.removeValue(forKey: name) else { throw Mismatch("no fleet \(name)") }
    defer { fleets[name] = fleet }
    let dropped = step["move"]?.string ?? (step["drop_events"]?.bool == true ? step["leave"]?.string : nil)
    if let dropped, inFlight[name]?.deviceIdentifier == dropped { inFlight[name] = nil }
    if let other = step["share"]?.string {
      fleets[other] = try FleetEngine(table, options: options)
    } else if let identifier = step["move"]?.string {
      try move(identifier, from: &fleet, to: try step.member("to").string ?? "")
    } else if try changeTable(step) {
    } else if try feed(step, &fleet) {
    } else if try deliver(step, name, &fleet) {
    } else {
      try answer(step, &fleet)
    }
  }

  // MARK: - Changes

  private mutating func changeTable(_ step: JSON) throws -> Bool {
    if let members = step["sync"] {
      let named = try members.list().map { try self.named($0, try $0.member("identifier").string ?? "") }
      try table.sync(named)
      for condition in named { remember(condition) }
    } else if let identifier = step["add"]?.string {
      let condition = try named(step, identifier)
      try table.add(
        condition.condition, identifier: identifier, assuming: condition.assuming, policy: condition.policy,
        tag: condition.tag, timing: condition.timing, band: condition.band)
      remember(condition)
    } else if let identifier = step["ensure"]?.string {
      let condition = try named(step, identifier)
      try table.ensure([condition])
      remember(condition)
    } else if let identifier = step["remove"]?.string {
      table.remove(identifier)
    } else {
      return false
    }
    return true
  }

  /// Unless the step says otherwise, the devices of a fleet are assumed to be outside a new condition.
  private func named(_ step: JSON, _ identifier: String) throws -> NamedCondition {
    let definition = try step.definition()
    return NamedCondition(
      definition.condition, identifier: identifier,
      assuming: step["assuming"] == nil ? .unsatisfied : definition.assuming, policy: definition.policy,
      tag: definition.tag, timing: definition.timing, band: definition.band)
  }

  private mutating func remember(_ condition: NamedCondition) {
    if let circle = condition.condition as? CircularGeographicCondition { circles[condition.identifier] = circle }
  }

  private mutating func move(_ identifier: String, from fleet: inout FleetEngine, to other: String) throws {
    guard let number = fleet.number(of: identifier) else { throw Mismatch("no device \(identifier)") }
    guard var target = fleets.removeValue(forKey: other) else { throw Mismatch("no fleet \(other)") }
    defer { fleets[other] = target }
    let bytes = try fleet.export([number])[0]
    _ = try target.load([(identifier, bytes)])
    try fleet.remove(number, droppingEvents: true)
  }

  // MARK: - Inputs

  /// Returns the number of the device that a step names; adds the device if it is new.
  private func device(_ step: JSON, _ fleet: inout FleetEngine) throws -> UInt64 {
    try fleet.device(try step.member("device").string ?? "")
  }

  private mutating func feed(_ step: JSON, _ fleet: inout FleetEngine) throws -> Bool {
    if let fix = step["fix"] {
      let (ellipse, height) = (try fix.ellipse(), try fix.height())
      if ellipse != nil || height != nil {
        try fleet.feed(self.fix(fix), ellipse: ellipse, height: height, for: device(step, &fleet))
      } else {
        try fleet.feed(self.fix(fix), for: device(step, &fleet))
      }
    } else if let rows = step["fixes"] {
      let fixes = try rows.list().map { (device: try device($0, &fleet), fix: try fix($0)) }
      let expected = Int(try step["taken"]?.double() ?? Double(fixes.count))
      var taken = fixes.count
      do throws(MonitorError) {
        _ = try fleet.feed(fixes)
      } catch {
        guard case .queueFull(_, let position) = error else { throw error }
        taken = position
      }
      if taken != expected { throw Mismatch("expected \(expected) rows taken, got \(taken)") }
    } else if let report = step["see"] {
      let sightings = try report.member("beacons").list().map { try $0.sighting() }
      try fleet.feed(sightings, at: report.member("time").time(), for: device(step, &fleet))
    } else if let isOn = step["scanning"]?.bool {
      try fleet.setScanning(isOn, at: step.member("time").time(), for: device(step, &fleet))
    } else if let host = step["host"] {
      try fleet.setHostCapabilities(
        host["flags"].map { try $0.diagnostics() } ?? [], unsupported: host["unsupported"].map { try $0.kinds() } ?? [],
        at: step.member("time").time(), for: device(step, &fleet))
    } else if let time = step["advance"] {
      if step["device"] != nil {
        try fleet.advance(to: time.time(), for: device(step, &fleet))
      } else {
        try fleet.advance(to: time.time())
      }
    } else if let identifier = step["enter"]?.string {
      _ = try fleet.device(identifier)
    } else if let identifier = step["leave"]?.string {
      try fleet.remove(try known(identifier, fleet), droppingEvents: step["drop_events"]?.bool ?? false)
    } else if let time = step["expire"] {
      let gone = try fleet.expire(before: time.time()).map { JSON.string(fleet.identifier(of: $0) ?? "") }
      if try step.member("are") != .array(gone) { throw Mismatch(expected: try step.member("are"), got: gone) }
    } else {
      return false
    }
    return true
  }

  private func fix(_ fix: JSON) throws -> Fix {
    let time = try fix.member("time").time()
    let accuracy = try fix["accuracy"]?.double() ?? 0
    guard let identifier = fix["of"]?.string else {
      return Fix(
        latitude: try fix.member("latitude").double(), longitude: try fix.member("longitude").double(),
        accuracy: accuracy, time: time)
    }
    guard let centre = circles[identifier]?.center else { throw Mismatch("no circle \(identifier)") }
    let end = GeodesicDirect.solve(
      latitude: centre.latitude, longitude: centre.longitude, azimuth: try fix["bearing"]?.double() ?? 0,
      distance: try fix.member("distance").double())
    return Fix(latitude: end.latitude, longitude: end.longitude, accuracy: accuracy, time: time)
  }

  // MARK: - Events and answers

  private mutating func deliver(_ step: JSON, _ name: String, _ fleet: inout FleetEngine) throws -> Bool {
    if let expected = step["next"] {
      let event = fleet.nextEvent()
      inFlight[name] = event
      try expected.expect(
        event.map {
          $0.event.members.merging([
            "device": .string($0.deviceIdentifier), "row": .number(Double($0.row)),
            "position": .number(Double($0.position)),
          ]) { $1 }
        })
    } else if step["acknowledge"] != nil {
      fleet.acknowledge()
      inFlight[name] = nil
    } else if step["abandon"] != nil {
      fleet.abandon()
      inFlight[name] = nil
    } else if step["restart"] != nil {
      fleet = try FleetEngine(restoring: fleet.snapshot(), conditions: table)
      inFlight[name] = nil
    } else {
      return false
    }
    return true
  }

  private func known(_ identifier: String, _ fleet: FleetEngine) throws -> UInt64 {
    guard let number = fleet.number(of: identifier) else { throw MonitorError.invalidArgument("no such device") }
    return number
  }

  private mutating func answer(_ step: JSON, _ fleet: inout FleetEngine) throws {
    if let identifier = step["inside"]?.string {
      let found = try fleet.inside(known(identifier, fleet))
      let expected = try step.member("are").list()
      if found.count != expected.count { throw Mismatch(expected: .array(expected), got: found) }
      for (one, other) in zip(expected, found) {
        try one.expect([
          "identifier": .string(other.identifier), "since": JSON(other.since),
          "evidence_date": JSON(other.evidenceDate),
        ])
      }
    } else if let expected = step["devices"] {
      let found = fleet.deviceNumbers.map { JSON.string(fleet.identifier(of: $0) ?? "") }
      if expected != .array(found) { throw Mismatch(expected: expected, got: found) }
    } else if let expected = step["identifiers"] {
      if expected != .array(table.identifiers.map { .string($0) }) {
        throw Mismatch(expected: expected, got: table.identifiers)
      }
    } else if let state = step["identifiers_in_state"]?.string {
      let asked = try JSON.string(state).oneOf([
        "unknown": Event.State.unknown, "satisfied": .satisfied, "unsatisfied": .unsatisfied,
      ])
      let number = try known(try step.member("device").string ?? "", fleet)
      let found = try table.identifiers.filter { try fleet.state(of: $0, for: number) == asked }
      if try step.member("are") != .array(found.map { .string($0) }) {
        throw Mismatch(expected: try step.member("are"), got: found)
      }
    } else if let expected = step["statistics"] {
      if let identifier = step["device"]?.string {
        let own = try fleet.statistics(of: known(identifier, fleet))
        try expected.expect(counters(own.lateInputs, own.invalidFixes, own.aheadInputs, own.doubtedFixes))
      } else {
        let all = fleet.statistics
        try expected.expect(counters(all.lateInputs, all.invalidFixes, all.aheadInputs, all.doubtedFixes))
      }
    } else if let identifier = step["explain"]?.string {
      let number = try known(try step.member("device").string ?? "", fleet)
      try step.member("is").expect(try fleet.explain(identifier, for: number)?.members)
    } else if let from = step["containing"] ?? step["nearest"] {
      let (latitude, longitude) = (try from.member("latitude").double(), try from.member("longitude").double())
      let found =
        step["containing"] != nil
        ? try table.containing(latitude: latitude, longitude: longitude, height: from.height())
        : try table.nearest(latitude: latitude, longitude: longitude, count: Int(try from.member("count").double()))
      guard case .array(let expected) = try step.member("are"), expected.count == found.count else {
        throw Mismatch(expected: try step.member("are"), got: found.map(\.identifier))
      }
      for (one, other) in zip(expected, found) {
        try one.expect([
          "identifier": .string(other.identifier), "boundary_distance": .number(other.boundaryDistance),
        ])
      }
    } else {
      throw Mismatch("unknown step")
    }
  }

  private func counters(_ late: UInt64, _ invalid: UInt64, _ ahead: UInt64, _ doubted: UInt64) -> [String: JSON] {
    [
      "late_inputs": .number(Double(late)), "invalid_fixes": .number(Double(invalid)),
      "ahead_inputs": .number(Double(ahead)), "doubted_fixes": .number(Double(doubted)),
    ]
  }
}
