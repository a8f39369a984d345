extension MonitorEngine {
  /// Removes a condition, its record and its events; does nothing if no condition has that identifier.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public mutating func remove(_ identifier: String) -> Bool {
    guard let slot = table.slot(of: identifier) else { return false }
    remove(slot)
    return true
  }

  /// The identifiers in the order in which the conditions were added.
  public var identifiers: [String] {
    table.live.map { table.identifiers.string(of: $0) }
  }

  /// Number of conditions.
  public var conditionCount: Int { table.count }

  /// Makes room for that many more conditions.
  public mutating func reserve(_ count: Int, identifierBytes: Int) {
    table.reserve(count, identifierBytes: identifierBytes)
    delivery.reserve(count)
  }

  /// So few conditions are added without making room for them first: what grows by itself doubles, and so is ready for the
  /// next ones too.
  private static let fewToAdd = 1_000

  /// Makes room before many conditions are added at a time.
  mutating func reserveInBulk(_ count: Int, identifierBytes: Int) {
    if count > Self.fewToAdd { reserve(count, identifierBytes: identifierBytes) }
  }

  // MARK: - The same on bytes, for faces that have no String

  /// Adds a condition as a caller gives it, its identifier as UTF-8.
  package mutating func add(
    _ given: GivenCondition, identifierBytes bytes: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64
  ) throws(MonitorError) {
    try check(bytes, assuming, policy)
    try add(try given.subject(), identifierBytes: bytes, assuming: assuming, policy: policy, tag: tag)
  }

  /// Adds a condition that was examined before: examining may take seconds and needs no lock.
  package mutating func add(
    _ subject: Definition.Subject, identifierBytes bytes: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64
  ) throws(MonitorError) {
    try check(bytes, assuming, policy)
    let definition = Definition(subject: subject, policy: policy, tag: tag, assumed: assuming)
    try check(definition)
    enter(definition, identifier: bytes)
  }

  /// Refuses what this monitor cannot watch.
  func check(_ definition: Definition) throws(MonitorError) {
    if let defect = defect(of: definition) { throw .invalidArgument(defect) }
  }

  /// Why this monitor cannot watch a condition, as a message; `nil` when it can.
  func defect(of definition: Definition) -> String? {
    guard definition.subject.kind.isLine else { return nil }
    guard options.path.isGeodesic else {
      return
        "path: a line geographic condition counts crossings of a path; it needs a monitor with path geodesic, and fleets "
        + "have no paths"
    }
    guard options.delivery == .every else {
      return "delivery: a line geographic condition reports each crossing; the monitor must have delivery every"
    }
    guard definition.policy == .standard else {
      return
        "policy: a line geographic condition has no policy, because each crossing of the line counts; leave it unset"
    }
    guard definition.assumed == .unknown else {
      return "assumed: a line geographic condition has no state; must be unknown"
    }
    return nil
  }

  private func check(
    _ identifier: UnsafeBufferPointer<UInt8>, _ assumed: Event.State, _ policy: TransitionPolicy
  ) throws(MonitorError) {
    try Self.check(identifier, assumed, policy)
  }

  /// Refuses an identifier, an assumed state or a policy that no monitor accepts.
  package static func check(
    _ identifier: UnsafeBufferPointer<UInt8>, _ assumed: Event.State, _ policy: TransitionPolicy
  ) throws(MonitorError) {
    if let defect = Self.defect(ofIdentifier: identifier) ?? Self.defect(ofAssumption: assumed) ?? policy.defect {
      throw .invalidArgument(defect)
    }
  }

  /// The subject of the condition with that identifier; `nil` when there is no such condition.
  package func subject(ofIdentifierBytes bytes: UnsafeBufferPointer<UInt8>) -> Definition.Subject? {
    table.identifiers.slot(of: bytes).map { table.subject(of: $0) }
  }

  /// Whether ensuring a condition that was examined before would change nothing.
  ///
  /// - Throws: What ensuring it throws.
  package func isEnsured(
    _ subject: Definition.Subject, identifierBytes bytes: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64
  ) throws(MonitorError) -> Bool {
    try check(bytes, assuming, policy)
    let definition = Definition(subject: subject, policy: policy, tag: tag, assumed: assuming)
    try check(definition)
    return isEnsured(definition, bytes)
  }

  /// Whether the condition with that identifier is nearly equal to a definition.
  func isEnsured(_ definition: Definition, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let slot = table.identifiers.slot(of: bytes) else { return false }
    return table.definition(of: slot).isNearlyEqual(to: definition)
  }

  /// Ensures a condition as a caller gives it; one that is there to the last bit is not examined again.
  package mutating func ensure(
    _ given: GivenCondition, identifierBytes bytes: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64
  ) throws(MonitorError) -> Bool {
    try check(bytes, assuming, policy)
    let subject = try given.subject { self.subject(ofIdentifierBytes: bytes) }
    return try ensure(subject, identifierBytes: bytes, assuming: assuming, policy: policy, tag: tag)
  }

  /// Ensures a condition that was examined before.
  package mutating func ensure(
    _ subject: Definition.Subject, identifierBytes bytes: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64
  ) throws(MonitorError) -> Bool {
    try check(bytes, assuming, policy)
    let definition = Definition(subject: subject, policy: policy, tag: tag, assumed: assuming)
    try check(definition)
    if isEnsured(definition, bytes) { return false }
    enter(definition, identifier: bytes)
    return true
  }

  /// Adds circles from columns, in order. All or nothing: when a row is refused, none is added and the error's
  /// position is its index.
  ///
  /// - Parameter identifier: Gives the bytes of a row's identifier.
  package mutating func addCircles(
    count: Int, latitudes: UnsafePointer<Double>, longitudes: UnsafePointer<Double>, radii: UnsafePointer<Double>,
    tags: UnsafePointer<UInt64>?, tag: UInt64, assuming: Event.State, policy: TransitionPolicy,
    identifier: (Int) -> UnsafeBufferPointer<UInt8>
  ) throws(MonitorError) {
    func circle(_ row: Int) -> CircularGeographicCondition {
      CircularGeographicCondition(
        center: Coordinate(latitude: latitudes[row], longitude: longitudes[row]), radius: radii[row])
    }
    if let defect = policy.defect ?? Self.defect(ofAssumption: assuming) { throw .invalidArgument(defect) }
    var bytes = 0
    for row in 0..<count {
      if let defect = Self.defect(ofIdentifier: identifier(row)) ?? circle(row).defect {
        throw .invalidArgument("row \(row): \(defect)", position: row)
      }
      bytes += identifier(row).count
    }
    reserveInBulk(count, identifierBytes: bytes)
    for row in 0..<count {
      enter(
        Definition(subject: .circle(circle(row)), policy: policy, tag: tags?[row] ?? tag, assumed: assuming),
        identifier: identifier(row))
    }
  }

  /// Removes the condition with those bytes as identifier.
  package mutating func remove(identifierBytes bytes: UnsafeBufferPointer<UInt8>) throws(MonitorError) -> Bool {
    if let defect = Self.defect(ofIdentifier: bytes) { throw .invalidArgument(defect) }
    guard let slot = table.identifiers.slot(of: bytes) else { return false }
    remove(slot)
    return true
  }

  // MARK: - What is common

  /// Why those bytes are no identifier; `nil` when they are one.
  static func defect(ofIdentifier bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard !bytes.isEmpty, bytes.count <= IdentifierTable.longest else {
      let size = bytes.isEmpty ? "is empty" : "has \(bytes.count) bytes"
      return "the identifier \(size); must have 1 to \(IdentifierTable.longest) bytes of UTF-8"
    }
    var isASCII = true
    for byte in bytes {
      if byte == 0 { return "the identifier holds a zero byte" }
      if byte >= 0x80 { isASCII = false }
    }
    return isASCII || String(validating: bytes, as: UTF8.self) != nil ? nil : notUTF8
  }

  package static var notUTF8: String { "the identifier is not valid UTF-8" }

  static func defect(ofAssumption state: Event.State) -> String? {
    state == .unmonitored ? "the assumed state is unmonitored; must be unknown, satisfied or unsatisfied" : nil
  }

  /// Enters a condition that has been checked.
  mutating func enter(_ definition: Definition, identifier: UnsafeBufferPointer<UInt8>) {
    table.enter(definition, identifier: identifier)
    followTable()
  }

  /// Removes a condition.
  mutating func remove(_ slot: UInt32) {
    table.remove(slot)
    followTable()
  }

  /// Replays what changed in the table since the tracker looked at it last.
  private mutating func followTable() {
    for change in table.changes.since(tracker.seen) {
      switch change {
      case .entered(let slot, let replaced):
        if replaced != 0 { drop(slot, generation: replaced) }
        adopt(slot)
      case .left(let slot, let generation):
        drop(slot, generation: generation)
      case .promoted(let slot):
        promote(slot)
      }
    }
    tracker.hasSeen(table.changes.version)
    table.dropChanges(through: tracker.seen)
  }

  private mutating func adopt(_ slot: UInt32) {
    delivery.adopt(slot, clock: clock)
    tracker.adopt(slot, table)
    // That the storage fails was told when it began to.
    if tracker.isSuspended(slot, table) {
      flagsChanged(slot)
    } else {
      tracker.begin(slot, lookingBack: true, table, &delivery)
    }
  }

  private mutating func promote(_ slot: UInt32) {
    tracker.promote(slot)
    let flags = currentFlags(of: slot)
    let before = flags.union(.conditionLimitExceeded)
    // Ceasing to be unmonitored is no news; that only one of two reasons for it is gone is.
    if flags.isNews(to: before) { flagsChanged(slot) }
    if !flags.suspends { tracker.begin(slot, lookingBack: false, table, &delivery) }
  }

  private mutating func drop(_ slot: UInt32, generation: UInt64) {
    tracker.drop(slot, table)
    delivery.drop(slot, generation: generation, table)
  }
}
