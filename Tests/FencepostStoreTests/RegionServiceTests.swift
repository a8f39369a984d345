import Fencepost
import FencepostStore
import Foundation
import Testing

/// Regions are durable: after a restart, the earlier registrations still exist, with their settings and states.
@Suite struct RegionServiceTests {
  private final class Listener: RegionManagerDelegate {
    var lines: [String] = []
    func regionManager(_ manager: RegionManager, didEnterRegion region: Region) {
      lines.append("enter \(region.identifier)")
    }
    func regionManager(_ manager: RegionManager, didExitRegion region: Region) {
      lines.append("exit \(region.identifier)")
    }
    func regionManager(_ manager: RegionManager, didDetermineState state: RegionState, for region: Region) {
      lines.append("\(state) \(region.identifier)")
    }
  }

  private func fix(_ seconds: Int64, longitude: Double) -> Fix {
    Fix(latitude: 0, longitude: longitude, accuracy: 5, time: Timestamp(microseconds: seconds * 1_000_000))
  }

  @Test func regionsAreThereAfterARestart() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-regions-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let uuid = BeaconUUID(high: 1, low: 2)
    do {
      let service = try RegionService("regions", store: folder.path)
      let manager = RegionManager(sharing: service)
      let circle = CircularRegion(center: Coordinate(latitude: 0, longitude: 0), radius: 200, identifier: "office")
      circle.notifyOnEntry = false
      manager.startMonitoring(for: circle)
      let beacon = BeaconRegion(uuid: uuid, major: 7, identifier: "office")
      beacon.notifyEntryStateOnDisplay = true
      manager.startMonitoring(for: beacon)
      try service.feed(fix(0, longitude: 0))
      try service.feed(fix(10, longitude: 0.01))  // leaving: confirmed at 30 s
      #expect(throws: MonitorError.self) { try RegionService("regions", store: folder.path) }
    }
    let service = try RegionService("regions", store: folder.path)
    let manager = RegionManager(sharing: service)
    let listener = Listener()
    manager.delegate = listener
    #expect(manager.monitoredRegions.count == 2)
    let circle = try #require(manager.monitoredRegions.compactMap { $0 as? CircularRegion }.first)
    #expect(circle.radius == 200 && !circle.notifyOnEntry && circle.notifyOnExit)
    let beacon = try #require(manager.monitoredRegions.compactMap { $0 as? BeaconRegion }.first)
    #expect(beacon.uuid == uuid && beacon.major == 7 && beacon.minor == nil && beacon.notifyEntryStateOnDisplay)
    manager.requestState(for: circle)
    #expect(listener.lines == ["inside office"])
    listener.lines = []
    try service.advance(to: Timestamp(microseconds: 30_000_000))
    #expect(listener.lines == ["exit office", "outside office", "outside office"])
    // The first two lines report that the device left the circle. The last line reports the beacon's absence,
    // established at the same time.
    manager.stopMonitoring(for: CircularRegion(center: circle.center, radius: 1, identifier: "office"))
    #expect(manager.monitoredRegions == [beacon])
  }

  /// Events that were reported but not acknowledged when the process ended are reported again; authorization is saved.
  @Test func unreportedChangesWait() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-regions-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      let service = try RegionService("regions", store: folder.path)
      do {
        let manager = RegionManager(sharing: service)
        manager.startMonitoring(
          for: CircularRegion(center: Coordinate(latitude: 0, longitude: 0), radius: 200, identifier: "office"))
      }
      try service.feed(fix(0, longitude: 0))  // no delegate receives this event, because the manager no longer exists
      try service.setAuthorizationStatus(.denied, at: Timestamp(microseconds: 5))
      try service.close()
    }
    let service = try RegionService("regions", store: folder.path)
    let manager = RegionManager(sharing: service)
    let listener = Listener()
    manager.delegate = listener
    #expect(manager.authorizationStatus == .denied)
    try service.setAuthorizationStatus(.authorizedAlways, at: Timestamp(microseconds: 6))
    #expect(listener.lines == ["inside office"])
  }
}
