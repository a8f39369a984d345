import CPlatform

/// Reading ahead. Hardly any of a million conditions is in a cache, and each read from main memory takes as long as some
/// hundred instructions. Reads that are begun before the values are needed overlap with each other and with other work.
enum ReadAhead {
  /// The number of events that are read ahead at a time: enough for their reads to overlap, few enough to stay in the first
  /// cache.
  static let block = 32

  /// Begins to read the memory at an address into the cache, and does not wait for it.
  @inline(__always)
  static func begin(_ address: UnsafeRawPointer) { cplatform_read_ahead(address) }

  /// Begins to read an element of an array into the cache, and does not wait for it. An element may lie in two cache
  /// lines.
  @inline(__always)
  static func begin<Value>(_ values: ContiguousArray<Value>, _ index: Int) {
    values.withUnsafeBufferPointer { values in
      guard let start = values.baseAddress, index < values.count else { return }
      begin(start + index)
      begin(UnsafeRawPointer(start + index) + (MemoryLayout<Value>.size &- 1))
    }
  }
}
