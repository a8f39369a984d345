import Testing

@testable import FencepostCore

/// Snapshots in which one number was replaced with a number near the end of its range, with a correct checksum.
enum HostileNumbers {
  /// Numbers at the ends of the ranges of 31, 32, 62, 63 and 64 bits, and one that no counter reaches, but that leaves room
  /// for as many inputs again.
  static let all: [UInt64] = [
    1 << 31, 1 << 32 - 2, 1 << 32 - 1, 1 << 60, 1 << 62 - 1, 1 << 62, 1 << 63 - 1, .max - 1, .max,
  ]
  /// A monitor that has reached this number still writes rows that can be read after as many inputs again.
  static let reachable: UInt64 = 1 << 60

  /// One row of a snapshot.
  struct Row {
    var table: MonitorRow.Table
    var key: UInt64
    var generation: UInt64
    var bytes: [UInt8]
  }

  static func encoded(_ number: UInt64) -> [UInt8] {
    var writer = ByteWriter(reserving: 16)
    writer.putCompact(number)
    return Array(writer.bytes)
  }

  /// Replaces the number of variable length that begins at an index; `nil` if none does.
  static func replaced(_ bytes: [UInt8], at index: Int, by number: UInt64) -> [UInt8]? {
    var end = index
    while end < bytes.count, end < index + 9, bytes[end] & 0x80 != 0 { end += 1 }
    guard end < bytes.count, bytes[end] & 0x80 == 0 else { return nil }
    return bytes[..<index] + encoded(number) + bytes[(end + 1)...]
  }

  /// Appends the checksum of a snapshot.
  static func sealed(_ bytes: [UInt8]) -> [UInt8] {
    var sum = Checksum()
    bytes.withUnsafeBytes { sum.add($0) }
    return bytes + withUnsafeBytes(of: sum.value.littleEndian) { Array($0) }
  }

  /// Splits a snapshot into the bytes before the first row, and the rows.
  static func rows(of snapshot: [UInt8], headLength: Int) throws -> [Row] {
    try snapshot.withRawBytes { bytes throws(Damage) in
      var reader = ByteReader(bytes)
      _ = try reader.takeBytes(headLength)
      var rows: [Row] = []
      while let row = try MonitorEngine.takeRow(&reader, 2) {
        rows.append(Row(table: row.table, key: row.key, generation: row.generation, bytes: Array(row.bytes)))
      }
      return rows
    }
  }

  static func joined(_ head: ArraySlice<UInt8>, _ rows: [Row]) -> [UInt8] {
    var writer = ByteWriter(reserving: 4_096)
    for row in rows {
      row.bytes.withUnsafeBytes {
        MonitorEngine.putHeading(
          of: MonitorRow(table: row.table, key: row.key, generation: row.generation, bytes: $0), &writer)
        writer.put($0)
      }
    }
    return sealed(head + writer.bytes + [255])
  }

  /// Calls `body` with a snapshot for each number that can be replaced in one of its rows or in the key of a row.
  static func forEach(
    _ snapshot: [UInt8], headLength: Int, _ body: (_ bytes: [UInt8], _ number: UInt64, _ place: String) throws -> Void
  ) throws {
    let head = snapshot[..<headLength]
    let rows = try rows(of: snapshot, headLength: headLength)
    #expect(joined(head, rows) == snapshot)
    for (index, row) in rows.enumerated() {
      for number in all {
        var hostile = rows
        hostile[index].key = number
        if row.generation == row.key { hostile[index].generation = number }
        try body(joined(head, hostile), number, "key of row \(index) in \(row.table)")
        if row.table == .events {
          hostile[index] = row
          hostile[index].generation = number
          try body(joined(head, hostile), number, "generation of row \(index) in \(row.table)")
        }
        for offset in row.bytes.indices {
          guard let bytes = replaced(row.bytes, at: offset, by: number) else { continue }
          hostile[index] = row
          hostile[index].bytes = bytes
          try body(joined(head, hostile), number, "byte \(offset) of row \(index) in \(row.table)")
        }
      }
    }
  }

  /// Restores a snapshot with a hostile number, lives, and restores the snapshot of afterwards.
  ///
  /// - Parameter live: Restores bytes, lives, and returns a snapshot.
  /// - Returns: Whether the bytes were accepted.
  static func isAccepted(
    _ bytes: [UInt8], _ number: UInt64, _ place: String, _ live: ([UInt8]) throws(MonitorError) -> [UInt8]
  ) -> Bool {
    do throws(MonitorError) {
      let kept = try live(bytes)
      guard number <= reachable else { return true }
      #expect(throws: Never.self, "\(place) is \(number)") { _ = try live(kept) }
      return true
    } catch {
      if case .snapshotInvalid = error { return false }
      Issue.record("\(place) is \(number): \(error)")
      return false
    }
  }
}
