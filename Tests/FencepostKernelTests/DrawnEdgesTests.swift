import Testing

@testable import FencepostKernel

/// Tests that planar edges which touch or run side by side on the map still do so after they are approximated by
/// geodesics.
@Suite struct DrawnEdgesTests {
  private typealias Ring = [(latitude: Double, longitude: Double)]

  private func shape(_ parts: [[Ring]], _ edges: EdgeReading = .planar) throws -> GeodesicShape {
    try GeodesicShape.reading(
      ShapeDefinition(.polygon(buffer: 0, isOriented: false), ShapeVertices(parts: parts), edges: edges))
  }

  private let box: Ring = [(60, 10), (60, 20), (61, 20), (61, 10)]

  /// A vertex of the hole lies on an edge of the outer ring. The geodesics of both edges bulge to the north: the lower
  /// edge's into the polygon, and the upper edge's out of the polygon.
  @Test func aHoleTouchesAnEdgeFromWithin() throws {
    for latitude in [60.0, 61] {
      let hole: Ring = [(latitude, 15.3), (60.5, 15), (60.5, 15.5)]
      let touching = try shape([[box, hole]])
      #expect(touching.definition.vertices.vertices.count == 7, "the definition keeps the vertices that were given")
      #expect(touching.boundaryDistance(of: SurfacePoint(latitude: latitude, longitude: 15.3)) == 0)
      #expect(!touching.contains(SurfacePoint(latitude: 0.2 * latitude + 0.8 * 60.5, longitude: 15.2)))
      #expect(touching.contains(SurfacePoint(latitude: 60.5, longitude: 14.9)))
      // Reading back the definition and its depth gives the same shape.
      let again = try GeodesicShape.reading(touching.definition, depth: touching.depth)
      let point = SurfacePoint(latitude: 60.4, longitude: 15.1)
      #expect(again.boundaryDistance(of: point) == touching.boundaryDistance(of: point))
    }
  }

  /// Edges within a micrometre of each other touch. Slots and gaps of any width above a micrometre are accepted.
  @Test(arguments: [1e-9, 1e-8, 1e-7, 1e-6, 1e-5]) func aHoleLiesBesideAnEdge(_ gap: Double) throws {
    // The edges of the hole are divided, just like the edges of the outer ring.
    let hole: Ring = [(60 + gap * 100, 11), (60 + gap * 100, 18.7), (60.5, 13)]
    let narrow = try shape([[box, hole]])
    // Geodesics are within 0.1 m of the drawn edges.
    if gap > 1e-7 { #expect(narrow.contains(SurfacePoint(latitude: 60 + gap * 50, longitude: 12.7))) }
    #expect(!narrow.contains(SurfacePoint(latitude: 60.3, longitude: 13)))
  }

  /// Two parts touch: a corner of one part lies on an edge of the other part.
  @Test func aPartTouchesAnEdgeOfAnother() throws {
    let tip: Ring = [(60, 13.7), (59, 14), (59, 13)]
    let parts = try shape([[box], [tip]])
    #expect(parts.contains(SurfacePoint(latitude: 59.5, longitude: 13.6)))
    #expect(parts.contains(SurfacePoint(latitude: 60.5, longitude: 13.7)))
    #expect(!parts.contains(SurfacePoint(latitude: 59.9, longitude: 14.5)))
  }

  /// Tests that a shape is refused if its edges cross on the map, by a metre or by two micrometres, and that the error
  /// contains the place.
  @Test(arguments: [1e-5, 3e-11]) func whatCrossesIsRefused(_ depth: Double) {
    let hole: Ring = [(60 - depth, 15.3), (60.5, 15), (60.5, 15.5)]
    let defect = #expect(throws: ShapeDefect.self) { try shape([[box, hole]]) }
    #expect(defect?.reason == .crossing && defect?.place == .init(part: 0, ring: 0, edge: 0))
    #expect(defect?.other?.ring == 1)
  }

  /// Geodesic edges are not divided into parts, so they do not follow a circle of latitude.
  @Test func geodesicEdgesAreNotDivided() {
    let hole: Ring = [(60, 15.3), (60.5, 15), (60.5, 15.5)]
    #expect(throws: ShapeDefect.self) { try shape([[box, hole]], .geodesic) }
  }
}
