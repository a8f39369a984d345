/// The unpacked state of a device that is not in its line. It lists only the conditions whose state differs from the
/// common one.
///
/// *If a shape is in none of the lists, the device is settled outside of it, provided that its generation is at most
/// the last one that the device has seen; otherwise the shape is undetermined.* So shapes that are far away cost
/// nothing, neither at the first fix of a device nor when a million conditions are added. Entries of conditions that
/// were removed or replaced are dropped when the device is next evaluated.
///
/// *If a beacon condition is not listed and its generation is at most ``beaconsAbsent``, the beacon is absent, and this
/// was reported. Otherwise the condition is undetermined; the last reported state is then `unsatisfied` if its
/// generation is at most ``beaconsTold``, and the assumed state if not.* For beacon conditions after ``beaconsAbsent``,
/// ``marks`` contain the time from which their absence counts.
struct DeviceState: Sendable {
  /// A shape that the device is inside.
  struct Inside: Sendable, Equatable {
    var slot: UInt32
    /// The time at which the state was confirmed, and the time of the fix that showed it.
    var since: Int64
    var evidence: Int64
  }

  /// A shape whose last reported state before a rewind was not `unsatisfied`, and that no fix has determined since.
  struct Told: Sendable, Equatable {
    var slot: UInt32
    var state: Event.State
    /// The times `since` and `evidence` of ``Inside``, if they are not later than the rewind; otherwise `Int64.min`.
    var since: Int64 = .min
    var evidence: Int64 = .min
  }

  /// A crossing that is not confirmed yet.
  struct Crossing: Sendable {
    var slot: UInt32
    var candidate: Candidate
  }

  /// A beacon condition whose state differs from the common state.
  struct Beacon: Sendable {
    var slot: UInt32
    var generation: UInt64
    var track: BeaconTrack
    /// The state of the last event.
    var told: Event.State
    /// The beacon that the last event named, if the condition has no minor number.
    var refinement: BeaconRefinement?
  }

  /// The beacon conditions up to a generation and after the previous mark; their absence counts from `start`.
  struct Mark: Sendable, Equatable {
    var through: UInt64
    var start: Int64
  }

  /// The last evaluated fix. Fixes in the safe region are not evaluated.
  var lastFix: Fix?
  /// The values that most states lack.
  private struct Rare {
    var chain = DoubtChain()
    var ellipse: FixEllipse?
    var timings = DeviceTimings()
    var rules = DeviceRules()
  }

  /// Contains the values that most states lack, if there are any, because a state is copied often.
  private var rare: ContiguousArray<Rare> = []
  /// The doubted fixes since the last fix.
  var chain: DoubtChain {
    get { rare.first?.chain ?? DoubtChain() }
    set { if !newValue.isEmpty || !rare.isEmpty { setRare { $0.chain = newValue } } }
  }
  /// The error ellipse of the last fix.
  var ellipse: FixEllipse? {
    get { rare.first?.ellipse }
    set { if newValue != nil || !rare.isEmpty { setRare { $0.ellipse = newValue } } }
  }

  @inline(never)
  private mutating func setRare(_ body: (inout Rare) -> Void) {
    var value = rare.first ?? Rare()
    body(&value)
    rare =
      value.chain.isEmpty && value.ellipse == nil && value.timings.isBlank && !value.rules.isUsed
      ? [] : [value]
  }

  /// The data about conditions with a timing. To change it in place also changes a state without any.
  var timings: DeviceTimings {
    @inline(never) get { rare.isEmpty ? DeviceTimings() : rare[0].timings }
    _modify {
      if rare.isEmpty { rare.append(Rare()) }
      yield &rare[0].timings
    }
  }

  /// Whether there is data about conditions with a timing.
  @inline(__always)
  var hasTimings: Bool { !rare.isEmpty && rare[0].timings.isUsed }

  /// The states of rules. To change them in place also changes a state without any.
  var rules: DeviceRules {
    @inline(never) get { rare.isEmpty ? DeviceRules() : rare[0].rules }
    _modify {
      if rare.isEmpty { rare.append(Rare()) }
      yield &rare[0].rules
    }
  }

