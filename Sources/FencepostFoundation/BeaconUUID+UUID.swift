public import Fencepost
public import Foundation

extension BeaconUUID {
  /// The same 128 bits.
  public init(_ uuid: UUID) {
    let u = uuid.uuid
    func number(_ bytes: UInt8...) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(
      high: number(u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7),
      low: number(u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15))
  }

  /// The same 128 bits.
  public var uuid: UUID { UUID(self) }
}

extension UUID {
  /// The same 128 bits.
  public init(_ beacon: BeaconUUID) {
    func byte(_ index: Int) -> UInt8 {
      UInt8(truncatingIfNeeded: (index < 8 ? beacon.high : beacon.low) >> UInt64(56 - 8 * (index % 8)))
    }
    self.init(
      uuid: (
        byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7),
        byte(8), byte(9), byte(10), byte(11), byte(12), byte(13), byte(14), byte(15)
      ))
  }
}

extension BeaconIdentityCondition {
  /// The condition is satisfied while any beacon with the given UUID is near.
  public init(uuid: UUID) {
    self.init(uuid: BeaconUUID(uuid))
  }

  /// The condition is satisfied while a beacon with the given UUID and major is near.
  public init(uuid: UUID, major: UInt16) {
    self.init(uuid: BeaconUUID(uuid), major: major)
  }

  /// The condition is satisfied while the beacon with the given UUID, major and minor is near.
  public init(uuid: UUID, major: UInt16, minor: UInt16) {
    self.init(uuid: BeaconUUID(uuid), major: major, minor: minor)
  }
}

extension BeaconSighting {
  /// - Parameter rssi: Signal strength in dBm; `Int32.min` means unknown, which counts as the weakest signal.
  public init(uuid: UUID, major: UInt16, minor: UInt16, rssi: Int32 = .min) {
    self.init(uuid: BeaconUUID(uuid), major: major, minor: minor, rssi: rssi)
  }
}
