/// A beacon identity; satisfied while a beacon with this UUID is near, and with this major and minor if they are not
/// `nil`.
public struct BeaconIdentityCondition: Condition {
  public let uuid: BeaconUUID
  /// `nil` matches any major.
  public let major: UInt16?
  /// `nil` matches any minor. Must be `nil` if `major` is `nil`.
  public let minor: UInt16?

  public init(uuid: BeaconUUID) {
    self.uuid = uuid
    major = nil
    minor = nil
  }

  public init(uuid: BeaconUUID, major: UInt16) {
    self.uuid = uuid
    self.major = major
    minor = nil
  }

  public init(uuid: BeaconUUID, major: UInt16, minor: UInt16) {
    self.uuid = uuid
    self.major = major
    self.minor = minor
  }
}
