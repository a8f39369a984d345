import FencepostKernel

/// The way from one fix to the next: the geodesic, at constant speed, looked at once each microsecond.
struct Leg {
  /// Where the device is at an instant.
  struct Place {
    var coordinate: Coordinate
    /// Of that coordinate.
    var position: EarthVector
    /// The direction of the way there, degrees clockwise from north; not a number on a short leg.
    fileprivate var azimuth: Double
  }

  /// Of the Earth, to half a percent, metres.
  private static let earthRadius = 6_367_000.0

  private let start: Coordinate
  private let end: Coordinate
  /// When it begins, microseconds.
  private let startTime: Int64
  /// How long it takes, microseconds; more than 0.
  private let duration: Int64
  /// Metres.
  let length: Double
  /// Of each point: the larger one of the two ends, metres.
  let accuracy: Double
  /// Means nothing where the device stands still.
  private let microsecondsPerMetre: Double
  /// Right where the leg is short.
  private let arc: ShortArc
  /// Whether ``straight(at:)`` is right.
  let isStraight: Bool
  /// The geodesic from the start, of a leg that is not.
  private let way: GeodesicInverse?

  /// - Parameters:
  ///   - start: a usable fix.
  ///   - end: one that is later.
  ///   - position: of the end.
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
    // A host may trap a division by zero.
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

  /// Whether it is longer than so many metres, by the full solution.
  func isLonger(than metres: Double) -> Bool {
    guard isStraight, (length - metres).magnitude <= DistanceBounds.doubt else { return length > metres }
    return Self.solve(from: start, to: end).distance > metres
  }

  /// Which part of the way is behind the device at an instant.
  @inline(__always)
  func share(at time: Int64) -> Double { Double(time - startTime) / Double(duration) }

  /// Where the device is at an instant of a short leg, to some nanometres.
  @inline(__always)
  func straight(at time: Int64) -> EarthVector { arc.position(at: share(at: time)) }

  /// Where the device is at an instant of the leg, to some nanometres.
  @inline(__always)
  mutating func position(at time: Int64) -> EarthVector {
    isStraight ? straight(at: time) : place(at: time).position
  }

  /// Where the device is at an instant of the leg: of a short one within some nanometres of the geodesic, as the full solution
  /// is.
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

  /// The cosine between the way of the device and another direction, degrees clockwise from north.
  ///
  /// - Parameters:
  ///   - place: a place of the leg.
  ///   - time: when the device is there.
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

  /// No less than the share of what the device moves by which it comes nearer to a point up to 20 km away: both the straight
  /// line to that and its own lie up to 1.6 mrad under the surface, which changes the cosine between by less than 1e-5.
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

  /// How far the straight line of a short leg is from a point, beside a distance from it of up to 20 km: a parabola over the
  /// share of the way.
  ///
  /// It leaves out the rise of the way and what the curvature differs from that of a ball, which is less than 0.2 mm.
  struct Parabola {
    /// Of the straight line, square metres.
    private let square: Double
    private let half: Double
    private let rest: Double
    /// Of the chord of the distance, square metres.
    private let level: Double
    /// What it may be wrong by, square metres.
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
      // A millimetre, which is more than five times too much.
      tolerance = 2e-3 * (distance + ShortArc.limit)
    }

    /// The square of the distance less that of the level there, square metres.
    @inline(__always)
    private func excess(_ share: Double) -> Double { (square * share + 2 * half) * share + rest }

    @inline(__always)
    func isSurelyFarther(_ share: Double) -> Bool { excess(share) > tolerance }

    @inline(__always)
    func isSurelyNearer(_ share: Double) -> Bool { excess(share) < -tolerance }

    /// Whether the device goes away from the point from there on for certain.
    @inline(__always)
    func surelyLeaves(_ share: Double) -> Bool {
      let slope = square * share + half
      // The cosine between both ways, to 1e-5; see ``Leg/greatestApproach(to:from:)``.
      return slope > 0 && slope * slope > 1e-9 * (square * (excess(share) + level))
    }

    /// Where it is nearest to the point.
    @inline(__always)
    var nearest: Double { -half / square }

    /// Where it has the distance, coming or going.
    @inline(__always)
    func root(isComing: Bool) -> Double? {
      let discriminant = half * half - square * rest
      guard discriminant > 0, square > 0 else { return nil }
      let root = discriminant.squareRoot()
      return (isComing ? -half - root : root - half) / square
    }

    /// How the distance changes there, metres for the whole way.
    @inline(__always)
    func slope(_ share: Double) -> Double { (square * share + half) / (excess(share) + level).squareRoot() }
  }

  /// - Parameter distance: metres, above 0, up to 20 km.
  @inline(__always)
  func parabola(_ distance: Double, around point: EarthVector) -> Parabola {
    Parabola(arc, point, distance)
  }

  /// The instant at which a share of the way is behind the device, and how much of it a microsecond takes.
  @inline(__always)
  func time(atShare share: Double) -> Int64 { startTime + Int64(share * Double(duration)) }

  @inline(__always)
  var shareOfMicrosecond: Double { 1 / Double(duration) }

  /// The last instant by which the device has gone no farther than some metres since another; `Int64.max` when it never
  /// goes as far.
  func time(_ metres: Double, after time: Int64) -> Int64 {
    // A leg of length 0 has no interior points.
    guard length > 0 else { return .max }
    let steps = metres * microsecondsPerMetre
    // Also where the metres are no number.
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