  /// Whether there is data about rules.
  @inline(__always)
  var hasRules: Bool { !rare.isEmpty && rare[0].rules.isUsed }

  /// See ``Timeline/gap``.
  var gap: Int64 = .min
  var isScanning = true
  /// The counters of the device. Of the number of accepted fixes, only the upper half is here; the lower half is in the
  /// line.
  var counters = InputCounters()
  /// The upper half of the last sequence number; the lower half is in the line.
  var sequence: UInt64 = 0
  var insides: ContiguousArray<Inside> = []
  var crossings: ContiguousArray<Crossing> = []
  /// The shapes that remained undetermined at the last fix, because its accuracy was too coarse.
  var undecided: ContiguousArray<UInt32> = []
  /// Whether there was no fix since a rewind. All shapes are then undetermined, and `undecided` lists those that the
  /// next fix must decide, wherever it is.
  var isRewound = false
  /// For undetermined shapes up to this generation, the last reported state is `unsatisfied`, unless `told` lists
  /// another one. 0 if there was no rewind, or if all shapes were determined since.
  var rewoundThrough: UInt64 = 0
  var told: ContiguousArray<Told> = []
  var host = DeviceHost()
  var beacons: ContiguousArray<Beacon> = []
  var marks: ContiguousArray<Mark> = []
  /// Every beacon condition up to this generation is covered by `marks` or by `beaconsAbsent`.
  var beaconsSeen: UInt64 = 0
  var beaconsAbsent: UInt64 = 0
  var beaconsTold: UInt64 = 0

  /// Removes the state of the previous device; the lists keep their capacity.
  mutating func removeAll() {
    lastFix = nil
    if !rare.isEmpty { rare = [] }
    gap = .min
    isScanning = true
    counters = InputCounters()
    sequence = 0
    insides.clear()
    crossings.clear()
    undecided.clear()
    isRewound = false
    rewoundThrough = 0
    told.clear()
    if host.isUsed || host.reportedThrough != 0 { host = DeviceHost() }
    beacons.clear()
    marks.clear()
    beaconsSeen = 0
    beaconsAbsent = 0
    beaconsTold = 0
  }

  /// Whether a counter has a value that is not in the line.
  var hasCounters: Bool { counters != InputCounters() || sequence != 0 }

  /// Whether any data about beacons has to be stored.
  private var hasBeaconPart: Bool {
    beaconsSeen != 0 || beaconsAbsent != 0 || beaconsTold != 0 || !beacons.isEmpty || !marks.isEmpty
  }

  /// Drops the entries of conditions that were removed or replaced.
  @_optimize(size)
  mutating func dropGone(seen: UInt64, _ table: ConditionTable) {
    func isGone(_ slot: UInt32) -> Bool { !table.isGeographic(slot) || table.generation(of: slot) > seen }
    if insides.contains(where: { isGone($0.slot) }) { insides.removeAll { isGone($0.slot) } }
    if crossings.contains(where: { isGone($0.slot) }) { crossings.removeAll { isGone($0.slot) } }
    if undecided.contains(where: { isGone($0) }) { undecided.removeAll { isGone($0) } }
    if told.contains(where: { isGone($0.slot) }) { told.removeAll { isGone($0.slot) } }
    if host.unmonitored.contains(where: { isGone($0) }) { host.unmonitored.removeAll { isGone($0) } }
    if hasTimings { dropGoneTimings(table) }
    if hasRules { dropGoneRules(table) }
    if beacons.contains(where: { !table.holds($0.slot, $0.generation) }) {
      beacons.removeAll { !table.holds($0.slot, $0.generation) }
    }
  }

  /// The earliest deadline; `Int64.max` if nothing waits.
  var earliest: Int64 {
    var earliest = Int64.max
    for crossing in crossings where crossing.candidate.isTimed {
      earliest = min(earliest, crossing.candidate.deadline)
    }
    for beacon in beacons { earliest = min(earliest, beacon.track.deadline) }
    if !rare.isEmpty {
      earliest = min(earliest, rare[0].timings.reminder, rare[0].timings.edge, rare[0].rules.earliest)
    }
    return earliest
  }

