import CFencepost
import FencepostCore
import FencepostKernel

/// Vertices in the caller's columns, with the offsets of rings, lines and parts; the offsets are checked, and the
/// vertices are read in place.
struct GeometryColumns {
  private let latitudes: UnsafeRawPointer?
  private let longitudes: UnsafeRawPointer?
  private let stride: Int
  private let rings: Offsets
  private let parts: Offsets

  init(_ geometry: UnsafePointer<fencepost_geometry>?) throws(BoundaryError) {
    let defaults = fencepost_geometry(
      struct_size: 0, stride: 0, latitudes: nil, longitudes: nil, vertex_count: 0, ring_offsets: nil, ring_count: 0,
      part_offsets: nil, part_count: 0)
    let value = try SizedStruct.read(Boundary.require(geometry, "geometry"), defaults: defaults, "geometry")
    stride = value.stride == 0 ? MemoryLayout<Double>.stride : Int(clamping: value.stride)
    guard value.vertex_count >= 0, value.vertex_count <= Int.max / stride else {
      throw .invalidArgument(
        "vertex_count is \(UInt(bitPattern: value.vertex_count)); must be from 0 to \(Int.max / stride)")
    }
    latitudes = UnsafeRawPointer(try Boundary.require(value.latitudes, count: value.vertex_count, "latitudes"))
    longitudes = UnsafeRawPointer(try Boundary.require(value.longitudes, count: value.vertex_count, "longitudes"))
    rings = try Offsets(value.ring_offsets, count: value.ring_count, into: value.vertex_count, "ring_offsets")
    parts = try Offsets(value.part_offsets, count: value.part_count, into: rings.count, "part_offsets")
  }

  /// The conditions that bulk calls create from the parts or lines.
  func conditions(
    _ offsets: UnsafePointer<Int32>?, count: Int, ofLines: Bool
  ) throws(BoundaryError) -> Offsets {
    let pieces = ofLines ? rings.count : parts.count
    guard offsets == nil else { return try Offsets(offsets, count: count, into: pieces, "condition_offsets") }
    guard count == pieces else {
      throw .invalidArgument(
        "count is \(count), but the geometry has \(pieces) \(ofLines ? "lines" : "parts"); without condition_offsets "
          + "they must be equal")
    }
    return Offsets(each: count)
  }

  /// The parts or lines of a geometry that is one condition.
  func all(ofKind kind: fencepost_condition_kind) -> Range<Int> {
    0..<(Int(kind) == FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC ? parts.count : rings.count)
  }

  /// Reads all parts, and joins them into one polygon.
  func polygon() throws(BoundaryError) -> ShapeVertices { try polygon(ofParts: 0..<parts.count) }

  /// Reads some of the parts, and joins them into one polygon.
  func polygon(ofParts range: Range<Int>) throws(BoundaryError) -> ShapeVertices {
    var vertices = ShapeVertices()
    for part in range {
      vertices.beginPart()
      for ring in try parts[part] { try append(ring, to: &vertices) }
    }
    return vertices
  }

  /// Reads all lines, and joins them into one corridor.
  func lines() throws(BoundaryError) -> ShapeVertices { try lines(0..<rings.count) }

  /// Reads some of the lines, and joins them into one corridor.
  func lines(_ range: Range<Int>) throws(BoundaryError) -> ShapeVertices {
    var vertices = ShapeVertices()
    for line in range { try append(line, to: &vertices) }
    return vertices
  }

  private func append(_ ring: Int, to vertices: inout ShapeVertices) throws(BoundaryError) {
    let range = try rings[ring]
    vertices.beginRing()
    guard let latitudes, let longitudes else { return }
    for vertex in range {
      vertices.append(
        latitude: latitudes.loadUnaligned(fromByteOffset: vertex * stride, as: Double.self),
        longitude: longitudes.loadUnaligned(fromByteOffset: vertex * stride, as: Double.self))
    }
  }
}

/// Offsets that divide another column into items: each offset is the index of an item's first element, and the last
/// offset is the end of the last item. The number of offsets is one more than the number of items. The offsets are
/// checked when they are used: an offset beyond the end of the column causes an error.
struct Offsets {
  private enum Source {
    case column(UnsafePointer<Int32>, name: StaticString)
    /// All elements belong to one item.
    case all
    /// Each element is an item of its own.
    case each
  }

  let count: Int
  private let elements: Int
  private let source: Source

  /// - Parameter pointer: `count + 1` offsets; NULL means a single item that contains all elements.
  init(
    _ pointer: UnsafePointer<Int32>?, count: Int, into elements: Int, _ name: StaticString
  ) throws(BoundaryError) {
    self.elements = elements
    guard let pointer else {
      guard count <= 1, count >= 0 else { throw .nullArgument("\(name)") }
      (self.count, source) = (1, .all)
      return
    }
    guard count >= 0, count < Int.max / MemoryLayout<Int32>.stride else {
      throw .count(of: name, count, most: Int.max / MemoryLayout<Int32>.stride - 1)
    }
    (self.count, source) = (count, .column(pointer, name: name))
  }

  /// Creates one item for each element.
  init(each count: Int) {
    (self.count, elements, source) = (count, count, .each)
  }

  /// The elements of an item.
  subscript(index: Int) -> Range<Int> {
    get throws(BoundaryError) {
      switch source {
      case .all: return 0..<elements
      case .each: return index..<(index + 1)
      case .column(let pointer, let name):
        let (start, end) = (Int(pointer[index]), Int(pointer[index + 1]))
        guard start >= 0, start <= end, end <= elements else {
          throw .invalidArgument(
            "\(name)[\(index)] is \(start), the next is \(end); must ascend from 0 to \(elements)"
          )
        }
        return start..<end
      }
    }
  }
}
