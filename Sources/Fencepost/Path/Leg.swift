import FencepostKernel

/// The way from one fix to the next: the geodesic, at constant speed, looked at once each microsecond.
struct Leg {
  /// Where the device is at an instant.
  struct Place {
    var coordinate: Coordinate
    var position: EarthVector
    /// The direction of the way there, degrees clockwise from north.
    var azimuth: Double
  }

  private let start: Coordinate
  /// When it begins, microseconds.
  private let startTime: Int64
  /// How long it takes, microseconds; more than 0.
  private let duration: Int64
  private let azimuth: Double
  /// Metres.
  let length: Double
  /// Of each point: the larger one of the two ends, metres.
  let accuracy: Double
  /// Infinite where the device stands still.
  private let microsecondsPerMetre: Double

  /// - Parameters:
  ///   - start: a usable fix.
  ///   - end: one that is later.
  init(from start: Fix, to end: Fix) {
    self.start = start.coordinate
    startTime = start.time.microseconds
    duration = end.time.microseconds - start.time.microseconds
    let way = GeodesicInverse.solve(
      latitude1: start.coordinate.latitude, longitude1: start.coordinate.longitude,
      latitude2: end.coordinate.latitude, longitude2: end.coordinate.longitude)
    azimuth = way.azimuth1
    length = way.distance
    accuracy = max(start.accuracy, end.accuracy)
    microsecondsPerMetre = Double(duration) / length
  }

  /// Where the device is at an instant of the leg.
  func place(at time: Int64) -> Place {
    let distance = length * (Double(time - startTime) / Double(duration))
    let end = GeodesicDirect.solve(
      latitude: start.latitude, longitude: start.longitude, azimuth: azimuth, distance: distance)
    return Place(
      coordinate: Coordinate(latitude: end.latitude, longitude: end.longitude),
      position: EarthVector(latitude: end.latitude, longitude: end.longitude), azimuth: end.azimuth)
  }

  /// The point of the path at an instant, as a fix.
  func fix(at time: Int64) -> Fix {
    Fix(coordinate: place(at: time).coordinate, accuracy: accuracy, time: Timestamp(microseconds: time))
  }

  /// The last instant by which the device has gone no farther than some metres since another; `Int64.max` when it never
  /// goes as far.
  func time(_ metres: Double, after time: Int64) -> Int64 {
    let steps = metres * microsecondsPerMetre
    // Whoever stands still goes nowhere, which is not a number here.
    guard steps < 0x1p61 else { return .max }
    return time + Int64(max(0, steps))
  }

  /// How far the way between two points of it may be from the straight line that joins them, metres.
  ///
  /// - Parameter chord: its length, metres.
  static func sag(_ chord: Double) -> Double {
    // ℓ² / 8ρ for the smallest radius of curvature; an arc that is hardly longer than its chord, up to 50 km.
    chord * chord * (1.000_1 / (8 * 6_335_439)) + 1e-5
  }
}