  /// A checksum that shows whether the lists have changed. It does not include the clock, the last fix, the counters,
  /// or the times of sightings.
  var signature: UInt64 {
    var sum = Checksum(seed: isScanning ? 1 : 0)
    for inside in insides {
      sum.add(UInt64(inside.slot))
      sum.add(UInt64(bitPattern: inside.since))
    }
    for crossing in crossings {
      sum.add(UInt64(crossing.slot) | 1 << 32)
      sum.add(UInt64(bitPattern: crossing.candidate.deadline) ^ (crossing.candidate.isTimed ? 1 : 0))
    }
    for slot in undecided { sum.add(UInt64(slot) | 2 << 32) }
    sum.add(rewoundThrough | (isRewound ? 1 << 63 : 0))
    if host.isUsed { sum.add(UInt64(host.resumed.count) << 32 | UInt64(host.unmonitored.count)) }
    for beacon in beacons {
      sum.add(UInt64(beacon.slot) | 3 << 32)
      sum.add(UInt64(beacon.track.observed.rawValue) | UInt64(beacon.told.rawValue) << 8)
    }
    for mark in marks { sum.add(mark.through) }
    sum.add(beaconsAbsent)
    if !rare.isEmpty {
      for record in rare[0].timings.records {
        sum.add(UInt64(record.slot) | UInt64(record.observed.rawValue) << 32 | UInt64(record.told.rawValue) << 34)
        sum.add(UInt64(record.bits) | UInt64(record.events) << 8)
        sum.add(UInt64(bitPattern: record.state.deadline))
      }
      for record in rare[0].rules.records {
        sum.add(UInt64(record.slot) | UInt64(record.observed.rawValue) << 32 | UInt64(record.told.rawValue) << 34)
        sum.add(record.generation)
        sum.add(UInt64(bitPattern: record.deadline))
      }
    }
    return sum.value
  }

  // MARK: - As words

  struct Header: OptionSet {
    let rawValue: UInt64
    static let fix = Header(rawValue: 1)
    static let notScanning = Header(rawValue: 2)
    static let counters = Header(rawValue: 4)
    static let beacons = Header(rawValue: 8)
    /// The lengths of the lists follow in three words.
    static let wide = Header(rawValue: 16)
    static let rewound = Header(rawValue: 32)
    /// One more word follows at the end.
    static let gap = Header(rawValue: 64)
    /// The number of doubted fixes follows at the end.
    static let doubted = Header(rawValue: 128)
  }

  /// The bit of the first word that says that a chain of doubted fixes follows at the very end. It is above the counts,
  /// so ``DeviceRecord`` leaves a device with a chain to the tracker.
  private static var chainBit: UInt64 { 1 << 62 }
  /// The bit of the first word that says that what the host stated follows after the shapes. It is also above the counts.
  private static var hostBit: UInt64 { 1 << 63 }

  static var countBits: UInt64 { 18 }
  private static var largestCount: Int { 1 << Int(countBits) - 1 }

  private var hasChain: Bool { !rare.isEmpty && !rare[0].chain.isEmpty }

  /// The bit of the first word that says that the error ellipse of the last fix, and the probabilities and vertical
  /// distances of the crossings, follow before the chain. The state is then wide, so this bit does not belong to a count.
  private static var extrasBit: UInt64 { 1 << 8 }

  /// The bit of the first word of a wide state that says that the data about timings follow before the error ellipse.
  private static var timingsBit: UInt64 { 1 << 9 }

  /// The bit of the first word of a wide state that says that the data about rules follow after those about timings.
  private static var rulesBit: UInt64 { 1 << 10 }

  /// Whether the last fix has an error ellipse, or the fix of a crossing had one.
  var hasEllipses: Bool {
    if !rare.isEmpty, rare[0].ellipse != nil, lastFix != nil { return true }
    for crossing in crossings where !crossing.candidate.probability.isNaN { return true }
    return false
  }

  /// Whether a crossing has a vertical distance.
  var hasVerticalDistances: Bool {
    for crossing in crossings where !crossing.candidate.verticalDistance.isNaN { return true }
    return false
  }

  private func isWide(_ hasExtras: Bool) -> Bool {
    hasExtras || hasTimings || hasRules || insides.count > Self.largestCount || crossings.count > Self.largestCount
      || undecided.count > Self.largestCount
  }

