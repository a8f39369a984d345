/// A condition that a device satisfies or not: a ``CircularGeographicCondition``, ``PolygonalGeographicCondition``,
/// ``MultiPolygonalGeographicCondition``, ``CorridorGeographicCondition`` or ``BeaconIdentityCondition``. A
/// ``LineGeographicCondition`` conforms too, but it has no state: a device only crosses it. The state of a `Rule` follows
/// from the states of other conditions.
public protocol Condition: Sendable, Hashable {}

/// A kind of condition, with the numbers of the C interface.
@frozen
public enum ConditionKind: UInt8, Sendable, Hashable, CaseIterable {
  case circularGeographic = 1
  case beaconIdentity = 2
  case polygonalGeographic = 3
  case corridorGeographic = 4
  case lineGeographic = 5
  case rule = 6
}

extension ConditionKind {
  /// Whether the condition concerns a place, so that fixes decide its state. Sightings decide a beacon condition.
  @inline(__always)
  var isGeographic: Bool {
    switch self {
    case .circularGeographic, .polygonalGeographic, .corridorGeographic, .lineGeographic: true
    case .beaconIdentity, .rule: false
    }
  }

  /// Whether the condition has no state, and only its crossings are reported.
  @inline(__always)
  var isLine: Bool {
    switch self {
    case .circularGeographic, .beaconIdentity, .polygonalGeographic, .corridorGeographic, .rule: false
    case .lineGeographic: true
    }
  }

  /// Whether the state of the condition follows from the states of other conditions.
  @inline(__always)
  package var isRule: Bool {
    switch self {
    case .circularGeographic, .beaconIdentity, .polygonalGeographic, .corridorGeographic, .lineGeographic: false
    case .rule: true
    }
  }

  /// Whether sightings decide the state.
  var isBeacon: Bool { !isGeographic && !isRule }

  /// The bit of the kind in a set of kinds, as in the C interface.
  package var bit: UInt32 { 1 << UInt32(rawValue) }

  /// The bits of all kinds that a host may be unable to monitor. Rules are not among them.
  package static var allBits: UInt32 { allCases.reduce(0) { $1.isRule ? $0 : $0 | $1.bit } }
}
