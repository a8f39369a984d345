// Reminders at places: a note is shown when the user arrives at a place, or leaves it. The reminders are saved in a
// store.
//
//   reminders DIR add NOTE LATITUDE LONGITUDE RADIUS [--on-exit]
//   reminders DIR list
//   reminders DIR delete NOTE
//   reminders DIR play FILE.gpx [--speed M/S] [--start 2024-05-01T09:00:00Z] [--accelerate N] [--die-after FIXES]
//
// A reminder is a region whose identifier is its note, so there is no second table beside the regions. `play` continues
// where the previous run ended, even if that run was killed.
import Fencepost
import FencepostFoundation
import FencepostStore
import Foundation

@main
struct Reminders {
  static func main() {
    do {
      try run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      say("reminders: \(error)")
      exit(2)
    }
  }

  struct Usage: Error, CustomStringConvertible {
    let description = "usage: reminders DIR add|list|delete|play ...; see the file Reminders.swift"
  }

  static func run(_ arguments: [String]) throws {
    guard arguments.count >= 2 else { throw Usage() }
    let (folder, command, rest) = (arguments[0], arguments[1], Array(arguments.dropFirst(2)))
    let service = try RegionService("reminders", store: folder, settings: .init(maximumRadius: 1_000))
    let app = ReminderList(RegionManager(sharing: service))
    switch command {
    case "add":
      guard rest.count >= 4, let latitude = Double(rest[1]), let longitude = Double(rest[2]),
        let radius = Double(rest[3])
      else { throw Usage() }
      app.add(
        rest[0], at: Coordinate(latitude: latitude, longitude: longitude), radius: radius,
        onExit: rest.contains("--on-exit"))
    case "list": app.list()
    case "delete":
      guard let note = rest.first else { throw Usage() }
      app.delete(note)
    case "play":
      guard let file = rest.first else { throw Usage() }
      try play(file, rest, service)
    default: throw Usage()
    }
    try service.close()
  }

  private static func play(_ file: String, _ options: [String], _ service: RegionService) throws {
    func option(_ name: String) -> String? {
      options.firstIndex(of: name).flatMap { $0 + 1 < options.count ? options[$0 + 1] : nil }
    }
    let start = ISO8601DateFormatter().date(from: option("--start") ?? "2024-05-01T09:00:00Z").flatMap { Timestamp($0) }
    guard let start else { throw Usage() }
    let fixes = try Track(file: file).fixes(speed: option("--speed").flatMap(Double.init), start: start)
    let pace = option("--accelerate").flatMap(Double.init)
    let lastFix = option("--die-after").flatMap(Int.init)
    var before: Timestamp?
    for (index, fix) in fixes.enumerated() {
      // Skips the fixes that an earlier run has already fed.
      if let clock = service.state.currentTime, fix.time < clock { continue }
      if let pace, pace > 0, let before {
        Thread.sleep(forTimeInterval: Double(fix.time.microseconds - before.microseconds) / 1e6 / pace)
      }
      before = fix.time
      try service.feed(fix)
      if index + 1 == lastFix { kill(getpid(), SIGKILL) }
    }
  }
}

/// Writes a line without a buffer, so that the line appears even if the program is killed right after.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// The list of reminders; each reminder is a monitored region whose identifier is the text of the note.
final class ReminderList: RegionManagerDelegate {
  private let manager: RegionManager

  init(_ manager: RegionManager) {
    self.manager = manager
    manager.delegate = self
  }

  func add(_ note: String, at center: Coordinate, radius: Double, onExit: Bool) {
    // The radius is at least 100 m, because fixes are too coarse for less, and at most the largest radius that can be
    // monitored.
    let clamped = max(100, min(radius, manager.maximumRegionMonitoringDistance))
    let region = CircularRegion(center: center, radius: clamped, identifier: note)
    region.notifyOnEntry = !onExit
    region.notifyOnExit = onExit
    manager.startMonitoring(for: region)
  }

  func delete(_ note: String) {
    let region = CircularRegion(center: Coordinate(latitude: 0, longitude: 0), radius: 1, identifier: note)
    let isKnown = manager.monitoredRegions.contains(region)
    manager.stopMonitoring(for: region)
    say(isKnown ? "deleted: \(note)" : "there is no reminder \"\(note)\"")
  }

  func list() {
    let circles = manager.monitoredRegions.compactMap { $0 as? CircularRegion }
    for circle in circles.sorted(by: { $0.identifier < $1.identifier }) {
      let place = "\(circle.center.latitude), \(circle.center.longitude)"
      say(
        "\(circle.notifyOnExit ? "on leaving" : "on arriving") \(Int(circle.radius)) m around \(place): \(circle.identifier)"
      )
    }
    say("\(circles.count) of 20")
  }

  func regionManager(_ manager: RegionManager, didStartMonitoringFor region: Region) {
    say("added: \(region.identifier)")
  }

  func regionManager(_ manager: RegionManager, monitoringDidFailFor region: Region?, withError error: LocationError) {
    let note = region?.identifier ?? ""
    let reason =
      manager.monitoredRegions.count >= 20
      ? "there are 20 reminders already; delete one first" : "this place cannot be monitored (code \(error.rawValue))"
    say("not added: \(note): \(reason)")
  }

  func regionManager(_ manager: RegionManager, didEnterRegion region: Region) { tell(region, "arriving") }
  func regionManager(_ manager: RegionManager, didExitRegion region: Region) { tell(region, "leaving") }

  private func tell(_ region: Region, _ what: String) {
    let time = manager.service.state.currentTime.map { ISO8601DateFormatter().string(from: $0.date) } ?? ""
    say("\(time) \(what): \(region.identifier)")
  }
}
