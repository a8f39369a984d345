import FencepostKernel

/// A device as bytes that can be stored elsewhere. Equal states give equal bytes, on every platform.
///
/// Conditions are identified by their generations, which are valid for one version of the table. Portable bytes also
/// contain the digest of each condition (``ConditionDigest``). Before format 3, they contained a hash of the identifier
/// and a hash of the definition instead.
struct DeviceBytes {
  static let format: UInt8 = 5
  /// The format of portable bytes without a second byte of flags.
  private static let portableFormat: UInt8 = 3
  /// The format of bytes that are not portable, with a second byte of flags.
  private static let extendedFormat: UInt8 = 4
  /// The format of bytes that are not portable, for devices that were rewound or have a path.
  private static let rewoundFormat: UInt8 = 2
  /// The format of bytes that are not portable, for all other devices; version 0.2 can read it.
  private static let firstFormat: UInt8 = 1
  /// The largest counter or sequence number that is accepted for a device from elsewhere. No real device reaches this
  /// number, and counting on from it never reaches the largest number that a row may contain.
  private static let largestGiven: UInt64 = 1 << 60
  /// The largest sum of all counters of inputs of a device.
  private static let mostInputs: UInt64 = 1 << 63

  private struct Flags: OptionSet {
    let rawValue: UInt16
    static let portable = Flags(rawValue: 1)
    static let notScanning = Flags(rawValue: 2)
    static let fix = Flags(rawValue: 4)
    static let counters = Flags(rawValue: 8)
    static let beacons = Flags(rawValue: 16)
    static let rewound = Flags(rawValue: 32)
    /// The device comes from a fleet with a path: the last fix is exact, and a gap follows in the bytes.
    static let path = Flags(rawValue: 64)
    /// A second byte with the upper half of the flags follows.
    static let extended = Flags(rawValue: 128)
    /// The device comes from a fleet that doubts fixes, or has done so: the number of doubted fixes and the chain follow.
    static let doubts = Flags(rawValue: 256)
    /// The host of the device has stated something: it follows with the beacons that the last events named.
    static let host = Flags(rawValue: 512)
    /// The error ellipse of the last fix follows after the fix.
    static let ellipse = Flags(rawValue: 2048)
    /// The fix of a crossing had an error ellipse.
    static let probabilities = Flags(rawValue: 4096)
    /// The device has records of conditions with a timing, or there were such conditions.
    static let timings = Flags(rawValue: 1024)
    /// The height of the last fix follows after the error ellipse.
    static let height = Flags(rawValue: 8192)
    /// The fix of a crossing had a vertical distance.
    static let verticalDistances = Flags(rawValue: 16384)
    /// The device has records of rules.
    static let rules = Flags(rawValue: 32768)
    static let all: Flags = [
      Flags(rawValue: 1023), .ellipse, .probabilities, .timings, .height, .verticalDistances, .rules,
    ]

    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Whether the flags need a second byte, which includes the bit ``extended``.
    var isExtended: Bool { rawValue > 127 }

    func encode(to writer: inout ByteWriter) {
      writer.put(UInt8(truncatingIfNeeded: rawValue) | (isExtended ? UInt8(Self.extended.rawValue) : 0))
      if isExtended { writer.put(UInt8(rawValue >> 8)) }
    }

    init(reading reader: inout ByteReader) throws(Damage) {
      let lower: UInt8 = try reader.take()
      var value = UInt16(lower)
      if value & Self.extended.rawValue != 0 {
        let upper: UInt8 = try reader.take("flags of a device", in: 1...UInt8(Self.all.rawValue >> 8))
        value |= UInt16(upper) << 8
        guard Self.all.isSuperset(of: Flags(rawValue: value)) else { throw Damage("flags of a device is \(upper)") }
      }
      self.init(rawValue: value)
    }
  }

  /// The data with which a condition is found again.
  struct Reference {
    var generation: UInt64
    /// The digest or the hashes of the condition; `nil` if the bytes are not portable.
    var condition: Condition?

    enum Condition {
      case digest(ConditionDigest)
      /// The hashes in formats before 3.
      case hashes(identifier: UInt64, definition: UInt32)
    }
  }

