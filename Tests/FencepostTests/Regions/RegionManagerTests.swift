import Foundation
import Testing

@testable import Fencepost
@testable import FencepostCore

/// A delegate that records its calls.
final class Diary: RegionManagerDelegate {
  var name = ""
  var lines: [String] = []
  /// Receives the calls of several delegates, so that a test can record the order of their calls.
  var common: ((String) -> Void)?
  var onLine: ((RegionManager, String) -> Void)?

  private func note(_ manager: RegionManager, _ line: String) {
    lines.append(line)
    common?("\(name) \(line)")
    onLine?(manager, line)
  }

  /// The calls since the previous `take()`.
  func take() -> [String] {
    defer { lines = [] }
    return lines
  }

  func regionManager(_ manager: RegionManager, didEnterRegion region: Region) {
    note(manager, "enter \(region.identifier)")
  }
  func regionManager(_ manager: RegionManager, didExitRegion region: Region) {
    note(manager, "exit \(region.identifier)")
  }
  func regionManager(_ manager: RegionManager, didDetermineState state: RegionState, for region: Region) {
    note(manager, "\(state) \(region.identifier)")
  }
  func regionManager(_ manager: RegionManager, didStartMonitoringFor region: Region) {
    note(manager, "start \(region.identifier)")
  }
  func regionManager(_ manager: RegionManager, monitoringDidFailFor region: Region?, withError error: LocationError) {
    note(manager, "fail \(region?.identifier ?? "-") \(error.rawValue)")
  }
  func regionManager(_ manager: RegionManager, didFailWithError error: LocationError) {
    note(manager, "fail \(error.rawValue)")
  }
  func regionManager(_ manager: RegionManager, didChangeAuthorization status: AuthorizationStatus) {
    note(manager, "authorization \(status)")
  }
  func regionManager(_ manager: RegionManager, didUpdateLocations locations: [Fix]) {
    note(manager, "at " + locations.map { "\($0.time.microseconds / 1_000_000)" }.joined(separator: ","))
  }
}

/// A service with one manager, and the delegate that records the manager's calls.
struct Desk {
  let service: RegionService
  let manager: RegionManager
  let diary = Diary()

  init(_ settings: RegionService.Settings = .init()) throws {
    service = try RegionService(engine: MonitorEngine(), settings: settings)
    manager = RegionManager(sharing: service)
    manager.delegate = diary
  }
}

func region(
  _ identifier: String, _ radius: Double = 100, latitude: Double = 0, longitude: Double = 0
) -> CircularRegion {
  CircularRegion(
    center: Coordinate(latitude: latitude, longitude: longitude), radius: radius, identifier: identifier)
}

@Suite struct RegionManagerTests {
  // MARK: The scenarios

  @Test func s64StartingInsideIsNotEntering() throws {
    let desk = try Desk()
    try desk.service.feed(fix(0, 10))
    desk.manager.startMonitoring(for: region("c"))
    #expect(desk.diary.take() == ["start c", "inside c"])
  }

  /// The first known state of a region is never reported as a crossing, whether the device is inside or outside.
  @Test func theFirstStateIsOnlyDetermined() throws {
    let desk = try Desk()
    desk.manager.startMonitoring(for: region("in"))
    desk.manager.startMonitoring(for: region("out", 100, latitude: 1))
    let quiet = region("quiet")
    quiet.notifyOnEntry = false
    quiet.notifyOnExit = false
    desk.manager.startMonitoring(for: quiet)
    #expect(desk.diary.take() == ["start in", "start out", "start quiet"])
    try desk.service.feed(fix(0, 10))
    #expect(desk.diary.take() == ["inside in", "outside out", "inside quiet"])
  }

  @Test func s65SettingsGateCrossingsOnly() throws {
    let desk = try Desk()
    try desk.service.feed(fix(0, 10))
    let quiet = region("c")
    quiet.notifyOnExit = false
    desk.manager.startMonitoring(for: quiet)
    quiet.notifyOnExit = true  // settings were copied
    _ = desk.diary.take()
    try desk.service.feed(fix(100, 300))
    #expect(desk.diary.take().isEmpty)
    try desk.service.advance(to: at(120))
    #expect(desk.diary.take() == ["outside c"])
    try desk.service.feed(fix(200, 10))
    try desk.service.advance(to: at(220))
    #expect(desk.diary.take() == ["enter c", "inside c"], "L3: the crossing first")
  }

