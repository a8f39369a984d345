/// Something that is satisfied or not: a ``CircularGeographicCondition``, ``PolygonalGeographicCondition``,
/// ``MultiPolygonalGeographicCondition``, ``CorridorGeographicCondition`` or ``BeaconIdentityCondition``. A
/// ``LineGeographicCondition`` is neither: it is crossed.
public protocol Condition: Sendable, Hashable {}

/// A kind of condition, with the numbers of the C interface.
@frozen
public enum ConditionKind: UInt8, Sendable, Hashable, CaseIterable {
  case circularGeographic = 1
  case beaconIdentity = 2
  case polygonalGeographic = 3
  case corridorGeographic = 4
  case lineGeographic = 5
}

extension ConditionKind {
  /// Whether it is about a place, which fixes decide; else beacons do.
  @inline(__always)
  var isGeographic: Bool {
    switch self {
    case .circularGeographic, .polygonalGeographic, .corridorGeographic, .lineGeographic: true
    case .beaconIdentity: false
    }
  }

  /// Whether it has no state, and only its crossings are told.
  @inline(__always)
  var isLine: Bool {
    switch self {
    case .circularGeographic, .beaconIdentity, .polygonalGeographic, .corridorGeographic: false
    case .lineGeographic: true
    }
  }

  /// The bit of the kind in a set of kinds, as in the C interface.
  package var bit: UInt32 { 1 << UInt32(rawValue) }

  /// The bits of all kinds.
  package static var allBits: UInt32 { allCases.reduce(0) { $0 | $1.bit } }
}
