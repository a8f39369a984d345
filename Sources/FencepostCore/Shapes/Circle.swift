import FencepostKernel

/// A circle, in the form that the detectors use.
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

  /// The chord from the centre within which the index finds the circle.
  @inline(__always)
  var reach: Double { ChordThreshold.approaching(radius) }

  /// Whether a position is certainly more than a distance outside the line. The chord is shorter than the geodesic, so
  /// the chord suffices.
  @inline(__always)
  func isFarther(than distance: Double, _ position: EarthVector) -> Bool {
    let reach = radius + distance
    // No chord is as long as 2e7 m, and the square of a longer reach may overflow.
    return reach < 2e7 && centre.squaredChord(to: position) > reach * reach
  }

  /// Whether a position is so far from the centre that only the full geodesic solution gives the distance.
  @inline(__always)
  func isFar(from position: EarthVector) -> Bool {
    !(centre.squaredChord(to: position) < ShortDistance.limit * ShortDistance.limit)
  }

  /// The geodesic distance of a position from the centre, in metres.
  ///
  /// Short distances are computed from the chord, with an error of a few nanometres. If such a distance is within a
  /// micrometre of a threshold, the full geodesic solution replaces it.
  @inline(__always)
  func distance(
    to coordinate: Coordinate, at position: EarthVector, margins: (inner: Double, outer: Double)
  ) -> Double {
    if !isFar(from: position) {
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

  /// The geodesic distance of a position from the centre by the full geodesic solution, in metres.
  func distance(to coordinate: Coordinate) -> Double {
    GeodesicInverse.distance(
      latitude1: latitude, longitude1: longitude, latitude2: coordinate.latitude, longitude2: coordinate.longitude)
  }

  /// The watch that acts no later than a position reaches a signed distance from the line.
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

  /// The distance of a position from the line in metres, and whether it is inside; `nil` if the distance is certainly
  /// more than a limit.
  ///
  /// The side is the one that the detector computes.
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

  /// The boundary point that is nearest to a coordinate: the one on the geodesic from the centre through the
  /// coordinate. For the centre itself, it is the northern one. `nil` for a circle that covers the whole Earth and
  /// therefore has no line.
  func nearestBoundaryPoint(to coordinate: Coordinate) -> Coordinate? {
    guard radius < DistanceBounds.largestDistance else { return nil }
    let way = GeodesicInverse.solve(
      latitude1: latitude, longitude1: longitude, latitude2: coordinate.latitude, longitude2: coordinate.longitude)
    let end = GeodesicDirect.solve(
      latitude: latitude, longitude: longitude, azimuth: way.distance > 0 ? way.azimuth1 : 0, distance: radius)
    return Coordinate(latitude: end.latitude, longitude: end.longitude)
  }

  /// Whether a position is certainly inside, without the full geodesic solution.
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

  /// Whether a coordinate lies in the circle or on its line; `false` if the coordinate or the circle is invalid.
  public func contains(_ coordinate: Coordinate) -> Bool {
    guard defect == nil, coordinate.isValid else { return false }
    return Circle(self).distance(to: coordinate) <= radius
  }
}
