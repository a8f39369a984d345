import FencepostKernel

extension ShapeDefinition {
  /// Whether this definition is the result of examining `given`, bit for bit: the vertices are the same except for
  /// repeated vertices and longitudes that differ by a turn. The result may be `false` for some results of an
  /// examination: at poles, and for planar edges of 180 degrees of longitude or more, because a reduced longitude would
  /// change such an edge.
  func isReduction(of given: ShapeDefinition) -> Bool {
    guard kind == given.kind, edges == given.edges, !given.hasWideEdges,
      vertices.partEnds == given.vertices.partEnds,
      vertices.ringEnds.count == given.vertices.ringEnds.count
    else { return false }
    return vertices.ringEnds.indices.allSatisfy { ring in
      Self.isReduction(vertices.vertices(ofRing: ring), of: given.vertices.vertices(ofRing: ring), isClosed: isPolygon)
    }
  }

  private typealias Vertices = ContiguousArray<ShapeVertices.Vertex>.SubSequence

  private static func isReduction(_ kept: Vertices, of given: Vertices, isClosed: Bool) -> Bool {
    var rest = kept
    var last: ShapeVertices.Vertex?
    for vertex in given {
      let reduced = ShapeVertices.Vertex(
        latitude: vertex.latitude,
        longitude: vertex.longitude >= 180
          ? vertex.longitude - 360 : vertex.longitude < -180 ? vertex.longitude + 360 : vertex.longitude)
      if reduced == last { continue }
      last = reduced
      if let next = rest.first, next == reduced {
        rest.removeFirst()
      } else if !(isClosed && rest.isEmpty && reduced == kept.first) {
        return false
      }
    }
    return rest.isEmpty
  }
}
