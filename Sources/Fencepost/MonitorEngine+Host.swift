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
    let stated = HostState(flags: flags, unsupportedKinds: kinds)
    if stated != host { change(to: stated) }
    confirmDue(through: clock, &survey)
  }

  private mutating func change(to stated: HostState) {
    let slots = Array(table.live)
    let before = slots.map { currentFlags(of: $0) }
    host = stated
    journal.markUrgent()
    neighbourhood.invalidate()
    for (slot, old) in zip(slots, before) {
      let new = currentFlags(of: slot)
      guard new != old else { continue }
      if new.suspends, !old.suspends { stopTracking(slot) }
      // Ceasing to be unmonitored is no news: what is still to be told keeps the date of what caused it.
      if new.isNews(to: old) { flagsChanged(slot) }
      if old.suspends, !new.suspends { begin(slot, lookingBack: false) }
    }
  }
}
