/// Something that is satisfied or not: a ``CircularGeographicCondition`` or a ``BeaconIdentityCondition``.
public protocol Condition: Sendable, Hashable {}

/// A kind of condition, with the numbers of the C interface.
@frozen
public enum ConditionKind: UInt8, Sendable, Hashable, CaseIterable {
  case circularGeographic = 1
  case beaconIdentity = 2
}
