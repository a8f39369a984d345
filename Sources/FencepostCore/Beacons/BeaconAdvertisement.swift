/// What a beacon says in one Bluetooth Low Energy advertisement.
public struct BeaconAdvertisement: Sendable, Hashable {
  /// The layout of the advertisement.
  public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
    /// Apple's Proximity Beacon: company 0x004C, type 0x02, 21 bytes.
    case iBeacon = 1
    /// The AltBeacon 1.0 specification: any company, beacon code 0xBEAC, 22 bytes.
    case altBeacon = 2
  }

  public var kind: Kind
  /// The beacon, as ``Monitor`` takes it. AltBeacon's 20-byte identifier is read as UUID, major and minor.
  public var sighting: BeaconSighting
  /// Signal strength that the beacon's maker measured at 1 m, in dBm, -128 to 127.
  public var measuredPower: Int8
  /// The manufacturer's Bluetooth company identifier.
  public var company: UInt16
  /// AltBeacon's last byte, whose meaning is the manufacturer's; 0 for iBeacon.
  public var manufacturerReserved: UInt8

  public init(
    kind: Kind, sighting: BeaconSighting, measuredPower: Int8, company: UInt16, manufacturerReserved: UInt8 = 0
  ) {
    self.kind = kind
    self.sighting = sighting
    self.measuredPower = measuredPower
    self.company = company
    self.manufacturerReserved = manufacturerReserved
  }
}
