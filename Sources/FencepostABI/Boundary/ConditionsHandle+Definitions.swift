import CFencepost
import FencepostCore

// Functions that read back the definitions of a table.
extension ConditionsHandle {
  func condition(
    _ identifier: UnsafePointer<CChar>?, _ out_condition: UnsafeMutablePointer<fencepost_condition>?
  ) throws(BoundaryError) {
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    let out = try Boundary.require(out_condition, "out_condition")
    try read { table throws(MonitorError) in
      table.store(conditionOf: try table.slot(ofIdentifierBytes: bytes), to: out)
    }
  }

  /// - Parameter other: The function to call for data that this function does not return itself.
  func geometry(
    _ identifier: UnsafePointer<CChar>?, _ out_wkb: UnsafeMutableRawPointer?, _ capacity: Int,
    _ out_size: UnsafeMutablePointer<Int>?, other: StaticString
  ) throws(BoundaryError) {
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    let size = try Boundary.require(out_size, "out_size")
    let buffer = out_wkb?.assumingMemoryBound(to: CChar.self)
    let wkb = try read { table throws(MonitorError) in
      guard let wkb = table.wellKnownBinary(of: try table.slot(ofIdentifierBytes: bytes)) else {
        throw .invalidArgument(
          "the condition has no vertices; it must be a polygon or corridor; read other kinds with \(other)()")
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
    let subject = try read { table throws(MonitorError) in
      table.subject(of: try table.slot(ofIdentifierBytes: bytes))
    }
    // The distance between planar and geodesic edges is computed outside the lock, because the computation takes a
    // while if there are many vertices.
    try SizedStruct.write(fencepost_shape(subject), to: out, "out_shape")
  }

  func identifiers(
    _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ out_size: UnsafeMutablePointer<Int>?,
    _ out_count: UnsafeMutablePointer<Int>?
  ) throws(BoundaryError) {
    let size = try Boundary.require(out_size, "out_size")
    let list = try check({ IdentifierList($0) { _ in true } }, { IdentifierList($0.table) { _ in true } })
    try list.write(to: buffer, capacity, size, out_count)
  }

  /// Copies a snapshot of the monitor or table into the buffer; if the buffer is too small, only the number of bytes is
  /// stored.
  func snapshot(
    _ buffer: UnsafeMutableRawPointer?, _ capacity: Int, _ out_size: UnsafeMutablePointer<Int>?
  ) throws(BoundaryError) {
    let start = try Boundary.require(buffer, count: capacity, "buffer")
    guard capacity > 0, let start else {
      out_size?.pointee = try check({ $0.snapshotSize }, { $0.snapshotSize })
      return
    }
    func copy(_ snapshot: UnsafeRawBufferPointer) -> Int {
      out_size?.pointee = snapshot.count
      if capacity >= snapshot.count {
        UnsafeMutableRawBufferPointer(start: start, count: capacity).copyMemory(from: snapshot)
      }
      return snapshot.count
    }
    let needed = try check({ $0.withSnapshot(copy) }, { $0.withSnapshot(copy) })
    guard capacity >= needed else { throw .bufferTooSmall(needed: needed) }
  }
}