  /// The number of words that ``store(to:)`` writes.
  var wordCount: Int {
    let hasExtras = hasEllipses || hasVerticalDistances
    return 1 + (isWide(hasExtras) ? 3 : 0) + (lastFix == nil ? 0 : 4) + (hasCounters ? 6 : 0) + 3 * insides.count
      + 7 * crossings.count + (undecided.count + 1) / 2 + (rewoundThrough == 0 ? 0 : 2 + 3 * told.count)
      + (host.isUsed ? host.wordCount : 0)
      + (hasBeaconPart
        ? 4 + 4 * beacons.count + beacons.count { $0.refinement != nil } + 2 * marks.count : 0)
      + (gap == .min ? 0 : 1) + (counters.doubtedFixes == 0 ? 0 : 1) + (hasChain ? 9 : 0)
      + (hasExtras ? 3 + 2 * crossings.count : 0) + (hasTimings ? rare[0].timings.wordCount : 0)
      + (hasRules ? rare[0].rules.wordCount : 0)
  }

  func store(to words: UnsafeMutablePointer<UInt64>) {
    var next = words
    func put(_ word: UInt64) {
      next.initialize(to: word)
      next += 1
    }
    func put(_ number: Int64) { put(UInt64(bitPattern: number)) }
    func put(_ number: Double) { put(number.bitPattern) }
    func put(_ fix: Fix) {
      put(fix.coordinate.latitude)
      put(fix.coordinate.longitude)
      put(fix.accuracy)
      put(fix.time.microseconds)
    }
    var header: Header = []
    if lastFix != nil { header.insert(.fix) }
    if !isScanning { header.insert(.notScanning) }
    if hasCounters { header.insert(.counters) }
    if hasBeaconPart { header.insert(.beacons) }
    if rewoundThrough != 0 { header.insert(.rewound) }
    if gap != .min { header.insert(.gap) }
    if counters.doubtedFixes > 0 { header.insert(.doubted) }
    let upperBits = (hasChain ? Self.chainBit : 0) | (host.isUsed ? Self.hostBit : 0)
    // An array would be allocated.
    let counts = (UInt64(insides.count), UInt64(crossings.count), UInt64(undecided.count))
    let hasExtras = hasEllipses || hasVerticalDistances
    if isWide(hasExtras) {
      header.insert(.wide)
      put(
        header.rawValue | upperBits | (hasExtras ? Self.extrasBit : 0) | (hasTimings ? Self.timingsBit : 0)
          | (hasRules ? Self.rulesBit : 0))
      put(counts.0)
      put(counts.1)
      put(counts.2)
    } else {
      put(
        header.rawValue | upperBits | counts.0 << 8 | counts.1 << (8 + Self.countBits)
          | counts.2 << (8 + 2 * Self.countBits))
    }
    if let lastFix { put(lastFix) }
    if header.contains(.counters) {
      put(counters.invalidFixes)
      put(counters.lateInputs)
      put(counters.aheadInputs)
      put(counters.acceptedSightings)
      put(counters.others)
      put(counters.acceptedFixes >> 32 | sequence)
    }
    for inside in insides {
      put(UInt64(inside.slot))
      put(inside.since)
      put(inside.evidence)
    }
    for crossing in crossings {
      put(
        UInt64(crossing.slot) | (crossing.candidate.isTimed ? 1 << 32 : 0)
          | (crossing.candidate.isOnPath ? 1 << 33 : 0))
      put(crossing.candidate.fix)
      put(crossing.candidate.boundaryDistance)
      put(crossing.candidate.deadline)
    }
    var index = 0
    while index < undecided.count {
      let other = index + 1 < undecided.count ? undecided[index + 1] : 0
      put(UInt64(undecided[index]) | UInt64(other) << 32)
      index += 2
    }
    if rewoundThrough != 0 {
      put(rewoundThrough)
      put(UInt64(told.count) | (isRewound ? 1 << 32 : 0))
      for each in told {
        put(UInt64(each.slot) | UInt64(each.state.rawValue) << 32)
        put(each.since)
        put(each.evidence)
      }
    }
    if host.isUsed { next = host.store(to: next) }
    if hasBeaconPart {
      put(UInt64(beacons.count) | UInt64(marks.count) << 32)
      put(beaconsSeen)
      put(beaconsAbsent)
      put(beaconsTold)
      for beacon in beacons {
        put(
          UInt64(beacon.slot) | UInt64(beacon.track.observed.rawValue) << 32 | UInt64(beacon.told.rawValue) << 40
            | (beacon.refinement == nil ? 0 : 1 << 48))
        put(beacon.generation)
        put(beacon.track.lastSighting)
        put(beacon.track.deadline)
        if let refinement = beacon.refinement { put(UInt64(refinement.major) << 16 | UInt64(refinement.minor)) }
      }
      for mark in marks {
        put(mark.through)
        put(mark.start)
      }
    }
    if gap != .min { put(gap) }
    if counters.doubtedFixes > 0 { put(counters.doubtedFixes) }
    if hasTimings { next = rare[0].timings.store(to: next) }
    if hasRules { next = rare[0].rules.store(to: next) }
    if hasExtras {
      let known = lastFix == nil ? nil : ellipse
      put(known?.major ?? .nan)
      put(known?.minor ?? .nan)
      put(known?.orientation ?? .nan)
      for crossing in crossings {
        put(UInt64(crossing.candidate.probability.bitPattern))
        put(crossing.candidate.verticalDistance)
      }
    }
    if hasChain {
      put(chain.count)
      put(chain.first)
      put(chain.last)
    }
  }

