import Fencepost
import Foundation
import Testing

/// Tests that devices which were exported in earlier formats can still be imported; there is one file for each format.
/// A file also contains the digest of the devices' table, and the events that the devices produce after import.
/// Exported devices of all formats must stay readable. The devices in format 1 were written by version 0.2. In the
/// third file the portable devices have format 3. In the fourth file, `devices-hosts.txt`, the devices whose hosts stated
/// something have the formats 4 and 5.
///
/// The devices come from `fleet-1.bin`, `fleet-2.bin` and `fleet-hosts.bin`. `FENCEPOST_WRITE_GOLDEN=1 swift test
/// --filter DeviceGoldenTests` writes the file of the newest format.
@Suite struct DeviceGoldenTests {
  private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Golden")
  private static let writes = ProcessInfo.processInfo.environment["FENCEPOST_WRITE_GOLDEN"] == "1"

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func bytes(_ hex: some StringProtocol) throws -> [UInt8] {
    let digits = Array(hex.utf8)
    return try stride(from: 0, to: digits.count, by: 2).map { place in
      try #require(UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16))
    }
  }

  private func fleet(_ format: Int) throws -> FleetEngine {
    let name = "fleet-\(format == 4 ? "hosts" : "\(min(format, 2))").bin"
    return try FleetEngine(restoring: [UInt8](try Data(contentsOf: Self.golden.appendingPathComponent(name))))
  }

  /// A device as stored in a file.
  private struct Device {
    var name: String
    var own: [UInt8]
    var portable: [UInt8]
  }

  private func exported(_ fleet: FleetEngine) throws -> [Device] {
    try fleet.deviceNumbers.map { number in
      Device(
        name: try #require(fleet.identifier(of: number)), own: try fleet.export([number])[0],
        portable: try fleet.export([number], portable: true)[0])
    }
  }

  /// Returns a table with the same conditions, but in another order and with other generations.
  private func reordered(_ conditions: Conditions) throws -> Conditions {
    let other = Conditions()
    for identifier in conditions.identifiers.reversed() {
      var condition = try #require(conditions.condition(for: identifier))
      condition.assuming = .unsatisfied
      _ = try other.ensure([condition])
    }
    return other
  }

  /// Imports devices, feeds the same inputs to each of them, and returns everything that the caller sees.
  private func continuation(of devices: [(String, [UInt8])], _ table: Conditions, adapt: Bool) throws -> [String] {
    var fleet = try FleetEngine(table)
    let numbers = try fleet.load(devices, adapt: adapt)
    var lines: [String] = []
    for number in numbers {
      let inside = try fleet.inside(number).map { "\($0.identifier) since \($0.since)" }
      let own = try fleet.statistics(of: number)
      lines.append(
        "\(fleet.identifier(of: number) ?? "") \(own.clock?.description ?? "unset") \(own.inputCount) "
          + "\(own.handedOutEvents) \(inside)")
    }
    func drain() { while let event = fleet.nextEvent() { lines.append("\(event.row) \(event.json)") } }
    drain()
    for (step, number) in numbers.enumerated() where step % 2 == 1 {
      try fleet.feed(
        [BeaconSighting(uuid: BeaconUUID(high: 1, low: 2), major: 9, minor: 1)], at: at(1_600), for: number)
    }
    for (step, metres) in ([0, 280, 105] as [Double]).enumerated() {
      for number in numbers { try fleet.feed(fix(1_601 + Int64(step * 21), metres), for: number) }
    }
    try fleet.advance(to: at(3_000))
    drain()
    for number in numbers { lines.append(Self.hex(try fleet.export([number])[0])) }
    return lines
  }

  private func text(_ devices: [Device], digest: [UInt8], _ table: Conditions) throws -> String {
    var lines = ["table \(Self.hex(digest))"]
    for device in devices {
      lines.append("\(Self.hex(device.own)) \(Self.hex(device.portable)) \(device.name)")
    }
    lines.append("imported")
    lines += try continuation(of: devices.map { ($0.name, $0.own) }, table, adapt: false)
    lines.append("adapted")
    lines += try continuation(of: devices.map { ($0.name, $0.portable) }, reordered(table), adapt: true)
    return lines.joined(separator: "\n") + "\n"
  }

  private func file(_ format: Int) -> URL {
    Self.golden.appendingPathComponent("devices-\(format == 4 ? "hosts" : "\(format)").txt")
  }

  @Test(.enabled(if: writes)) func write() throws {
    let fleet = try fleet(4)
    let text = try text(try exported(fleet), digest: fleet.conditions.version.digest.bytes, fleet.conditions)
    try text.write(to: file(4), atomically: true, encoding: .utf8)
  }

  /// Devices in a file can be imported, and then give the expected events.
  @Test(arguments: 1...4) func devicesAreImported(_ format: Int) throws {
    let expected = try String(contentsOf: file(format), encoding: .utf8)
    let lines = expected.split(separator: "\n")
    let digest = try Self.bytes(try #require(lines.first).dropFirst(6))
    let devices = try lines.dropFirst().prefix { $0 != "imported" }.map { line in
      let parts = line.split(separator: " ", maxSplits: 2)
      return Device(name: String(parts[2]), own: try Self.bytes(parts[0]), portable: try Self.bytes(parts[1]))
    }
    #expect(devices.count == 5)
    let conditions = try fleet(format).conditions
    #expect(conditions.version.digest.bytes == digest)
    #expect(try text(devices, digest: digest, conditions) == expected)
  }

  /// Exporting the devices again gives the bytes in the file. Portable devices are compared only in the newest format,
  /// because the library writes no older one. When the format of non-portable devices changes, remove this test for the
  /// older formats, but keep `devicesAreImported`, which reads them.
  @Test(arguments: 1...4) func theBytesAreThoseOfToday(_ format: Int) throws {
    let lines = try String(contentsOf: file(format), encoding: .utf8).split(separator: "\n")
    let expected = lines.dropFirst().prefix { $0 != "imported" }.map { $0.split(separator: " ", maxSplits: 2) }
    let devices = try exported(try fleet(format))
    #expect(devices.map { Self.hex($0.own) } == expected.map { String($0[0]) })
    if format >= 3 { #expect(devices.map { Self.hex($0.portable) } == expected.map { String($0[1]) }) }
  }
}
