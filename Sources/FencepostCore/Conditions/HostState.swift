/// The abilities of the host, as it last stated them.
struct HostState: Sendable, Equatable {
  /// The flags of ``Diagnostics/hostFlags`` that the host has set. While one is set, every condition is suspended.
  var flags: Diagnostics = []
  /// If bit n is set, conditions of the kind with the number n cannot be monitored.
  var unsupportedKinds: UInt32 = 0

  init() {}

  init(flags: Diagnostics, unsupportedKinds: UInt32) {
    self.flags = flags
    self.unsupportedKinds = unsupportedKinds
  }

  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if `flags` contains a flag that a host cannot state.
  init(_ flags: Diagnostics, unsupported: Set<ConditionKind>) throws(MonitorError) {
    guard flags.isSubset(of: .hostFlags) else {
      throw .invalidArgument(
        "the flags are \(flags.rawValue); must be a combination of the host's seven flags, \(Diagnostics.hostFlags.rawValue)"
      )
    }
    guard !unsupported.contains(.rule) else {
      throw .invalidArgument("unsupported contains rules, which every host can monitor; name the kinds of their parts")
    }
    self.flags = flags
    for kind in ConditionKind.allCases where unsupported.contains(kind) { unsupportedKinds |= kind.bit }
  }

  func supports(_ kind: ConditionKind) -> Bool { unsupportedKinds & kind.bit == 0 }

  /// Whether all geographic conditions are suspended.
  @inline(__always)
  var suspendsAllShapes: Bool {
    flags.suspends || (unsupportedKinds != 0 && !ConditionKind.allCases.contains { $0.isGeographic && supports($0) })
  }

  /// Whether some geographic conditions may be suspended for reasons other than the condition limit.
  var suspendsSomeShapes: Bool {
    flags.suspends || (unsupportedKinds != 0 && ConditionKind.allCases.contains { $0.isGeographic && !supports($0) })
  }

  /// Returns the flags with which the host limits the conditions of a kind. Those of a rule are the flags of its parts.
  func flags(of kind: ConditionKind) -> Diagnostics {
    kind.isRule ? [] : supports(kind) ? flags : flags.union(.conditionUnsupported)
  }

  /// Returns the flags that apply to a condition, without those that the storage adds.
  func flags(of slot: UInt32, in table: ConditionTable) -> Diagnostics {
    var flags = flags(of: table.kind(of: slot))
    if table.isOverLimit(slot) { flags.insert(.conditionLimitExceeded) }
    return flags
  }
}
