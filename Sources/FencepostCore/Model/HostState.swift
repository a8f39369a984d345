/// What the host can do, as it last stated.
struct HostState: Sendable, Equatable {
  /// Of ``Diagnostics/hostFlags``; while one holds every condition is suspended.
  var flags: Diagnostics = []
  /// Bit n: conditions of the kind with number n cannot be monitored.
  var unsupportedKinds: UInt32 = 0

  func supports(_ kind: ConditionKind) -> Bool { unsupportedKinds & kind.bit == 0 }

  /// Whether no geographic condition is evaluated at all.
  @inline(__always)
  var suspendsAllShapes: Bool {
    flags.suspends || (unsupportedKinds != 0 && !ConditionKind.allCases.contains { $0.isGeographic && supports($0) })
  }

  /// Whether there may be a geographic condition that is suspended, whatever the condition limit says.
  var suspendsSomeShapes: Bool {
    flags.suspends || ConditionKind.allCases.contains { $0.isGeographic && !supports($0) }
  }

  /// The flags that hold for a condition, without those that its storage adds.
  func flags(of slot: UInt32, in table: ConditionTable) -> Diagnostics {
    var flags = flags
    if !supports(table.kind(of: slot)) { flags.insert(.conditionUnsupported) }
    if table.isOverLimit(slot) { flags.insert(.conditionLimitExceeded) }
    return flags
  }
}