  @Test func s66ReplacementIsByTypeAndIdentifier() throws {
    let desk = try Desk()
    desk.manager.startMonitoring(for: region("x", 100))
    desk.manager.startMonitoring(for: region("x", 250, latitude: 1))
    #expect(desk.manager.monitoredRegions.count == 1)
    let only = try #require(desk.manager.monitoredRegions.first as? CircularRegion)
    #expect(only.radius == 250 && only.center.latitude == 1)
    desk.manager.startMonitoring(for: BeaconRegion(uuid: someUUID, identifier: "x"))
    #expect(desk.manager.monitoredRegions.count == 2)
    desk.manager.stopMonitoring(for: region("x"))
    #expect(desk.manager.monitoredRegions == [BeaconRegion(uuid: someUUID, identifier: "x")])
    #expect(desk.diary.take() == ["start x", "start x", "start x"])
  }

  @Test func s67TooLargeARegionIsNotMonitored() throws {
    let desk = try Desk(.init(maximumRadius: 1_000))
    #expect(desk.manager.maximumRegionMonitoringDistance == 1_000)
    desk.manager.startMonitoring(for: region("c", 1_000.001))
    #expect(desk.diary.take() == ["fail c 5"])
    #expect(desk.manager.monitoredRegions.isEmpty)
    desk.manager.startMonitoring(for: region("c", 1_000))
    #expect(desk.diary.take() == ["start c"])
    // A refused replacement does not change the existing region.
    desk.manager.startMonitoring(for: region("c", 2_000))
    #expect(desk.diary.take() == ["fail c 5"])
    #expect((desk.manager.monitoredRegions.first as? CircularRegion)?.radius == 1_000)
  }

  @Test func s68TheTwentyFirstRegionIsRefused() throws {
    let desk = try Desk()
    for index in 0..<19 { desk.manager.startMonitoring(for: region("c\(index)")) }
    desk.manager.startMonitoring(for: BeaconRegion(uuid: someUUID, identifier: "b"))
    _ = desk.diary.take()
    desk.manager.startMonitoring(for: region("one more"))
    #expect(desk.diary.take() == ["fail one more 5"])
    #expect(desk.manager.monitoredRegions.count == 20)
    desk.manager.startMonitoring(for: region("c3", 50))  // a condition that replaces another does not need a free slot
    #expect(desk.diary.take() == ["start c3"])
    try desk.service.feed(fix(0, 10))
    #expect(desk.diary.take().count == 19)
    desk.manager.stopMonitoring(for: region("c0"))
    desk.manager.startMonitoring(for: region("one more"))
    #expect(desk.diary.take() == ["start one more", "inside one more"])
  }

  @Test func s69WithoutAFixTheStateIsUnknown() throws {
    let desk = try Desk()
    desk.manager.startMonitoring(for: region("c"))
    desk.manager.requestState(for: region("c"))
    desk.manager.requestState(for: region("other"))
    #expect(desk.diary.take() == ["start c", "unknown c", "unknown other"])
  }

  /// Every event is reported to all managers, in the order in which the managers were created. The answer to a request
  /// goes only to the manager that sent the request.
  @Test func s70EveryManagerIsToldOnce() throws {
    let service = try RegionService(engine: MonitorEngine())
    let (first, second) = (RegionManager(sharing: service), RegionManager(sharing: service))
    let (one, two) = (Diary(), Diary())
    var common: [String] = []
    (one.name, two.name) = ("1", "2")
    one.common = { common.append($0) }
    two.common = { common.append($0) }
    first.delegate = one
    second.delegate = two
    second.startMonitoring(for: region("c"))
    #expect(common == ["2 start c"])
    #expect(first.monitoredRegions == [region("c")])
    try service.feed(fix(0, 10))
    try service.feed(fix(100, 300))
    common = []
    try service.advance(to: at(120))
    #expect(common == ["1 exit c", "2 exit c", "1 outside c", "2 outside c"])
    common = []
    first.requestState(for: region("c"))
    #expect(common == ["1 outside c"])
  }

  // MARK: The other rules

  /// After Bluetooth is switched off and on, the new state is not a crossing.
  @Test func outOfUnknownNothingIsCrossed() throws {
    let desk = try Desk()
    desk.manager.startMonitoring(for: BeaconRegion(uuid: someUUID, identifier: "b"))
    let sighting = BeaconSighting(uuid: someUUID, major: 1, minor: 1)
    try desk.service.feed([sighting], at: at(0))
    #expect(desk.diary.take() == ["start b", "inside b"])
    try desk.service.advance(to: at(30))
    #expect(desk.diary.take() == ["exit b", "outside b"])
    try desk.service.feed([sighting], at: at(31))
    #expect(desk.diary.take() == ["enter b", "inside b"])
    try desk.service.setScanning(false, at: at(40))
    desk.manager.requestState(for: BeaconRegion(uuid: someUUID, identifier: "b"))
    #expect(desk.diary.take() == ["unknown b"])
    try desk.service.setScanning(true, at: at(100))
    try desk.service.advance(to: at(130))
    #expect(desk.diary.take() == ["outside b"])
  }

