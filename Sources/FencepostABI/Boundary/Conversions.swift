import CFencepost
import FencepostCore
import FencepostKernel
import FencepostStoreCore

// Converts between the structures of the header and the values of the engine.

extension TransitionPolicy {
  init(_ policy: UnsafePointer<fencepost_transition_policy>?) throws(BoundaryError) {
    self = .standard
    guard let policy else { return }
    var defaults = fencepost_transition_policy(.standard)
    defaults.struct_size = 0
    let value = try SizedStruct.read(policy, defaults: defaults, "policy")
    guard let dwellPolicy = UInt8(exactly: value.dwell_policy).flatMap(DwellPolicy.init(rawValue:)) else {
      throw .invalidArgument("dwell_policy is \(value.dwell_policy); must be 0 or 1")
    }
    if let defect = Notify.defect(of: value.notify) { throw .invalidArgument(defect) }
    guard value.reserved == 0 else { throw .unsupported("policy.reserved must be zero") }
    entryDwellMicroseconds = value.entry_dwell_us
    exitDwellMicroseconds = value.exit_dwell_us
    entryMargin = value.entry_margin_m
    exitMargin = value.exit_margin_m
    exitMarginLimit = value.exit_margin_limit_m
    accuracyFactor = value.accuracy_factor
    entryProbability = value.entry_probability
    exitProbability = value.exit_probability
    verticalMargin = value.vertical_margin_m
    self.dwellPolicy = dwellPolicy
    notify = Notify(rawValue: UInt8(value.notify))
  }
}

extension fencepost_transition_policy {
  init(_ policy: TransitionPolicy) {
    self.init(
      struct_size: UInt32(MemoryLayout<fencepost_transition_policy>.size),
      dwell_policy: Int32(policy.dwellPolicy.rawValue), entry_dwell_us: policy.entryDwellMicroseconds,
      exit_dwell_us: policy.exitDwellMicroseconds, entry_margin_m: policy.entryMargin,
      exit_margin_m: policy.exitMargin, exit_margin_limit_m: policy.exitMarginLimit,
      accuracy_factor: policy.accuracyFactor, notify: UInt32(policy.notify.rawValue), reserved: 0,
      entry_probability: policy.entryProbability, exit_probability: policy.exitProbability,
      vertical_margin_m: policy.verticalMargin)
  }
}

/// The options for adding a condition, read from the caller's C structure.
struct AddOptions {
  var assuming: Event.State
  var policy: TransitionPolicy = .standard
  var tag: UInt64 = 0
  var timing: ConditionTiming = .none
  var band: AltitudeBand = .none

  init(
    _ options: UnsafePointer<fencepost_condition_definition>?, assuming unsaid: Event.State
  ) throws(BoundaryError) {
    let value = try options.map { value throws(BoundaryError) in
      try SizedStruct.read(value, defaults: .defaults, "options")
    }
    try self.init(value ?? .defaults, assuming: unsaid)
  }

  /// - Parameter assuming: The assumed state of the table, which applies if the definition has none.
  init(_ definition: fencepost_condition_definition, assuming unsaid: Event.State) throws(BoundaryError) {
    assuming = unsaid
    if Int(definition.assuming) != FENCEPOST_STATE_DEFAULT {
      guard let state = UInt8(exactly: definition.assuming).flatMap(Event.State.init(rawValue:)), state != .unmonitored
      else {
        throw .invalidArgument(
          "assuming is \(definition.assuming); must be -1 (default), 0 (unknown), 1 (satisfied) or 2 (unsatisfied)")
      }
      assuming = state
    }
    policy = try TransitionPolicy(definition.policy)
    tag = definition.tag
    if let given = definition.timing { timing = try ConditionTiming(given) }
    let (min, minReference) = try Self.limit(
      definition.altitude_min_m, definition.altitude_min_reference, none: -.infinity, "altitude_min_reference")
    let (max, maxReference) = try Self.limit(
      definition.altitude_max_m, definition.altitude_max_reference, none: .infinity, "altitude_max_reference")
    band = AltitudeBand(min: min, max: max, minReference: minReference, maxReference: maxReference)
  }
}

