/// An area that a ``RegionManager`` monitors: a ``CircularRegion`` or a ``BeaconRegion``.
///
/// Two regions are equal when their type and their identifier are; compare centre and radius to notice a moved circle.
public class Region: Hashable {
  /// 1 … 254 bytes of UTF-8; regions of the two types may share one.
  public let identifier: String
  /// Whether entering is told as such; a state is told in any case.
  public var notifyOnEntry = true
  /// Whether leaving is told as such; a state is told in any case.
  public var notifyOnExit = true

  init(identifier: String) {
    self.identifier = identifier
  }

  public static func == (one: Region, other: Region) -> Bool {
    type(of: one) == type(of: other) && one.identifier == other.identifier
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(type(of: self)))
    hasher.combine(identifier)
  }

  // What the manager's conditions are made of.

  /// The identifier of the condition: the two types do not meet.
  var conditionIdentifier: String { "" }
  var condition: any Condition { CircularGeographicCondition(center: Coordinate(latitude: 0, longitude: 0), radius: 0) }
  var kind: ConditionKind { .circularGeographic }
  /// What a condition keeps of the region's settings.
  var tag: UInt64 { (notifyOnEntry ? 1 : 0) | (notifyOnExit ? 2 : 0) }

  func adopt(tag: UInt64) {
    notifyOnEntry = tag & 1 != 0
    notifyOnExit = tag & 2 != 0
  }
}

/// A circle on the Earth.
public final class CircularRegion: Region {
  public let center: Coordinate
  /// Metres along the WGS84 geodesic.
  public let radius: Double

  public init(center: Coordinate, radius: Double, identifier: String) {
    self.center = center
    self.radius = radius
    super.init(identifier: identifier)
  }

  /// Whether a coordinate lies in the circle, the line included.
  public func contains(_ coordinate: Coordinate) -> Bool { circle.contains(coordinate) }

  var circle: CircularGeographicCondition { CircularGeographicCondition(center: center, radius: radius) }
  override var conditionIdentifier: String { "c:" + identifier }
  override var condition: any Condition { circle }
}

/// The surroundings of beacons: of all with a UUID, of those with a major number too, or of one.
public final class BeaconRegion: Region {
  public let uuid: BeaconUUID
  public let major: UInt16?
  public let minor: UInt16?
  /// Whether the state is told when the display wakes while the device is inside. See
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
    self.beacon = beacon
    uuid = beacon.uuid
    major = beacon.major
    minor = beacon.minor
    super.init(identifier: identifier)
  }

  private let beacon: BeaconIdentityCondition
  override var conditionIdentifier: String { "b:" + identifier }
  override var condition: any Condition { beacon }
  override var kind: ConditionKind { .beaconIdentity }
  override var tag: UInt64 { super.tag | (notifyEntryStateOnDisplay ? 4 : 0) }

  override func adopt(tag: UInt64) {
    super.adopt(tag: tag)
    notifyEntryStateOnDisplay = tag & 4 != 0
  }
}

extension MonitorEngine {
  /// The region that a condition was made of; `nil` when it is not of a region manager.
  func region(of slot: UInt32) -> Region? {
    let identifier = table.identifiers.string(of: slot)
    let name = String(identifier.dropFirst(2))
    let region: Region
    switch table.kind(of: slot) {
    case .circularGeographic:
      guard identifier.utf8.starts(with: "c:".utf8) else { return nil }
      let circle = table.circle(of: slot).condition
      region = CircularRegion(center: circle.center, radius: circle.radius, identifier: name)
    case .beaconIdentity:
      guard identifier.utf8.starts(with: "b:".utf8), let beacon = table.beacon(of: slot) else { return nil }
      region = BeaconRegion(beacon, identifier: name)
    }
    region.adopt(tag: table.tag(of: slot))
    return region
  }

  /// All regions, in the order in which they were added, with their slots.
  var regions: [(slot: UInt32, region: Region)] {
    var found: [(UInt32, Region)] = []
    var after: UInt64 = 0
    while let slot = slot(after: after) {
      after = generation(of: slot)
      if let region = region(of: slot) { found.append((slot, region)) }
    }
    return found
  }
}
