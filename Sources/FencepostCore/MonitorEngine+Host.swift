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

  /// What the host said that limits the monitor, as flags.
  package var hostFlags: Diagnostics { host.flags }

  /// Whether the host cannot monitor a kind of condition.
  package func isUnsupported(_ kind: ConditionKind) -> Bool { !host.supports(kind) }

  /// The last accepted fix; `nil` when none was fed.
  package var lastFix: Fix? { tracker.lastFix }
}
