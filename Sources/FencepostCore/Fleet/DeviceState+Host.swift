import FencepostKernel

/// The capabilities that the host of one device stated, and the conditions that were reported as `unmonitored` because
/// of them. Most devices have neither.
struct DeviceHost: Sendable {
  /// The shapes of a kind that is monitored again. No fix has determined them since.
  struct Resumed: Sendable, Equatable {
    var kind: ConditionKind
    /// The last generation of the table when the kind was monitored again.
    var through: UInt64
  }

  /// The abilities of the host, as it last stated them.
  var stated = HostState()
  /// The kinds whose `unmonitored` conditions were last reported with the flag ``Diagnostics/conditionUnsupported``.
  var reportedKinds: UInt32 = 0
  /// While conditions are suspended: the flags were reported for the conditions up to this generation.
  var reportedThrough: UInt64 = 0
  /// The last reported state of these shapes is `unmonitored`.
  var resumed: ContiguousArray<Resumed> = []
  /// Further shapes whose last reported state is `unmonitored`: undetermined ones, and lines. They are also in
  /// ``DeviceState/undecided``, except the lines.
  var unmonitored: ContiguousArray<UInt32> = []

  /// Whether there is anything to store.
  @inline(__always)
  var isUsed: Bool {
    stated.flags.rawValue != 0 || stated.unsupportedKinds != 0 || reportedKinds != 0 || !resumed.isEmpty
      || !unmonitored.isEmpty
  }

  // MARK: - As words

  /// The number of words that ``store(to:)`` writes.
  var wordCount: Int { 2 + 2 * resumed.count + (unmonitored.count + 1) / 2 }

  /// The flags and the kinds in one word: ten bits for the flags, and six bits for each set of kinds.
  var bits: UInt64 {
    get {
      UInt64(stated.flags.rawValue) | UInt64(stated.unsupportedKinds) << 10 | UInt64(reportedKinds) << 16
    }
    set {
      stated.flags = Diagnostics(rawValue: UInt32(newValue & 0x3FF))
      stated.unsupportedKinds = UInt32(newValue >> 10 & 0x3F)
      reportedKinds = UInt32(newValue >> 16 & 0x3F)
    }
  }
  static let largestBits: UInt64 = 1 << 22 - 1

  /// - Returns: The first word after those that were written.
  @inline(never)
  func store(to words: UnsafeMutablePointer<UInt64>) -> UnsafeMutablePointer<UInt64> {
    words.initialize(to: bits | UInt64(resumed.count) << 24 | UInt64(unmonitored.count) << 32)
    (words + 1).initialize(to: reportedThrough)
    var next = words + 2
    for each in resumed {
      next.initialize(to: UInt64(each.kind.rawValue))
      (next + 1).initialize(to: each.through)
      next += 2
    }
    for index in unmonitored.indices {
      if index % 2 == 0 {
        next.initialize(to: UInt64(unmonitored[index]))
        next += 1
      } else {
        next[-1] |= UInt64(unmonitored[index]) << 32
      }
    }
    return next
  }

  /// Replaces the empty value by the one that ``store(to:)`` wrote.
  ///
  /// - Returns: The first word after those that were read.
  @inline(never)
  mutating func load(_ words: UnsafePointer<UInt64>) -> UnsafePointer<UInt64> {
    bits = words[0]
    reportedThrough = words[1]
    var next = words + 2
    for _ in 0..<(words[0] >> 24 & 0xFF) {
      if let kind = ConditionKind(rawValue: UInt8(truncatingIfNeeded: next[0])) {
        resumed.append(Resumed(kind: kind, through: next[1]))
      }
      next += 2
    }
    let count = Int(words[0] >> 32)
    for index in 0..<count {
      unmonitored.append(UInt32(truncatingIfNeeded: next[index / 2] >> (index % 2 == 0 ? 0 : 32)))
    }
    return next + (count + 1) / 2
  }

  /// Whether conditions of some kind are suspended.
  var suspends: Bool { stated.flags.suspends || stated.unsupportedKinds != 0 }

  func suspends(_ kind: ConditionKind) -> Bool { stated.flags(of: kind).suspends }

  /// The last generation of the table that the device knows because of its host.
  var lastGeneration: UInt64 { resumed.reduce(reportedThrough) { max($0, $1.through) } }

