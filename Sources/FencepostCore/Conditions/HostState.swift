/// The abilities of the host, as it last stated them.
struct HostState: Sendable, Equatable {
  /// The flags of ``Diagnostics/hostFlags`` that the host has set. While one is set, every condition is suspended.
  var flags: Diagnostics = []
  /// If bit n is set, conditions of the kind with the number n cannot be monitored.
  var unsupportedKinds: UInt32 = 0

  func supports(_ kind: ConditionKind) -> Bool { unsupportedKinds & kind.bit == 0 }

  /// Whether all geographic conditions are suspended.
  @inline(__always)
  var suspendsAllShapes: Bool {
    flags.suspends || (unsupportedKinds != 0 && !ConditionKind.allCases.contains { $0.isGeographic && supports($0) })
  }

  /// Whether some geographic conditions may be suspended for reasons other than the condition limit.
  var suspendsSomeShapes: Bool {
    flags.suspends || ConditionKind.allCases.contains { $0.isGeographic && !supports($0) }
  }

  /// Returns the flags that apply to a condition, without those that the storage adds.
  func flags(of slot: UInt32, in table: ConditionTable) -> Diagnostics {
    var flags = flags
    if !supports(table.kind(of: slot)) { flags.insert(.conditionUnsupported) }
    if table.isOverLimit(slot) { flags.insert(.conditionLimitExceeded) }
    return flags
  }
}
