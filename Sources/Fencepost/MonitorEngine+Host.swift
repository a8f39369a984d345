extension MonitorEngine {
  /// States what the host can do from now on.
  ///
  /// While a flag holds every condition is suspended; conditions of an unsupported kind become `unmonitored`.
  ///
  /// - Parameters:
  ///   - flags: Which of ``Diagnostics/hostFlags`` hold now.
  ///   - unsupported: Kinds of condition that cannot be monitored now.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` (another flag, or the time), late, full; nothing has
  ///   changed then.
  public mutating func setHostCapabilities(
    _ flags: Diagnostics, unsupported: Set<ConditionKind> = [], at time: Timestamp
  ) throws(MonitorError) {
    guard flags.isSubset(of: .hostFlags) else {
      throw .invalidArgument(
        "the flags are \(flags.rawValue); accepted are the seven that a host states, \(Diagnostics.hostFlags.rawValue)")
    }
    try admit(time)
    var survey = Survey()
    passTime(to: time, &survey)
    var kinds: UInt32 = 0
    for kind in [ConditionKind.circularGeographic, .beaconIdentity] where unsupported.contains(kind) {
      kinds |= 1 << UInt32(kind.rawValue)
    }
    if flags != hostFlags || kinds != unsupportedKinds { change(to: flags, kinds) }
    confirmDue(through: clock, &survey)
  }

  private mutating func change(to flags: Diagnostics, _ kinds: UInt32) {
    let slots = Array(table.live)
    let before = slots.map { currentFlags(of: $0) }
    hostFlags = flags
    unsupportedKinds = kinds
    journal.markUrgent()
    neighbourhood.invalidate()
    for (slot, old) in zip(slots, before) {
      let new = currentFlags(of: slot)
      guard new != old else { continue }
      if new.suspends, !old.suspends { stopTracking(slot) }
      // Ceasing to be unmonitored is no news: what is still to be told keeps the date of what caused it.
      if new.isNews(to: old) { flagsChanged(slot, date: clock) }
      if old.suspends, !new.suspends { begin(slot, lookingBack: false) }
    }
  }

  /// Takes note that the storage cannot be written, or can be again.
  ///
  /// One event tells that it fails, of the oldest condition, once there is one; all events that are built until it works
  /// again carry the flag too. Then every condition that was told is told that it is over.
  mutating func storeIsFailing(_ isFailing: Bool) {
    if isFailing {
      isStoreFailing = true
      if !isStoreFailureTold, let oldest = table.live.first {
        isStoreFailureTold = true
        flagsChanged(oldest, date: clock)
      }
    } else if isStoreFailing {
      isStoreFailing = false
      isStoreFailureTold = false
      let told = UInt16(Diagnostics.persistenceUnavailable.rawValue)
      for slot in Array(table.live) where states[Int(slot)].notedFlags & told != 0 || turn.isBusy(slot) {
        flagsChanged(slot, date: clock)
      }
    }
  }

  /// The flags that hold for a condition now.
  func currentFlags(of slot: UInt32) -> Diagnostics {
    var flags = hostFlags
    if isStoreFailing { flags.insert(.persistenceUnavailable) }
    if unsupportedKinds & (1 << UInt32(table.kind(of: slot).rawValue)) != 0 { flags.insert(.conditionUnsupported) }
    if table.isOverLimit(slot) { flags.insert(.conditionLimitExceeded) }
    return flags
  }
}
