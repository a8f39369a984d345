/// Reads the rows of format 1, which version 0.1 wrote: the head contains all data of the device, and the row of a
/// condition contains its definition and its state.
enum FirstFormat {
  static let format: UInt32 = 1

  /// Reads the rest of the head, after the format.
  @_optimize(size)
  static func readHead(_ reader: inout ByteReader) throws(Damage) -> (HeadRow, DeviceRow) {
    let largest = EngineRestorer.largest
    let delivery = try reader.take(MonitorOptions.Delivery.self, "delivery")
    let limit: Int64 = try reader.take("condition_limit", in: 0...Int64.max)
    var options = MonitorOptions(
      delivery: delivery, conditionLimit: limit == 0 ? nil : Int(clamping: limit),
      maxPendingEvents: Int(try reader.take("max_pending_events", in: 1...1_000_000_000 as ClosedRange<Int64>)),
      initialFixMaxAgeMicroseconds: try reader.take(), beaconExitTimeoutMicroseconds: try reader.take(),
      beaconInitialTimeoutMicroseconds: try reader.take())
    let clock = try reader.takeTime("clock")
    var counters = InputCounters()
    let inputCount: UInt64 = try reader.take("input_count", in: 0...largest)
    counters.acceptedFixes = try reader.take("accepted_fixes", in: 0...largest)
    counters.invalidFixes = try reader.take("invalid_fixes", in: 0...largest)
    counters.lateInputs = try reader.take("late_inputs", in: 0...largest)
    counters.acceptedSightings = try reader.take("accepted_sightings", in: 0...largest)
    let hostFlags = Diagnostics(rawValue: try reader.take())
    let unsupportedKinds: UInt32 = try reader.take()
    let isScanning = try reader.takeBool("scanning")
    let generation: UInt64 = try reader.take("generation", in: 0...largest)
    let sequence: UInt64 = try reader.take("sequence", in: 0...largest)
    let change: UInt64 = try reader.take("change", in: 0...largest)
    let ticket: UInt64 = try reader.take("ticket", in: 0...largest)
    let lastFix = try reader.takeBool("last_fix") ? takeFix(&reader) : nil
    // Development versions of 0.2 wrote this value at the end.
    if reader.remaining > 0 {
      let step: Int64 = try reader.take("max_time_step", in: 0...TransitionPolicy.longestDuration)
      options.maxTimeStepMicroseconds = step == 0 ? nil : step
      counters.aheadInputs = try reader.take("ahead_inputs", in: 0...largest)
    }
    counters.inputCount = inputCount
    try reader.end()
    if let defect = options.defect { throw Damage(defect) }
    let device = DeviceRow(
      clock: clock, counters: counters, lastFix: lastFix, hostFlags: hostFlags, unsupportedKinds: unsupportedKinds,
      isScanning: isScanning, swept: 0)
    try device.check()
    let head = HeadRow(
      options: options, conditionCount: 0, lastGeneration: generation, lastSequence: sequence, lastChange: change,
      lastTicket: ticket, hasProbabilities: false)
    return (head, device)
  }

  /// - Parameter enter: Adds the definition to the table, and returns the slot for which the state is read.
  @_optimize(size)
  static func readCondition(
    _ generation: UInt64, _ reader: inout ByteReader, enter: (DefinitionRow) throws(Damage) -> UInt32
  ) throws(Damage) -> (slot: UInt32, state: StateRow) {
    let kind = try reader.take(ConditionKind.self, "kind")
    let length = Int(try reader.take(UInt16.self))
    let identifier = Array(try reader.takeBytes(length))
    let tag: UInt64 = try reader.take()
    let policy = try takePolicy(&reader)
    let observed = try reader.take(Observed.self, "observed")
    var state = StateRow(observed: observed, noted: try reader.take(Event.State.self, "noted"))
    state.notedFlags = try reader.take("noted_flags", in: 0...UInt16(Diagnostics.all.rawValue))
    let assumed = try reader.take(Event.State.self, "assumed")
    let added = try reader.takeTime("added")
    state.hasMetCoarseFix = try reader.takeBool("coarse")
    let subject: Definition.Subject
    switch kind {
    case .circularGeographic:
      let circle = CircularGeographicCondition(
        center: Coordinate(latitude: try reader.takeDouble(), longitude: try reader.takeDouble()),
        radius: try reader.takeDouble())
      if let defect = circle.defect { throw Damage(defect) }
      subject = .circle(circle)
    case .polygonalGeographic, .corridorGeographic, .lineGeographic, .rule:
      throw Damage("kind is \(kind.rawValue), which format 1 does not have")
    case .beaconIdentity:
      guard let beacon = try takeBeacon(&reader) else { throw Damage.noUUID }
      subject = .beacon(beacon)
      state.track = BeaconTrack(
        lastSighting: try reader.takeTime("last_sighting"), deadline: try reader.take())
      state.refinement = try takeBeacon(&reader)
    }
    let slot = try enter(
      DefinitionRow(
        identifier: identifier, definition: Definition(subject: subject, policy: policy, tag: tag, assumed: assumed),
        added: added))
    let parts: UInt8 = try reader.take("parts", in: 0...31)
    if parts & 1 != 0 { state.ticket = try reader.take() }
    if parts & 2 != 0 { state.record = try takeEntry(slot, generation, &reader) }
    if parts & 4 != 0 {
      state.candidate = Candidate(
        fix: try takeFix(&reader), boundaryDistance: try reader.takeDouble(), deadline: try reader.take(),
        isTimed: try reader.takeBool("timed"))
    }
    if parts & 8 != 0 { state.present = try takeEntry(slot, generation, &reader) }
    if parts & 16 != 0 {
      state.flags = (try reader.take(), try reader.take("change", in: 0...EngineRestorer.largest))
    }
    try reader.end()
    return (slot, state)
  }