extension AddOptions {
  /// Reads one limit of a band.
  @inline(never)
  private static func limit(
    _ limit: Double, _ reference: fencepost_altitude_reference, none: Double, _ name: StaticString
  ) throws(BoundaryError) -> (Double, AltitudeBand.Reference) {
    if reference == 0 { return (none, .ellipsoid) }
    guard let known = UInt8(exactly: reference).flatMap(AltitudeBand.Reference.init(rawValue:)) else {
      throw .invalidArgument(
        "\(name) is \(reference); must be 0 (no limit), 1 (ellipsoid), 2 (mean sea level) or 3 (ground)")
    }
    return (limit, known)
  }
}

extension ConditionTiming {
  /// Reads a caller's timing.
  fileprivate init(_ pointer: UnsafePointer<fencepost_timing>) throws(BoundaryError) {
    let defaults = fencepost_timing(
      struct_size: 0, repeat_limit: 1_000, active_until_us: .max, absent_after_us: 0, repeat_every_us: 0,
      max_events: 0, active: nil, active_count: 0)
    let value = try SizedStruct.read(pointer, defaults: defaults, "timing")
    guard let most = UInt32(exactly: value.max_events) else {
      throw .invalidArgument("max_events is \(value.max_events); must be from 0 to \(UInt32.max)")
    }
    guard value.active != nil || (value.active_count == 0 && value.active_until_us == .max) else {
      throw .invalidArgument("active is NULL, but active_count or active_until_us is set; set active")
    }
    var schedule: Schedule?
    if let active = value.active {
      // Too many intervals are refused by their number, before any is read. SIZE_MAX is negative as an Int.
      let count = Int(value.active_count)
      guard 0...Schedule.mostIntervals ~= count else { throw .invalidArgument(Schedule.tooMany) }
      var edges: ContiguousArray<Int64> = []
      edges.reserveCapacity(2 * count)
      for row in 0..<count {
        edges.append(active[row].start_us)
        edges.append(active[row].end_us)
      }
      let until = value.active_until_us == .max ? nil : value.active_until_us
      schedule = try refusedByEngine { () throws(MonitorError) in try Schedule.checked(edges, until: until) }
    }
    self.init(
      schedule: schedule, absentAfterMicroseconds: value.absent_after_us,
      repeatEveryMicroseconds: value.repeat_every_us, repeatLimit: value.repeat_limit, maxEvents: most)
  }
}

extension fencepost_feed_result {
  init(_ result: FeedResult) {
    self.init(
      accepted: UInt64(result.accepted), invalid: UInt64(result.invalid), late: UInt64(result.late),
      doubted: UInt64(result.doubted))
  }
}

extension fencepost_explanation {
  init(_ explanation: Explanation) {
    self.init(
      struct_size: 0, reason: explanation.reason.rawValue, observed: Int32(explanation.observed.rawValue),
      diagnostics: explanation.diagnostics.rawValue, boundary_distance_m: explanation.boundaryDistance ?? .nan,
      accuracy_m: explanation.accuracy ?? .nan, entry_margin_m: explanation.entryMargin ?? .nan,
      exit_margin_m: explanation.exitMargin ?? .nan,
      candidate_start_us: explanation.candidateStart?.microseconds ?? .min,
      deadline_us: explanation.deadline?.microseconds ?? .min,
      last_sighting_us: explanation.lastSighting?.microseconds ?? .min,
      metres_to_decide: explanation.metresToDecide ?? .nan, seconds_to_decide: explanation.secondsToDecide ?? .nan,
      accuracy_needed_m: explanation.accuracyNeeded ?? .nan,
      nearest_latitude: explanation.nearestBoundaryPoint?.latitude ?? .nan,
      nearest_longitude: explanation.nearestBoundaryPoint?.longitude ?? .nan,
      doubted_distance_m: explanation.doubt?.distance ?? .nan, doubted_seconds: explanation.doubt?.seconds ?? .nan,
      doubted_limit_mps: explanation.doubt?.plausibleSpeed ?? .nan,
      corroborations: UInt32(clamping: explanation.doubt?.corroborations ?? 0),
      corroborations_needed: UInt32(clamping: explanation.doubt?.corroborationsNeeded ?? 0), probability: .nan,
      ellipse_major_m: explanation.ellipse?.major ?? .nan, ellipse_minor_m: explanation.ellipse?.minor ?? .nan,
      ellipse_orientation: explanation.ellipse?.orientation ?? .nan,
      vertical_distance_m: explanation.verticalDistance ?? .nan, parts: nil, parts_capacity: 0, part_count: 0)
    probability = explanation.probability ?? .nan
  }
}

