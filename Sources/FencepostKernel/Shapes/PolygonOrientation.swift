/// Determines which side of a ring is the smaller one, and whether the ring has an area at all.
enum PolygonOrientation {
  /// The two sides of a ring must differ by at least this fraction of the Earth's area.
  static var ambiguous: Double { 1e-6 }
  /// A ring whose mean width, in metres, is below this limit counts as having no area.
  static var thin: Double { 1e-6 }

  /// - Parameter isOriented: Whether the order of the vertices says which side is inside; only then may both sides have
  ///   the same area.
  /// - Returns: Whether the smaller side lies to the left of the ring, in the listed order of its vertices.
  static func isSmallerLeft(_ ring: GivenRing, isOriented: Bool) throws(ShapeDefect) -> Bool {
    let points = ring.points
    var centre = EarthVector(x: 0, y: 0, z: 0)
    for point in points { centre = centre + point.vector }
    centre = centre / Double(points.count)
    // Projects the vector area of the closed polyline of chords (½ Σ a × b) onto the vertical at the polyline's middle.
    // The error grows with the cube of the ring's size, because geodesics leave the planes of their chords; the Earth's
    // curvature adds another error, because the vertices have different heights over the plane.
    var doubled = EarthVector(x: 0, y: 0, z: 0)
    var (perimeter, extent) = (0.0, 0.0)
    for (start, end) in ring.pairs(isRing: true) {
      let (a, b) = (points[start].vector - centre, points[end].vector - centre)
      doubled = doubled + a.cross(b)
      perimeter += (b - a).length
      extent = max(extent, a.length)
    }
    if extent < 3e6 {
      let vertical = centre.scaled
      let area = doubled.dot(vertical) / (2 * vertical.length)
      let bend = extent / Ellipsoid.smallestRadiusOfCurvature
      if area.magnitude > perimeter * (extent * bend * bend + 1e-5) { return area > 0 }
      let exact = area + areaBesideChords(ring, vertical / vertical.length, extent)
      if exact.magnitude < thin * perimeter { throw ShapeDefect(.noArea, ring.place(ring.edges[0]), at: points[0]) }
      return exact > 0
    }
    let area = RingArea.smaller(of: points + [points[0]])
    let smaller = area.magnitude
    let error = RingArea.error * (Double(points.count) + perimeter / RingArea.stretch)
    if smaller < max(thin * perimeter, error) {
      throw ShapeDefect(.noArea, ring.place(ring.edges[0]), at: points[0])
    }
    if !isOriented, (RingArea.earth - 2 * smaller) < ambiguous * RingArea.earth {
      throw ShapeDefect(.whichSide, ring.place(ring.edges[0]), at: points[0])
    }
    return area > 0
  }

  /// The area to the left of a ring's geodesics and to the right of their chords, projected onto the horizontal plane at
  /// the middle of the ring. The sum with the area to the left of the chords has the sign of the ring's area, because
  /// the projection of a ring below 3000 km keeps the order of its vertices. The error is less than 20 nm for each metre
  /// of the perimeter; an integral over longitudes has that error for each metre between the ring and the pole.
  private static func areaBesideChords(_ ring: GivenRing, _ vertical: EarthVector, _ extent: Double) -> Double {
    var doubled = 0.0
    for (first, last) in ring.pairs(isRing: true) {
      let (start, end) = (ring.points[first], ring.points[last])
      let chord = (end.vector - start.vector).length
      // The sagitta of a geodesic is at most L² / 8R, and its plane is inclined to the vertical by at most extent / R.
      let radius = Ellipsoid.smallestRadiusOfCurvature
      if chord * chord * extent < 8e-9 * radius * radius { continue }
      let segment = GeodesicSegment(from: start, to: end)
      RingArea.integrate(over: segment) { place, azimuth, weight in
        let turn = Trigonometry.sincosDegrees(azimuth)
        let (latitude, longitude) = (
          Trigonometry.sincosDegrees(place.latitude), Trigonometry.sincosDegrees(place.longitude)
        )
        let north = EarthVector(
          x: -latitude.sine * longitude.cosine, y: -latitude.sine * longitude.sine, z: latitude.cosine)
        let east = EarthVector(x: -longitude.sine, y: longitude.cosine, z: 0)
        let tangent = north * turn.cosine + east * turn.sine
        doubled += weight * (place.vector - start.vector).cross(tangent).dot(vertical)
      }
    }
    return doubled / 2
  }
}