  /// Whether a shape is undetermined because of what the host stated.
  func limits(_ slot: UInt32, _ table: ConditionTable) -> Bool {
    isUsed && (suspends(table.kind(of: slot)) || isResumed(slot, table))
  }

  /// Whether a shape is of a kind that is monitored again, and no fix has determined the shape since.
  func isResumed(_ slot: UInt32, _ table: ConditionTable) -> Bool {
    guard !resumed.isEmpty else { return false }
    let kind = table.kind(of: slot)
    return resumed.contains { $0.kind == kind && table.generation(of: slot) <= $0.through }
  }
}

extension DeviceState {
  /// Whether a host has stated something that the device depends on.
  var dependsOnHost: Bool { host.isUsed || beacons.contains { $0.told == .unmonitored } }

  /// Whether the absence of beacons counts.
  var countsAbsence: Bool { isScanning && !host.suspends(.beaconIdentity) }

  /// Whether the last reported state of a shape is `unmonitored`.
  func isUnmonitored(_ slot: UInt32, _ table: ConditionTable) -> Bool {
    guard host.isUsed else { return false }
    if !host.stated.supports(table.kind(of: slot)) { return table.generation(of: slot) <= host.reportedThrough }
    return host.isResumed(slot, table) || host.unmonitored.contains(slot)
  }

  /// The shapes in all lists; a shape may be in several of them.
  var shapes: [UInt32] {
    insides.map { $0.slot } + crossings.map { $0.slot } + undecided + told.map { $0.slot } + host.unmonitored
  }

  /// Refuses states of suspended shapes, and shapes that were reported as unmonitored but are determined.
  func checkHost(_ table: ConditionTable) throws(Damage) {
    guard host.isUsed else { return }
    let undecided = Set(undecided)
    guard
      host.unmonitored.allSatisfy({
        table.isGeographic($0) && (undecided.contains($0) || table.kind(of: $0).isLine)
      }), shapes.allSatisfy({ host.stated.supports(table.kind(of: $0)) }),
      (insides.map { $0.slot } + crossings.map { $0.slot }).allSatisfy({ !host.limits($0, table) })
    else { throw Damage("a device has a state for a condition that is suspended") }
  }

  /// Returns the last reported states of the conditions in the lists.
  ///
  /// - Parameter table: For all other conditions, ``commonReported(_:seen:_:)`` returns the state.
  func listedReported(_ table: ConditionTable) -> [UInt32: Event.State] {
    var states = [UInt32: Event.State]()
    for inside in insides { states[inside.slot] = .satisfied }
    for slot in undecided { states[slot] = undeterminedReported(slot, table) }
    for each in told { states[each.slot] = each.state }
    for slot in undecided where host.isResumed(slot, table) { states[slot] = .unmonitored }
    for slot in host.unmonitored { states[slot] = .unmonitored }
    for beacon in beacons { states[beacon.slot] = beacon.told }
    return states
  }

  /// Returns the last reported state of a condition that is in none of the lists.
  ///
  /// - Parameter seen: See ``DeviceLine/seen``.
  func commonReported(_ slot: UInt32, seen: UInt64, _ table: ConditionTable) -> Event.State {
    guard table.isGeographic(slot) else { return commonTold(slot, table) }
    if isUnmonitored(slot, table) { return .unmonitored }
    if table.kind(of: slot).isLine { return .unknown }
    return isRewound || table.generation(of: slot) > seen ? undeterminedReported(slot, table) : .unsatisfied
  }

  /// Returns the last reported state of an undetermined shape that is not in ``told``.
  private func undeterminedReported(_ slot: UInt32, _ table: ConditionTable) -> Event.State {
    if table.kind(of: slot).isLine { return .unknown }
    return table.generation(of: slot) <= rewoundThrough ? .unsatisfied : table.assumed(of: slot)
  }

  /// Lists the shapes of the kinds that are monitored again as undetermined, so that the next fix decides them, wherever
  /// it is.
  mutating func listResumed(_ table: ConditionTable) {
    guard !host.resumed.isEmpty else { return }
    let known = Set(undecided)
    for slot in table.live where table.isGeographic(slot) && host.isResumed(slot, table) {
      if !known.contains(slot) { undecided.append(slot) }
      host.unmonitored.append(slot)
    }
    undecided.arrange()
    host.resumed.clear()
  }

