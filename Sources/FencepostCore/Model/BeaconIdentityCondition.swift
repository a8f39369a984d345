/// A beacon identity: satisfied while a beacon with that UUID, and major and minor where given, is near.
public struct BeaconIdentityCondition: Condition {
  public let uuid: BeaconUUID
  /// `nil` matches any.
  public let major: UInt16?
  /// `nil` matches any. Must be `nil` if `major` is.
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
