import FencepostKernel

/// The digest of a table: of all conditions with their generations, and of the last assigned generation. Devices can
/// continue with another table if it has the same digest.
public struct TableDigest: Sendable, Hashable {
  public var high: UInt64
  public var low: UInt64

  /// The digest as 16 bytes, as in the C interface.
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
      // The time at which a condition was added belongs to the monitor, not to the table, so it is left out.
      DefinitionRow.encode(slot, of: table, added: .min, to: &writer)
      one.add(writer.bytes)
      other.add(writer.bytes)
    }
    one.add(table.order.lastGeneration)
    other.add(table.order.lastGeneration)
    self.init(high: one.value, low: other.value)
  }
}

/// The version of a table of conditions.
public struct TableVersion: Sendable, Hashable {
  /// The number of conditions.
  public var count: Int
  /// The last assigned generation.
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
  /// The version of the table. Devices that were exported with a table can be loaded unchanged over another table with
  /// the same version.
  ///
  /// - Complexity: O(conditions) after a change.
  public var version: TableVersion {
    readLong { table in TableVersion(of: table, digest(of: table)) }
  }

  /// Makes the next query compute the digest anew.
  func forgetDigest() { knownDigest.withLock { known in known = nil } }

  /// Returns the digest of a table that is being read.
  func digest(of table: borrowing ConditionTable) -> TableDigest {
    let version = table.changes.version
    let known = knownDigest.withLock { known in known }
    if let known, known.version == version { return known.digest }
    let digest = TableDigest(table)
    knownDigest.withLock { known in known = (version, digest) }
    return digest
  }
}
