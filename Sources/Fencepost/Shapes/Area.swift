import FencepostKernel

/// A polygon or a corridor as the detectors need it: the kernel's shape, and a circle that holds it.
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
  func distance(_ coordinate: Coordinate, at position: EarthVector) -> Double {
    shape.boundaryDistance(
      of: SurfacePoint(latitude: coordinate.latitude, longitude: coordinate.longitude, vector: position))
  }

  /// Where a position is. Bounds that cost no trigonometry do, unless they leave open how it lies to a threshold.
  func measure(
    _ coordinate: Coordinate, at position: EarthVector, margins: (inner: Double, outer: Double)
  ) -> Shape.Measure {
    let (least, most) = shape.bounds(at: position)
    let doubt = DistanceBounds.doubt
    func isClear(_ level: Double) -> Bool { least > level + doubt || most < level - doubt }
    guard isClear(0), isClear(-margins.inner), isClear(margins.outer) else {
      let distance = distance(coordinate, at: position)
      return Shape.Measure(distance: distance, line: 0, least: distance, most: distance)
    }
    return Shape.Measure(distance: least, line: 0, least: least, most: most)
  }

  /// The watch that acts no later than the signed distance comes to a level: a ball around where it was measured last, for
  /// the distance changes by no more than the device moves.
  @inline(never)
  func watch(_ slot: UInt32, _ passage: Watch.Passage, from local: Watch.Local?) -> Watch {
    let room: Double
    switch (passage, local) {
    case (.inwards(let level), let local?): room = local.least - level
    case (.outwards(let level), let local?): room = level - local.most
    // Whatever is inside is within the circle that holds it.
    case (.inwards, nil): return bounds.watch(slot, .inwards(0))
    case (.outwards, nil), (.any, _):
      return Watch(centre: local?.position ?? bounds.centre, threshold: .infinity, direction: -1, slot: slot)
    }
    let doubt = DistanceBounds.doubt
    let threshold = room > doubt ? ChordThreshold.leaving(room - doubt) : -doubt
    return Watch(centre: local?.position ?? bounds.centre, threshold: threshold, direction: 1, slot: slot)
  }

  /// The distance of a position to the line, metres, and the side it is on; `nil` when that distance is certainly
  /// more than a limit.
  func slack(at coordinate: Coordinate, _ position: EarthVector, limit: Double) -> (slack: Double, isInside: Bool)? {
    if limit < .infinity {
      let (least, most) = shape.bounds(at: position)
      if least > limit + DistanceBounds.doubt || most < -limit - DistanceBounds.doubt { return nil }
    }
    let distance = distance(coordinate, at: position)
    return (distance.magnitude, distance <= 0)
  }

  /// A circle around the deepest place that is within the shape, less a metre; `nil` where there is no room for one.
  var inscribed: Circle? {
    guard shape.depth > 1 else { return nil }
    return Circle(
      latitude: shape.deepest.latitude, longitude: shape.deepest.longitude, radius: shape.depth - 1)
  }
}
