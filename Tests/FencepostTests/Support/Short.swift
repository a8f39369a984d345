import FencepostKernel
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Seconds since the epoch.
func at(_ seconds: Double) -> Timestamp {
  Timestamp(microseconds: Int64((seconds * 1e6).rounded()))
}

/// A circle around the test location.
func circle(_ radius: Double, latitude: Double = 0, longitude: Double = 0) -> CircularGeographicCondition {
  CircularGeographicCondition(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius)
}

/// A fix at a given distance, in metres, and a given bearing, in degrees, from a point.
func fix(
  _ seconds: Double, _ distance: Double, _ accuracy: Double = 5, bearing: Double = 0,
  from centre: Coordinate = Coordinate(latitude: 0, longitude: 0)
) -> Fix {
  let end = GeodesicDirect.solve(
    latitude: centre.latitude, longitude: centre.longitude, azimuth: bearing, distance: distance)
  return Fix(latitude: end.latitude, longitude: end.longitude, accuracy: accuracy, time: at(seconds))
}

let someUUID = BeaconUUID(high: 0xe2c5_6db5_dffb_48d2, low: 0xb060_d0f5_a710_96e0)

extension MonitorEngine {
  /// Polls all waiting events and commits each event.
  mutating func drain() -> [Event] {
    var events: [Event] = []
    while let event = nextEvent() { events.append(event) }
    return events
  }
}

extension Event {
  /// A short form of the event, which reads well in a failed expectation.
  var brief: String {
    "\(identifier) \(state.name)@\(date.map { Double($0.microseconds) / 1e6 } ?? .nan) \(cause.name)"
  }
}

/// Checks every invariant of an engine that can be computed. If a check fails, its message includes the text passed as
/// `place`.
func checkInvariants(of engine: MonitorEngine, _ place: @autoclosure () -> String) throws {
  do {
    try engine.checkInvariants()
  } catch {
    Issue.record("\(place()): \(error)")
    throw error
  }
}