  /// Replaces the state by the one that ``store(to:)`` wrote.
  mutating func load(_ words: UnsafePointer<UInt64>) {
    removeAll()
    var next = words
    func take() -> UInt64 {
      defer { next += 1 }
      return next.pointee
    }
    func takeSigned() -> Int64 { Int64(bitPattern: take()) }
    func takeDouble() -> Double { Double(bitPattern: take()) }
    func takeFloat() -> Float { Float(bitPattern: UInt32(truncatingIfNeeded: take())) }
    func takeFix() -> Fix {
      Fix(
        latitude: takeDouble(), longitude: takeDouble(), accuracy: takeDouble(),
        time: Timestamp(microseconds: takeSigned()))
    }
    let first = take()
    let header = Header(rawValue: first & 0xFF)
    var counts: (inside: UInt64, crossing: UInt64, undecided: UInt64)
    if header.contains(.wide) {
      counts = (take(), take(), take())
    } else {
      let mask: UInt64 = 1 << Self.countBits - 1
      counts = (
        first >> 8 & mask, first >> (8 + Self.countBits) & mask, first >> (8 + 2 * Self.countBits) & mask
      )
    }
    isScanning = !header.contains(.notScanning)
    if header.contains(.fix) { lastFix = takeFix() }
    if header.contains(.counters) {
      counters.invalidFixes = take()
      counters.lateInputs = take()
      counters.aheadInputs = take()
      counters.acceptedSightings = take()
      counters.others = take()
      let halves = take()
      counters.acceptedFixes = halves << 32
      sequence = halves & ~0xFFFF_FFFF
    }
    for _ in 0..<counts.inside {
      insides.append(
        Inside(slot: UInt32(truncatingIfNeeded: take()), since: takeSigned(), evidence: takeSigned()))
    }
    for _ in 0..<counts.crossing {
      let word = take()
      crossings.append(
        Crossing(
          slot: UInt32(truncatingIfNeeded: word),
          candidate: Candidate(
            fix: takeFix(), boundaryDistance: takeDouble(), deadline: takeSigned(),
            isTimed: word >> 32 & 1 == 1, isOnPath: word >> 33 == 1)))
    }
    while undecided.count < counts.undecided {
      let pair = take()
      undecided.append(UInt32(truncatingIfNeeded: pair))
      if undecided.count < counts.undecided { undecided.append(UInt32(truncatingIfNeeded: pair >> 32)) }
    }
    if header.contains(.rewound) {
      rewoundThrough = take()
      let word = take()
      isRewound = word >> 32 == 1
      for _ in 0..<UInt32(truncatingIfNeeded: word) {
        let word = take()
        told.append(
          Told(
            slot: UInt32(truncatingIfNeeded: word),
            state: Event.State(rawValue: UInt8(truncatingIfNeeded: word >> 32)) ?? .unknown, since: takeSigned(),
            evidence: takeSigned()))
      }
    }
    if first & Self.hostBit != 0 { next = host.load(next) }
    if header.contains(.beacons) {
      let numbers = take()
      beaconsSeen = take()
      beaconsAbsent = take()
      beaconsTold = take()
      for _ in 0..<UInt32(truncatingIfNeeded: numbers) {
        let word = take()
        let generation = take()
        let track = BeaconTrack(
          observed: Observed(rawValue: UInt8(truncatingIfNeeded: word >> 32)) ?? .undetermined,
          lastSighting: takeSigned(), deadline: takeSigned())
        beacons.append(
          Beacon(
            slot: UInt32(truncatingIfNeeded: word), generation: generation, track: track,
            told: Event.State(rawValue: UInt8(truncatingIfNeeded: word >> 40)) ?? .unknown))
        if word >> 48 == 1 {
          let pair = take()
          beacons[beacons.count - 1].refinement = BeaconRefinement(
            major: UInt16(truncatingIfNeeded: pair >> 16), minor: UInt16(truncatingIfNeeded: pair))
        }
      }
      for _ in 0..<(numbers >> 32) { marks.append(Mark(through: take(), start: takeSigned())) }
    }
    if header.contains(.gap) { gap = takeSigned() }
    if header.contains(.doubted) { counters.doubtedFixes = take() }
    if header.contains(.wide), first & Self.timingsBit != 0 { next = timings.load(next) }
    if header.contains(.wide), first & Self.rulesBit != 0 { next = rules.load(next) }
    if Self.hasExtras(in: words) {
      let known = FixEllipse(major: takeDouble(), minor: takeDouble(), orientation: takeDouble())
      if !known.major.isNaN { ellipse = known }
      for index in crossings.indices {
        crossings[index].candidate.probability = takeFloat()
        crossings[index].candidate.verticalDistance = takeDouble()
      }
    }
    if first & Self.chainBit != 0 { chain = DoubtChain(count: take(), first: takeFix(), last: takeFix()) }
  }

