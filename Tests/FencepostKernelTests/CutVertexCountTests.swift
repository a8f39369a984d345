import Testing

@testable import FencepostKernel

/// The number of vertices of a definition, counted without preparing its rings.
@Suite struct CutVertexCountTests {
  private func definition(
    _ rings: [[Corner]], isRing: Bool, _ edges: EdgeReading = .planar
  ) -> ShapeDefinition {
    var vertices = ShapeVertices()
    for ring in rings {
      vertices.beginRing()
      for corner in ring { vertices.append(latitude: corner.latitude, longitude: corner.longitude) }
    }
    return ShapeDefinition(isRing ? .polygon(buffer: 0, isOriented: true) : .line, vertices, edges: edges)
  }

  /// Tests that the vertex count equals the number of points in the prepared rings, for edges of all lengths (including
  /// edges around the Earth) in open rings, closed rings and lines.
  @Test(arguments: 0..<4) func isThatOfThePreparedRings(_ number: Int) {
    var random = SeededGenerator("cut vertices", salt: UInt64(number))
    var (compared, cut, wide) = (0, 0, 0)
    for _ in 0..<300 {
      let (isRing, isClosed) = (random.chance(0.5), random.chance(0.5))
      let size = random.logarithmic(1e-4, 1)
      let rings = (0..<random.integer(1...3)).map { _ -> [Corner] in
        var ring = (0..<random.integer(3...9)).map { _ -> Corner in
          (random.uniform(-90...90) * size, random.uniform(-360...360) * size)
        }
        if isRing, isClosed { ring.append(ring[0]) }
        return ring
      }
      let definition = definition(rings, isRing: isRing)
      var room = ShapeVertices.most
      do throws(ShapeDefect) {
        for ring in definition.vertices.ringEnds.indices {
          _ = try GivenRing(
            definition.vertices.vertices(ofRing: ring), part: 0, ring: ring, isRing: isRing, reading: .planar,
            room: &room)
        }
      } catch { continue }
      #expect(definition.cutVertexCount == ShapeVertices.most - room, "\(rings)")
      compared += 1
      let given = self.definition(rings, isRing: isRing, .geodesic).cutVertexCount
      #expect(given == rings.reduce(0) { $0 + $1.count } - (isRing && isClosed ? rings.count : 0))
      if definition.cutVertexCount > given { cut += 1 }
      if definition.hasWideEdges { wide += 1 }
    }
    #expect(compared > 200 && cut > 50 && wide > 20, "\(compared) \(cut) \(wide)")
  }

  /// Boxes around the Earth and strips from pole to pole get extra vertices along their edges.
  @Test func countsTheVerticesOfWrittenEdges() throws {
    for ring: [Corner] in [
      [(-90, -180), (-90, 180), (-60, 180), (-60, -180)], [(50, -170), (50, 170), (60, 170), (60, -170)],
      [(-90, 0), (-90, 1), (90, 1), (90, 0)],
    ] {
      let definition = definition([ring], isRing: true)
      var room = ShapeVertices.most
      _ = try GivenRing(
        definition.vertices.vertices(ofRing: 0), part: 0, ring: 0, isRing: true, reading: .planar, room: &room)
      #expect((definition.cutVertexCount - (ShapeVertices.most - room)).magnitude <= 4)
      #expect(definition.cutVertexCount > 4)
    }
  }

  /// Invalid positions count as vertices; they are refused when the shape is examined.
  @Test func invalidPositionsAreNotCut() {
    for latitude in [Double.nan, .infinity, -91, 1e308] {
      #expect(definition([[(0, 0), (0, 170), (latitude, 0)]], isRing: false).cutVertexCount < 1_000)
      #expect(definition([[(latitude, 0), (latitude, 0), (latitude, 0)]], isRing: true).cutVertexCount == 2)
    }
    #expect(definition([], isRing: true).cutVertexCount == 0)
    #expect(definition([[]], isRing: true).cutVertexCount == 0)
    #expect(definition([[(80, 0)]], isRing: true).cutVertexCount == 1)
  }
}
