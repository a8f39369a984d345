import FencepostKernel

/// The geometry of a geographic condition. The detectors, the index, the planner and the explanations use only this
/// type; no other code distinguishes the kinds of shapes.
///
/// A `Shape` is a few numbers that are read from the table's row. It must not be used after the table's next change
/// (see ``Area``).
enum Shape: Sendable {
  case circle(Circle)
  case polygon(Area)
  case corridor(Area)
  /// A line is watched like a corridor of radius 0. It has no state; see ``LinePassageSearch``.
  case line(Area)

  /// The distances of a position: d and r of the definition, in metres. The position is inside if d ≤ r, and d − r is
  /// the signed boundary distance. For a circle, d is the distance from the centre and r the radius; they are separate
  /// because margins are compared with d, without the rounding of d − r. For any other shape, d is the signed distance
  /// itself, or a lower bound of it, and r is 0.
  struct Measure {
    var distance: Double
    var line: Double
    /// Bounds of the signed boundary distance, for a shape without a closed form.
    var least = Double.nan
    var most = Double.nan

    @inline(__always)
    var boundaryDistance: Double { distance - line }

    @inline(__always)
    var isInside: Bool { distance <= line }
  }

  /// The limit of the policies' distances in metres: how deep inside the line a position can be. For a circle, this is
  /// its radius.
  @inline(__always)
  var size: Double {
    switch self {
    case .circle(let circle): circle.radius
    case .polygon(let area), .corridor(let area), .line(let area): area.shape.depth
    }
  }

  /// The distances of a position. The sides of the line and of the two margins are exact; the distance itself may be a
  /// bound.
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

  /// The distances of a position by the full geodesic solution.
  func measure(_ coordinate: Coordinate) -> Measure {
    switch self {
    case .circle(let circle): Measure(distance: circle.distance(to: coordinate), line: circle.radius)
    case .polygon(let area), .corridor(let area), .line(let area):
      Measure(distance: area.shape.boundaryDistance(of: SurfacePoint(coordinate)), line: 0)
    }
  }

  /// The signed boundary distance to report for a measured position, in metres.
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

  /// The data of a measured position that a watch needs; `nil` if a watch needs only the shape.
  @inline(__always)
  func local(_ measure: Measure, at position: EarthVector) -> Watch.Local? {
    switch self {
    case .circle: nil
    case .polygon, .corridor, .line: Watch.Local(position: position, least: measure.least, most: measure.most)
    }
  }

  /// The polygon, corridor or line, which is measured by its edges; `nil` for a circle, which has a closed form.
  @inline(__always)
  var area: Area? {
    switch self {
    case .circle: nil
    case .polygon(let area), .corridor(let area), .line(let area): area
    }
  }

  /// The watch that acts no later than a passage.
  ///
  /// - Parameter local: The position at which the shape was measured last, with its bounds.
  @inline(__always)
  func watch(_ slot: UInt32, _ passage: Watch.Passage, from local: Watch.Local? = nil) -> Watch {
    switch self {
    case .circle(let circle): circle.watch(slot, passage)
    case .polygon(let area), .corridor(let area), .line(let area): area.watch(slot, passage, from: local)
    }
  }

  /// Whether a device that was measured outside at `local` is watched by how far it moves, instead of by the index.
  @inline(__always)
  func isNear(_ local: Watch.Local?) -> Bool {
    switch self {
    case .circle: false
    case .polygon(let area), .corridor(let area), .line(let area):
      local.map { !area.bounds.isFarther(than: 1, $0.position) } ?? false
    }
  }

  /// The distance of a position from the line in metres, and whether it is inside; `nil` if the distance is certainly
  /// more than a limit.
  @inline(__always)
  func slack(at coordinate: Coordinate, _ position: EarthVector, limit: Double) -> (slack: Double, isInside: Bool)? {
    switch self {
    case .circle(let circle): circle.slack(at: coordinate, position, limit: limit)
    case .polygon(let area), .corridor(let area), .line(let area): area.slack(at: coordinate, position, limit: limit)
    }
  }

  /// Whether a position is certainly inside, as far as cheap bounds show.
  @inline(__always)
  func isSurelyInside(_ position: EarthVector) -> Bool {
    switch self {
    case .circle(let circle): circle.isSurelyInside(position)
    case .polygon(let area), .corridor(let area), .line(let area): area.shape.bounds(at: position).most < 0
    }
  }

  /// Whether other circles stand in for the shape in a back end that knows only circles.
  var isStoodForByCircles: Bool {
    switch self {
    case .circle: false
    case .polygon, .corridor, .line: true
    }
  }

  /// The circle that a back end watches for this shape from a position. The device crosses this circle before it can
  /// change its side of the shape. `nil` if there is no such circle; then only the distance from the line limits how
  /// far the device may move.
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

  /// The boundary point that is nearest to a coordinate; see ``GeodesicShape/nearestBoundaryPoint(of:)``.
  func nearestBoundaryPoint(to coordinate: Coordinate) -> Coordinate? {
    switch self {
    case .circle(let circle): circle.nearestBoundaryPoint(to: coordinate)
    case .polygon(let area), .corridor(let area), .line(let area):
      area.shape.nearestBoundaryPoint(of: SurfacePoint(coordinate)).map { Coordinate($0) }
    }
  }
}