  var digest: TableDigest
  var isPortable: Bool
  /// Whether the device comes from a fleet with a path.
  var hasPath = false
  /// Whether the device comes from a fleet with plausibility.
  var hasPlausibility = false
  /// Whether the bytes contain what the host stated, and the beacons that the last events named.
  private(set) var hasHost = false
  private var hasDigests = true
  var seen: UInt64
  var clock: Int64
  var acceptedFixes: UInt64
  var sequence: UInt64
  /// The state of the device. In place of slots, it contains the indices of references.
  var state: DeviceState
  /// The height of the last fix, if there is a last fix.
  var height: FixHeight?
  var references: [Reference]

  // MARK: - Writing

  /// - Parameters:
  ///   - state: The state of a device that is brought up to date with the table.
  ///   - hasHost: Whether the fleet stores what the hosts of its devices stated.
  ///   - digests: The digests of the conditions for portable bytes; `nil` if the bytes are not portable.
  init(
    _ state: DeviceState, seen: UInt64, clock: Int64, acceptedFixes: UInt64, sequence: UInt64, digest: TableDigest,
    hasPath: Bool, hasPlausibility: Bool, hasHost: Bool, _ digests: inout ConditionDigests?, _ table: ConditionTable
  ) {
    self.digest = digest
    self.hasPath = hasPath
    self.hasPlausibility = hasPlausibility
    self.hasHost = hasHost && (state.dependsOnHost || state.beacons.contains { $0.refinement != nil })
    isPortable = digests != nil
    self.seen = seen
    self.clock = clock
    self.acceptedFixes = acceptedFixes
    self.sequence = sequence
    self.state = state
    var references: [Reference] = []
    func refer(_ slot: inout UInt32) {
      var reference = Reference(generation: table.generation(of: slot))
      if let digest = digests?.of(slot, table) { reference.condition = .digest(digest) }
      slot = UInt32(references.count)
      references.append(reference)
    }
    func isEarlier(_ one: UInt32, _ other: UInt32) -> Bool { table.generation(of: one) < table.generation(of: other) }
    self.state.insides.arrange { isEarlier($0.slot, $1.slot) }
    self.state.crossings.arrange { isEarlier($0.slot, $1.slot) }
    self.state.undecided.arrange { isEarlier($0, $1) }
    self.state.beacons.arrange { isEarlier($0.slot, $1.slot) }
    self.state.told.arrange { isEarlier($0.slot, $1.slot) }
    self.state.host.unmonitored.arrange { isEarlier($0, $1) }
    self.state.timings.records.arrange { $0.generation < $1.generation }
    if state.hasRules { self.state.rules.records.arrange { $0.generation < $1.generation } }
    for index in self.state.insides.indices { refer(&self.state.insides[index].slot) }
    for index in self.state.crossings.indices { refer(&self.state.crossings[index].slot) }
    for index in self.state.undecided.indices { refer(&self.state.undecided[index]) }
    for index in self.state.beacons.indices { refer(&self.state.beacons[index].slot) }
    for index in self.state.told.indices { refer(&self.state.told[index].slot) }
    for index in self.state.host.unmonitored.indices { refer(&self.state.host.unmonitored[index]) }
    for index in self.state.timings.records.indices { refer(&self.state.timings.records[index].slot) }
    if state.hasRules {
      for index in self.state.rules.records.indices { refer(&self.state.rules.records[index].slot) }
    }
    self.references = references
  }

  func encode(to writer: inout ByteWriter) {
    let start = writer.count
    writer.put(neededFormat)
    flags.encode(to: &writer)
    writer.put(digest.high)
    writer.put(digest.low)
    encodeBody(to: &writer)
    var sum = Checksum()
    sum.add(UnsafeRawBufferPointer(rebasing: writer.bytes[start...]))
    writer.put(UInt32(truncatingIfNeeded: sum.value))
  }

  /// Writes the device without format, digest of the table and checksum, for a row that is protected by its own.
  func encodeRow(to writer: inout ByteWriter) {
    flags.encode(to: &writer)
    encodeBody(to: &writer)
  }

  private var neededFormat: UInt8 {
    if isPortable, hasDigests { return flags.isExtended ? Self.format : Self.portableFormat }
    if flags.isExtended { return Self.extendedFormat }
    return state.rewoundThrough > 0 || hasPath ? Self.rewoundFormat : Self.firstFormat
  }

  private var hasDoubts: Bool { hasPlausibility || state.counters.doubtedFixes > 0 }

