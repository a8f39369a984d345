extension ShapeDefinition {
  /// The number of vertices in a caller's definition, before the definition is examined. This number includes the
  /// vertices that are inserted when planar edges are divided.
  ///
  /// A repeated vertex counts, unless it closes a ring. Points that divide planar edges later, because only the
  /// geodesics of these edges cross, do not count.
  public var cutVertexCount: Int {
    var count: Int64 = 0
    for ring in vertices.ringEnds.indices {
      let corners = vertices.vertices(ofRing: ring)
      guard let first = corners.first, let last = corners.last else { continue }
      let isClosed =
        isPolygon && corners.count > 1 && first.latitude.bitPattern == last.latitude.bitPattern
        && first.longitude.bitPattern == last.longitude.bitPattern
      count += Int64(corners.count - (isClosed ? 1 : 0))
      guard edges == .planar else { continue }
      var before = first
      for corner in corners.dropFirst() {
        count += ShapeDefinition.cuts(from: before, to: corner)
        before = corner
      }
      if isPolygon { count += ShapeDefinition.cuts(from: last, to: first) }
    }
    return Int(clamping: count)
  }

  /// The number of points at which a planar edge is divided.
  private static func cuts(from start: ShapeVertices.Vertex, to end: ShapeVertices.Vertex) -> Int64 {
    // Examining the shape refuses invalid positions; skip them here, because their numbers may be NaN.
    guard start.isPosition, end.isPosition else { return 0 }
    let (turn, rise) = (end.longitude - start.longitude, end.latitude - start.latitude)
    // If an edge is shorter than 0.01°, its geodesic is within 0.06 m of it.
    if turn.magnitude + rise.magnitude < 0.01 { return 0 }
    let pieces = WrittenEdges.pieces(from: start, to: end)
    var count: Int64 = -1
    for piece in 0..<pieces {
      let (from, to) = (Double(piece) / Double(pieces), Double(piece + 1) / Double(pieces))
      let most = PlanarEdge.pieces(
        start.latitude + rise * from, start.latitude + rise * to, span: turn / Double(pieces))
      count += max(most.roundedUp, 1)
    }
    return count
  }
}
