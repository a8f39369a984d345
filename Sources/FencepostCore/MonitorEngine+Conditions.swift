extension MonitorEngine: ConditionHolder {
  /// Removes a condition, its record and its events; does nothing if no condition has the identifier.
  ///
  /// - Returns: Whether there was such a condition.
  @discardableResult
  public mutating func remove(_ identifier: String) -> Bool {
    guard let slot = table.slot(of: identifier) else { return false }
    remove(slot)
    return true
  }

  /// Removes many conditions. See ``remove(_:)-(String)``.
  ///
  /// - Returns: The number of removed conditions.
  @discardableResult
  public mutating func remove(_ identifiers: some Sequence<String>) -> Int {
    identifiers.reduce(0) { count, identifier in remove(identifier) ? count + 1 : count }
  }

  /// Returns the identifiers of the conditions whose observed state is now `state`, in add order. See
  /// ``state(of:)-(String)``.
  public func identifiers(in state: Event.State) -> [String] {
    table.live.lazy.filter { self.state(of: $0) == state }.map { table.identifiers.string(of: $0) }
  }

  /// The identifiers in the order in which the conditions were added.
  public var identifiers: [String] {
    table.live.map { table.identifiers.string(of: $0) }
  }

  /// The number of conditions.
  public var conditionCount: Int { table.count }

  package func compare(_ definition: Definition, _ identifier: UnsafeBufferPointer<UInt8>) -> Bool? {
    table.compareUntimed(definition, identifier)
  }

  /// Reserves memory for `count` more conditions.
  public mutating func reserve(_ count: Int, identifierBytes: Int) {
    table.reserve(count, identifierBytes: identifierBytes)
    delivery.reserve(count)
  }

  /// Returns the reason why this monitor cannot watch a condition, as a message; `nil` if it can.
  package func defect(of definition: Definition) -> String? {
    guard definition.subject.kind.isLine else { return nil }
    guard options.path.isGeodesic else {
      return "path: a line geographic condition counts crossings of a path; the monitor must have path geodesic"
    }
    guard options.delivery == .every else {
      return "delivery: a line geographic condition reports each crossing; the monitor must have delivery every"
    }
    if let defect = table.defect(of: definition.untimed) { return defect }
    guard definition.assumed == .unknown else {
      return "assumed: a line geographic condition has no state; must be unknown"
    }
    return nil
  }

  /// Adds a condition that has been checked.
  package mutating func enter(_ definition: Definition, identifier: UnsafeBufferPointer<UInt8>) {
    if table.rules != nil {
      tracker.countMarkedParts(table)
      if let slot = table.identifiers.slot(of: identifier) { _ = tracker.leaveRule(slot, table) }
    }
    table.enter(definition, identifier: identifier)
    followTable()
    if let slot = table.rules == nil ? nil : table.identifiers.slot(of: identifier) {
      tracker.markPart(slot, nil, table)
    }
    settleRules()
  }

  /// Looks at the rules that a change of the table concerns.
  private mutating func settleRules() {
    if !isSyncing, table.rules != nil || tracker.hasRules { tracker.settleRules(table, &delivery) }
  }

  package mutating func setSyncing(_ isSyncing: Bool) {
    self.isSyncing = isSyncing
    settleRules()
  }

  /// Takes over another schedule of a condition that stays.
  package mutating func retime(_ slot: UInt32, _ timing: ConditionTiming) {
    table.retime(slot, timing)
    tracker.retime(slot, table, &delivery)
    tracker.stopExhausted(table, &delivery)
    settleRules()
  }

  /// Removes a condition.
  package mutating func remove(_ slot: UInt32) {
    var part: UInt32?
    if table.rules != nil {
      tracker.countMarkedParts(table)
      part = tracker.leaveRule(slot, table)
    }
    table.remove(slot)
    followTable()
    if let part { tracker.markMissing(part, table) }
    settleRules()
  }

  /// Replays the changes of the table that the tracker has not seen yet.
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
    // A restored monitor cannot distinguish a band from a fix with a height, so both are remembered alike.
    if table.policies.hasBands { tracker.hasHadHeights = true }
    if table.policies.hasTimings { tracker.adoptTiming(slot, table, &delivery) }
    // A failure of the storage is not reported again for the new condition.
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
    // The end of being unmonitored is not reported; the end of one of two reasons for it is.
    if flags.isNews(to: before) { flagsChanged(slot) }
    if !flags.suspends { tracker.begin(slot, lookingBack: false, table, &delivery) }
  }

  private mutating func drop(_ slot: UInt32, generation: UInt64) {
    tracker.drop(slot, table)
    delivery.drop(slot, generation: generation, table)
  }
}
