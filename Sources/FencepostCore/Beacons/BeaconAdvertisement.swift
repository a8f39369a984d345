/// The contents of one Bluetooth Low Energy advertisement of a beacon.
public struct BeaconAdvertisement: Sendable, Hashable {
  /// The layout of the advertisement.
  public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
    /// Apple's Proximity Beacon: company 0x004C, type 0x02, 21 bytes.
    case iBeacon = 1
    /// The AltBeacon 1.0 specification: any company, beacon code 0xBEAC, 22 bytes.
    case altBeacon = 2
  }

  public var kind: Kind
  /// The beacon, in the form that ``Monitor`` accepts. AltBeacon's 20-byte identifier is read as UUID, major and minor.
  public var sighting: BeaconSighting
  /// The signal strength at 1 m that the beacon's maker measured, in dBm, -128 to 127.
  public var measuredPower: Int8
  /// The manufacturer's Bluetooth company identifier.
  public var company: UInt16
  /// AltBeacon's last byte, which the manufacturer defines; 0 for iBeacon.
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

// Layouts: Bluetooth Core Specification, volume 3, part C, section 11 (AD structures) and its supplement, part A,
// section 1.4 (manufacturer data); Apple, "Proximity Beacon Specification"; AltBeacon, "Protocol Specification v1.0".

extension BeaconAdvertisement {
  /// Reads an advertisement in the form in which a scanner reports it.
  ///
  /// Without a company, the payload has one of two forms. It consists of the AD structures of an advertising or scan
  /// record, possibly padded with zeros. Or it is the manufacturer data alone, which begins with the company
  /// identifier: 25 or 26 bytes, fewer than any AD structures with a beacon. With a company, the payload is the data
  /// after the company identifier.
  ///
  /// If several AD structures contain a beacon, the first one is read.
  ///
  /// - Parameters:
  ///   - payload: The bytes.
  ///   - company: The company identifier, if the scanner separates it from the data (0x004C is Apple's).
  ///   - rssi: Signal strength in dBm, which is not in the payload; `Int32.min` if unknown.
  /// - Throws: `MonitorError.invalidArgument`, with the position in bytes, if the payload contains no iBeacon and no
  ///   AltBeacon.
  public init(_ payload: Span<UInt8>, company: UInt16? = nil, rssi: Int32 = .min) throws(MonitorError) {
    if let company {
      try self.init(manufacturerData: payload, at: 0, company: company, rssi: rssi)
    } else if Self.startsWithCompany(payload) {
      let company = UInt16(payload[0]) | UInt16(payload[1]) << 8
      try self.init(manufacturerData: payload, at: 2, company: company, rssi: rssi)
    } else {
      try self.init(structures: payload, rssi: rssi)
    }
  }

  /// Reads an advertisement from an array; see ``init(_:company:rssi:)-(Span<UInt8>,_,_)``.
  public init(_ payload: [UInt8], company: UInt16? = nil, rssi: Int32 = .min) throws(MonitorError) {
    try self.init(payload.span, company: company, rssi: rssi)
  }

  private static let apple: UInt16 = 0x004C
  private static let manufacturerDataType: UInt8 = 0xFF
  // Sizes without the company: two bytes of code, 20 of identifier, one of power; an AltBeacon has one more.
  private static let iBeaconSize = 23
  private static let altBeaconSize = 24

  private static func startsWithCompany(_ payload: Span<UInt8>) -> Bool {
    switch payload.count {
    case 2 + iBeaconSize: payload[0] == 0x4C && payload[1] == 0x00 && payload[2] == 0x02 && payload[3] == 0x15
    case 2 + altBeaconSize: payload[2] == 0xBE && payload[3] == 0xAC
    default: false
    }
  }

  /// The layout that the two bytes after the company indicate; `nil` if they indicate neither.
  private static func announced(_ data: Span<UInt8>, at start: Int, company: UInt16) -> Kind? {
    guard data.count - start >= 2 else { return nil }
    switch (data[start], data[start + 1]) {
    case (0x02, 0x15) where company == apple: return .iBeacon
    case (0xBE, 0xAC): return .altBeacon
    default: return nil
    }
  }

  private init(structures payload: Span<UInt8>, rssi: Int32) throws(MonitorError) {
    guard !payload.isEmpty else { throw .invalidArgument("the payload is empty") }
    var types = ""
    var start = 0
    while start < payload.count {
      let length = Int(payload[start])
      if length == 0 { break }  // the other bytes are padding
      let left = payload.count - start - 1
      guard length <= left else {
        throw .invalidArgument(
          "byte \(start): an AD structure of \(length) bytes begins, but \(left) are left", position: start)
      }
      let type = payload[start + 1]
      if type == Self.manufacturerDataType {
        guard length >= 3 else {
          throw .invalidArgument(
            "byte \(start): manufacturer data of \(length - 1) bytes; a company identifier needs 2", position: start)
        }
        let company = UInt16(payload[start + 2]) | UInt16(payload[start + 3]) << 8
        let data = payload.extracting(..<(start + 1 + length))
        if Self.announced(data, at: start + 4, company: company) != nil {
          try self.init(manufacturerData: data, at: start + 4, company: company, rssi: rssi)
          return
        }
      }
      if types.utf8.count < 60 { types += (types.isEmpty ? "" : ", ") + hexadecimal(UInt16(type), digits: 2) }
      start += 1 + length
    }
    if types.isEmpty { types = "none" }
    throw .invalidArgument("no iBeacon and no AltBeacon among the AD structures; their types: \(types)")
  }

  /// Reads the data after the company identifier, from byte `start` to the end.
  private init(manufacturerData data: Span<UInt8>, at start: Int, company: UInt16, rssi: Int32) throws(MonitorError) {
    guard let kind = Self.announced(data, at: start, company: company) else {
      throw .invalidArgument(
        "byte \(start): manufacturer data of company \(hexadecimal(company, digits: 4)) is an iBeacon when it begins "
          + "with 02 15 and the company is 0x004c, an AltBeacon when it begins with be ac", position: start)
    }
    let size = kind == .iBeacon ? Self.iBeaconSize : Self.altBeaconSize
    guard data.count - start == size else {
      let name = kind == .iBeacon ? "an iBeacon" : "an AltBeacon"
      throw .invalidArgument(
        "byte \(start): \(name) of \(data.count - start) bytes after its company; must be \(size)",
        position: start)
    }
    func number(_ offset: Int, _ count: Int) -> UInt64 {
      var value: UInt64 = 0
      for index in offset..<(offset + count) { value = value << 8 | UInt64(data[start + index]) }
      return value
    }
    self.init(
      kind: kind,
      sighting: BeaconSighting(
        uuid: BeaconUUID(high: number(2, 8), low: number(10, 8)), major: UInt16(number(18, 2)),
        minor: UInt16(number(20, 2)), rssi: rssi),
      measuredPower: Int8(bitPattern: data[start + 22]), company: company,
      manufacturerReserved: kind == .altBeacon ? data[start + 23] : 0)
  }
}

/// A number in hexadecimal: 0x, then at least `digits` lower-case digits.
private func hexadecimal(_ value: UInt16, digits: Int) -> String {
  let text = String(value, radix: 16)
  return "0x" + String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}
