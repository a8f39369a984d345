import FencepostKernel

@testable import Fencepost
@testable import FencepostCore

/// Runs one scenario on the actor.
final class ScenarioRunner {
  /// One monitor of the scenario. While the monitor is closed, `monitor` is `nil`, and `engine` or `storage` contains
  /// the stored rows.
  private final class Entry {
    var monitor: Monitor?
    var engine: MonitorEngine
    let storage = MemoryStorage()
    var iterator: Monitor.Events.Iterator?
    /// The delivered but uncommitted event.
    var inFlight: Event?
    /// The last circle that was added under each identifier; removed circles are included.
    var circles: [String: CircularGeographicCondition] = [:]
    var flags: Diagnostics = []
    var unsupported: Set<ConditionKind> = []

    init(_ engine: MonitorEngine) {
      self.engine = engine
    }
  }

  private let scenario: Scenario
  private let restartsEveryStep: Bool
  private let isStored: Bool
  private var isStoreFailing = false
  private var entries: [String: Entry] = [:]
  private var opened: [String] = []
  private var main: String?

  /// - Parameter isStored: If `true`, monitors are saved in storages, and a restart opens them again; otherwise a
  ///   restart copies
  /// the engine's value.
  init(_ scenario: Scenario, restartsEveryStep: Bool, isStored: Bool) {
    self.scenario = scenario
    self.restartsEveryStep = restartsEveryStep
    self.isStored = isStored
  }

  /// Throws a ``Mismatch`` that names the step.
  func run() async throws {
    guard let first = scenario.steps.first else { throw Mismatch("the scenario has no steps") }
    if first["open"] == nil, first["step"]?["open"] == nil { try open("main") }
    for (index, step) in scenario.steps.enumerated() {
      do {
        try await perform(step)
        // A restart would lose the changes that a failing store could not save.
        if restartsEveryStep, !isStoreFailing {
          for name in opened { try await restartBetweenSteps(name) }
        }
      } catch {
        throw Mismatch("\(scenario.file): \(scenario.name)\n  step \(index + 1): \(step)\n  \(error)")
      }
    }
  }

  // MARK: - Monitors

  private func options() throws -> MonitorOptions {
    var options = MonitorOptions()
    options.path = try JSON.object(scenario.options).path()
    options.plausibility = try JSON.object(scenario.options).plausibility()
    for (key, value) in scenario.options where !JSON.movementOptions.contains(key) {
      switch key {
      case "delivery":
        options.delivery = try value.oneOf(["every": .every, "first": .first, "latest": .latest])
      case "condition_limit": options.conditionLimit = value == .null ? nil : Int(try value.double())
      case "initial_fix_max_age":
        options.initialFixMaxAgeMicroseconds = value == .null ? -1 : try value.microseconds()
      case "beacon_exit_timeout": options.beaconExitTimeoutMicroseconds = try value.microseconds()
      case "beacon_initial_timeout": options.beaconInitialTimeoutMicroseconds = try value.microseconds()
      case "max_time_step":
        options.maxTimeStepMicroseconds = value == .null ? nil : try value.microseconds()
      case "accuracy_confidence": options.accuracyConfidence = try value.double()
      case "order": options.order = try value.oneOf(["add": .add, "exits_first": .exitsFirst])
      case "max_pending_events": options.maxPendingEvents = Int(try value.double())
      default: throw Mismatch("unknown option \(key)")
      }
    }
    return options
  }

  private func open(_ name: String) throws {
    let entry = try entries[name] ?? Entry(MonitorEngine(name: name, options: options()))
    entry.monitor = try reopened(entry)
    entries[name] = entry
    opened.append(name)
    if main == nil { main = name }
  }

  private func reopened(_ entry: Entry) throws -> Monitor {
    guard isStored else { return Monitor(engine: entry.engine) }
    entry.storage.isClosed = false
    return Monitor(
      try StoredEngine(
        name: entry.engine.name ?? "", options: entry.engine.options, storage: entry.storage, durability: .everyInput))
  }

  /// Restarts a monitor: closes it and reads its storage again, or makes a new monitor from a copy of its engine. In
  /// the copy, no event counts as delivered.
  private func restart(_ entry: Entry) async throws {
    guard let monitor = entry.monitor else { throw Mismatch("the monitor is closed") }
    entry.iterator = nil
    entry.engine = await monitor.state
    if isStored { try await monitor.close() }
    entry.monitor = try reopened(entry)
  }

  private func restartBetweenSteps(_ name: String) async throws {
    guard let entry = entries[name], entry.monitor != nil else { return }
    let isConsuming = entry.iterator != nil
    try await restart(entry)
    if isConsuming { entry.iterator = await entry.monitor?.events.makeAsyncIterator() }
    guard let event = entry.inFlight else { return }
    let record = await entry.monitor?.record(for: event.identifier)
    guard record?.lastEvent.generation == event.generation else {
      entry.inFlight = nil
      return
    }
    let again = try await ask(entry)
    if again != event { throw Mismatch("after a restart expected again \(event), got \(String(describing: again))") }
  }

