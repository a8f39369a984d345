import FencepostKernel

/// The path from one fix to the next: the geodesic, travelled at constant speed, with one position for each
/// microsecond.
struct Leg {
  /// The position of the device at an instant.
  struct Place {
    var coordinate: Coordinate
    /// The position of the coordinate as a vector.
    var position: EarthVector
    /// The direction of the path at this place, in degrees clockwise from north; NaN on a short leg.
    fileprivate var azimuth: Double
  }

  /// The radius of the Earth in metres, exact to half a percent.
  private static let earthRadius = 6_367_000.0

  private let start: Coordinate
  private let end: Coordinate
  /// The time at which the leg begins, in microseconds.
  private let startTime: Int64
  /// The duration of the leg, in microseconds; greater than 0.
  private let duration: Int64
  /// The length of the leg, in metres.
  let length: Double
  /// The accuracy of each point of the leg, in metres: the larger of the accuracies of its two ends.
  let accuracy: Double
  /// The time per metre, in microseconds; 0 if the device stands still.
  private let microsecondsPerMetre: Double
  /// The leg as a short arc; valid only if the leg is short.
  private let arc: ShortArc
  /// Whether the leg is short, so that ``straight(at:)`` can be used.
  let isStraight: Bool
  /// The geodesic from the start, for a leg that is not short.
  private let way: GeodesicInverse?

  /// - Parameters:
  ///   - start: A usable fix.
  ///   - end: A usable fix that is later than `start`.
  ///   - position: The position of the end.
  @inline(__always)
  init(from start: Fix, to end: Fix, at position: EarthVector) {
    self.start = start.coordinate
    self.end = end.coordinate
    startTime = start.time.microseconds
    duration = end.time.microseconds - start.time.microseconds
    accuracy = max(start.accuracy, end.accuracy)
    arc = ShortArc(
      from: EarthVector(latitude: start.coordinate.latitude, longitude: start.coordinate.longitude), to: position)
    isStraight = arc.square <= ShortArc.limit * ShortArc.limit
    way = isStraight ? nil : Self.solve(from: start.coordinate, to: end.coordinate)
    length = way?.distance ?? arc.length
    // The host may have enabled traps for divisions by zero.
    microsecondsPerMetre = length > 0 ? Double(duration) / length : 0
  }

  init(from start: Fix, to end: Fix) {
    self.init(
      from: start, to: end,
      at: EarthVector(latitude: end.coordinate.latitude, longitude: end.coordinate.longitude))
  }

  @inline(never)
  private static func solve(from start: Coordinate, to end: Coordinate) -> GeodesicInverse {
    GeodesicInverse.solve(
      latitude1: start.latitude, longitude1: start.longitude, latitude2: end.latitude, longitude2: end.longitude)
  }

  /// Whether the leg is longer than a number of metres, according to the full solution of the geodesic.
  func isLonger(than metres: Double) -> Bool {
    guard isStraight, (length - metres).magnitude <= DistanceBounds.doubt else { return length > metres }
    return Self.solve(from: start, to: end).distance > metres
  }

  /// Returns the fraction of the leg that the device has travelled at an instant.
  @inline(__always)
  func share(at time: Int64) -> Double { Double(time - startTime) / Double(duration) }

  /// Returns the position of the device at an instant of a short leg, exact to some nanometres.
  @inline(__always)
  func straight(at time: Int64) -> EarthVector { arc.position(at: share(at: time)) }

  /// Returns the position of the device at an instant of the leg, exact to some nanometres.
  @inline(__always)
  mutating func position(at time: Int64) -> EarthVector {
    isStraight ? straight(at: time) : place(at: time).position
  }

  /// Returns the place of the device at an instant of the leg. For a short leg, it is within some nanometres of the
  /// geodesic, like the full solution.
  @inline(never)
  mutating func place(at time: Int64) -> Place {
    guard let way else {
      let place = arc.place(at: share(at: time), fromLatitude: start.latitude, longitude: start.longitude)
      return Place(
        coordinate: Coordinate(latitude: place.latitude, longitude: place.longitude),
        position: EarthVector(latitude: place.latitude, longitude: place.longitude), azimuth: .nan)
    }
    let end = GeodesicDirect.solve(
      latitude: start.latitude, longitude: start.longitude, azimuth: way.azimuth1,
      distance: way.distance * share(at: time))
    return Place(
      coordinate: Coordinate(latitude: end.latitude, longitude: end.longitude),
      position: EarthVector(latitude: end.latitude, longitude: end.longitude), azimuth: end.azimuth)
  }

  /// Returns the cosine of the angle between the path of the device and a direction, which is in degrees clockwise from
  /// north.
  ///
  /// - Parameters:
  ///   - place: A place of the leg.
  ///   - time: The time at which the device is at the place.
  func cosine(to azimuth: Double, at place: Place, _ time: Int64) -> Double {
    guard isStraight else { return Trigonometry.sincosDegrees(azimuth - place.azimuth).cosine }
    let (sineLatitude, cosineLatitude) = Trigonometry.sincosDegrees(place.coordinate.latitude)
    let (sineLongitude, cosineLongitude) = Trigonometry.sincosDegrees(place.coordinate.longitude)
    let turn = Trigonometry.sincosDegrees(azimuth)
    let way = arc.direction(at: share(at: time))
    let square = way.x * way.x + way.y * way.y + way.z * way.z
    guard square > 0 else { return 1 }
    let east = cosineLongitude * way.y - sineLongitude * way.x
    let north = cosineLatitude * way.z - sineLatitude * (cosineLongitude * way.x + sineLongitude * way.y)
    return (turn.sine * east + turn.cosine * north) / square.squareRoot()
  }

