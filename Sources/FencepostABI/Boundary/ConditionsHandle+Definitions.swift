import CFencepost
import FencepostCore

// Reading back the definitions of a table.
extension ConditionsHandle {
  func condition(
    _ identifier: UnsafePointer<CChar>?, _ out_condition: UnsafeMutablePointer<fencepost_condition>?
  ) throws(BoundaryError) {
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    let out = try Boundary.require(out_condition, "out_condition")
    try read { engine throws(MonitorError) in
      engine.store(conditionOf: try engine.slot(ofIdentifierBytes: bytes), to: out)
    }
  }

  /// - Parameter other: The function to call for data that this one does not return.
  func geometry(
    _ identifier: UnsafePointer<CChar>?, _ out_wkb: UnsafeMutableRawPointer?, _ capacity: Int,
    _ out_size: UnsafeMutablePointer<Int>?, other: StaticString
  ) throws(BoundaryError) {
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    let size = try Boundary.require(out_size, "out_size")
    let buffer = out_wkb?.assumingMemoryBound(to: CChar.self)
    let wkb = try read { engine throws(MonitorError) in
      guard let wkb = engine.wellKnownBinary(of: try engine.slot(ofIdentifierBytes: bytes)) else {
        throw .invalidArgument(
          "the condition has no vertices; it must be a polygon or corridor; read others with \(other)()")
      }
      return wkb
    }
    try OutputBuffer.write(wkb, terminator: false, to: buffer, capacity: capacity, size: size)
  }

  func shape(
    _ identifier: UnsafePointer<CChar>?, _ out_shape: UnsafeMutablePointer<fencepost_shape>?
  ) throws(BoundaryError) {
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    let out = try Boundary.require(out_shape, "out_shape")
    try SizedStruct.check(out, "out_shape")
    let subject = try read { engine throws(MonitorError) in
      engine.subject(of: try engine.slot(ofIdentifierBytes: bytes))
    }
    // The departure is computed outside the lock, because it takes a while for many vertices.
    try SizedStruct.write(fencepost_shape(subject), to: out, "out_shape")
  }

  func identifiers(
    _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ out_size: UnsafeMutablePointer<Int>?,
    _ out_count: UnsafeMutablePointer<Int>?,
    where isListed: (borrowing MonitorEngine, UInt32) -> Bool = { _, _ in true }
  ) throws(BoundaryError) {
    let size = try Boundary.require(out_size, "out_size")
    let list = try read { engine in IdentifierList(engine) { isListed(engine, $0) } }
    try list.write(to: buffer, capacity, size, out_count)
  }

  /// The whole holder as bytes, copied once; only their count if the buffer is too small.
  func snapshot(
    _ buffer: UnsafeMutableRawPointer?, _ capacity: Int, _ out_size: UnsafeMutablePointer<Int>?
  ) throws(BoundaryError) {
    let start = try Boundary.require(buffer, count: capacity, "buffer")
    guard capacity > 0, let start else {
      out_size?.pointee = try read { engine in engine.snapshotSize }
      return
    }
    let needed = try read { engine in
      engine.withSnapshot { snapshot in
        out_size?.pointee = snapshot.count
        if capacity >= snapshot.count {
          UnsafeMutableRawBufferPointer(start: start, count: capacity).copyMemory(from: snapshot)
        }
        return snapshot.count
      }
    }
    guard capacity >= needed else { throw .bufferTooSmall(needed: needed) }
  }
}
