public import CFencepost
import FencepostCore

@_cdecl("fencepost_fleet_export_devices") @implementation
public func fencepost_fleet_export_devices(
  _ fleet: OpaquePointer?, _ devices: UnsafePointer<fencepost_device>?, _ count: Int, _ portable: UInt32,
  _ buffer: UnsafeMutableRawPointer?, _ capacity: Int, _ out_offsets: UnsafeMutablePointer<UInt64>?,
  _ out_size: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let first = try Boundary.require(devices, count: count, "devices")
    let start = try Boundary.require(buffer, count: capacity, "buffer")
    let out = try Boundary.require(out_size, "out_size")
    let room = UnsafeMutableRawBufferPointer(start: start, count: start == nil ? 0 : capacity)
    // Copy the bytes: the engine must later read exactly the values that it has checked.
    let numbers = Array(UnsafeBufferPointer(start: first, count: count))
    let needed = try handle.read { engine throws(MonitorError) in
      var (end, row) = (0, 0)
      try engine.export(numbers, portable: portable != 0) { bytes in
        if bytes.count <= room.count - min(end, room.count) {
          UnsafeMutableRawBufferPointer(rebasing: room[end...]).copyMemory(from: bytes)
        }
        out_offsets?[row] = UInt64(end)
        end += bytes.count
        row += 1
      }
      out_offsets?[row] = UInt64(end)
      return end
    }
    out.pointee = needed
    guard capacity == 0 || needed <= capacity else { throw .bufferTooSmall(needed: needed) }
  }
}

@_cdecl("fencepost_fleet_import_devices") @implementation
public func fencepost_fleet_import_devices(
  _ fleet: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?, _ bytes: UnsafeRawPointer?,
  _ offsets: UnsafePointer<UInt64>?, _ count: Int, _ adapt: UInt32,
  _ out_devices: UnsafeMutablePointer<fencepost_device>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    guard let identifiers = try Boundary.require(identifiers, count: count, "identifiers"), count > 0 else { return }
    for row in 0..<count { _ = try Boundary.identifier(identifiers[row], row: row) }
    let rows = try ExportedRows(bytes, Boundary.require(offsets, "offsets"), count)
    let numbers = try handle.call { engine throws(MonitorError) in
      try engine.load(
        count: count, adapt: adapt != 0,
        identifier: { identifiers[$0].map(Boundary.identifier) ?? UnsafeBufferPointer(start: nil, count: 0) },
        bytes: { rows[$0] })
    }
    guard let out_devices else { return }
    for (row, number) in numbers.enumerated() { out_devices[row] = number }
  }
}

/// The bytes of several devices, one device after the other.
private struct ExportedRows {
  private let start: UnsafeRawPointer?
  /// A copy of the offsets, so that the caller cannot change them after they were checked.
  private let offsets: [UInt64]

  init(_ bytes: UnsafeRawPointer?, _ offsets: UnsafePointer<UInt64>, _ count: Int) throws(BoundaryError) {
    start = bytes
    guard count < Int.max / 8 else {
      throw .count(of: "offsets", count, most: Int.max / 8 - 1)
    }
    self.offsets = Array(UnsafeBufferPointer(start: offsets, count: count + 1))
    for row in 0..<count {
      let (first, end) = (self.offsets[row], self.offsets[row + 1])
      guard first <= end, end <= UInt64(Int.max) else {
        throw .invalidArgument(
          "offsets[\(row)] is \(first), the next is \(end); must ascend", position: row)
      }
      _ = try Boundary.require(bytes, count: Int(end - first), "bytes")
    }
  }

  subscript(row: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: start.map { $0 + Int(offsets[row]) }, count: start == nil ? 0 : Int(offsets[row + 1] - offsets[row]))
  }
}
