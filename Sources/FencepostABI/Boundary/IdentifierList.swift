import FencepostCore

/// Identifiers in the order in which their conditions were added, each followed by a zero byte.
struct IdentifierList: Sendable {
  private var bytes: ContiguousArray<UInt8> = []
  private var count = 0

  init(_ table: borrowing ConditionTable) {
    var after: UInt64 = 0
    while let slot = table.slot(after: after) {
      after = table.generation(of: slot)
      table.withIdentifierBytes(of: slot) { bytes.append(contentsOf: $0) }
      bytes.append(0)
      count += 1
    }
  }

  func write(
    to buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ out_size: UnsafeMutablePointer<Int>,
    _ out_count: UnsafeMutablePointer<Int>?
  ) throws(BoundaryError) {
    try OutputBuffer.write(bytes, terminator: false, to: buffer, capacity: capacity, size: out_size)
    out_count?.pointee = count
  }
}