  @Test func theFirstAbsenceOfABeaconIsNotAnExit() throws {
    let desk = try Desk()
    desk.manager.startMonitoring(for: BeaconRegion(uuid: someUUID, major: 3, identifier: "b"))
    try desk.service.advance(to: at(0))
    try desk.service.advance(to: at(30))
    #expect(desk.diary.take() == ["start b", "outside b"])
  }

  /// A request for a region that is not monitored is answered from the last fix.
  @Test func requestsForOtherRegionsUseTheLastFix() throws {
    let desk = try Desk()
    try desk.service.feed(fix(0, 105, 50))
    desk.manager.requestState(for: region("a", 100))
    desk.manager.requestState(for: region("b", 110))
    desk.manager.requestState(for: BeaconRegion(uuid: someUUID, identifier: "c"))
    desk.manager.requestState(for: region("d", .nan))
    #expect(desk.diary.take() == ["outside a", "inside b", "unknown c", "unknown d"])
    #expect(desk.manager.monitoredRegions.isEmpty)
  }

  /// Regions whose monitoring is denied are kept, and are monitored once monitoring is allowed.
  @Test func deniedRegionsBeginOnceAllowed() throws {
    let desk = try Desk()
    try desk.service.setAuthorizationStatus(.denied, at: at(0))
    #expect(desk.diary.take() == ["authorization denied"])
    desk.manager.startMonitoring(for: region("c"))
    desk.manager.startUpdatingLocation()
    #expect(desk.diary.take() == ["fail c 4", "fail 1"])
    #expect(desk.manager.monitoredRegions.count == 1)
    try desk.service.feed(fix(1, 10))
    #expect(desk.diary.take().isEmpty)
    try desk.service.setAuthorizationStatus(.authorizedAlways, at: at(2))
    try desk.service.feed(fix(3, 10))
    #expect(desk.diary.take() == ["authorization authorizedAlways", "at 3", "inside c"])
  }

  @Test func unavailableKindsAreRefused() throws {
    let desk = try Desk()
    #expect(desk.manager.isMonitoringAvailable(for: BeaconRegion.self))
    try desk.service.setUnavailable([.beaconIdentity], at: at(0))
    #expect(!desk.manager.isMonitoringAvailable(for: BeaconRegion.self))
    #expect(desk.manager.isMonitoringAvailable(for: CircularRegion.self))
    #expect(!desk.manager.isMonitoringAvailable(for: Region.self))
    desk.manager.startMonitoring(for: BeaconRegion(uuid: someUUID, identifier: "b"))
    desk.manager.startMonitoring(for: region("c"))
    #expect(desk.diary.take() == ["fail b 5", "start c"])
  }

  @Test func authorizationIsAnsweredByTheHost() throws {
    let desk = try Desk()
    #expect(desk.manager.authorizationStatus == .authorizedAlways)
    desk.manager.requestAlwaysAuthorization()
    var asked = 0
    desk.service.onAuthorizationRequest = { service in
      asked += 1
      try? service.setAuthorizationStatus(.authorizedAlways, at: at(10))
    }
    desk.manager.requestAlwaysAuthorization()  // already answered
    #expect(asked == 0)
    try desk.service.setAuthorizationStatus(.notDetermined, at: at(0))
    desk.manager.startMonitoring(for: region("c"))
    try desk.service.feed(fix(1, 10))
    #expect(desk.diary.take() == ["authorization notDetermined", "start c"])
    desk.manager.requestAlwaysAuthorization()
    #expect(asked == 1)
    try desk.service.feed(fix(11, 10))
    #expect(desk.diary.take() == ["authorization authorizedAlways", "inside c"])
  }

  /// L8, S71.
  @Test func significantChanges() throws {
    let desk = try Desk()
    try desk.service.feed(fix(0, 0))
    desk.manager.startMonitoringSignificantLocationChanges()
    for (seconds, distance) in [(0.0, 0.0), (60, 600), (301, 700), (700, 900)] {
      try desk.service.feed(fix(seconds, distance))
    }
    #expect(desk.diary.take() == ["at 0", "at 301"])
    desk.manager.stopMonitoringSignificantLocationChanges()
    try desk.service.feed(fix(2_000, 9_000))
    #expect(desk.diary.take().isEmpty)
    desk.manager.startMonitoringSignificantLocationChanges()
    desk.manager.startUpdatingLocation()
    for seconds in 2_001...2_003 { try desk.service.feed(fix(Double(seconds), 9_000)) }
    desk.manager.stopUpdatingLocation()
    try desk.service.feed(fix(2_004, 9_000))
    #expect(desk.diary.take() == ["at 2001", "at 2002", "at 2003"], "once for each fix")
    // If one manager stops monitoring significant location changes, the other managers continue.
    let other = RegionManager(sharing: desk.service)
    other.startMonitoringSignificantLocationChanges()
    other.stopMonitoringSignificantLocationChanges()
    try desk.service.feed(fix(3_000, 20_000))
    #expect(desk.diary.take() == ["at 3000"])
    desk.service.positioningDidFail(.locationUnknown)
    #expect(desk.diary.take() == ["fail 0"])
  }

