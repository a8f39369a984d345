import Foundation
import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct ReordererTests {
  // MARK: Conformance

  /// The scenarios, which the tests of the Python package play too.
  private static let scenarios: [JSON] = {
    let file = packageRoot.appending(path: "Tests/Conformance/Reorder/order.json")
    return (try? JSONDecoder().decode(JSON.self, from: Data(contentsOf: file)))?.array ?? []
  }()

  @Test func scenariosAreThere() {
    #expect(Self.scenarios.count >= 20)
  }

  @Test(arguments: scenarios.indices)
  func scenario(_ index: Int) throws {
    let scenario = Self.scenarios[index]
    let name = scenario["name"]?.string ?? ""
    let options = try scenario.member("reorder")
    var reorderer = try Reorderer<String, String>(
      windowMicroseconds: options.member("window").microseconds(),
      limit: options["limit"].map { Int(try $0.double()) } ?? 1_000)
    for step in try scenario.member("steps").list() {
      if let held = step["held"] {
        #expect(reorderer.count == Int(try held.double()), "\(name): \(step)")
      } else if step["refused"]?.string == "invalid_argument" {
        let before = reorderer.count
        let refused = try step.member("step")
        do {
          _ = try play(refused, on: &reorderer)
          Issue.record("\(name): accepted \(refused)")
        } catch MonitorError.invalidArgument {
          #expect(reorderer.count == before)
        }
      } else {
        let expected = try step.member("released").list().map(\.string)
        let released = try play(step, on: &reorderer)
        #expect(released == expected, "\(name): \(step)")
      }
    }
    #expect(reorderer.count == 0)
    #expect(reorderer.devices.isEmpty)
  }

  private func play(_ step: JSON, on reorderer: inout Reorderer<String, String>) throws -> [String?] {
    let device = step["device"]?.string
    if let item = step["add"]?.string {
      return try reorderer.add(item, at: step.member("time").time(), for: device ?? "")
    }
    if let time = step["advance"] {
      if let device { return try reorderer.advance(to: time.time(), for: device) }
      return try reorderer.advance(to: time.time())
    }
    guard step["flush"]?.bool == true else { throw Mismatch("unknown step \(step)") }
    if let device { return reorderer.flush(device) }
    return reorderer.flush()
  }

  // MARK: The definition

  private struct Row: Hashable {
    var time: Int64
    var arrival: Int
  }

  /// The definition, with sorted arrays and without any other data structure.
  private struct Reference {
    var window: Int64
    var limit: Int
    var held: [Int: [Row]] = [:]
    var largest: [Int: Int64] = [:]

    mutating func add(_ row: Row, _ device: Int) -> [Row] {
      held[device, default: []].append(row)
      largest[device] = max(row.time, largest[device] ?? row.time)
      return release(device, limit)
    }

    mutating func advance(_ time: Int64, _ devices: [Int]) -> [Row] {
      var released: [Row] = []
      for device in devices where held[device] != nil {
        largest[device] = max(time, largest[device] ?? time)
        released += release(device, .max)
      }
      return sorted(released)
    }

    mutating func flush(_ devices: [Int]) -> [Row] {
      var released: [Row] = []
      for device in devices {
        released += held.removeValue(forKey: device) ?? []
        largest[device] = nil
      }
      return sorted(released)
    }

    private func sorted(_ rows: [Row]) -> [Row] {
      rows.sorted { $0.time != $1.time ? $0.time < $1.time : $0.arrival < $1.arrival }
    }

    private mutating func release(_ device: Int, _ limit: Int) -> [Row] {
      var rows = sorted(held[device] ?? [])
      var released: [Row] = []
      while let first = rows.first, let seen = largest[device], seen >= first.time + window || rows.count > limit {
        released.append(first)
        rows.removeFirst()
      }
      held[device] = rows.isEmpty ? nil : rows
      if rows.isEmpty { largest[device] = nil }
      return released
    }
  }

  @Test(arguments: 1...60)
  func itemsComeOutAsInTheDefinition(_ salt: UInt64) throws {
    var generator = SeededGenerator("Reorderer", salt: salt)
    let window = [0, 1, 7, 60, 1_000_000_000][generator.integer(0...4)]
    let limit = [1, 2, 5, 1_000][generator.integer(0...3)]
    let spread = [0, 3, 30, 300][generator.integer(0...3)]
    var reorderer = try Reorderer<Int, Row>(windowMicroseconds: Int64(window), limit: limit)
    var reference = Reference(window: Int64(window), limit: limit)
    var added: [Row] = []
    var released: [Row] = []
    for arrival in 0..<400 {
      let device = generator.integer(0...2)
      let jump = generator.chance(0.01) ? 10_000 : 0
      let row = Row(time: Int64(arrival / 2 + generator.integer(-spread...spread) + jump), arrival: arrival)
      let found = try reorderer.add(row, at: Timestamp(microseconds: row.time), for: device)
      try #require(found == reference.add(row, device))
      added.append(row)
      released += found
      if generator.chance(0.05) {
        let one = generator.integer(0...3)
        let devices = one == 3 ? [0, 1, 2] : [one]
        let time = Int64(arrival / 2 + generator.integer(0...100))
        let more: [Row]
        let expected: [Row]
        if generator.chance(0.3) {
          more = one == 3 ? reorderer.flush() : reorderer.flush(one)
          expected = reference.flush(devices)
        } else {
          let at = Timestamp(microseconds: time)
          more = try one == 3 ? reorderer.advance(to: at) : reorderer.advance(to: at, for: one)
          expected = reference.advance(time, devices)
        }
        try #require(more == expected)
        released += more
      }
      let held = added.count - released.count
      try #require(reorderer.count == held)
      try #require(held <= 3 * limit)
      try #require(Set(reorderer.devices) == Set(reference.held.keys))
    }
    let rest = reorderer.flush()
    #expect(rest == reference.flush([0, 1, 2]))
    // Each item comes out exactly once.
    #expect(Set(released + rest) == Set(added))
    #expect(released.count + rest.count == added.count)
  }

  @Test(arguments: 1...20)
  func itemsWithinTheWindowComeOutSorted(_ salt: UInt64) throws {
    var generator = SeededGenerator("Reorderer within the window", salt: salt)
    let rows = (0..<500).map { _ in
      let time = generator.integer(0...499)
      return (time: time, arrival: Double(time) + generator.uniform(0...50))
    }
    var reorderer = try Reorderer<Int, Int>(windowMicroseconds: 51)
    var released: [Int] = []
    for row in rows.sorted(by: { $0.arrival < $1.arrival }) {
      released += try reorderer.add(row.time, at: Timestamp(microseconds: Int64(row.time)), for: 0)
    }
    released += reorderer.flush()
    #expect(released == rows.map(\.time).sorted())
  }

  // MARK: Values and ranges

  @Test func aCopyIsIndependent() throws {
    var first = try Reorderer<Int, String>(windowMicroseconds: 10_000_000)
    let none = try first.add("a", at: at(0), for: 1)
    #expect(none.isEmpty)
    var second = first
    let released = try second.add("b", at: at(10), for: 1)
    #expect(released == ["a"])
    #expect(first.count == 1)
    let rest = first.flush()
    #expect(rest == ["a"])
    #expect(second.count == 1)
  }

  @Test(arguments: [(-1, 1), (1_000_000_000_000_001, 1), (.min, 1), (.max, 1), (0, 0), (0, -1), (0, 1_000_001)])
  func valuesOutOfRangeAreRefused(_ window: Int64, _ limit: Int) {
    #expect(throws: MonitorError.self) { try Reorderer<Int, Int>(windowMicroseconds: window, limit: limit) }
  }

  @Test func extremesDoNotTrap() throws {
    var reorderer = try Reorderer<Int, Int>(windowMicroseconds: 1_000_000_000_000_000, limit: 1_000_000)
    for microseconds in [Int64.min, .max, Timestamp.earliest.microseconds - 1, Timestamp.latest.microseconds + 1] {
      let time = Timestamp(microseconds: microseconds)
      #expect(throws: MonitorError.self) { _ = try reorderer.add(0, at: time, for: 0) }
      #expect(throws: MonitorError.self) { _ = try reorderer.advance(to: time) }
      #expect(throws: MonitorError.self) { _ = try reorderer.advance(to: time, for: 0) }
    }
    #expect(reorderer.count == 0)
    let held = try reorderer.add(1, at: .earliest, for: 0)
    let released = try reorderer.add(2, at: .latest, for: 0)
    #expect(held == [])
    #expect(released == [1])
  }

  // MARK: With a fleet

  /// The phone was offline, and sends its newest fix before the older ones.
  @Test func lateFixesOfAPhoneGiveTheirEvents() async throws {
    let arrived: [(second: Double, distance: Double)] = [(0, 5_000), (300, 5_000), (100, 0), (200, 0), (400, 5_000)]
    func events(windowMicroseconds: Int64) async throws -> [String] {
      let conditions = Conditions()
      try conditions.add(circle(100), identifier: "home", policy: .exact)
      let fleet = try Fleet(conditions)
      var reorderer = try Reorderer<String, Fix>(windowMicroseconds: windowMicroseconds)
      var released: [Fix] = []
      for row in arrived { released += try reorderer.add(fix(row.second, row.distance), for: "phone") }
      released += reorderer.flush("phone")
      for fix in released {
        try? await fleet.feed(fix, for: "phone")  // a late fix is refused
      }
      return await fleet.nextEvents(10).map(\.event.brief)
    }
    let unsorted = try await events(windowMicroseconds: 0)
    let sorted = try await events(windowMicroseconds: 250_000_000)
    #expect(unsorted == [])
    #expect(sorted.count == 2)
    #expect(sorted.first?.hasPrefix("home satisfied@100") == true)
    #expect(sorted.last?.hasPrefix("home unsatisfied@300") == true)
  }
}
