/// An area that a ``RegionManager`` monitors: a ``CircularRegion`` or a ``BeaconRegion``.
///
/// Two regions are equal if they have the same type and the same identifier. To find out whether a circle has moved,
/// compare its centre and radius.
public class Region: Hashable {
  /// 1 … 254 bytes of UTF-8. Regions of different types may have the same identifier.
  public let identifier: String
  /// Whether `didEnterRegion` is called when the device enters the region. `didDetermineState` is called even if this
  /// value is `false`.
  public var notifyOnEntry = true
  /// Whether `didExitRegion` is called when the device leaves the region. `didDetermineState` is called even if this
  /// value is `false`.
  public var notifyOnExit = true

  /// The definition of the condition that represents the region.
  let subject: Definition.Subject

  init(identifier: String, _ subject: Definition.Subject) {
    self.identifier = identifier
    self.subject = subject
  }

  public static func == (one: Region, other: Region) -> Bool {
    type(of: one) == type(of: other) && one.identifier == other.identifier
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(type(of: self)))
    hasher.combine(identifier)
  }

  /// The identifier of the condition that represents the region; its prefix distinguishes the types.
  var conditionIdentifier: String { (subject.kind.region?.prefix ?? "") + identifier }
  /// The region's settings, stored in the tag of its condition.
  var tag: UInt64 { (notifyOnEntry ? 1 : 0) | (notifyOnExit ? 2 : 0) }

  func adopt(tag: UInt64) {
    notifyOnEntry = tag & 1 != 0
    notifyOnExit = tag & 2 != 0
  }
}

/// A circle on the Earth.
public final class CircularRegion: Region {
  public let center: Coordinate
  /// The radius, in metres along the WGS84 geodesic.
  public let radius: Double

  public init(center: Coordinate, radius: Double, identifier: String) {
    self.center = center
    self.radius = radius
    super.init(identifier: identifier, .circle(CircularGeographicCondition(center: center, radius: radius)))
  }

  /// Whether a coordinate lies in the circle or on its boundary.
  public func contains(_ coordinate: Coordinate) -> Bool { circle.contains(coordinate) }

  var circle: CircularGeographicCondition { CircularGeographicCondition(center: center, radius: radius) }
}

/// The area around one beacon, around all beacons with a given UUID, or around all beacons with a given UUID and major
/// number.
public final class BeaconRegion: Region {
  public let uuid: BeaconUUID
  public let major: UInt16?
  public let minor: UInt16?
  /// Whether the state is reported when the display wakes while the device is inside. See
  /// ``RegionService/displayDidWake()``.
  public var notifyEntryStateOnDisplay = false

  public convenience init(uuid: BeaconUUID, identifier: String) {
    self.init(BeaconIdentityCondition(uuid: uuid), identifier: identifier)
  }

  public convenience init(uuid: BeaconUUID, major: UInt16, identifier: String) {
    self.init(BeaconIdentityCondition(uuid: uuid, major: major), identifier: identifier)
  }

  public convenience init(uuid: BeaconUUID, major: UInt16, minor: UInt16, identifier: String) {
    self.init(BeaconIdentityCondition(uuid: uuid, major: major, minor: minor), identifier: identifier)
  }

  init(_ beacon: BeaconIdentityCondition, identifier: String) {
    uuid = beacon.uuid
    major = beacon.major
    minor = beacon.minor
    super.init(identifier: identifier, .beacon(beacon))
  }

  override var tag: UInt64 { super.tag | (notifyEntryStateOnDisplay ? 4 : 0) }

  override func adopt(tag: UInt64) {
    super.adopt(tag: tag)
    notifyEntryStateOnDisplay = tag & 4 != 0
  }
}

extension ConditionKind {
  /// The region type for conditions of this kind, and the prefix of the identifiers of its conditions.
  var region: (type: Region.Type, prefix: String)? {
    switch self {
    case .circularGeographic: (CircularRegion.self, "c:")
    case .beaconIdentity: (BeaconRegion.self, "b:")
    // Core Location's older API does not report regions of these kinds.
    case .polygonalGeographic, .corridorGeographic, .lineGeographic, .rule: nil
    }
  }
}

extension MonitorEngine {
  /// The region from which a condition was made; `nil` if the condition does not come from a region manager.
  func region(of slot: UInt32) -> Region? {
    let identifier = table.identifier(of: slot)
    guard let prefix = table.kind(of: slot).region?.prefix, identifier.utf8.starts(with: prefix.utf8) else {
      return nil
    }
    let name = String(identifier.dropFirst(prefix.count))
    let region: Region
    switch table.subject(of: slot) {
    case .circle(let circle):
      region = CircularRegion(center: circle.center, radius: circle.radius, identifier: name)
    case .beacon(let beacon):
      region = BeaconRegion(beacon, identifier: name)
    case .polygon, .corridor, .line, .rule:
      return nil
    }
    region.adopt(tag: table.tag(of: slot))
    return region
  }

  /// All regions with their slots, in the order in which the regions were added.
  var regions: [(slot: UInt32, region: Region)] {
    var found: [(UInt32, Region)] = []
    var after: UInt64 = 0
    while let slot = table.slot(after: after) {
      after = table.generation(of: slot)
      if let region = region(of: slot) { found.append((slot, region)) }
    }
    return found
  }
}
