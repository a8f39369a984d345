import FencepostKernel

/// What two tables have in common when devices of one can go on with the other: all conditions with their generations, and
/// the last generation that was given.
public struct TableDigest: Sendable, Hashable {
  public var high: UInt64
  public var low: UInt64

  /// Sixteen bytes, as in the C interface.
  public var bytes: [UInt8] {
    var writer = ByteWriter(reserving: 16)
    writer.put(high.bigEndian)
    writer.put(low.bigEndian)
    return Array(writer.bytes)
  }

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  init(_ table: borrowing ConditionTable) {
    var one = Checksum(seed: 1)
    var other = Checksum(seed: 2)
    var writer = ByteWriter(reserving: 512)
    for slot in table.live {
      writer.removeAll()
      writer.put(table.generation(of: slot))
      // When a monitor's condition was added is of the monitor, not of the table.
      DefinitionRow.encode(slot, of: table, added: .min, to: &writer)
      one.add(writer.bytes)
      other.add(writer.bytes)
    }
    one.add(table.order.lastGeneration)
    other.add(table.order.lastGeneration)
    if let limit = table.limit.capacity {
      // The digest includes whether a condition has a place and whether it has waited for it, because this determines
      // what devices know about the condition.
      one.add(UInt64(limit))
      other.add(UInt64(limit))
      for slot in table.live {
        let word: UInt64 = (table.isOverLimit(slot) ? 1 : 0) | (table.hasWaited(slot) ? 2 : 0)
        one.add(word)
        other.add(word)
      }
    }
    self.init(high: one.value, low: other.value)
  }
}

/// Which version of a table of conditions it is.
public struct TableVersion: Sendable, Hashable {
  /// Number of conditions.
  public var count: Int
  /// The last generation that was given.
  public var generation: UInt64
  public var digest: TableDigest

  init(of table: borrowing ConditionTable, _ digest: TableDigest) {
    count = table.count
    generation = table.order.lastGeneration
    self.digest = digest
  }

  /// - Complexity: O(conditions)
  package init(of table: borrowing ConditionTable) { self.init(of: table, TableDigest(table)) }
}

extension Conditions {
  /// Which version of the table it is. Two tables of one version take each other's devices as they are.
  ///
  /// - Complexity: O(conditions) after a change.
  public var version: TableVersion {
    readLong { table in TableVersion(of: table, digest(of: table)) }
  }

  /// Has the digest computed anew when it is next asked for.
  func forgetDigest() { knownDigest.withLock { known in known = nil } }

  /// The digest of the table that is being read.
  func digest(of table: borrowing ConditionTable) -> TableDigest {
    let version = table.changes.version
    let known = knownDigest.withLock { known in known }
    if let known, known.version == version { return known.digest }
    let digest = TableDigest(table)
    knownDigest.withLock { known in known = (version, digest) }
    return digest
  }
}