extension BeaconUUID {
  /// The 16 bytes of a UUID, in the order in which they are broadcast.
  init(bytes: UnsafeRawPointer) {
    self.init(
      high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  func store(to bytes: UnsafeMutableRawPointer) {
    bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
    bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
  }
}

extension BeaconIdentityCondition {
  init(uuid: UnsafePointer<UInt8>, major: Int32, minor: Int32) throws(BoundaryError) {
    try self.init(uuid: BeaconUUID(bytes: UnsafeRawPointer(uuid)), major: major, minor: minor)
  }

  init(uuid: BeaconUUID, major: Int32, minor: Int32) throws(BoundaryError) {
    for (name, number) in [("major", major), ("minor", minor)] where !(-1...65_535).contains(number) {
      throw .invalidArgument("\(name) is \(number); must be from 0 to 65535, or -1 for any")
    }
    guard major >= 0 || minor < 0 else {
      throw .invalidArgument("minor is \(minor), but major is unset; set both")
    }
    if minor >= 0 {
      self.init(uuid: uuid, major: UInt16(major), minor: UInt16(minor))
    } else if major >= 0 {
      self.init(uuid: uuid, major: UInt16(major))
    } else {
      self.init(uuid: uuid)
    }
  }
}

/// Copies an identifier into its fixed-size buffer and fills the rest with zeroes, so that equal events have equal
/// bytes.
@inline(__always)
func copy<Buffer>(_ bytes: UnsafeBufferPointer<UInt8>, into buffer: inout Buffer) -> UInt32 {
  withUnsafeMutableBytes(of: &buffer) {
    let count = min(bytes.count, $0.count - 1)
    $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[0..<count]))
    UnsafeMutableRawBufferPointer(rebasing: $0[count...]).initializeMemory(as: UInt8.self, repeating: 0)
    return UInt32(count)
  }
}

/// The `FENCEPOST_EVENT_…` bits of an event, without `FENCEPOST_EVENT_HAS_BEACON`.
private func flags(of entry: borrowing EventEntry) -> UInt32 {
  (entry.marks.contains(.onPath) ? UInt32(FENCEPOST_EVENT_ON_PATH) : 0)
    | (entry.marks.contains(.gap) ? UInt32(FENCEPOST_EVENT_AFTER_GAP) : 0)
    | (entry.marks.contains(.leftToRight) ? UInt32(FENCEPOST_EVENT_LEFT_TO_RIGHT) : 0)
    | (entry.marks.contains(.rightToLeft) ? UInt32(FENCEPOST_EVENT_RIGHT_TO_LEFT) : 0)
}