  /// Returns the counters of a stored state.
  static func counters(in words: UnsafePointer<UInt64>) -> (inputs: InputCounters, sequence: UInt64) {
    guard Header(rawValue: words[0] & 0xFF).contains(.counters) else { return (InputCounters(), 0) }
    var state = DeviceState()
    state.load(words)
    return (state.counters, state.sequence)
  }

  /// Whether a stored state has a chain of doubted fixes.
  static func hasChain(in words: UnsafePointer<UInt64>) -> Bool { words[0] & chainBit != 0 }

  /// Whether a stored state has an error ellipse, a probability or a vertical distance.
  static func hasExtras(in words: UnsafePointer<UInt64>) -> Bool {
    Header(rawValue: words[0] & 0xFF).contains(.wide) && words[0] & extrasBit != 0
  }

  /// Returns the last fix of a stored state, if it has one.
  static func lastFix(in words: UnsafePointer<UInt64>) -> Fix? {
    let header = Header(rawValue: words[0] & 0xFF)
    guard header.contains(.fix) else { return nil }
    let start = words + (header.contains(.wide) ? 4 : 1)
    return Fix(
      latitude: Double(bitPattern: start[0]), longitude: Double(bitPattern: start[1]),
      accuracy: Double(bitPattern: start[2]), time: Timestamp(microseconds: Int64(bitPattern: start[3])))
  }

  /// Replaces the last fix in a stored state that has one; leaves the rest unchanged.
  static func replaceLastFix(_ fix: Fix, in words: UnsafeMutablePointer<UInt64>) {
    let header = Header(rawValue: words[0] & 0xFF)
    let start = words + (header.contains(.wide) ? 4 : 1)
    start[0] = fix.coordinate.latitude.bitPattern
    start[1] = fix.coordinate.longitude.bitPattern
    start[2] = fix.accuracy.bitPattern
    start[3] = UInt64(bitPattern: fix.time.microseconds)
  }
}