  /// Whether the last fix is the device's last accepted fix. Other fleets store only fixes that change something.
  var isLastFixExact: Bool { hasPath || hasPlausibility }

  private var hasBeacons: Bool {
    !state.beacons.isEmpty || !state.marks.isEmpty || state.beaconsSeen != 0 || state.beaconsAbsent != 0
      || state.beaconsTold != 0
  }

  private var flags: Flags {
    var flags: Flags = []
    if isPortable { flags.insert(.portable) }
    if !state.isScanning { flags.insert(.notScanning) }
    if state.lastFix != nil { flags.insert(.fix) }
    if state.hasCounters { flags.insert(.counters) }
    if hasBeacons { flags.insert(.beacons) }
    if state.rewoundThrough > 0 { flags.insert(.rewound) }
    if hasPath { flags.insert(.path) }
    if hasDoubts { flags.insert(.doubts) }
    if hasHost { flags.insert(.host) }
    if state.timings.isSaved { flags.insert(.timings) }
    if state.hasRules { flags.insert(.rules) }
    if state.lastFix != nil, state.ellipse != nil { flags.insert(.ellipse) }
    if state.crossings.contains(where: { !$0.candidate.probability.isNaN }) { flags.insert(.probabilities) }
    if height != nil { flags.insert(.height) }
    if state.hasVerticalDistances { flags.insert(.verticalDistances) }
    return flags
  }

  private func encodeBody(to writer: inout ByteWriter) {
    writer.putCompact(seen)
    writer.putCompact(clock)
    writer.putCompact(acceptedFixes)
    writer.putCompact(sequence)
    if state.hasCounters {
      writer.putCompact(state.counters.invalidFixes)
      writer.putCompact(state.counters.lateInputs)
      writer.putCompact(state.counters.aheadInputs)
      writer.putCompact(state.counters.acceptedSightings)
      writer.putCompact(state.counters.others)
    }
    state.lastFix?.encode(to: &writer)
    if state.lastFix != nil { state.ellipse?.encode(to: &writer) }
    height?.encode(to: &writer)
    writer.putCompact(UInt64(state.insides.count))
    for inside in state.insides {
      put(inside.slot, &writer)
      writer.putCompact(clock &- inside.since)
      writer.putCompact(inside.since &- inside.evidence)
    }
    writer.putCompact(UInt64(state.crossings.count))
    for crossing in state.crossings {
      put(crossing.slot, &writer)
      crossing.candidate.encode(to: &writer)
    }
    writer.putCompact(UInt64(state.undecided.count))
    for slot in state.undecided { put(slot, &writer) }
    if hasBeacons {
      writer.putCompact(state.beaconsSeen)
      writer.putCompact(state.beaconsAbsent)
      writer.putCompact(state.beaconsTold)
      writer.putCompact(UInt64(state.beacons.count))
      for beacon in state.beacons {
        put(beacon.slot, &writer)
        writer.put(beacon.track.observed.rawValue | beacon.told.rawValue << 2)
        writer.putCompact(beacon.track.lastSighting)
        writer.putCompact(beacon.track.deadline)
      }
      writer.putCompact(UInt64(state.marks.count))
      for mark in state.marks {
        writer.putCompact(mark.through)
        writer.putCompact(mark.start)
      }
    }
    if hasPath {
      // 0: no gap; 1: a gap of version 0.2, whose time is unknown; 2: a gap with a value, see ``Timeline/gap``.
      let hasValue = state.gap != .min && state.gap != .max
      writer.put((state.gap == .min ? 0 : hasValue ? 2 : 1) as UInt8)
      if hasValue { writer.putCompact(state.gap) }
    }
    if hasDoubts {
      writer.put(hasPlausibility)
      writer.putCompact(state.counters.doubtedFixes)
      state.chain.encode(to: &writer)
    }
    if state.rewoundThrough > 0 {
      writer.putCompact(state.rewoundThrough)
      writer.put(state.isRewound)
      writer.putCompact(UInt64(state.told.count))
      for told in state.told {
        put(told.slot, &writer)
        writer.put(told.state.rawValue)
        writer.putCompact(told.since)
        writer.putCompact(told.evidence)
      }
    }
    if hasHost { encodeHost(to: &writer) }
    if state.timings.isSaved { encodeTimings(to: &writer) }
    if state.hasRules { encodeRules(to: &writer) }
  }

