/// Something that is satisfied or not: a ``CircularGeographicCondition`` or a ``BeaconIdentityCondition``.
public protocol Condition: Sendable, Hashable {}

/// A kind of condition, with the numbers of the C interface.
@frozen
public enum ConditionKind: UInt8, Sendable, Hashable, CaseIterable {
  case circularGeographic = 1
  case beaconIdentity = 2
}

extension ConditionKind {
  /// Whether it is about a place, which fixes decide; else beacons do.
  @inline(__always)
  var isGeographic: Bool {
    switch self {
    case .circularGeographic: true
    case .beaconIdentity: false
    }
  }

  /// The bit of the kind in a set of kinds, as in the C interface.
  package var bit: UInt32 { 1 << UInt32(rawValue) }

  /// The bits of all kinds.
  package static var allBits: UInt32 { allCases.reduce(0) { $0 | $1.bit } }

  /// The subject of a condition of this kind; `nil` when the condition is of another one.
  func subject(of condition: any Condition) -> Definition.Subject? {
    switch self {
    case .circularGeographic: (condition as? CircularGeographicCondition).map(Definition.Subject.circle)
    case .beaconIdentity: (condition as? BeaconIdentityCondition).map(Definition.Subject.beacon)
    }
  }
}