  /// Returns an upper bound of the ratio between the decrease of the distance to a point up to 20 km away and the
  /// distance that the device moves. The straight lines to the point and along the leg are inclined to the surface by
  /// up to 1.6 mrad, which changes the cosine of the angle between them by less than 1e-5.
  @inline(__always)
  func greatestApproach(to point: EarthVector, from position: EarthVector) -> Double {
    let x = point.x - position.x
    let y = point.y - position.y
    let z = point.z - position.z
    let chord = arc.chord
    let squares = (x * x + y * y + z * z) * arc.square
    guard squares > 0 else { return 1 }
    return min(1, (x * chord.x + y * chord.y + z * chord.z) / squares.squareRoot() + 1e-5)
  }

  /// The squared distance between a point and the straight line of a short leg, relative to a given distance of up to
  /// 20 km: a parabola over the fraction of the leg.
  ///
  /// The height of the path above the straight line, and the difference between the ellipsoid and a sphere, are
  /// neglected; together they are less than 0.2 mm.
  struct Parabola {
    /// The squared length of the straight line, in square metres.
    private let square: Double
    private let half: Double
    private let rest: Double
    /// The squared chord of the given distance, in square metres.
    private let level: Double
    /// The greatest error of the squared distance, in square metres.
    private let tolerance: Double

    @inline(__always)
    fileprivate init(_ arc: ShortArc, _ point: EarthVector, _ distance: Double) {
      let bow = distance / Leg.earthRadius
      let chord = distance * (1 - bow * bow * (1 / 24.0))
      level = chord * chord
      square = arc.square
      let x = arc.start.x - point.x
      let y = arc.start.y - point.y
      let z = arc.start.z - point.z
      half = x * arc.chord.x + y * arc.chord.y + z * arc.chord.z
      rest = x * x + y * y + z * z - level
      // This is the effect of an error of one millimetre, which is more than five times the real error.
      tolerance = 2e-3 * (distance + ShortArc.limit)
    }

    /// Returns the squared distance at a fraction of the leg minus the squared chord of the given distance, in square
    /// metres.
    @inline(__always)
    private func excess(_ share: Double) -> Double { (square * share + 2 * half) * share + rest }

    @inline(__always)
    func isSurelyFarther(_ share: Double) -> Bool { excess(share) > tolerance }

    @inline(__always)
    func isSurelyNearer(_ share: Double) -> Bool { excess(share) < -tolerance }

    /// Whether the device certainly moves away from the point after this fraction of the leg.
    @inline(__always)
    func surelyLeaves(_ share: Double) -> Bool {
      let slope = square * share + half
      // The cosine of the angle between the two directions is exact to 1e-5; see ``Leg/greatestApproach(to:from:)``.
      return slope > 0 && slope * slope > 1e-9 * (square * (excess(share) + level))
    }

    /// The fraction of the leg at which the device is nearest to the point.
    @inline(__always)
    var nearest: Double { -half / square }

    /// Returns the fraction of the leg at which the device has the given distance, while approaching the point or
    /// moving away from it.
    @inline(__always)
    func root(isComing: Bool) -> Double? {
      let discriminant = half * half - square * rest
      guard discriminant > 0, square > 0 else { return nil }
      let root = discriminant.squareRoot()
      return (isComing ? -half - root : root - half) / square
    }

    /// Returns the rate at which the distance changes at a fraction of the leg, in metres per whole leg.
    @inline(__always)
    func slope(_ share: Double) -> Double { (square * share + half) / (excess(share) + level).squareRoot() }
  }

  /// - Parameter distance: A distance in metres, greater than 0 and at most 20 km.
  @inline(__always)
  func parabola(_ distance: Double, around point: EarthVector) -> Parabola {
    Parabola(arc, point, distance)
  }

  /// Returns the instant at which the device has travelled a fraction of the leg.
  @inline(__always)
  func time(atShare share: Double) -> Int64 { startTime + Int64(share * Double(duration)) }

  /// The fraction of the leg that the device travels in a microsecond.
  @inline(__always)
  var shareOfMicrosecond: Double { 1 / Double(duration) }

  /// Returns the last instant at which the device has moved at most a number of metres since another instant;
  /// `Int64.max` if the device never moves that far.
  func time(_ metres: Double, after time: Int64) -> Int64 {
    // A leg of length 0 has no interior points.
    guard length > 0 else { return .max }
    let steps = metres * microsecondsPerMetre
    // This also applies if `metres` is NaN.
    guard steps < 0x1p61 else { return .max }
    return time + Int64(max(0, steps))
  }

  /// Returns an upper bound of the distance between a part of a path and its chord, in metres.
  ///
  /// - Parameter chord: The length of the chord, in metres.
  static func sag(_ chord: Double) -> Double {
    // This is ℓ² / 8ρ with the smallest radius of curvature ρ. The arc may be at most 50 km long, so that it is hardly
    // longer than its chord.
    chord * chord * (1.000_1 / (8 * 6_335_439)) + 1e-5
  }
}