  @inline(never)
  @_optimize(size)
  private func encodeRules(to writer: inout ByteWriter) {
    writer.putCompact(state.rules.seen)
    writer.put(state.rules.isReset)
    writer.putCompact(UInt64(state.rules.records.count))
    for record in state.rules.records {
      put(record.slot, &writer)
      writer.put(
        record.observed.rawValue | record.told.rawValue << 2 | (!record.waiting.isEmpty ? 16 : 0)
          | (record.looked != 0 ? 32 : 0))
      if record.looked != 0 { writer.putCompact(record.looked) }
      writer.putCompact(record.since)
      writer.putCompact(record.evidence)
      record.candidate?.encode(to: &writer)
    }
  }

  @inline(never)
  @_optimize(size)
  private mutating func readRules(_ reader: inout ByteReader) throws(Damage) {
    state.rules.seen = try reader.takeCompact("rules seen", in: 0...EngineRestorer.largest)
    state.rules.isReset = try reader.takeBool("rules of another table")
    var last: UInt64 = 0
    for _ in 0..<(try reader.takeCompact("rules", in: 0...reader.remaining)) {
      let slot = try take(&reader, after: &last)
      let bits: UInt8 = try reader.take("states of a rule", in: 0...63)
      guard let observed = Observed(rawValue: bits & 3), let told = Event.State(rawValue: bits >> 2 & 3),
        told != .unmonitored, observed != .undetermined || bits & 48 == 0
      else { throw Damage("the states of a rule are \(bits)") }
      var record = RuleRecord(slot: slot, generation: last, observed: observed, told: told)
      if bits & 32 != 0 {
        record.looked = try reader.takeCompact("rule looked at", in: 1...EngineRestorer.largest)
      }
      record.since = try reader.takeSignedTime("since")
      record.evidence = try reader.takeSignedTime("evidence")
      if bits & 16 != 0 {
        record.candidate = try RuleStates.Candidate(slot: slot, generation: last, reading: &reader)
      }
      state.rules.records.append(record)
    }
    guard state.hasRules else { throw Damage("the flags of a device include rules, but it has none") }
  }

  /// Checks the records of rules that were found in a table, and puts them in order.
  @inline(never)
  @_optimize(size)
  mutating func checkRules(_ table: borrowing ConditionTable) throws(Damage) {
    guard state.hasRules else { return }
    var previous: UInt32?
    state.rules.records.arrange { $0.slot < $1.slot }
    for record in state.rules.records {
      guard table.isLive(record.slot), table.kind(of: record.slot).isRule, record.slot != previous else {
        throw Damage("a device has the state of a rule for another condition")
      }
      previous = record.slot
    }
  }

  @inline(never)
  @_optimize(size)
  private func encodeTimings(to writer: inout ByteWriter) {
    writer.putCompact(state.timings.seen)
    writer.putCompact(state.timings.passed)
    writer.put(state.timings.isStale)
    writer.putCompact(UInt64(state.timings.records.count))
    for record in state.timings.records {
      put(record.slot, &writer)
      writer.put(record.bits | record.observed.rawValue << 4 | record.told.rawValue << 6)
      writer.putCompact(UInt64(record.events))
      writer.putCompact(record.state.absence)
      writer.putCompact(record.state.evidenceDate)
      writer.putCompact(record.state.nextRepeat)
      writer.putCompact(UInt64(record.state.repeatsLeft))
      writer.putCompact(record.since)
      writer.putCompact(record.evidence)
    }
  }

