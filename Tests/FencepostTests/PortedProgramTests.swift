import Fencepost
import Testing

/// A program in the style of Core Location's examples. The program differs from Apple's examples in two respects: our
/// type names have no prefix, and the program has its own source of fixes.
@Suite(.timeLimit(.minutes(10))) struct PortedProgramTests {
  /// The source of the fixes: an arrival, twenty minutes at home, and a departure.
  static func source() -> AsyncStream<Fix> {
    AsyncStream { continuation in
      for minute in 0...40 {
        let away = minute < 10 ? 10 - minute : max(0, minute - 30)
        continuation.yield(
          Fix(
            latitude: 37.3349 + 0.002 * Double(away), longitude: -122.0090, accuracy: 10,
            time: Timestamp(microseconds: 1_700_000_000_000_000 + Int64(minute) * 60_000_000)))
      }
      continuation.finish()
    }
  }

  /// The model object of an application.
  @MainActor
  final class ObservableMonitorModel {
    static let shared = ObservableMonitorModel()

    var monitor: Monitor?
    var lastStates: [String: Monitor.Event.State] = [:]
    var log: [String] = []

    func startMonitoringConditions() async throws {
      monitor = try await Monitor("SampleMonitor")
      guard let monitor else { return }
      let home = Monitor.CircularGeographicCondition(
        center: Coordinate(latitude: 37.3349, longitude: -122.0090), radius: 150)
      if let record = await monitor.record(for: "home") {
        lastStates["home"] = record.lastEvent.state
      } else {
        try await monitor.add(home, identifier: "home", assuming: .unsatisfied)
      }
      let uuid = BeaconUUID("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")!
      try await monitor.add(Monitor.BeaconIdentityCondition(uuid: uuid, major: 1), identifier: "desk")

      for try await event in await monitor.events {
        guard let lastEvent = await monitor.record(for: event.identifier)?.lastEvent else { continue }
        if event.state == lastEvent.state { continue }
        lastStates[event.identifier] = event.state
        switch event.state {
        case .satisfied:
          if let refinement = event.refinement as? Monitor.BeaconIdentityCondition {
            log.append("\(event.identifier): at \(refinement.major ?? 0), \(refinement.minor ?? 0)")
          } else {
            log.append("\(event.identifier): entered")
          }
        case .unsatisfied: log.append("\(event.identifier): left")
        case .unknown: log.append("\(event.identifier): unknown")
        case .unmonitored: log.append("\(event.identifier): unmonitored, limit \(event.conditionLimitExceeded)")
        @unknown default: break
        }
      }
    }
  }

  @Test @MainActor func observableMonitorModel() async throws {
    let model = ObservableMonitorModel.shared
    let task = Task { try await model.startMonitoringConditions() }
    while await model.monitor?.identifiers.count != 2 { await Task.yield() }
    let monitor = try #require(model.monitor)
    for await fix in Self.source() { try await monitor.feed(fix) }
    let uuid = try #require(BeaconUUID("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"))
    try await monitor.feed(
      [BeaconSighting(uuid: uuid, major: 1, minor: 7)], at: Timestamp(microseconds: 1_700_003_000_000_000))
    while model.log.count < 4 { await Task.yield() }
    task.cancel()
    try await task.value
    #expect(model.log == ["desk: left", "home: entered", "home: left", "desk: at 1, 7"])
    #expect(model.lastStates == ["home": .unsatisfied, "desk": .satisfied])
  }

  /// A sample program, unchanged except for its end.
  @Test func theSampleOfTheTask() async throws {
    let source = Self.source()
    let monitor = try await Monitor("my_custom_monitor")
    try await monitor.add(
      CircularGeographicCondition(center: Coordinate(latitude: 37.3349, longitude: -122.0090), radius: 200),
      identifier: "stay_within_200_meters", assuming: .unsatisfied)
    Task { for await fix in source { try await monitor.feed(fix) } }
    var satisfied: Event?
    for try await event in await monitor.events where event.state == .satisfied {
      satisfied = event
      break
    }
    let record = await monitor.record(for: "stay_within_200_meters")
    #expect(satisfied?.identifier == "stay_within_200_meters")
    #expect(record?.condition is CircularGeographicCondition)
    #expect(record?.lastEvent.state == .unsatisfied)
  }
}
