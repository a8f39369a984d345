import FencepostKernel

/// Limits on how a device can move from one fix to the next. A fix that the device cannot have reached is doubted: it
/// changes nothing, until enough doubted fixes corroborate each other.
public struct Plausibility: Sendable, Hashable {
  /// The greatest speed of the device, in metres per second; greater than 0.
  public var speed: Double
  /// The number of consecutive doubted fixes that together are trusted, from 2 to 1 000.
  public var corroborationCount: Int
  /// The least time between the first and the last of these fixes, in microseconds, from 0 to 10¹⁵.
  public var corroborationTimeMicroseconds: Int64

  public static let defaultCount = 3
  public static let defaultTimeMicroseconds: Int64 = 60_000_000

  public init(
    speed: Double, corroborationCount: Int = Plausibility.defaultCount,
    corroborationTimeMicroseconds: Int64 = Plausibility.defaultTimeMicroseconds
  ) {
    self.speed = speed
    self.corroborationCount = corroborationCount
    self.corroborationTimeMicroseconds = corroborationTimeMicroseconds
  }

  /// A message about the first value that is out of range, with the name that the value has in C and Python; `nil` if
  /// all values are in range.
  @_optimize(size)
  package var defect: String? {
    guard speed > 0, speed.isFinite else {
      return "plausible_speed is \(speed); must be finite and greater than 0 metres per second, or unset"
    }
    guard (2...1_000).contains(corroborationCount) else {
      return "corroboration_count is \(corroborationCount); must be from 2 to 1000"
    }
    let longest = TransitionPolicy.longestDuration
    guard (0...longest).contains(corroborationTimeMicroseconds) else {
      return "corroboration_time is \(corroborationTimeMicroseconds) microseconds; must be from 0 to \(longest)"
    }
    return nil
  }

  // MARK: - Two fixes

  /// The shortest time that two fixes count as apart, in microseconds.
  private static var leastStep: Int64 { 1_000_000 }
  /// The largest accuracy that counts, in metres; otherwise every fix would follow a coarse one.
  private static var mostAccuracy: Double { 5_000 }
  /// The length of the longest one-degree arc on the ellipsoid, in metres, with a margin for rounding errors.
  private static var metresPerDegree: Double {
    Ellipsoid.largestRadiusOfCurvature * Trigonometry.radiansPerDegree * 1.000_000_1
  }
  /// Greater than the error of a chord, in metres.
  private static var chordGuard: Double { 1e-3 }

  /// The time between two fixes in seconds, at least ``leastStep``.
  static func seconds(from before: Fix, to fix: Fix) -> Double {
    Double(max(fix.time.microseconds &- before.time.microseconds, leastStep)) / 1e6
  }

  /// Returns the distance that two fixes may be apart, in metres.
  @inline(__always)
  private func reach(from before: Fix, to fix: Fix) -> Double {
    speed * Self.seconds(from: before, to: fix) + min(before.accuracy, Self.mostAccuracy)
      + min(fix.accuracy, Self.mostAccuracy)
  }

  /// Whether a fix certainly follows one that is not later, by a bound that needs no trigonometry. On a map whose axes
  /// are degrees, with each degree as long as its greatest length on the ellipsoid, no distance is shorter than on the
  /// ellipsoid.
  @inline(__always)
  func surelyFollows(_ before: Fix, _ fix: Fix) -> Bool {
    let reach = reach(from: before, to: fix)
    let north = (fix.coordinate.latitude - before.coordinate.latitude) * Self.metresPerDegree
    let east = (fix.coordinate.longitude - before.coordinate.longitude) * Self.metresPerDegree
    return north * north + east * east <= reach * reach
  }

  /// Whether a fix follows another one: it is not earlier, and the device can have moved there.
  func follows(_ before: Fix, _ fix: Fix) -> Bool {
    guard fix.time >= before.time else { return false }
    if surelyFollows(before, fix) { return true }
    let reach = reach(from: before, to: fix)
    let start = EarthVector(latitude: before.coordinate.latitude, longitude: before.coordinate.longitude)
    let end = EarthVector(latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude)
    let chord = end.squaredChord(to: start).squareRoot()
    guard chord <= reach + Self.chordGuard else { return false }
    return (chord <= ShortDistance.limit ? ShortDistance.distance(from: start, to: end) : Self.distance(before, fix))
      <= reach
  }

  /// The geodesic distance between two fixes, in metres.
  static func distance(_ one: Fix, _ other: Fix) -> Double {
    GeodesicInverse.distance(
      latitude1: one.coordinate.latitude, longitude1: one.coordinate.longitude,
      latitude2: other.coordinate.latitude, longitude2: other.coordinate.longitude)
  }
}