  @inline(never)
  @_optimize(size)
  private mutating func readTimings(_ reader: inout ByteReader) throws(Damage) {
    state.timings.seen = try reader.takeCompact("timings seen", in: 0...EngineRestorer.largest)
    state.timings.passed = try reader.takeSignedTime("edges")
    state.timings.isStale = try reader.takeBool("edges since the last fix")
    let insides = Set(state.insides.map { references[Int($0.slot)].generation })
    let others = Set((state.undecided + state.told.map { $0.slot }).map { references[Int($0)].generation })
    let crossings = Set(state.crossings.map { references[Int($0.slot)].generation })
    var last: UInt64 = 0
    for _ in 0..<(try reader.takeCompact("timings", in: 0...reader.remaining)) {
      let slot = try take(&reader, after: &last)
      let bits: UInt8 = try reader.take()
      guard let observed = Observed(rawValue: bits >> 4 & 3), let told = Event.State(rawValue: bits >> 6),
        told != .unmonitored, (observed == .inside) == insides.contains(last), !others.contains(last),
        observed != .undetermined || !crossings.contains(last)
      else { throw Damage("the states of a condition with a timing are \(bits)") }
      var record = DeviceTimings.Record(
        slot: slot, generation: last, state: TimedState(), observed: observed, told: told)
      record.bits = bits & 15
      record.events = try reader.takeCompact("events", in: 0...UInt32.max)
      record.state.absence = try reader.takeDeadline()
      record.state.evidenceDate = try reader.takeSignedTime("evidence_date")
      record.state.nextRepeat = try reader.takeDeadline()
      record.state.repeatsLeft = try reader.takeCompact("repeats_left", in: 0...UInt32.max)
      record.since = try reader.takeSignedTime("since")
      record.evidence = try reader.takeSignedTime("evidence")
      let hasRepeat = record.state.nextRepeat != .max
      guard hasRepeat == (record.state.repeatsLeft > 0), !hasRepeat || record.state.evidenceDate != .min,
        record.state.absence == .max || observed == .undetermined,
        !record.state.isSuspended || observed == .undetermined && record.state.deadline == .max
      else { throw Damage("the timing of a condition does not fit its state") }
      state.timings.records.append(record)
    }
    guard state.timings.isSaved else { throw Damage("the flags of a device include timings, but it has none") }
  }

  /// Checks the records of conditions that were found in a table.
  ///
  /// - Parameter clock: The clock of the device.
  @inline(never)
  @_optimize(size)
  mutating func checkTimings(_ table: borrowing ConditionTable) throws(Damage) {
    guard state.timings.isSaved else { return }
    let passed = max(state.timings.passed, clock)
    var isBehind = false
    for index in state.timings.records.indices {
      let record = state.timings.records[index]
      // The states of a rule are in another record.
      var observed = record.observed
      if table.kind(of: record.slot).isRule, observed == .undetermined,
        let rule = state.rules.records.record(of: record.slot)
      {
        observed = state.rules.records[rule].observed
        guard !record.state.isSuspended || (observed == .undetermined && state.rules.records[rule].waiting.isEmpty)
        else { throw Damage("a rule has a state outside its schedule") }
      } else if !table.isGeographic(record.slot) {
        throw Damage("the timing of a condition does not fit its kind")
      }
      guard let timing = table.timing(of: record.slot),
        record.state.nextRepeat == .max || observed == .inside,
        record.state.isActive == timing.schedule?.isActive(at: passed) ?? true || record.state.isExhausted,
        record.state.absence == .max || timing.absentAfterMicroseconds != 0,
        record.state.nextRepeat == .max || timing.repeatEveryMicroseconds != 0,
        record.state.repeatsLeft <= timing.repeatLimit, record.events <= timing.maxEvents,
        record.state.isExhausted == (timing.maxEvents != 0 && record.events >= timing.maxEvents)
      else { throw Damage("the timing of a condition does not fit its state") }
      if let schedule = timing.schedule, schedule.nextEdge(after: state.timings.passed) <= clock { isBehind = true }
    }
    // The states are those at the clock, so a deadline that follows from an earlier edge would stay due for ever.
    if isBehind { state.timings.passed = passed }
    state.remind(table)
  }

  private func encodeHost(to writer: inout ByteWriter) {
    let host = state.host
    writer.putCompact(host.bits)
    writer.putCompact(host.reportedThrough)
    for kind in ConditionKind.allCases where kind.isGeographic {
      writer.putCompact(host.resumed.first { $0.kind == kind }?.through ?? 0)
    }
    writer.putCompact(UInt64(host.unmonitored.count))
    for slot in host.unmonitored { put(slot, &writer) }
    // The beacons are in the same order as above.
    for beacon in state.beacons {
      writer.put(beacon.refinement != nil)
      guard let refinement = beacon.refinement else { continue }
      writer.put(refinement.major)
      writer.put(refinement.minor)
    }
  }

  private func put(_ number: UInt32, _ writer: inout ByteWriter) {
    let reference = references[Int(number)]
    writer.putCompact(reference.generation)
    switch reference.condition {
    case nil: break
    case .digest(let digest)?:
      writer.put(digest.first)
      writer.put(digest.second)
    case .hashes(let identifier, let definition)?:
      writer.put(identifier)
      writer.put(definition)
    }
  }

