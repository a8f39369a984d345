import FencepostKernel

/// A polygon, a corridor or a line as the detectors need it: the kernel's shape, and a circle that holds it.
///
/// It is lent by the table that keeps the shape, for as long as that does not change: one that counted its references would
/// have every circle pay for that too, each time it is looked at.
struct Area: Sendable {
  /// Shared by forks.
  unowned(unsafe) let shape: GeodesicShape
  let bounds: Circle

  /// - Parameter bounds: what ``bounds(of:)`` said.
  @inline(__always)
  init(_ shape: GeodesicShape, bounds: Circle) {
    self.shape = shape
    self.bounds = bounds
  }

  static func bounds(of shape: GeodesicShape) -> Circle {
    let circle = shape.boundingCircle
    return Circle(
      latitude: circle.centre.latitude, longitude: circle.centre.longitude, radius: circle.radius)
  }

  /// The signed distance from the line, metres.
  ///
  /// - Parameter found: what the edges near say of it, if they are known.
  func distance(_ coordinate: Coordinate, at position: EarthVector, near found: FoundNear? = nil) -> Double {
    let point = SurfacePoint(latitude: coordinate.latitude, longitude: coordinate.longitude, vector: position)
    return found.map { shape.boundaryDistance(of: point, near: $0) } ?? shape.boundaryDistance(of: point)
  }

  /// Where a position is. Bounds that cost no trigonometry do, unless they leave open how it lies to a threshold.
  func measure(
    _ coordinate: Coordinate, at position: EarthVector, margins: (inner: Double, outer: Double),
    near found: FoundNear? = nil
  ) -> Shape.Measure {
    let (least, most) = found.map { ($0.least, $0.most) } ?? shape.bounds(at: position)
    let doubt = DistanceBounds.doubt
    func isClear(_ level: Double) -> Bool { least > level + doubt || most < level - doubt }
    guard isClear(0), isClear(-margins.inner), isClear(margins.outer) else {
      let distance = distance(coordinate, at: position, near: found)
      return Shape.Measure(distance: distance, line: 0, least: distance, most: distance)
    }
    return Shape.Measure(distance: least, line: 0, least: least, most: most)
  }

  /// The watch that acts no later than the signed distance comes to a level: a ball around where it was measured last, for
  /// the distance changes by no more than the device moves.
  @inline(never)
  func watch(_ slot: UInt32, _ passage: Watch.Passage, from local: Watch.Local?) -> Watch {
    guard let local, let room = Area.room(passage, local.least, local.most) else {
      // Whatever is inside is within the circle that holds it.
      if case .inwards = passage { return bounds.watch(slot, .inwards(0)) }
      return Watch(centre: local?.position ?? bounds.centre, threshold: .infinity, direction: -1, slot: slot)
    }
    return Watch(
      centre: local.position, threshold: Area.threshold(room) ?? -DistanceBounds.doubt, direction: 1, slot: slot)
  }

  /// How far bounds of the signed distance are from a level, metres; `nil` if the level is undefined.
  @inline(__always)
  static func room(_ passage: Watch.Passage, _ least: Double, _ most: Double) -> Double? {
    switch passage {
    case .inwards(let level): least - level
    case .outwards(let level): level - most
    case .any: nil
    }
  }

  /// The chord that a device with some room can move; `nil` where there is none for certain.
  @inline(__always)
  static func threshold(_ room: Double) -> Double? {
    room > DistanceBounds.doubt ? ChordThreshold.leaving(room - DistanceBounds.doubt) : nil
  }

  /// The distance of a position to the line, metres, and the side it is on; `nil` when that distance is certainly
  /// more than a limit.
  func slack(at coordinate: Coordinate, _ position: EarthVector, limit: Double) -> (slack: Double, isInside: Bool)? {
    if limit < .infinity, shape.slackBounds(at: position, limit: limit) == nil { return nil }
    let distance = distance(coordinate, at: position)
    return (distance.magnitude, distance <= 0)
  }

  /// Bounds of the distance of a position to the line, metres, and whether they come from the edges; `nil` when it is certainly
  /// more than a limit. Where the position is outside of the circle that holds the shape they come from that.
  ///
  /// - Parameter slack: what the position is outside of that circle at least, metres of chord.
  @inline(__always)
  func slackBounds(
    at position: EarthVector, _ slack: Double, limit: Double
  ) -> (least: Double, most: Double, isBounded: Bool)? {
    // All of the line is within the circle, so that no part of it is farther than its centre and its radius.
    let chord = bounds.centre.squaredChord(to: position).squareRoot()
    if slack > 0, chord < ChordThreshold.near {
      let most = GeodesicShape.most(ofChord: chord) + bounds.radius + DistanceBounds.doubt
      return (slack - DistanceBounds.doubt, most, false)
    }
    return shape.slackBounds(at: position, limit: limit).map { ($0.least, $0.most, true) }
  }

  /// A circle around the deepest place that is within the shape, less a metre; `nil` where there is no room for one.
  var inscribed: Circle? {
    guard shape.depth > 1 else { return nil }
    return Circle(
      latitude: shape.deepest.latitude, longitude: shape.deepest.longitude, radius: shape.depth - 1)
  }
}