  // MARK: - Steps

  private func perform(_ step: JSON) async throws {
    if let status = step["refused"]?.string {
      guard let inner = step["step"] else { throw Mismatch("no step inside") }
      do {
        try await perform(inner)
      } catch let error as MonitorError {
        if error.status != status { throw Mismatch("expected \(status), got \(error.status)") }
        try step.expectRefusal(error)
        return
      }
      throw Mismatch("expected a refusal with \(status), got none")
    }
    if let name = step["open"]?.string { return try open(name) }
    if let name = step["close"]?.string {
      guard let entry = entries[name] else { throw Mismatch("no monitor \(name)") }
      try await restart(entry)
      try await entry.monitor?.close()
      entry.monitor = nil
      entry.inFlight = nil
      opened.removeAll { $0 == name }
      return
    }
    if let works = try step["store"]?.oneOf(["working": true, "failing": false]) {
      return try await setStore(works: works, step)
    }
    guard let name = step["monitor"]?.string ?? main, let entry = entries[name], let monitor = entry.monitor else {
      throw Mismatch("the monitor is not open")
    }
    if try await performInput(step, entry, monitor) { return }
    try await performDelivery(step, entry, monitor)
  }

  /// After each storage starts to work or to fail, its monitor writes a checkpoint, so that the monitor notices the
  /// change at once.
  private func setStore(works: Bool, _ step: JSON) async throws {
    isStoreFailing = !works
    for entry in opened.compactMap({ entries[$0] }) {
      guard let monitor = entry.monitor else { continue }
      if let time = step["time"] { try await monitor.advance(to: time.time()) }
      entry.storage.failing = works ? 0 : .max
      let isWritten = (try? await monitor.checkpoint()) != nil
      if isWritten != works { throw Mismatch("expected a store that is \(step), its write gave \(isWritten)") }
    }
  }

  private func performInput(_ step: JSON, _ entry: Entry, _ monitor: Monitor) async throws -> Bool {
    if let time = step["advance"] {
      try await monitor.advance(to: time.time())
    } else if let time = step["rewind"] {
      try await monitor.rewind(to: time.time())
    } else if let members = step["sync"] {
      let definitions = try members.list().map { (try $0.member("identifier").string ?? "", try $0.definition()) }
      try await monitor.sync(
        definitions.map {
          NamedCondition(
            $1.condition, identifier: $0, assuming: $1.assuming, policy: $1.policy, tag: $1.tag, timing: $1.timing,
            band: $1.band)
        })
      for (identifier, definition) in definitions {
        if let circle = definition.condition as? CircularGeographicCondition { entry.circles[identifier] = circle }
      }
    } else if let identifier = step["add"]?.string {
      let definition = try step.definition()
      try await monitor.add(
        definition.condition, identifier: identifier, assuming: definition.assuming, policy: definition.policy,
        tag: definition.tag, timing: definition.timing, band: definition.band)
      if let circle = definition.condition as? CircularGeographicCondition { entry.circles[identifier] = circle }
    } else if let identifier = step["ensure"]?.string {
      let definition = try step.definition()
      try await monitor.ensure(
        definition.condition, identifier: identifier, assuming: definition.assuming, policy: definition.policy,
        tag: definition.tag, timing: definition.timing, band: definition.band)
      if let circle = definition.condition as? CircularGeographicCondition { entry.circles[identifier] = circle }
    } else if let identifier = step["remove"]?.string {
      await monitor.remove(identifier)
    } else if let fix = step["fix"] {
      let (ellipse, height) = (try fix.ellipse(), try fix.height())
      if ellipse != nil || height != nil {
        try await monitor.feed(self.fix(fix, entry), ellipse: ellipse, height: height)
      } else {
        try await monitor.feed(self.fix(fix, entry))
      }
    } else if let report = step["see"] {
      let sightings = try report.member("beacons").list().map { try $0.sighting() }
      try await monitor.feed(sightings, at: report.member("time").time())
    } else if let isOn = step["scanning"]?.bool {
      try await monitor.setScanning(isOn, at: time(of: step, monitor))
    } else if let host = step["host"] {
      let flags = try host["flags"].map { try $0.diagnostics() } ?? entry.flags
      let kinds = try host["unsupported"].map { try $0.kinds() } ?? entry.unsupported
      try await monitor.setHostCapabilities(flags, unsupported: kinds, at: time(of: step, monitor))
      entry.flags = flags
      entry.unsupported = kinds
    } else {
      return false
    }
    return true
  }

