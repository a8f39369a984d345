import FencepostKernel

/// A polygon, a corridor or a line, in the form that the detectors use: the kernel's shape and its bounding circle.
///
/// `Area` does not retain the shape. The table owns the shape, and an `Area` is valid until the table changes. With
/// reference counting, each access to a condition would cost more, even to a circle.
struct Area: Sendable {
  /// The kernel's shape, which forks share.
  unowned(unsafe) let shape: GeodesicShape
  let bounds: Circle

  /// - Parameter bounds: The result of ``bounds(of:)`` for this shape.
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

  /// The signed distance from the line, in metres.
  ///
  /// - Parameter found: The result of the search of the near edges, if there is one.
  func distance(_ coordinate: Coordinate, at position: EarthVector, near found: FoundNear? = nil) -> Double {
    let point = SurfacePoint(latitude: coordinate.latitude, longitude: coordinate.longitude, vector: position)
    return found.map { shape.boundaryDistance(of: point, near: $0) } ?? shape.boundaryDistance(of: point)
  }

  /// The distances of a position from the line. Bounds that need no trigonometry suffice unless they leave open on
  /// which side of a threshold the position lies.
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

  /// The watch that acts no later than the signed distance reaches a level: a ball around the last measured position,
  /// because the distance changes by no more than the device moves.
  @inline(never)
  func watch(_ slot: UInt32, _ passage: Watch.Passage, from local: Watch.Local?) -> Watch {
    guard let local, let room = Area.room(passage, local.least, local.most) else {
      // The device is outside the shape as long as it is outside the bounding circle.
      if case .inwards = passage { return bounds.watch(slot, .inwards(0)) }
      return Watch(centre: local?.position ?? bounds.centre, threshold: .infinity, direction: -1, slot: slot)
    }
    return Watch(
      centre: local.position, threshold: Area.threshold(room) ?? -DistanceBounds.doubt, direction: 1, slot: slot)
  }

  /// How far the bounds of the signed distance are from a level, in metres; `nil` if the passage has no level.
  @inline(__always)
  static func room(_ passage: Watch.Passage, _ least: Double, _ most: Double) -> Double? {
    switch passage {
    case .inwards(let level): least - level
    case .outwards(let level): level - most
    case .any: nil
    }
  }

  /// The length of the chord that a device with this room can certainly move; `nil` if the room may be 0.
  @inline(__always)
  static func threshold(_ room: Double) -> Double? {
    room > DistanceBounds.doubt ? ChordThreshold.leaving(room - DistanceBounds.doubt) : nil
  }

  /// The distance of a position from the line in metres, and whether it is inside; `nil` if the distance is certainly
  /// more than a limit.
  func slack(at coordinate: Coordinate, _ position: EarthVector, limit: Double) -> (slack: Double, isInside: Bool)? {
    if limit < .infinity, shape.slackBounds(at: position, limit: limit) == nil { return nil }
    let distance = distance(coordinate, at: position)
    return (distance.magnitude, distance <= 0)
  }

  /// Bounds of the distance of a position from the line in metres, and whether they come from the edges; `nil` if the
  /// distance is certainly more than a limit. If the position is outside the bounding circle, the bounds come from that
  /// circle.
  ///
  /// - Parameter slack: A lower bound of the distance from the position to the bounding circle, in metres of chord.
  @inline(__always)
  func slackBounds(
    at position: EarthVector, _ slack: Double, limit: Double
  ) -> (least: Double, most: Double, isBounded: Bool)? {
    // The whole line is within the circle, so no point of the line is farther away than the centre plus the radius.
    let chord = bounds.centre.squaredChord(to: position).squareRoot()
    if slack > 0, chord < ChordThreshold.near {
      let most = GeodesicShape.most(ofChord: chord) + bounds.radius + DistanceBounds.doubt
      return (slack - DistanceBounds.doubt, most, false)
    }
    return shape.slackBounds(at: position, limit: limit).map { ($0.least, $0.most, true) }
  }

  /// A circle around the deepest point of the shape with a radius of its depth less a metre, which is inside the shape;
  /// `nil` if the depth is at most a metre.
  var inscribed: Circle? {
    guard shape.depth > 1 else { return nil }
    return Circle(
      latitude: shape.deepest.latitude, longitude: shape.deepest.longitude, radius: shape.depth - 1)
  }
}
