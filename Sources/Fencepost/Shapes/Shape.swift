import FencepostKernel

/// The geometry of a condition that is about a place: what detectors, index, planner and explanations ask, and nowhere
/// else is known what a shape is.
enum Shape: Sendable {
  case circle(Circle)

  /// Where a position is: d and r of the definition, metres. It is inside when d ≤ r, and d − r is the signed boundary
  /// distance. Two numbers, since margins are compared with d without a rounding in between.
  struct Measure {
    var distance: Double
    var line: Double

    @inline(__always)
    var boundaryDistance: Double { distance - line }

    @inline(__always)
    var isInside: Bool { distance <= line }
  }

  /// A circle that holds the shape: the circle itself.
  @inline(__always)
  var bounds: Circle {
    switch self {
    case .circle(let circle): circle
    }
  }

  /// What policies clamp by, metres: how deep inside the line a position can be, which of a circle is its radius.
  @inline(__always)
  var size: Double {
    switch self {
    case .circle(let circle): circle.radius
    }
  }

  /// Where a position is. Only how it lies to the line and to the margins on either side is always exact.
  @inline(__always)
  func measure(
    _ coordinate: Coordinate, at position: EarthVector, margins: (inner: Double, outer: Double)
  ) -> Measure {
    switch self {
    case .circle(let circle):
      Measure(distance: circle.distance(to: coordinate, at: position, margins: margins), line: circle.radius)
    }
  }

  /// Where a position is, to the accuracy of the full solution.
  func measure(_ coordinate: Coordinate) -> Measure {
    switch self {
    case .circle(let circle): Measure(distance: circle.distance(to: coordinate), line: circle.radius)
    }
  }

  /// The watch that acts no later than a passage.
  @inline(__always)
  func watch(_ slot: UInt32, _ passage: Watch.Passage) -> Watch {
    switch self {
    case .circle(let circle): circle.watch(slot, passage)
    }
  }

  /// The distance of a position to the line, metres, and the side it is on; `nil` when that distance is certainly
  /// more than a limit.
  @inline(__always)
  func slack(at coordinate: Coordinate, _ position: EarthVector, limit: Double) -> (slack: Double, isInside: Bool)? {
    switch self {
    case .circle(let circle): circle.slack(at: coordinate, position, limit: limit)
    }
  }

  /// Whether a position is inside for certain, where that costs little to see.
  @inline(__always)
  func isSurelyInside(_ position: EarthVector) -> Bool {
    switch self {
    case .circle(let circle): circle.isSurelyInside(position)
    }
  }
}
