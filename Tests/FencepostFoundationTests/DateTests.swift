import Fencepost
import FencepostFoundation
import Foundation
import TestSupport
import Testing

@Suite struct DateTests {
  @Test func datesKeepTheMicrosecond() throws {
    var random = SeededGenerator("dates")
    // From 1730 to 2272.
    let instants: ClosedRange<Int64> = -7_573_651_200_000_000...9_529_920_000_000_000
    for _ in 0..<20_000 {
      let time = Timestamp(microseconds: Int64.random(in: instants, using: &random))
      #expect(Timestamp(Date(time)) == time)
      #expect(try Timestamp(validating: time.date) == time)
    }
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-1_000_000, "1969-12-31T23:59:59.000Z"),
      (978_307_200_000_000, "2001-01-01T00:00:00.000Z"), (-12_212_553_600_000_000, "1583-01-01T00:00:00.000Z"),
      (1_700_000_000_125_000, "2023-11-14T22:13:20.125Z"),
    ] as [(Int64, String)])
  func datesAreTheInstantsOfFoundation(_ microseconds: Int64, _ text: String) throws {
    let date = try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    #expect(Timestamp(date) == Timestamp(microseconds: microseconds))
    #expect(Timestamp(microseconds: microseconds).date == date)
  }

  @Test func datesAreRounded() {
    #expect(Timestamp(Date(timeIntervalSince1970: 1.000_000_4)) == Timestamp(microseconds: 1_000_000))
    #expect(Timestamp(Date(timeIntervalSince1970: 1.000_000_6)) == Timestamp(microseconds: 1_000_001))
    #expect(Timestamp(Date(timeIntervalSince1970: -0.000_000_6)) == Timestamp(microseconds: -1))
  }

  @Test(arguments: [
    Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e12, -1e12, .greatestFiniteMagnitude, 252_423_993_600,
    -63_113_904_001,
  ])
  func datesOutOfRangeAreRefused(_ sinceReference: Double) {
    let date = Date(timeIntervalSinceReferenceDate: sinceReference)
    #expect(Timestamp(date) == nil)
    #expect(throws: MonitorError.self) { try Timestamp(validating: date) }
    #expect(throws: MonitorError.self) { try Fix(latitude: 0, longitude: 0, time: date) }
  }

  @Test func datesAtTheEndsOfTheIntegersDoNotTrap() {
    #expect(Timestamp(Date(Timestamp(microseconds: .max))) == nil)
    #expect(Timestamp(Date(Timestamp(microseconds: .min))) == nil)
    // Foundation's `distantPast` and `distantFuture` are in the years 0 and 4001.
    #expect(Timestamp(Date.distantPast) == nil)
    #expect(Timestamp(Date.distantFuture) == Timestamp(microseconds: 64_092_211_200_000_000))
    #expect(Timestamp(Timestamp.earliest.date) == .earliest)
  }

  @Test func monitorTakesDates() async throws {
    let monitor = Monitor()
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    try await monitor.add(
      CircularGeographicCondition(center: Coordinate(latitude: 1, longitude: 1), radius: 100), identifier: "c")
    let uuid = try #require(UUID(uuidString: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"))
    try await monitor.add(BeaconIdentityCondition(uuid: uuid, major: 1), identifier: "b")
    try await monitor.feed(Fix(latitude: 1, longitude: 1, accuracy: 5, time: start))
    try await monitor.feed([BeaconSighting(uuid: uuid, major: 1, minor: 2)], at: start.addingTimeInterval(1))
    try await monitor.advance(to: start.addingTimeInterval(10))
    try await monitor.setScanning(false, at: start.addingTimeInterval(11))
    try await monitor.setHostCapabilities([], at: start.addingTimeInterval(12))
    #expect(try await monitor.nextEvent()?.date?.date == start)
    let sighted = try await monitor.nextEvent()
    #expect(sighted?.date?.date == start.addingTimeInterval(1))
    #expect(sighted?.beacon?.uuid.uuid == uuid)
    #expect(await monitor.currentTime?.date == start.addingTimeInterval(12))
    await #expect(throws: MonitorError.self) { try await monitor.advance(to: Date(timeIntervalSince1970: .nan)) }
  }
}
