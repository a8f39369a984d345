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

  /// Ways up to here are drawn from the straight line between their ends, metres.
  private static let longestStraight = 300.0
  /// Of the Earth, to half a percent, metres.
  private static let earthRadius = 6_367_000.0

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
  private let first: EarthVector
  /// From there to the end.
  let chord: EarthVector
  /// How far the way rises above its straight line at s (1 − s) = 1, metres, and where to.
  private let rise: EarthVector
  /// Whether ``straight(at:)`` is right.
  let isStraight: Bool

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
    let first = EarthVector(latitude: start.coordinate.latitude, longitude: start.coordinate.longitude)
    let last = EarthVector(latitude: end.coordinate.latitude, longitude: end.coordinate.longitude)
    self.first = first
    chord = EarthVector(x: last.x - first.x, y: last.y - first.y, z: last.z - first.z)
    isStraight = length <= Self.longestStraight
    let height = length * length / (2 * Self.earthRadius * Self.earthRadius)
    rise = EarthVector(x: height * first.x, y: height * first.y, z: height * first.z)
  }

  /// Where the device is at an instant of a short leg: to some nanometres along the way and beside it, and to 25 µm of
  /// height (a percent of the rise, whose normal is taken from the centre of the Earth), which changes the distance
  /// from a point 20 km away by 50 nm, and from one that is nearer by less.
  @inline(__always)
  func straight(at time: Int64) -> EarthVector {
    let share = Double(time - startTime) / Double(duration)
    let bend = share * (1 - share)
    return EarthVector(
      x: first.x + share * chord.x + bend * rise.x, y: first.y + share * chord.y + bend * rise.y,
      z: first.z + share * chord.z + bend * rise.z)
  }

  /// Where the device is at an instant of the leg, to a micrometre beside its height.
  func position(at time: Int64) -> EarthVector {
    isStraight ? straight(at: time) : place(at: time).position
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

  /// No less than the share of what the device moves by which it comes nearer to a point up to 20 km away: both the straight
  /// line to that and its own lie up to 1.6 mrad under the surface, which changes the cosine between by less than 1e-5.
  @inline(__always)
  func greatestApproach(to point: EarthVector, from position: EarthVector) -> Double {
    let x = point.x - position.x
    let y = point.y - position.y
    let z = point.z - position.z
    let squares = (x * x + y * y + z * z) * (chord.x * chord.x + chord.y * chord.y + chord.z * chord.z)
    guard squares > 0 else { return 1 }
    return min(1, (x * chord.x + y * chord.y + z * chord.z) / squares.squareRoot() + 1e-5)
  }

  /// About when a short leg passes a distance from a point, by the straight lines of both.
  ///
  /// - Parameter isComing: whether from farther away; else from nearer.
  @inline(__always)
  func guess(_ distance: Double, from point: EarthVector, isComing: Bool) -> Int64? {
    let x = first.x - point.x
    let y = first.y - point.y
    let z = first.z - point.z
    let bow = distance / Self.earthRadius
    let straight = distance * (1 - bow * bow / 24)
    let square = chord.x * chord.x + chord.y * chord.y + chord.z * chord.z
    let half = x * chord.x + y * chord.y + z * chord.z
    let rest = half * half - square * (x * x + y * y + z * z - straight * straight)
    guard square > 0, rest >= 0 else { return nil }
    let share = (isComing ? -half - rest.squareRoot() : rest.squareRoot() - half) / square
    guard share > 0, share < 1 else { return nil }
    return startTime + Int64((share * Double(duration)).roundedUp)
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
