import FencepostKernel

/// The geometry of a condition that is about a place: what detectors, index, planner and explanations ask, and nowhere
/// else is known what a shape is.
///
/// A few numbers that are read off the table's row and not kept beyond the table's next change (see ``Area``).
enum Shape: Sendable {
  case circle(Circle)
  case polygon(Area)
  case corridor(Area)
  /// Watched like a corridor of radius 0; it has no state, see ``LinePassageSearch``.
  case line(Area)

  /// Where a position is: d and r of the definition, metres. It is inside when d ≤ r, and d − r is the signed boundary
  /// distance. Two numbers, since margins are compared with d without a rounding in between; of any other shape d is
  /// the signed distance itself, and r is 0.
  struct Measure {
    var distance: Double
    var line: Double
    /// Bounds of the signed boundary distance of a shape without a closed form.
    var least = Double.nan
    var most = Double.nan

    @inline(__always)
    var boundaryDistance: Double { distance - line }

    @inline(__always)
    var isInside: Bool { distance <= line }
  }

  /// What policies clamp by, metres: how deep inside the line a position can be, which of a circle is its radius.
  @inline(__always)
  var size: Double {
    switch self {
    case .circle(let circle): circle.radius
    case .polygon(let area), .corridor(let area), .line(let area): area.shape.depth
    }
  }

  /// Where a position is. Exact is only how it lies to the line and to the margins on either side.
  @inline(__always)
  func measure(
    _ coordinate: Coordinate, at position: EarthVector, margins: (inner: Double, outer: Double),
    near found: FoundNear? = nil
  ) -> Measure {
    switch self {
    case .circle(let circle):
      Measure(distance: circle.distance(to: coordinate, at: position, margins: margins), line: circle.radius)
    case .polygon(let area), .corridor(let area), .line(let area):
      area.measure(coordinate, at: position, margins: margins, near: found)
    }
  }

  /// Where a position is, to the accuracy of the full solution.
  func measure(_ coordinate: Coordinate) -> Measure {
    switch self {
    case .circle(let circle): Measure(distance: circle.distance(to: coordinate), line: circle.radius)
    case .polygon(let area), .corridor(let area), .line(let area):
      Measure(distance: area.shape.boundaryDistance(of: SurfacePoint(coordinate)), line: 0)
    }
  }

  /// The signed boundary distance that is told of a position that was measured, metres.
  @inline(__always)
  func boundaryDistance(
    _ measure: Measure, _ coordinate: Coordinate, at position: EarthVector, near found: FoundNear? = nil
  ) -> Double {
    switch self {
    case .circle: measure.boundaryDistance
    case .polygon(let area), .corridor(let area), .line(let area):
      measure.least == measure.most ? measure.least : area.distance(coordinate, at: position, near: found)
    }
  }

  /// What to remember of a measured position for the watch; `nil` where a watch needs nothing but the shape.
  @inline(__always)
  func local(_ measure: Measure, at position: EarthVector) -> Watch.Local? {
    switch self {
    case .circle: nil
    case .polygon, .corridor, .line: Watch.Local(position: position, least: measure.least, most: measure.most)
    }
  }

  /// What is measured by its edges; `nil` for a shape with a closed form.
  @inline(__always)
  var area: Area? {
    switch self {
    case .circle: nil
    case .polygon(let area), .corridor(let area), .line(let area): area
    }
  }

  /// The watch that acts no later than a passage.
  ///
  /// - Parameter local: where the shape was measured last.
  @inline(__always)
  func watch(_ slot: UInt32, _ passage: Watch.Passage, from local: Watch.Local? = nil) -> Watch {
    switch self {
    case .circle(let circle): circle.watch(slot, passage)
    case .polygon(let area), .corridor(let area), .line(let area): area.watch(slot, passage, from: local)
    }
  }

  /// Whether a device that was measured there, outside, is watched by how far it moves, and not by the index.
  @inline(__always)
  func isNear(_ local: Watch.Local?) -> Bool {
    switch self {
    case .circle: false
    case .polygon(let area), .corridor(let area), .line(let area):
      local.map { !area.bounds.isFarther(than: 1, $0.position) } ?? false
    }
  }

  /// The distance of a position to the line, metres, and the side it is on; `nil` when that distance is certainly
  /// more than a limit.
  @inline(__always)
  func slack(at coordinate: Coordinate, _ position: EarthVector, limit: Double) -> (slack: Double, isInside: Bool)? {
    switch self {
    case .circle(let circle): circle.slack(at: coordinate, position, limit: limit)
    case .polygon(let area), .corridor(let area), .line(let area): area.slack(at: coordinate, position, limit: limit)
    }
  }

  /// Whether a position is inside for certain, where that costs little to see.
  @inline(__always)
  func isSurelyInside(_ position: EarthVector) -> Bool {
    switch self {
    case .circle(let circle): circle.isSurelyInside(position)
    case .polygon(let area), .corridor(let area), .line(let area): area.shape.bounds(at: position).most < 0
    }
  }

  /// Whether a back end that knows circles only is given others in its place.
  var isStoodForByCircles: Bool {
    switch self {
    case .circle: false
    case .polygon, .corridor, .line: true
    }
  }

  /// The circle that a back end is given for a position: what leaves its side tells of every change before it. `nil` when
  /// there is none, and only the distance to the line says how far the device may move.
  func armed(at coordinate: Coordinate, _ position: EarthVector) -> Circle? {
    switch self {
    case .circle(let circle): return circle
    case .polygon(let area), .corridor(let area), .line(let area):
      if let slack = area.bounds.slack(at: coordinate, position, limit: .infinity), !slack.isInside {
        return area.bounds
      }
      guard let inscribed = area.inscribed, inscribed.distance(to: coordinate) < inscribed.radius else { return nil }
      return inscribed
    }
  }

  /// The place of the line that is nearest to a coordinate.
  func nearestBoundaryPoint(to coordinate: Coordinate) -> Coordinate? {
    switch self {
    case .circle(let circle): circle.nearestBoundaryPoint(to: coordinate)
    case .polygon(let area), .corridor(let area), .line(let area):
      area.shape.nearestBoundaryPoint(of: SurfacePoint(coordinate)).map { Coordinate($0) }
    }
  }
}