  /// Notes that changes of shapes were observed, whose last reported state is thus no longer `unmonitored`.
  mutating func endUnmonitored(_ observed: ContiguousArray<EventEntry>) {
    if !host.unmonitored.isEmpty {
      let slots = Set(observed.lazy.map { $0.slot })
      host.unmonitored.removeAll { slots.contains($0) }
    }
    if !host.suspends, host.reportedKinds != 0, host.resumed.isEmpty, host.unmonitored.isEmpty,
      !beacons.contains(where: { $0.told == .unmonitored })
    {
      host.reportedKinds = 0
    }
  }

  /// Sets what the host can do from now on. Conditions that are suspended become undetermined; conditions that are no
  /// longer suspended are watched again from the beginning.
  ///
  /// - Parameters:
  ///   - clock: The clock of the device.
  ///   - seen: See ``DeviceLine/seen``.
  mutating func change(
    to stated: HostState, at clock: Int64, seen: UInt64, _ options: FleetOptions, _ table: ConditionTable
  ) {
    let old = host.stated
    let last = table.order.lastGeneration
    host.stated = stated
    host.reportedThrough = last
    if stated.flags.suspends, !old.flags.suspends { forgetShapes(validThrough: clock, seen: seen, table) }
    for kind in ConditionKind.allCases {
      switch (old.supports(kind), stated.supports(kind)) {
      case (true, false):
        forget(kind, table)
        host.reportedKinds |= kind.bit
      case (false, true) where kind.isGeographic:
        host.resumed.append(.init(kind: kind, through: last))
        fallthrough
      default:
        // An event has reported the other flags, and this flag no more.
        if stated.supports(kind), stated.flags != old.flags { host.reportedKinds &= ~kind.bit }
      }
    }
    changeBeacons(from: old, at: clock, options, table)
  }

  /// Forgets the states of the conditions of a kind that becomes unmonitored.
  private mutating func forget(_ kind: ConditionKind, _ table: ConditionTable) {
    guard kind.isGeographic else {
      for index in beacons.indices {
        beacons[index].told = .unmonitored
        beacons[index].track.lastSighting = .min
      }
      return
    }
    // A table whose hosts are limited has neither timings nor rules.
    insides.removeAll { table.kind(of: $0.slot) == kind }
    crossings.removeAll { table.kind(of: $0.slot) == kind }
    undecided.removeAll { table.kind(of: $0) == kind }
    told.removeAll { table.kind(of: $0.slot) == kind }
    host.unmonitored.removeAll { table.kind(of: $0) == kind }
    host.resumed.removeAll { $0.kind == kind }
  }

  private mutating func changeBeacons(
    from old: HostState, at clock: Int64, _ options: FleetOptions, _ table: ConditionTable
  ) {
    let (before, after) = (old.flags(of: .beaconIdentity), host.stated.flags(of: .beaconIdentity))
    // A table that was restored does not know of the beacon conditions that were removed before.
    guard before != after, table.lastBeacon > 0 || beaconsSeen > 0 || !beacons.isEmpty else { return }
    let last = table.order.lastGeneration
    if before.contains(.conditionUnsupported), !after.contains(.conditionUnsupported) {
      let listed = Set(beacons.lazy.map { $0.slot })
      for slot in table.live where table.kind(of: slot).isBeacon && !listed.contains(slot) {
        beacons.append(
          Beacon(slot: slot, generation: table.generation(of: slot), track: BeaconTrack(), told: .unmonitored))
      }
    }
    if after.suspends, !before.suspends {
      marks.clear()
      beaconsAbsent = 0
      beaconsSeen = last
      for index in beacons.indices {
        beacons[index].track.observed = .undetermined
        beacons[index].track.deadline = .max
      }
    } else if !after.suspends, isScanning {
      beaconsSeen = last
      beginAbsence(at: clock, options, table)
      let deadline =
        Timestamp(microseconds: clock).adding(microseconds: options.beaconInitialTimeoutMicroseconds).microseconds
      for index in beacons.indices { beacons[index].track.deadline = deadline }
    }
  }

  /// Counts the absence of all beacon conditions from a time.
  mutating func beginAbsence(at time: Int64, _ options: FleetOptions, _ table: ConditionTable) {
    if table.hasBeacons { marks.append(Mark(through: table.order.lastGeneration, start: time)) }
    announce(after: beaconsTold, options, table) { _ in time }
  }
}