  @Test func theDisplayWakes() throws {
    let desk = try Desk()
    let beacon = BeaconRegion(uuid: someUUID, identifier: "b")
    desk.service.displayDidWake()
    beacon.notifyEntryStateOnDisplay = true
    desk.manager.startMonitoring(for: beacon)
    desk.manager.startMonitoring(for: BeaconRegion(uuid: someUUID, identifier: "silent"))
    desk.service.displayDidWake()
    #expect(desk.diary.take() == ["start b", "start silent"])
    try desk.service.feed([BeaconSighting(uuid: someUUID, major: 1, minor: 1)], at: at(0))
    _ = desk.diary.take()
    desk.service.displayDidWake()
    #expect(desk.diary.take() == ["inside b"])
  }

  // MARK: What a delegate may do

  @Test func aDelegateMayStartAndStopWithinACall() throws {
    let desk = try Desk()
    desk.diary.onLine = { manager, line in
      if line == "exit a" {
        manager.startMonitoring(for: region("b", 1_000))
        manager.stopMonitoring(for: region("a"))
        manager.requestState(for: region("b", 1_000))
      }
    }
    try desk.service.feed(fix(0, 10))
    desk.manager.startMonitoring(for: region("a"))
    try desk.service.feed(fix(100, 300))
    _ = desk.diary.take()
    try desk.service.advance(to: at(120))
    #expect(desk.diary.take() == ["exit a", "outside a", "start b", "inside b", "inside b"])
    #expect(desk.manager.monitoredRegions == [region("b")])
  }

  @Test func withoutAManagerEventsWait() throws {
    let service = try RegionService(engine: MonitorEngine())
    let diary = Diary()
    do {
      let manager = RegionManager(sharing: service)
      manager.startMonitoring(for: region("c"))
    }
    try service.feed(fix(0, 10))
    let manager = RegionManager(sharing: service)
    manager.delegate = diary
    try service.advance(to: at(1))
    #expect(diary.take() == ["inside c"])
  }

  @Test func malformedRegionsAreRefused() throws {
    let desk = try Desk()
    for bad in [
      region(""), region(String(repeating: "x", count: 255)), region("c", 0), region("c", -1), region("c", .nan),
      region("c", .infinity), region("c", 10, latitude: 91), region("a\0b"),
    ] {
      desk.manager.startMonitoring(for: bad)
      #expect(desk.diary.take() == ["fail \(bad.identifier) 5"])
    }
    desk.manager.startMonitoring(for: region(String(repeating: "x", count: 254)))
    #expect(desk.manager.monitoredRegions.count == 1)
    #expect(throws: MonitorError.self) { try Desk(.init(regionLimit: 0)) }
    #expect(throws: MonitorError.self) { try Desk(.init(maximumRadius: .nan)) }
    #expect(throws: MonitorError.self) { try Desk(.init(policy: TransitionPolicy(entryMargin: -1))) }
  }

  @Test func lateFixesAreTheHostsBusiness() throws {
    let desk = try Desk()
    desk.manager.startUpdatingLocation()
    try desk.service.feed(fix(10, 10))
    #expect(throws: MonitorError.self) { try desk.service.feed(fix(9, 10)) }
    try desk.service.feed(fix(11, 10, -1))  // no position
    #expect(desk.diary.take() == ["at 10"])
  }

  @Test func containsIncludesTheLine() {
    #expect(region("c").contains(fix(0, 99.999).coordinate))
    #expect(!region("c").contains(fix(0, 100.001).coordinate))
  }

  @Test func conditionsOfOthersAreNotTold() throws {
    var engine = try MonitorEngine()
    try engine.add(circle(100), identifier: "plain")
    try engine.add(BeaconIdentityCondition(uuid: someUUID), identifier: "c:x")
    let service = try RegionService(engine: engine)
    let manager = RegionManager(sharing: service)
    let diary = Diary()
    manager.delegate = diary
    try service.feed(fix(0, 10))
    try service.advance(to: at(100))
    #expect(diary.take().isEmpty)
    #expect(manager.monitoredRegions.isEmpty)
  }
}
