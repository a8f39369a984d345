import CFencepost
import FencepostCore

// Functions that read back the definitions of a table.
extension ConditionsHandle {
  /// Reads a condition, its policy and its shape, each where there is memory for it.
  func describe(
    _ identifier: UnsafePointer<CChar>?, _ out_condition: UnsafeMutablePointer<fencepost_condition>?,
    _ out_policy: UnsafeMutablePointer<fencepost_transition_policy>?,
    _ out_shape: UnsafeMutablePointer<fencepost_shape>?
  ) throws(BoundaryError) {
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    if let out_policy { try SizedStruct.check(out_policy, "out_policy") }
    let room = try IntervalRoom(out_shape)
    let (policy, subject, band, timing) = try read { table throws(MonitorError) in
      let slot = try table.slot(ofIdentifierBytes: bytes)
      if let out_condition { table.store(conditionOf: slot, to: out_condition) }
      return (
        table.policy(of: slot), out_shape == nil ? nil : table.subject(of: slot), table.band(of: slot) ?? .none,
        table.timing(of: slot) ?? .none
      )
    }
    if let out_policy { try SizedStruct.write(fencepost_transition_policy(policy), to: out_policy, "out_policy") }
    // The distance between planar and geodesic edges is computed outside the lock, because the computation takes a
    // while if there are many vertices.
    if let out_shape, let subject {
      var shape = fencepost_shape(subject, band, timing)
      room.store(timing.schedule, in: &shape)
      try SizedStruct.write(shape, to: out_shape, "out_shape")
    }
  }

  func geometry(
    _ identifier: UnsafePointer<CChar>?, _ out_wkb: UnsafeMutableRawPointer?, _ capacity: Int,
    _ out_size: UnsafeMutablePointer<Int>?
  ) throws(BoundaryError) {
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    let size = try Boundary.require(out_size, "out_size")
    let buffer = out_wkb?.assumingMemoryBound(to: CChar.self)
    let wkb = try read { table throws(MonitorError) in
      guard let wkb = table.wellKnownBinary(of: try table.slot(ofIdentifierBytes: bytes)) else {
        throw .invalidArgument(
          "the condition has no vertices; it must be a polygon or corridor; read other kinds with fencepost_conditions_describe()"
        )
      }
      return wkb
    }
    try OutputBuffer.write(wkb, terminator: false, to: buffer, capacity: capacity, size: size)
  }

  func identifiers(
    _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ out_size: UnsafeMutablePointer<Int>?,
    _ out_count: UnsafeMutablePointer<Int>?
  ) throws(BoundaryError) {
    let size = try Boundary.require(out_size, "out_size")
    let list = try check({ IdentifierList($0) }, { IdentifierList($0.table) })
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

/// The caller's memory for the intervals of a timing.
private struct IntervalRoom {
  private var start: UnsafeMutablePointer<fencepost_interval>?
  private var capacity = 0

  init(_ shape: UnsafeMutablePointer<fencepost_shape>?) throws(BoundaryError) {
    guard let shape else { return }
    let given = try SizedStruct.readKnown(UnsafePointer(shape), defaults: fencepost_shape(), "out_shape")
    capacity = given.active_capacity
    start = try Boundary.require(given.active, count: capacity, "active")
  }

  /// Writes the intervals for which there is room, and the members of a description that describe them.
  @_optimize(size)
  func store(_ schedule: Schedule?, in shape: inout fencepost_shape) {
    shape.active = start
    shape.active_capacity = capacity
    guard let schedule else { return }
    let count = schedule.edgeCount / 2
    shape.active_count = UInt64(count)
    guard let start else { return }
    for row in 0..<min(count, capacity) {
      start[row] = fencepost_interval(start_us: schedule.edge(2 * row), end_us: schedule.edge(2 * row + 1))
    }
  }
}
