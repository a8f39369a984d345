import FencepostKernel
import TestSupport
import Testing

@testable import FencepostCore

/// A schedule keeps runs of edges; each answer must be that of the plain list of edges.
struct ScheduleRowTests {
  private static let hour: Int64 = 3_600_000_000
  private static let week = 168 * hour

  /// Opening hours over weeks, where an hour is lost and found again.
  private static func weekly(_ weeks: Int, daysOpen: Int, lost: Int = .max, found: Int = .max) -> [Int64] {
    var edges: [Int64] = []
    for number in 0..<weeks {
      for day in 0..<daysOpen {
        let shift: Int64 = number >= lost && number < found ? -hour : 0
        let midnight = Int64(number) * week + Int64(day) * 24 * hour + shift
        for opening in [8, 12, 13, 17] as [Int64] { edges.append(midnight + opening * hour) }
      }
    }
    return edges
  }

  private static func schedule(_ edges: [Int64], until end: Int64? = nil) throws -> Schedule {
    try .checked(ContiguousArray(edges), until: end)
  }

  private static func bytes(of schedule: Schedule) -> [UInt8] {
    var writer = ByteWriter(reserving: 64)
    schedule.encode(to: &writer)
    return [UInt8](writer.bytes)
  }

  private static func read(_ bytes: [UInt8]) throws(Damage) -> Schedule? {
    try bytes.withRawBytes { raw throws(Damage) in
      var reader = ByteReader(raw)
      let schedule = try Schedule.read(from: &reader)
      try reader.end()
      return schedule
    }
  }

  /// Lists with and without periods: a period of random length that is repeated, broken, turned, or hidden.
  private static func random(_ random: inout SeededGenerator) -> [Int64] {
    var edges: [Int64] = []
    var last = Int64.random(in: -1_000_000...1_000_000, using: &random)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let period = (0..<Int.random(in: 1...140, using: &random)).map { _ in Int64.random(in: 1...5, using: &random) }
      for turn in 0..<Int.random(in: 1...200, using: &random) {
        last += period[turn % period.count]
        edges.append(last)
      }
      last += Int64.random(in: 1...9, using: &random)
    }
    if edges.count % 2 == 1 { edges.removeLast() }
    return edges
  }

  @Test func everyAnswerIsThatOfTheList() throws {
    var generator = SeededGenerator("ScheduleRowTests")
    var lists: [[Int64]] = [
      [], [0, 1], Self.weekly(1, daysOpen: 5), Self.weekly(52, daysOpen: 5, lost: 12, found: 43),
      Self.weekly(52, daysOpen: 7), Self.weekly(357, daysOpen: 7, lost: 100, found: 101),
      [Timestamp.earliest.microseconds, Timestamp.latest.microseconds],
    ]
    lists += (0..<200).map { _ in Self.random(&generator) }
    for edges in lists {
      let schedule = try Self.schedule(edges)
      try #require(schedule.edgeCount == edges.count)
      for (index, edge) in edges.enumerated() {
        try #require(schedule.edge(index) == edge)
        try #require(schedule.runs.count(through: edge - 1) == index)
        try #require(schedule.runs.count(through: edge) == index + 1)
      }
      for time in [.min, Timestamp.earliest.microseconds, -1, 0, Timestamp.latest.microseconds, .max - 1] {
        #expect(schedule.runs.count(through: time) == edges.firstIndex { $0 > time } ?? edges.count)
      }
      if let first = edges.first, let last = edges.last {
        #expect(schedule.nextEdge(after: first - 1) == first)
        #expect(schedule.nextEdge(after: last) == .max)
        #expect(schedule.lastStart(through: .max - 1) == edges[edges.count - 2])
        #expect(schedule.nextStart(after: last) == nil)
      }
      let bytes = Self.bytes(of: schedule)
      let restored = try #require(try Self.read(bytes))
      #expect(restored == schedule && restored.hashValue == schedule.hashValue)
      #expect(Self.bytes(of: restored) == bytes)
      for index in edges.indices where index % 7 == 0 {
        var other = edges
        other[index] += other[index] + 1 < (index + 1 < edges.count ? edges[index + 1] : .max) ? 1 : 0
        if other != edges { #expect(try Self.schedule(other) != schedule) }
      }
    }
  }

  @Test func aYearOfOpeningHoursIsShort() throws {
    let schedule = try Self.schedule(Self.weekly(52, daysOpen: 5, lost: 12, found: 43), until: 53 * Self.week)
    #expect(schedule.edgeCount == 1_040)
    #expect(schedule.runs.runs.map(\.period).allSatisfy { $0 == Self.week })
    #expect(schedule.runs.runs.count == 3)
    #expect(Self.bytes(of: schedule).count < 160)
  }

  /// A list of an earlier version, as differences without runs, gives the same schedule.
  @Test func periodicEdgesWithoutRunsAreRead() throws {
    let edges = Self.weekly(20, daysOpen: 5)
    var writer = ByteWriter(reserving: 64)
    writer.putNumber(Int64(edges.count + 1))
    writer.putNumber(.max)
    var last: Int64 = 0
    for edge in edges {
      writer.putNumber(edge - last)
      last = edge
    }
    #expect(try Self.read([UInt8](writer.bytes)) == Self.schedule(edges))
  }

  /// No damaged byte traps, and each schedule that was read can be written again.
  @Test func damagedBytes() throws {
    var generator = SeededGenerator("damaged schedules")
    let weekly = Self.bytes(of: try Self.schedule(Self.weekly(52, daysOpen: 5, lost: 12, found: 43)))
    var refused = 0
    for number in 0..<20_000 {
      var bytes = number % 2 == 0 ? weekly : Self.bytes(of: try Self.schedule(Self.random(&generator)))
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      do throws(Damage) {
        guard let schedule = try Self.read(bytes) else { continue }
        #expect(try Self.read(Self.bytes(of: schedule)) == schedule)
      } catch { refused += 1 }
    }
    #expect(refused > 1_000)
  }
}
