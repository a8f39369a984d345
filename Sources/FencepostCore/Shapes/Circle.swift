import FencepostKernel

/// A circle as the detectors need it, and all that is particular to circles.
struct Circle: Sendable {
  var centre: EarthVector
  var latitude: Double
  var longitude: Double
  /// Metres.
  var radius: Double

  init(latitude: Double, longitude: Double, radius: Double) {
    centre = EarthVector(latitude: latitude, longitude: longitude)
    self.latitude = latitude
    self.longitude = longitude
    self.radius = radius
  }

  init(_ condition: CircularGeographicCondition) {
    self.init(latitude: condition.center.latitude, longitude: condition.center.longitude, radius: condition.radius)
  }

  var condition: CircularGeographicCondition {
    CircularGeographicCondition(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius)
  }

  /// The chord from the centre within which the index looks for it.
  @inline(__always)
  var reach: Double { ChordThreshold.approaching(radius) }

  /// Whether a position is more than a distance outside the line for certain: the chord is shorter than the geodesic.
  @inline(__always)
  func isFarther(than distance: Double, _ position: EarthVector) -> Bool {
    let reach = radius + distance
    // No chord is as long as 2e7 m, and the square of what is longer may overflow.
    return reach < 2e7 && centre.squaredChord(to: position) > reach * reach
  }

  /// The geodesic distance of a position from the centre, metres.
  ///
  /// Short distances come from the chord, to a few nanometres; whatever is within a micrometre of a threshold is
  /// decided by the full solution.
  @inline(__always)
  func distance(
    to coordinate: Coordinate, at position: EarthVector, margins: (inner: Double, outer: Double)
  ) -> Double {
    let squared = centre.squaredChord(to: position)
    if squared < ShortDistance.limit * ShortDistance.limit {
      let distance = ShortDistance.distance(from: centre, to: position)
      let past = distance - radius
      if past.magnitude > DistanceBounds.doubt, (past + margins.inner).magnitude > DistanceBounds.doubt,
        (past - margins.outer).magnitude > DistanceBounds.doubt
      {
        return distance
      }
    }
    return distance(to: coordinate)
  }

  /// The geodesic distance of a position from the centre by the full solution, metres.
  func distance(to coordinate: Coordinate) -> Double {
    GeodesicInverse.distance(
      latitude1: latitude, longitude1: longitude, latitude2: coordinate.latitude, longitude2: coordinate.longitude)
  }

  /// The watch that acts no later than a position comes to a signed distance from the line.
  @inline(__always)
  func watch(_ slot: UInt32, _ passage: Watch.Passage) -> Watch {
    switch passage {
    case .inwards(let level):
      Watch(centre: centre, threshold: ChordThreshold.approaching(radius + level), direction: -1, slot: slot)
    case .outwards(let level):
      Watch(centre: centre, threshold: ChordThreshold.leaving(radius + level), direction: 1, slot: slot)
    case .any:
      Watch(centre: centre, threshold: .infinity, direction: -1, slot: slot)
    }
  }

  /// The distance of a position to the line, metres, and the side it is on; `nil` when that distance is certainly
  /// more than a limit.
  ///
  /// Decides the side as the detector does.
  @inline(__always)
  func slack(at coordinate: Coordinate, _ position: EarthVector, limit: Double) -> (slack: Double, isInside: Bool)? {
    if radius >= DistanceBounds.largestDistance { return limit < .infinity ? nil : (.infinity, true) }
    let squared = centre.squaredChord(to: position)
    if squared < ShortDistance.limit * ShortDistance.limit {
      let past = ShortDistance.distance(from: centre, to: position) - radius
      if past.magnitude > limit + DistanceBounds.doubt { return nil }
      if past.magnitude > DistanceBounds.doubt { return (past.magnitude, past <= 0) }
    } else if limit < .infinity {
      let chord = squared.squareRoot()
      if chord > ChordThreshold.approaching(radius + limit) { return nil }
      if radius > limit, chord < ChordThreshold.leaving(radius - limit) { return nil }
    }
    let past = distance(to: coordinate) - radius
    return (past.magnitude, past <= 0)
  }

  /// The place of the line that is nearest to a coordinate: on the geodesic from the centre through it. From the centre
  /// itself it is the one to the north. `nil` for a circle without a line, which holds the whole Earth.
  func nearestBoundaryPoint(to coordinate: Coordinate) -> Coordinate? {
    guard radius < DistanceBounds.largestDistance else { return nil }
    let way = GeodesicInverse.solve(
      latitude1: latitude, longitude1: longitude, latitude2: coordinate.latitude, longitude2: coordinate.longitude)
    let end = GeodesicDirect.solve(
      latitude: latitude, longitude: longitude, azimuth: way.distance > 0 ? way.azimuth1 : 0, distance: radius)
    return Coordinate(latitude: end.latitude, longitude: end.longitude)
  }

  /// Whether a position is inside for certain, without the full solution.
  @inline(__always)
  func isSurelyInside(_ position: EarthVector) -> Bool {
    let near = ChordThreshold.leaving(radius)
    return near > 0 && centre.squaredChord(to: position) < near * near
  }
}

extension CircularGeographicCondition {
  func encode(to writer: inout ByteWriter) {
    writer.put(center.latitude)
    writer.put(center.longitude)
    writer.putCompact(radius)
  }

  init(reading reader: inout ByteReader) throws(Damage) {
    self.init(
      center: Coordinate(latitude: try reader.takeDouble(), longitude: try reader.takeDouble()),
      radius: try reader.takeCompactDouble())
    if let defect { throw Damage(defect) }
  }

  /// Whether a coordinate lies in the circle, the line included; `false` when the coordinate or the circle is not
  /// valid.
  public func contains(_ coordinate: Coordinate) -> Bool {
    guard defect == nil, coordinate.isValid else { return false }
    return Circle(self).distance(to: coordinate) <= radius
  }
}
