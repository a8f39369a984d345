extension WellKnownBinary {
  /// Reads a shape.
  ///
  /// Reading does not check the shape itself: coordinates may be any numbers, and rings may be open or empty.
  public static func decode(_ bytes: UnsafeRawBufferPointer) throws(Defect) -> Geometry {
    var reader = Reader(bytes: bytes)
    let head = try reader.header()
    var vertices = ShapeVertices()
    let isPolygon: Bool
    switch head.type {
    case .polygon:
      isPolygon = true
      try reader.polygon(head, &vertices)
    case .multiPolygon:
      isPolygon = true
      // A member of a collection has at least a byte order, a type and a number of rings.
      for _ in 0..<(try reader.count(head, of: "polygons", leastSize: 9)) {
        try reader.polygon(reader.member(.polygon, of: head.type), &vertices)
      }
    case .lineString:
      isPolygon = false
      try reader.line(head, &vertices)
    case .multiLineString:
      isPolygon = false
      for _ in 0..<(try reader.count(head, of: "lines", leastSize: 9)) {
        try reader.line(reader.member(.lineString, of: head.type), &vertices)
      }
    default:
      throw Defect(
        offset: 1, reason: "\(head.type.name) is not a Polygon, MultiPolygon, LineString or MultiLineString")
    }
    guard reader.offset == bytes.count else {
      throw Defect(offset: reader.offset, reason: "\(bytes.count - reader.offset) bytes follow the geometry")
    }
    return Geometry(isPolygon: isPolygon, vertices: vertices)
  }

  public static func decode(_ bytes: [UInt8]) throws(Defect) -> Geometry {
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(Defect) in try decode(buffer) }
    }
    return try result.get()
  }

  /// The header before the members or vertices of each geometry.
  private struct Header {
    var type: GeometryType
    var isBigEndian: Bool
    /// The size of a vertex in bytes; a vertex consists of two to four numbers.
    var vertexSize: Int
  }

  private struct Reader {
    let bytes: UnsafeRawBufferPointer
    var offset = 0

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func header() throws(Defect) -> Header {
      let start = offset
      guard bytes.count - offset >= 5 else { throw Defect(offset: offset, reason: "the bytes end within a header") }
      let order = bytes[offset]
      guard order <= 1 else {
        throw Defect(offset: offset, reason: "the byte order is \(order); must be 0 (big endian) or 1 (little endian)")
      }
      offset += 1
      let isBigEndian = order == 0
      let word = try number(isBigEndian)
      var dimensions = 2
      if word & Extension.z != 0 { dimensions += 1 }
      if word & Extension.m != 0 { dimensions += 1 }
      let plain = word & 0x1fff_ffff
      // ISO well-known binary adds 1000 to the geometry type for z, 2000 for m, and 3000 for both.
      switch (plain / 1000, dimensions) {
      case (0, _): break
      case (1, 2), (2, 2): dimensions = 3
      case (3, 2): dimensions = 4
      default: throw Defect(offset: start + 1, reason: "\(word) is not a geometry type")
      }
      guard let type = GeometryType(rawValue: plain % 1000) else {
        throw Defect(offset: start + 1, reason: "\(word) is not a geometry type")
      }
      if word & Extension.spatialReference != 0 {
        let reference = try number(isBigEndian)
        guard spatialReferences.contains(reference) else {
          throw Defect(
            offset: offset - 4, reason: "the spatial reference is \(reference); positions must be WGS 84 (4326)")
        }
      }
      return Header(type: type, isBigEndian: isBigEndian, vertexSize: 8 * dimensions)
    }

    mutating func member(_ type: GeometryType, of whole: GeometryType) throws(Defect) -> Header {
      let start = offset
      let head = try header()
      guard head.type == type else {
        throw Defect(offset: start + 1, reason: "a \(head.type.name) stands in a \(whole.name)")
      }
      return head
    }

    mutating func polygon(_ head: Header, _ vertices: inout ShapeVertices) throws(Defect) {
      vertices.beginPart()
      for _ in 0..<(try count(head, of: "rings", leastSize: 4)) { try line(head, &vertices) }
    }

    /// Reads the vertices of one ring, or the part of a line that follows its header.
    mutating func line(_ head: Header, _ vertices: inout ShapeVertices) throws(Defect) {
      let count = try count(head, of: "vertices", leastSize: head.vertexSize)
      vertices.beginRing()
      for _ in 0..<count {
        let longitude = coordinate(at: offset, head.isBigEndian)
        let latitude = coordinate(at: offset + 8, head.isBigEndian)
        vertices.append(latitude: latitude, longitude: longitude)
        offset += head.vertexSize
      }
    }

    /// A count of the items that follow, checked against the number of remaining bytes.
    mutating func count(_ head: Header, of things: String, leastSize: Int) throws(Defect) -> Int {
      let start = offset
      let count = Int(clamping: try number(head.isBigEndian))
      let left = bytes.count - offset
      guard count <= left / leastSize else {
        throw Defect(offset: start, reason: "\(count) \(things) do not fit into the \(left) remaining bytes")
      }
      return count
    }

    mutating func number(_ isBigEndian: Bool) throws(Defect) -> UInt32 {
      guard bytes.count - offset >= 4 else { throw Defect(offset: offset, reason: "the bytes end within a number") }
      let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      offset += 4
      return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
    }

    /// The caller must first check that the bytes exist.
    func coordinate(at place: Int, _ isBigEndian: Bool) -> Double {
      let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      return Double(bitPattern: isBigEndian ? UInt64(bigEndian: word) : UInt64(littleEndian: word))
    }
  }
}