extension ConditionTable {
  /// Writes an event into the caller's memory.
  ///
  /// - Parameters:
  ///   - position: The number of the event in its monitor or fleet.
  ///   - confidence: The option `accuracy_confidence`.
  ///   - device: The number of the device; 0 for an event of a monitor.
  @inline(__always)
  func store(
    _ entry: borrowing EventEntry, to event: UnsafeMutablePointer<fencepost_event>, position: UInt64,
    confidence: Double, device: UInt64 = 0, row: UInt64 = 0
  ) {
    event.pointee.sequence = entry.sequence
    event.pointee.position = position
    event.pointee.device = device
    event.pointee.row = row
    event.pointee.generation = entry.generation
    event.pointee.tag = tag(of: entry.slot)
    event.pointee.date_us = entry.date
    event.pointee.evidence_date_us = entry.evidenceDate
    event.pointee.latitude = entry.latitude
    event.pointee.longitude = entry.longitude
    event.pointee.accuracy_m = entry.accuracy
    event.pointee.boundary_distance_m = entry.boundaryDistance
    event.pointee.state = Int32(entry.state.rawValue)
    event.pointee.cause = Int32(entry.cause.rawValue)
    event.pointee.diagnostics = entry.diagnostics.rawValue
    event.pointee.flags = flags(of: entry)
    event.pointee.beacon_uuid = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    event.pointee.beacon_major = 0
    event.pointee.beacon_minor = 0
    if entry.hasRefinement, let beacon = refinement(of: copy entry) {
      event.pointee.flags |= UInt32(FENCEPOST_EVENT_HAS_BEACON)
      withUnsafeMutableBytes(of: &event.pointee.beacon_uuid) { beacon.uuid.store(to: $0.baseAddress!) }
      event.pointee.beacon_major = beacon.major ?? 0
      event.pointee.beacon_minor = beacon.minor ?? 0
    }
    event.pointee.probability = probability(of: entry, confidence: confidence)
    event.pointee.vertical_distance_m = entry.verticalDistance
    event.pointee.decided_by = entry.decidedBy
    event.pointee.reserved = 0
    event.pointee.identifier_length = withIdentifierBytes(of: entry.slot) {
      FencepostABI.copy($0, into: &event.pointee.identifier)
    }
  }

  /// Writes a condition's definition into the caller's memory.
  func store(conditionOf slot: UInt32, to condition: UnsafeMutablePointer<fencepost_condition>) {
    condition.pointee.generation = generation(of: slot)
    condition.pointee.tag = tag(of: slot)
    condition.pointee.identifier_length = withIdentifierBytes(of: slot) {
      FencepostABI.copy($0, into: &condition.pointee.identifier)
    }
    condition.pointee.latitude = .nan
    condition.pointee.longitude = .nan
    condition.pointee.radius_m = .nan
    condition.pointee.uuid = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    condition.pointee.major = -1
    condition.pointee.minor = -1
    condition.pointee.kind = kind(of: slot).number
    switch subject(of: slot) {
    case .circle(let circle):
      condition.pointee.latitude = circle.center.latitude
      condition.pointee.longitude = circle.center.longitude
      condition.pointee.radius_m = circle.radius
    case .beacon(let beacon):
      withUnsafeMutableBytes(of: &condition.pointee.uuid) { beacon.uuid.store(to: $0.baseAddress!) }
      condition.pointee.major = beacon.major.map(Int32.init) ?? -1
      condition.pointee.minor = beacon.minor.map(Int32.init) ?? -1
    case .polygon, .line, .rule: break
    case .corridor(let shape):
      if case .corridor(let radius) = shape.definition.kind { condition.pointee.radius_m = radius }
    }
  }
}

extension MonitorEngine {
  func store(recordOf slot: UInt32, to record: UnsafeMutablePointer<fencepost_record>) {
    table.store(conditionOf: slot, to: &record.pointee.condition)
    let last = lastEntry(of: slot)
    table.store(
      last, to: &record.pointee.last_event, position: last.sequence, confidence: options.accuracyConfidence)
    record.pointee.state = fencepost_state(state(of: slot).rawValue)
    record.pointee.reserved = 0
  }
}

