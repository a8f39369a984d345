extension MonitorEngine {
  /// States what the host can do from now on.
  ///
  /// While a flag is set, every condition is suspended. Conditions of an unsupported kind become `unmonitored`.
  ///
  /// - Parameters:
  ///   - flags: The flags of ``Diagnostics/hostFlags`` that apply now.
  ///   - unsupported: The kinds of conditions that cannot be monitored now.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if `flags` contains another flag or the time is out of
  ///   range; ``MonitorError/lateInput(time:clock:)``; ``MonitorError/aheadOfClock(time:clock:limit:)``;
  ///   ``MonitorError/queueFull(limit:position:)``. If an error is thrown, nothing has changed except the counters.
  public mutating func setHostCapabilities(
    _ flags: Diagnostics, unsupported: Set<ConditionKind> = [], at time: Timestamp
  ) throws(MonitorError) {
    guard flags.isSubset(of: .hostFlags) else {
      throw .invalidArgument(
        "the flags are \(flags.rawValue); must be a combination of the host's seven flags, \(Diagnostics.hostFlags.rawValue)"
      )
    }
    try admit(time)
    tracker.counters.countOther()
    var survey = Survey()
    tracker.passTime(to: time, table, &delivery, &survey)
    var kinds: UInt32 = 0
    for kind in ConditionKind.allCases where unsupported.contains(kind) { kinds |= kind.bit }
    let stated = HostState(flags: flags, unsupportedKinds: kinds)
    if stated != host { tracker.change(to: stated, table, &delivery) }
    tracker.confirmDue(through: clock, table, &delivery, &survey)
  }

  /// What the host can do.
  var host: HostState { tracker.host }

  /// The flags with which the host limits the monitor.
  package var hostFlags: Diagnostics { host.flags }

  /// Whether the host cannot monitor a kind of condition.
  package func isUnsupported(_ kind: ConditionKind) -> Bool { !host.supports(kind) }

  /// The last accepted fix; `nil` if there was none.
  package var lastFix: Fix? { tracker.lastFix }
}