  // MARK: - Reading

  init(reading bytes: UnsafeRawBufferPointer) throws(Damage) {
    guard bytes.count >= 24 else { throw Damage("\(bytes.count) bytes are not an exported device") }
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 4)]))
    let format: UInt8 = try reader.take()
    guard format <= Self.format else {
      throw Damage("the device has format \(format), from a newer version; this one reads formats up to \(Self.format)")
    }
    guard format >= Self.firstFormat else { throw Damage("the device has the unknown format \(format)") }
    var sum = Checksum()
    sum.add(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 4)]))
    var tail = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[(bytes.count - 4)...]))
    guard try tail.take(UInt32.self) == UInt32(truncatingIfNeeded: sum.value) else {
      throw Damage("the device is damaged or cut off: the checksum of its \(bytes.count) bytes is wrong")
    }
    let flags = try Flags(reading: &reader)
    let hasDigests = format == Self.portableFormat || format == Self.format
    guard flags.contains(.portable) ? format != Self.extendedFormat : !hasDigests else {
      throw Damage("the device has format \(format) and is \(hasDigests ? "not " : "")portable")
    }
    guard flags.isExtended == (format >= Self.extendedFormat) else {
      throw Damage("the device has format \(format) and the flags \(flags.rawValue)")
    }
    let digest = TableDigest(high: try reader.take(), low: try reader.take())
    try self.init(&reader, flags, digest, largest: Self.largestGiven, hasDigests: hasDigests)
  }

  /// Reads what ``encodeRow(to:)`` wrote.
  init(readingRow reader: inout ByteReader) throws(Damage) {
    let flags = try Flags(reading: &reader)
    guard !flags.contains(.portable) else { throw Damage("the flags of a device are \(flags.rawValue)") }
    try self.init(&reader, flags, TableDigest(high: 0, low: 0), largest: EngineRestorer.largest, hasDigests: false)
  }

  /// - Parameters:
  ///   - largest: The largest counter and sequence number that are accepted.
  ///   - hasDigests: Whether portable bytes contain digests of conditions, instead of hashes.
  private init(
    _ reader: inout ByteReader, _ flags: Flags, _ digest: TableDigest, largest: UInt64, hasDigests: Bool
  ) throws(Damage) {
    isPortable = flags.contains(.portable)
    self.hasDigests = hasDigests
    self.digest = digest
    seen = try reader.takeCompact("seen", in: 0...EngineRestorer.largest)
    clock = try reader.takeSignedTime("clock")
    acceptedFixes = try reader.takeCompact("accepted_fixes", in: 0...largest)
    sequence = try reader.takeCompact("sequence", in: 0...largest)
    state = DeviceState()
    references = []
    state.isScanning = !flags.contains(.notScanning)
    if flags.contains(.counters) {
      state.counters.invalidFixes = try reader.takeCompact("invalid_fixes", in: 0...largest)
      state.counters.lateInputs = try reader.takeCompact("late_inputs", in: 0...largest)
      state.counters.aheadInputs = try reader.takeCompact("ahead_inputs", in: 0...largest)
      state.counters.acceptedSightings = try reader.takeCompact("sightings", in: 0...largest)
      state.counters.others = try reader.takeCompact("other inputs", in: 0...largest)
      try checkCounters()
    }
    if flags.contains(.fix) {
      state.lastFix = try Fix(reading: &reader)
      guard state.lastFix.map({ $0.time.microseconds <= clock }) ?? true else {
        throw Damage("the last fix is later than the clock")
      }
    }
    if flags.contains(.ellipse) { state.ellipse = try FixEllipse(reading: &reader) }
    if flags.contains(.height) { height = try FixHeight(reading: &reader) }
    try readShapes(&reader)
    let extras: Flags = [.ellipse, .probabilities, .verticalDistances]
    guard self.flags.intersection(extras) == flags.intersection(extras), height == nil || state.lastFix != nil else {
      throw Damage("the flags of a device are wrong about error ellipses and heights")
    }
    if flags.contains(.beacons) { try readBeacons(&reader) }
    if flags.contains(.path) { try readGap(&reader) }
    if flags.contains(.doubts) { try readDoubts(&reader, largest: largest) }
    if flags.contains(.rewound) { try readRewind(&reader) }
    if flags.contains(.host) { try readHost(&reader) }
    if flags.contains(.timings) { try readTimings(&reader) }
    if flags.contains(.rules) { try readRules(&reader) }
    try checkReported()
    try reader.end()
  }

  private mutating func readDoubts(_ reader: inout ByteReader, largest: UInt64) throws(Damage) {
    hasPlausibility = try reader.takeBool("plausibility")
    state.counters.doubtedFixes = try reader.takeCompact("doubted_fixes", in: 0...largest)
    state.chain = try DoubtChain(reading: &reader)
    guard hasPlausibility ? state.chain.isEmpty || state.lastFix != nil : state.chain.isEmpty else {
      throw Damage("fixes of a device are doubted without a known one")
    }
    guard hasDoubts else { throw Damage("the flags of a device include doubts, but it has none") }
    try checkCounters()
  }

  private func checkCounters() throws(Damage) {
    var inputs = acceptedFixes
    let counters = state.counters
    for count in [
      counters.invalidFixes, counters.lateInputs, counters.aheadInputs, counters.acceptedSightings, counters.others,
      counters.doubtedFixes,
    ] {
      let (sum, isOverflow) = inputs.addingReportingOverflow(count)
      guard !isOverflow, sum <= Self.mostInputs else { throw Damage("the input counts of a device are too large") }
      inputs = sum
    }
  }

  @_optimize(size)
  private mutating func readShapes(_ reader: inout ByteReader) throws(Damage) {
    var last: UInt64 = 0
    for _ in 0..<(try reader.takeCompact("insides", in: 0...reader.remaining)) {
      let slot = try take(&reader, after: &last)
      let since = clock &- (try reader.takeSigned())
      let evidence = since &- (try reader.takeSigned())
      guard [since, evidence].allSatisfy({ $0 == .min || Timestamp(microseconds: $0).isValid }) else {
        throw Damage("a device is inside since \(since), by a fix of \(evidence)")
      }
      state.insides.append(.init(slot: slot, since: since, evidence: evidence))
    }
    last = 0
    for _ in 0..<(try reader.takeCompact("crossings", in: 0...reader.remaining)) {
      let slot = try take(&reader, after: &last)
      state.crossings.append(.init(slot: slot, candidate: try Candidate(reading: &reader)))
    }
    last = 0
    for _ in 0..<(try reader.takeCompact("undecided", in: 0...reader.remaining)) {
      state.undecided.append(try take(&reader, after: &last))
    }
    let determined = Set(
      (state.insides.map { $0.slot } + state.crossings.map { $0.slot }).map { references[Int($0)].generation })
    for slot in state.undecided where determined.contains(references[Int(slot)].generation) {
      throw Damage("a shape is both undetermined and determined")
    }
  }

  @_optimize(size)
  private mutating func readBeacons(_ reader: inout ByteReader) throws(Damage) {
    let largest = EngineRestorer.largest
    state.beaconsSeen = try reader.takeCompact("beacons seen", in: 0...largest)
    state.beaconsAbsent = try reader.takeCompact("beacons absent", in: 0...state.beaconsSeen)
    state.beaconsTold = try reader.takeCompact("beacons told", in: 0...largest)
    var last: UInt64 = 0
    for _ in 0..<(try reader.takeCompact("beacons", in: 0...reader.remaining)) {
      let slot = try take(&reader, after: &last)
      let states: UInt8 = try reader.take("states of a beacon", in: 0...15)
      guard let observed = Observed(rawValue: states & 3), let told = Event.State(rawValue: states >> 2) else {
        throw Damage("the states of a beacon are \(states)")
      }
      let track = BeaconTrack(
        observed: observed, lastSighting: try reader.takeSignedTime("last_sighting"),
        deadline: try reader.takeDeadline())
      guard observed != .inside || track.lastSighting != .min else {
        throw Damage("a beacon is near, but was not seen")
      }
      state.beacons.append(.init(slot: slot, generation: references[Int(slot)].generation, track: track, told: told))
    }
    last = state.beaconsAbsent
    for _ in 0..<(try reader.takeCompact("marks", in: 0...reader.remaining)) {
      let through: UInt64 = try reader.takeCompact("mark", in: 1...largest)
      guard through > last, through <= state.beaconsSeen else { throw Damage("the marks are out of order") }
      last = through
      state.marks.append(.init(through: through, start: try reader.takeSignedTime("start of an absence")))
    }
  }

  private mutating func readGap(_ reader: inout ByteReader) throws(Damage) {
    hasPath = true
    switch try reader.take("gap", in: 0...2) as UInt8 {
    case 0: break
    case 1: state.gap = .max
    default:
      state.gap = try reader.takeSigned()
      guard Timeline.isValid(gap: state.gap) else { throw Damage("a gap has no time") }
    }
  }

  @_optimize(size)
  private mutating func readRewind(_ reader: inout ByteReader) throws(Damage) {
    guard seen > 0 else { throw Damage("a device was rewound before it had seen any condition") }
    state.rewoundThrough = try reader.takeCompact("rewound", in: 1...seen)
    state.isRewound = try reader.takeBool("rewound")
    guard !state.isRewound || state.insides.isEmpty && state.crossings.isEmpty else {
      throw Damage("a rewound device is inside or about to cross")
    }
    let undecided = Set(state.undecided.map { references[Int($0)].generation })
    var last: UInt64 = 0
    for _ in 0..<(try reader.takeCompact("told", in: 0...reader.remaining)) {
      let slot = try take(&reader, after: &last)
      let number: UInt8 = try reader.take()
      guard let told = Event.State(rawValue: number), told != .unmonitored, undecided.contains(last) else {
        throw Damage("the reported state \(number) is invalid, or its shape is determined")
      }
      state.told.append(
        .init(
          slot: slot, state: told, since: try reader.takeSignedTime("since"),
          evidence: try reader.takeSignedTime("evidence")))
    }
  }

  @_optimize(size)
  private mutating func readHost(_ reader: inout ByteReader) throws(Damage) {
    hasHost = true
    let largest = EngineRestorer.largest
    state.host.bits = try reader.takeCompact("host of a device", in: 0...DeviceHost.largestBits)
    let kinds = state.host.stated.unsupportedKinds
    guard state.host.stated.flags.isSubset(of: .hostFlags), state.host.reportedKinds & ~ConditionKind.allBits == 0,
      kinds & ~state.host.reportedKinds == 0
    else { throw Damage("the host of a device states the flags and kinds \(state.host.bits)") }
    state.host.reportedThrough = try reader.takeCompact("reported", in: 0...largest)
    for kind in ConditionKind.allCases where kind.isGeographic {
      let through: UInt64 = try reader.takeCompact("resumed", in: 0...largest)
      guard through == 0 || state.host.stated.supports(kind) else { throw Damage("a suspended kind is resumed") }
      if through > 0 { state.host.resumed.append(.init(kind: kind, through: through)) }
    }
    var last: UInt64 = 0
    for _ in 0..<(try reader.takeCompact("unmonitored", in: 0...reader.remaining)) {
      state.host.unmonitored.append(try take(&reader, after: &last))
    }
    for index in state.beacons.indices where try reader.takeBool("beacon of an event") {
      state.beacons[index].refinement = BeaconRefinement(major: try reader.take(), minor: try reader.take())
    }
    if state.host.stated.flags.suspends {
      guard state.insides.isEmpty, state.crossings.isEmpty else {
        throw Damage("a suspended device is inside or about to cross")
      }
    }
    if state.host.suspends(.beaconIdentity) {
      guard state.marks.isEmpty, state.beaconsAbsent == 0,
        state.beacons.allSatisfy({ $0.track.observed == .undetermined && $0.track.deadline == .max })
      else { throw Damage("a suspended beacon is observed") }
    }
  }

  /// Checks that only a host has made a beacon unmonitored.
  private func checkReported() throws(Damage) {
    guard hasHost || !state.beacons.contains(where: { $0.told == .unmonitored }) else {
      throw Damage("a beacon is reported as unmonitored")
    }
  }

  private mutating func take(_ reader: inout ByteReader, after last: inout UInt64) throws(Damage) -> UInt32 {
    var reference = Reference(generation: try reader.takeCompact("generation", in: 1...EngineRestorer.largest))
    guard reference.generation > last else { throw Damage("two conditions of a device are out of order") }
    last = reference.generation
    if isPortable {
      reference.condition =
        hasDigests
        ? .digest(ConditionDigest(first: try reader.take(), second: try reader.take()))
        : .hashes(identifier: try reader.take(), definition: try reader.take())
    }
    references.append(reference)
    return UInt32(references.count - 1)
  }
}