extension Event {
  /// Converts a C structure to an event; refuses values that no event can have.
  init(_ event: UnsafePointer<fencepost_event>) throws(BoundaryError) {
    let value = event.pointee
    guard let state = UInt8(exactly: value.state).flatMap(State.init(rawValue:)) else {
      throw .invalidArgument("state is \(value.state); must be from 0 to 3")
    }
    guard let cause = UInt8(exactly: value.cause).flatMap(Cause.init(rawValue:)) else {
      throw .invalidArgument("cause is \(value.cause); must be from 0 to 5")
    }
    for (name, date) in [("date_us", value.date_us), ("evidence_date_us", value.evidence_date_us)]
    where date != .min && !Timestamp(microseconds: date).isValid {
      throw .invalidArgument("\(name) is \(date); must be from \(Timestamp.earliest) to \(Timestamp.latest), or unset")
    }
    guard value.diagnostics < 1 << 13 else {
      throw .invalidArgument("diagnostics is \(value.diagnostics); must be from 0 to 8191")
    }
    guard value.flags < 1 << 5 else {
      throw .invalidArgument("flags is \(value.flags); must be from 0 to 31")
    }
    guard value.reserved == 0 else { throw .unsupported("event.reserved must be zero") }
    guard value.probability.isNaN || (value.probability >= 0 && value.probability <= 1) else {
      throw .invalidArgument("probability is \(value.probability); must be from 0 to 1, or NaN without a probability")
    }
    guard value.identifier_length <= UInt32(FENCEPOST_IDENTIFIER_MAX) else {
      throw .invalidArgument("identifier_length is \(value.identifier_length); must be from 0 to 256")
    }
    let identifier = withUnsafeBytes(of: value.identifier) {
      String(validating: $0.prefix(Int(value.identifier_length)), as: UTF8.self)
    }
    guard let identifier else { throw .invalidArgument(Definition.notUTF8) }
    self.init(identifier: identifier, state: state, generation: value.generation)
    sequence = value.sequence
    self.cause = cause
    tag = value.tag
    date = value.date_us == .min ? nil : Timestamp(microseconds: value.date_us)
    evidenceDate = value.evidence_date_us == .min ? nil : Timestamp(microseconds: value.evidence_date_us)
    diagnostics = Diagnostics(rawValue: value.diagnostics)
    let flags = Int(value.flags)
    if flags & FENCEPOST_EVENT_HAS_BEACON != 0 {
      let uuid = withUnsafeBytes(of: value.beacon_uuid) { BeaconUUID(bytes: $0.baseAddress!) }
      beacon = BeaconIdentityCondition(uuid: uuid, major: value.beacon_major, minor: value.beacon_minor)
    }
    if !value.latitude.isNaN {
      evidence = Evidence(
        coordinate: Coordinate(latitude: value.latitude, longitude: value.longitude), accuracy: value.accuracy_m,
        boundaryDistance: value.boundary_distance_m, source: flags & FENCEPOST_EVENT_ON_PATH != 0 ? .path : .fix,
        probability: value.probability.isNaN ? nil : value.probability,
        verticalDistance: value.vertical_distance_m.isNaN ? nil : value.vertical_distance_m)
    }
    followsGap = flags & FENCEPOST_EVENT_AFTER_GAP != 0
    decidedBy = value.decided_by == 0 ? nil : value.decided_by
    direction =
      flags & FENCEPOST_EVENT_LEFT_TO_RIGHT != 0
      ? .leftToRight : flags & FENCEPOST_EVENT_RIGHT_TO_LEFT != 0 ? .rightToLeft : nil
  }
}

extension MonitorOptions.Path {
  /// - Parameter maxSpeed: The highest speed; 0 means that any speed is allowed.
  init(_ path: fencepost_path, maxGap: Int64, maxSpeed: Double) throws(BoundaryError) {
    switch Int(path) {
    case FENCEPOST_PATH_FIXES: self = .fixes
    case FENCEPOST_PATH_GEODESIC: self = .geodesic(maxGapMicroseconds: maxGap, maxSpeed: maxSpeed == 0 ? nil : maxSpeed)
    default: throw .invalidArgument("path is \(path); must be 0 (fixes) or 1 (geodesic)")
    }
  }
}
