import Foundation
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct BeaconAdvertisementTests {
  /// The UUID e2c56db5-dffb-48d2-b060-d0f5a71096e0, major 1 and minor 258, as both kinds of advertisement contain them.
  static let identity: [UInt8] = [
    0xE2, 0xC5, 0x6D, 0xB5, 0xDF, 0xFB, 0x48, 0xD2, 0xB0, 0x60, 0xD0, 0xF5, 0xA7, 0x10, 0x96, 0xE0, 0, 1, 1, 2,
  ]
  static let iBeacon: [UInt8] = [0x02, 0x15] + identity + [0xC5]
  static let altBeacon: [UInt8] = [0xBE, 0xAC] + identity + [0xC5, 0x09]

  static func structure(_ type: UInt8, _ data: [UInt8]) -> [UInt8] { [UInt8(data.count + 1), type] + data }

  @Test func bothLayoutsInEveryForm() throws {
    for (kind, company, data) in [
      (BeaconAdvertisement.Kind.iBeacon, UInt16(0x004C), Self.iBeacon),
      (.altBeacon, 0x0118, Self.altBeacon), (.altBeacon, 0x004C, Self.altBeacon),
    ] {
      let expected = BeaconAdvertisement(
        kind: kind, sighting: BeaconSighting(uuid: someUUID, major: 1, minor: 258, rssi: -70), measuredPower: -59,
        company: company, manufacturerReserved: kind == .altBeacon ? 9 : 0)
      let whole = [UInt8(company & 0xFF), UInt8(company >> 8)] + data
      let record = Self.structure(0x01, [0x06]) + Self.structure(0xFF, whole)
      #expect(try BeaconAdvertisement(data, company: company, rssi: -70) == expected)
      #expect(try BeaconAdvertisement(whole, rssi: -70) == expected)
      #expect(try BeaconAdvertisement(record, rssi: -70) == expected)
      #expect(try BeaconAdvertisement(record + Array(repeating: 0, count: 31), rssi: -70) == expected)
      #expect(try BeaconAdvertisement(record + [0x55], rssi: -70) == expected, "what follows is not looked at")
    }
  }

  @Test func theFirstBeaconCounts() throws {
    let first = Self.structure(0xFF, [0x18, 0x01] + Self.altBeacon)
    let second = Self.structure(0xFF, [0x4C, 0x00] + Self.iBeacon)
    #expect(try BeaconAdvertisement(first + second).kind == .altBeacon)
    #expect(try BeaconAdvertisement(second + first).kind == .iBeacon)
    // Zero padding ends the list of structures.
    #expect(throws: MonitorError.self) { try BeaconAdvertisement([0] + second) }
  }

  @Test func everyCutIsRefused() {
    let record = Self.structure(0x01, [0x06]) + Self.structure(0xFF, [0x4C, 0x00] + Self.iBeacon)
    for length in 0..<record.count {
      #expect(throws: MonitorError.self) { try BeaconAdvertisement(Array(record.prefix(length))) }
    }
    for data in [Self.iBeacon, Self.altBeacon] {
      for length in 0..<data.count {
        #expect(throws: MonitorError.self) { try BeaconAdvertisement(Array(data.prefix(length)), company: 0x4C) }
      }
      #expect(throws: MonitorError.self) { try BeaconAdvertisement(data + [0], company: 0x4C) }
    }
  }

  /// For any bytes, parsing returns a result or an error, and the position of an error is within the bytes.
  @Test func anyBytesAreAnswered() {
    var generator = SeededGenerator("any advertisement bytes")
    var decoded = 0
    for round in 0..<20_000 {
      var payload =
        round % 2 == 0
        ? (0..<generator.integer(0...64)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        : Self.structure(0x01, [0x06]) + Self.structure(0xFF, [0x4C, 0x00] + Self.iBeacon)
      if round % 2 == 1 { payload[generator.integer(0...(payload.count - 1))] = UInt8(generator.integer(0...255)) }
      do throws(MonitorError) {
        let found = try BeaconAdvertisement(payload, company: round % 3 == 0 ? 0x4C : nil)
        decoded += found.kind == .iBeacon ? 1 : 0
      } catch {
        guard case .invalidArgument(let reason, let position) = error else {
          Issue.record("\(error)")
          continue
        }
        #expect(!reason.isEmpty && (0...payload.count).contains(position), "\(reason)")
      }
    }
    #expect(decoded > 1_000)
  }

  /// Advertisements that the tests of other projects decode or refuse (the shared data set).
  @Test func theSharedVectors() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "shared/data/beacons/beacon-vectors.json")
    guard FileManager.default.fileExists(atPath: file.path) else {
      print("skipped: \(file.path) is not there")
      return
    }
    let vectors = try JSONDecoder().decode(JSON.self, from: Data(contentsOf: file)).array ?? []
    var seen: [String: Int] = [:]
    for vector in vectors {
      let id = try #require(vector["id"]?.string)
      var payload = bytes(try #require(vector["hex"]?.string))
      if vector["kind"]?.string == "hci" { payload = Array(payload[14..<(payload.count - 1)]) }
      let company = vector["company_id"]?.number.flatMap { UInt16(exactly: $0) }
      let expected = vector["expect"]
      let type = expected?["type"]?.string
      let found = try? BeaconAdvertisement(payload, company: company)
      seen[type ?? "none", default: 0] += 1
      guard type == "ibeacon" || type == "altbeacon" else {
        #expect(found == nil, "\(id)")
        continue
      }
      let prefix = type == "altbeacon"
      #expect(found?.kind == (prefix ? .altBeacon : .iBeacon), "\(id)")
      #expect(found?.sighting.uuid.description == expected?[prefix ? "id1" : "uuid"]?.string, "\(id)")
      #expect(found.map { Double($0.sighting.major) } == expected?[prefix ? "id2" : "major"]?.number, "\(id)")
      #expect(found.map { Double($0.sighting.minor) } == expected?[prefix ? "id3" : "minor"]?.number, "\(id)")
      #expect(found.map { Double($0.measuredPower) } == expected?["tx_power"]?.number, "\(id)")
      if let reserved = expected?["mfg_reserved"]?.number {
        #expect(found.map { Double($0.manufacturerReserved) } == reserved, "\(id)")
      }
      if let manufacturer = expected?["manufacturer"]?.number {
        #expect(found.map { Double($0.company) } == manufacturer, "\(id)")
      }
    }
    #expect(seen["ibeacon"] == 7 && seen["altbeacon"] == 4 && vectors.count == 38, "\(seen)")
  }

  private func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