  static func readEvent(_ slot: UInt32, _ generation: UInt64, _ reader: inout ByteReader) throws(Damage) -> EventRow {
    let follows: UInt64 = try reader.take()
    let row = EventRow(follows: follows, entry: try takeEntry(slot, generation, &reader))
    try reader.end()
    return row
  }

  private static func takeFix(_ reader: inout ByteReader) throws(Damage) -> Fix {
    let fix = Fix(
      latitude: try reader.takeDouble(), longitude: try reader.takeDouble(), accuracy: try reader.takeDouble(),
      time: Timestamp(microseconds: try reader.take()))
    guard fix.isUsable else { throw Damage.unusableFix }
    return fix
  }

  private static func takePolicy(_ reader: inout ByteReader) throws(Damage) -> TransitionPolicy {
    let policy = TransitionPolicy(
      entryDwellMicroseconds: try reader.take(), exitDwellMicroseconds: try reader.take(),
      entryMargin: try reader.takeDouble(), exitMargin: try reader.takeDouble(),
      exitMarginLimit: try reader.takeDouble(), accuracyFactor: try reader.takeDouble(),
      dwellPolicy: try reader.take(TransitionPolicy.DwellPolicy.self, "dwell_policy"),
      notify: TransitionPolicy.Notify(rawValue: try reader.take()))
    if let defect = policy.defect { throw Damage(defect) }
    return policy
  }

  private static func takeBeacon(_ reader: inout ByteReader) throws(Damage) -> BeaconIdentityCondition? {
    let uuid = BeaconUUID(high: try reader.take(), low: try reader.take())
    let components: UInt8 = try reader.take()
    let major: UInt16 = try reader.take()
    let minor: UInt16 = try reader.take()
    switch components {
    case 0: return BeaconIdentityCondition(uuid: uuid)
    case 1: return BeaconIdentityCondition(uuid: uuid, major: major)
    case 2: return BeaconIdentityCondition(uuid: uuid, major: major, minor: minor)
    case .max: return nil
    default: throw Damage.components(components)
    }
  }

  private static func takeEntry(
    _ slot: UInt32, _ generation: UInt64, _ reader: inout ByteReader
  ) throws(Damage) -> EventEntry {
    var entry = EventEntry(slot: slot, generation: generation, state: .unknown, cause: .none, date: nil)
    entry.sequence = try reader.take("sequence", in: 0...EngineRestorer.largest)
    entry.change = try reader.take("change", in: 0...EngineRestorer.largest)
    // A dwell or a timeout may end after the last instant that an input can have.
    entry.date = try reader.take("date", in: .min...Int64.max)
    entry.evidenceDate = try reader.takeTime("evidence_date")
    entry.latitude = try reader.takeDouble()
    entry.longitude = try reader.takeDouble()
    entry.accuracy = try reader.takeDouble()
    entry.boundaryDistance = try reader.takeDouble()
    try entry.checkEvidence()
    entry.diagnostics = Diagnostics(rawValue: try reader.take("diagnostics", in: 0...Diagnostics.all.rawValue))
    entry.hasRefinement = try reader.takeBool("has_refinement")
    entry.refinementMajor = try reader.take()
    entry.refinementMinor = try reader.take()
    entry.state = try reader.take(Event.State.self, "state")
    entry.cause = try reader.take(Event.Cause.self, "cause")
    entry.notify = TransitionPolicy.Notify(
      rawValue: try reader.take("notify", in: 0...TransitionPolicy.Notify.all.rawValue))
    return entry
  }
}
