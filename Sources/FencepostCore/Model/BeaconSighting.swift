/// One beacon observed within a scan report.
@frozen
public struct BeaconSighting: Sendable, Hashable {
  public var uuid: BeaconUUID
  public var major: UInt16
  public var minor: UInt16
  /// The signal strength in dBm; `Int32.min` if it is unknown, which counts as the weakest.
  public var rssi: Int32

  @inlinable
  public init(uuid: BeaconUUID, major: UInt16, minor: UInt16, rssi: Int32 = .min) {
    self.uuid = uuid
    self.major = major
    self.minor = minor
    self.rssi = rssi
  }
}