  private func performDelivery(_ step: JSON, _ entry: Entry, _ monitor: Monitor) async throws {
    if let expected = step["next"] {
      let event = try await ask(entry)
      entry.inFlight = event
      try expected.expect(event.map { $0.members })
    } else if step["acknowledge"] != nil {
      await monitor.acknowledge()
      entry.inFlight = nil
    } else if let identifier = step["record"]?.string {
      let record = await monitor.record(for: identifier)
      try step.member("is").expect(
        record.map {
          $0.lastEvent.members.merging(["condition": JSON(condition: $0.condition), "band": JSON(band: $0.band)]) { $1 }
        })
    } else if let identifier = step["nearest_boundary_point"]?.string {
      let from = try step.member("from")
      let coordinate = Coordinate(
        latitude: try from.member("latitude").double(), longitude: try from.member("longitude").double())
      let isKnown = await monitor.record(for: identifier) != nil
      let place = isKnown ? try await monitor.nearestBoundaryPoint(identifier, to: coordinate) : nil
      try step.member("is").expect(
        place.map { ["latitude": .number($0.latitude), "longitude": .number($0.longitude)] })
    } else if let from = step["containing"] ?? step["nearest"] {
      let (latitude, longitude) = (try from.member("latitude").double(), try from.member("longitude").double())
      let found =
        step["containing"] != nil
        ? try await monitor.containing(latitude: latitude, longitude: longitude, height: from.height())
        : try await monitor.nearest(
          latitude: latitude, longitude: longitude, count: Int(try from.member("count").double()))
      guard case .array(let expected) = try step.member("are"), expected.count == found.count else {
        throw Mismatch(expected: try step.member("are"), got: found.map(\.identifier))
      }
      for (one, other) in zip(expected, found) {
        try one.expect([
          "identifier": .string(other.identifier), "boundary_distance": .number(other.boundaryDistance),
        ])
      }
    } else if let expected = step["identifiers"] {
      let identifiers = await monitor.identifiers
      if expected != .array(identifiers.map { .string($0) }) { throw Mismatch(expected: expected, got: identifiers) }
    } else if let state = step["identifiers_in_state"]?.string {
      let asked = try JSON.string(state).oneOf([
        "unknown": Event.State.unknown, "satisfied": .satisfied, "unsatisfied": .unsatisfied,
      ])
      let identifiers = await monitor.identifiers(in: asked)
      if try step.member("are") != .array(identifiers.map { .string($0) }) {
        throw Mismatch(expected: try step.member("are"), got: identifiers)
      }
    } else if let expected = step["statistics"] {
      let statistics = await monitor.statistics
      try expected.expect([
        "late_inputs": .number(Double(statistics.lateInputs)),
        "invalid_fixes": .number(Double(statistics.invalidFixes)),
        "ahead_inputs": .number(Double(statistics.aheadInputs)),
        "doubted_fixes": .number(Double(statistics.doubtedFixes)),
      ])
    } else if let identifier = step["explain"]?.string {
      try step.member("is").expect(await monitor.explain(identifier)?.members)
    } else if step["restart"] != nil {
      try await restart(entry)
      entry.inFlight = nil
    } else if step["iterate"] != nil {
      let iterator = await monitor.events.makeAsyncIterator()
      if iterator.seat.number == nil {
        var second = iterator
        _ = try await second.next()  // throws
        throw Mismatch("a second iterator was served")
      }
      entry.iterator = iterator
      entry.inFlight = nil
    } else if step["cancel"] != nil {
      entry.iterator = nil
      entry.inFlight = nil
    } else {
      throw Mismatch("unknown step")
    }
  }

  /// Fetches the next event without waiting. The previous event must be committed before it is known whether there is
  /// another event.
  private func ask(_ entry: Entry) async throws -> Event? {
    guard let monitor = entry.monitor else { throw Mismatch("the monitor is closed") }
    guard var iterator = entry.iterator else { return try await monitor.nextEvent() }
    await monitor.acknowledge()
    guard await monitor.state.hasEvents else { return nil }
    return try await iterator.next()
  }

  private func fix(_ fix: JSON, _ entry: Entry) throws -> Fix {
    let time = try fix.member("time").time()
    let accuracy = try fix["accuracy"]?.double() ?? 0
    guard let identifier = fix["of"]?.string else {
      return Fix(
        latitude: try fix.member("latitude").double(), longitude: try fix.member("longitude").double(),
        accuracy: accuracy, time: time)
    }
    guard let centre = entry.circles[identifier]?.center else { throw Mismatch("no circle \(identifier)") }
    let end = GeodesicDirect.solve(
      latitude: centre.latitude, longitude: centre.longitude, azimuth: try fix["bearing"]?.double() ?? 0,
      distance: try fix.member("distance").double())
    return Fix(latitude: end.latitude, longitude: end.longitude, accuracy: accuracy, time: time)
  }

  private func time(of step: JSON, _ monitor: Monitor) async throws -> Timestamp {
    if let time = step["time"] { return try time.time() }
    guard let clock = await monitor.currentTime else { throw Mismatch("the clock is unset") }
    return clock
  }
}
