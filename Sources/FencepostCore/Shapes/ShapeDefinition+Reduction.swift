import FencepostKernel

extension ShapeDefinition {
  /// Whether this is what examination leaves of a definition that was given, to the last bit: the same but for repeated
  /// vertices and longitudes a turn away. It may miss some that are the same: at poles, and with planar
  /// edges of 180 degrees of longitude or more, whose reduced longitudes mean another edge.
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
