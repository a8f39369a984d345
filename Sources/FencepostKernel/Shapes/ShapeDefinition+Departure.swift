extension ShapeDefinition {
  /// The largest distance, in metres, between planar and geodesic edges with the same vertices, and the edge where it
  /// occurs. `nil` if the edges are nowhere more than a metre apart. Edges with an invalid vertex are ignored, and so
  /// are edges whose geodesic is longer than `GeodesicSegment.longest`.
  ///
  /// This is the error of a reader that takes planar edges for geodesic edges, or geodesic edges for planar edges.
  public var planarDeparture: (metres: Double, place: ShapeDefect.Place)? {
    var most: (metres: Double, place: ShapeDefect.Place)?
    for part in vertices.partEnds.indices {
      let rings = vertices.rings(ofPart: part)
      for ring in rings {
        let corners = vertices.vertices(ofRing: ring)
        for (number, index) in corners.indices.enumerated() {
          guard isPolygon || index + 1 < corners.endIndex else { continue }
          let next = index + 1 < corners.endIndex ? corners[index + 1] : corners[corners.startIndex]
          let departure = ShapeDefinition.departure(from: corners[index], to: next)
          if departure > most?.metres ?? 1 {
            most = (departure, ShapeDefect.Place(part: part, ring: ring - rings.lowerBound, edge: number))
          }
        }
      }
    }
    return most
  }

  /// The largest distance between the straight line on the map and the geodesic, measured at the 15 points that divide
  /// the line into 16 equal pieces; 0 if the bound 0.26 a Δλ S √(Δφ² + C²Δλ²) is at most a metre.
  private static func departure(from start: ShapeVertices.Vertex, to end: ShapeVertices.Vertex) -> Double {
    guard start.isPosition, end.isPosition else { return 0 }
    let change = InverseTask.longitudeDifference(
      from: GivenRing.reduced(start.longitude), to: GivenRing.reduced(end.longitude))
    let span = change.degrees + change.tail
    guard PlanarEdge.departureBound(start.latitude, end.latitude, span: span) > 1 else { return 0 }
    let from = SurfacePoint(latitude: start.latitude, longitude: GivenRing.reduced(start.longitude))
    let segment = GeodesicSegment(
      from: from, to: SurfacePoint(latitude: end.latitude, longitude: GivenRing.reduced(end.longitude)))
    guard segment.length <= GeodesicSegment.longest else { return 0 }
    var most = 0.0
    for step in 1..<16 {
      let part = Double(step) / 16
      let place = SurfacePoint(
        latitude: start.latitude + (end.latitude - start.latitude) * part,
        longitude: GivenRing.reduced(from.longitude + span * part))
      most = max(most, segment.foot(of: place).distance)
    }
    return most
  }
}

/// Straight lines on the longitude–latitude plane.
enum PlanarEdge {
  /// An upper bound of the distance, in metres, between the line and the geodesic between its ends, for edges that are
  /// not long: 0.26 a Δλ S √(Δφ² + C²Δλ²), where S is the greatest |sin φ| and C is the greatest cos φ on the edge.
  ///
  /// - Parameters:
  ///   - latitude: The latitude of one end, in degrees; `other` is the latitude of the other end. The order of the two
  ///     latitudes does not matter.
  ///   - span: The difference of the longitudes, in degrees.
  static func departureBound(_ latitude: Double, _ other: Double, span: Double) -> Double {
    let radians = Trigonometry.radiansPerDegree
    let rise = (other - latitude) * radians
    let (first, second) = (Trigonometry.sincosDegrees(latitude), Trigonometry.sincosDegrees(other))
    let sine = max(first.sine.magnitude, second.sine.magnitude)
    let crossesEquator = min(latitude, other) <= 0 && max(latitude, other) >= 0
    let cosine = crossesEquator ? 1 : max(first.cosine, second.cosine)
    let turn = span.magnitude * radians
    let slant = (rise * rise + cosine * cosine * turn * turn).squareRoot()
    return 0.26 * Ellipsoid.equatorialRadius * turn * sine * slant
  }

  /// The number of geodesics into which the line must be divided so that each stays within 0.1 m of the line; the
  /// number is not rounded. If the line is divided into n equal pieces, the greatest distance between the line and the
  /// geodesics is divided by n².
  static func pieces(_ latitude: Double, _ other: Double, span: Double) -> Double {
    (departureBound(latitude, other, span: span) / 0.1).squareRoot()
  }
}
