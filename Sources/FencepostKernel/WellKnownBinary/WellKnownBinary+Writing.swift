extension WellKnownBinary {
  /// The vertices of a definition as bytes; the bytes do not contain the options.
  public static func encode(_ definition: ShapeDefinition) -> [UInt8] {
    encode(Geometry(isPolygon: definition.isPolygon, vertices: definition.vertices))
  }

  /// A geometry as bytes. A single part is written as a Polygon, and a single line as a LineString. An open ring is
  /// written as a closed ring.
  public static func encode(_ geometry: Geometry) -> [UInt8] {
    var writer = Writer()
    let vertices = geometry.vertices
    writer.bytes.reserveCapacity(64 + 24 * vertices.ringEnds.count + 16 * vertices.vertices.count)
    if geometry.isPolygon {
      if vertices.partEnds.count != 1 { writer.header(.multiPolygon, count: vertices.partEnds.count) }
      for part in vertices.partEnds.indices {
        let rings = vertices.rings(ofPart: part)
        writer.header(.polygon, count: rings.count)
        for ring in rings { writer.ring(vertices.vertices(ofRing: ring)) }
      }
    } else {
      let lines = vertices.ringEnds.indices
      if lines.count != 1 { writer.header(.multiLineString, count: lines.count) }
      for line in lines {
        let corners = vertices.vertices(ofRing: line)
        writer.header(.lineString, count: corners.count)
        for corner in corners { writer.append(corner) }
      }
    }
    return writer.bytes
  }

  private struct Writer {
    var bytes: [UInt8] = []

    mutating func header(_ type: GeometryType, count: Int) {
      bytes.append(1)
      append(type.rawValue)
      append(UInt32(truncatingIfNeeded: count))
    }

    mutating func ring(_ corners: ContiguousArray<ShapeVertices.Vertex>.SubSequence) {
      guard let first = corners.first, let last = corners.last else { return append(0 as UInt32) }
      let isClosed = corners.count > 1 && first == last
      append(UInt32(truncatingIfNeeded: corners.count + (isClosed ? 0 : 1)))
      for corner in corners { append(corner) }
      if !isClosed { append(first) }
    }

    mutating func append(_ vertex: ShapeVertices.Vertex) {
      append(vertex.longitude.bitPattern)
      append(vertex.latitude.bitPattern)
    }

    mutating func append(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
  }
}
