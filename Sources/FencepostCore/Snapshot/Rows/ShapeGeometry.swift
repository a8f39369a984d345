import FencepostKernel

/// The encoding of a polygon, corridor or line in a row: the options, the depth, and last the vertices as well-known
/// binary.
extension GeodesicShape {
  private static let isPlanar: UInt8 = 1
  private static let isOriented: UInt8 = 2

  func encode(to writer: inout ByteWriter) {
    let planar = definition.edges == .planar ? Self.isPlanar : 0
    switch definition.kind {
    case .polygon(let buffer, let isOriented):
      writer.put(planar | (isOriented ? Self.isOriented : 0))
      writer.putCompact(buffer)
    case .corridor(let radius):
      writer.put(planar)
      writer.putCompact(radius)
    case .line:
      writer.put(planar)
      writer.putCompact(0.0)
    }
    writer.put(depth)
    WellKnownBinary.encode(definition).withUnsafeBytes { writer.put($0) }
  }

  /// Reads a shape, which may be damaged, up to the end of its row.
  ///
  /// - Parameter kind: The kind of a shape without a closed form.
  static func read(_ kind: ConditionKind, _ reader: inout ByteReader) throws(Damage) -> GeodesicShape {
    let (isPolygon, isLine): (Bool, Bool) =
      switch kind {
      case .polygonalGeographic: (true, false)
      case .corridorGeographic: (false, false)
      case .lineGeographic: (false, true)
      case .circularGeographic, .beaconIdentity, .rule: throw Damage("kind is \(kind.rawValue), which has no vertices")
      }
    let options: UInt8 = try reader.take("options of a shape", in: 0...(isPolygon ? 3 : 1))
    let metres = try reader.takeCompactDouble()
    let depth = try reader.takeDouble()
    guard isLine ? depth == 0 && metres == 0 : depth > 0, depth.isFinite else { throw Damage.depth(depth) }
    let bytes = try reader.takeBytes(reader.remaining)
    let geometry: WellKnownBinary.Geometry
    do throws(WellKnownBinary.Defect) {
      geometry = try WellKnownBinary.decode(bytes)
    } catch {
      throw Damage(error.message)
    }
    guard geometry.isPolygon == isPolygon else { throw Damage("a shape has the geometry of another kind") }
    let definition = ShapeDefinition(
      isPolygon
        ? .polygon(buffer: metres, isOriented: options & Self.isOriented != 0)
        : isLine ? .line : .corridor(radius: metres),
      geometry.vertices, edges: options & Self.isPlanar != 0 ? .planar : .geodesic)
    let shape: GeodesicShape
    do throws(MonitorError) {
      shape = try validated(definition, depth: depth)
    } catch {
      throw Damage("a shape is refused: \(error)")
    }
    // Only the examined vertices are written. A shape that examination would change again could not be restored.
    guard WellKnownBinary.encode(shape.definition).elementsEqual(bytes) else {
      throw Damage("the vertices of a shape are not in canonical form")
    }
    // Margins and plans rely on the depth, so the shape must not be shallower than the depth.
    guard -shape.boundaryDistance(of: shape.deepest) >= depth - 1e-3 else {
      throw Damage.depth(depth)
    }
    return shape
  }
}
