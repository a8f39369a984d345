/// A snapshot: the whole monitor as one blob of bytes, which is the same on every platform.
///
/// The layout, with the least significant byte of numbers first: the eight bytes `FNCPOST` and 0x1A; the format (4
/// bytes, 2); the length of the name (4 bytes) and the name; the rows; the table number 255; and a checksum (8 bytes)
/// of all bytes before it.
///
/// A row consists of its table number (1 byte), its key, the device (only for states), the generation (only for
/// events), its length (these as compact numbers) and its bytes; the head row is first. In format 1, a row was its
/// table (1 byte), key (8), generation (8), length (4) and bytes, and the head row was last.
extension MonitorEngine {
  private static let magic: UInt64 = 0x1A54_534F_5043_4E46
  static let rowFormat: UInt32 = 2
  private static let format = rowFormat
  private static let firstFormat: UInt32 = 1
  static let endOfRows: UInt8 = 255

  /// The whole state as bytes. Equal states give equal bytes.
  ///
  /// - Complexity: O(conditions + pending events)
  public func snapshot() -> [UInt8] {
    withSnapshot { Array($0) }
  }

  /// Calls `body` with the bytes that ``snapshot()`` returns, in place.
  public func withSnapshot<Result, Failure>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try Self.withSnapshot(name ?? "", conditions: conditionCount, body) { forEachRow(swept: sweptInFull, $0) }
  }

  /// The number of bytes that ``snapshot()`` would return now.
  public var snapshotSize: Int { Self.snapshotSize(name ?? "") { forEachRow(swept: sweptInFull, $0) } }

  /// - Parameter rows: Calls its argument with each row, the head first.
  fileprivate static func withSnapshot<Result, Failure>(
    _ name: String, conditions: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result,
    rows: ((MonitorRow) -> Void) -> Void
  ) throws(Failure) -> Result {
    var writer = ByteWriter(reserving: 512 + conditions * 160)
    writer.put(Self.magic)
    writer.put(Self.format)
    writer.put(UInt32(name.utf8.count))
    for byte in name.utf8 { writer.put(byte) }
    rows { row in
      putHeading(of: row, &writer)
      writer.put(row.bytes)
    }
    writer.put(Self.endOfRows)
    var sum = Checksum()
    sum.add(writer.bytes)
    writer.put(sum.value)
    return try body(writer.bytes)
  }

  fileprivate static func snapshotSize(_ name: String, rows: ((MonitorRow) -> Void) -> Void) -> Int {
    var size = 8 + 4 + 4 + name.utf8.count + 1 + 8
    var heading = ByteWriter(reserving: 64)
    rows { row in
      heading.removeAll()
      putHeading(of: row, &heading)
      size += heading.count + row.bytes.count
    }
    return size
  }

  static func putHeading(of row: MonitorRow, _ writer: inout ByteWriter) {
    writer.put(row.table.rawValue)
    writer.putCompact(row.key)
    if row.table == .states { writer.putCompact(row.device) }
    if row.table == .events { writer.putCompact(row.generation) }
    writer.putCompact(UInt64(row.bytes.count))
  }

  /// Reads the next row.
  ///
  /// - Returns: `nil` at the end of the rows.
  static func takeRow(_ reader: inout ByteReader, _ format: UInt32) throws(Damage) -> MonitorRow? {
    let number: UInt8 = try reader.take()
    if number == endOfRows { return nil }
    guard let table = MonitorRow.Table(rawValue: number) else {
      throw Damage("the snapshot holds a table \(number)")
    }
    guard format != firstFormat else {
      let key: UInt64 = try reader.take()
      let generation: UInt64 = try reader.take()
      let count = Int(clamping: try reader.take(UInt32.self))
      return MonitorRow(table: table, key: key, generation: generation, bytes: try reader.takeBytes(count))
    }
    let key = try reader.takeCompact()
    let device = table == .states ? try reader.takeCompact() : 0
    let generation = table == .events ? try reader.takeCompact() : key
    let count: Int = try reader.takeCompact("length of a row", in: 0...reader.remaining)
    return MonitorRow(
      table: table, key: key, generation: generation, device: device, bytes: try reader.takeBytes(count))
  }

  /// Restores the monitor at the moment of the snapshot. Events that were in flight are redelivered.
  ///
  /// - Throws: ``MonitorError/snapshotInvalid(_:)`` if the bytes are not a snapshot, are damaged, or come from a newer
  ///   version of the library.
  public init(restoring snapshot: UnsafeRawBufferPointer) throws(MonitorError) {
    do throws(Damage) {
      self = try Self.restored(snapshot)
    } catch {
      throw .snapshotInvalid(error.reason)
    }
  }

  /// Restores the monitor at the moment of the snapshot. See ``init(restoring:)-(UnsafeRawBufferPointer)``.
  public init(restoring snapshot: [UInt8]) throws(MonitorError) {
    self = try snapshot.withRawBytes { bytes throws(MonitorError) in try MonitorEngine(restoring: bytes) }
  }

  @_optimize(size)
  private static func restored(_ snapshot: UnsafeRawBufferPointer) throws(Damage) -> MonitorEngine {
    var reader = ByteReader(snapshot)
    guard reader.remaining >= 12, try reader.take() == magic else {
      throw Damage("these \(snapshot.count) bytes are not a snapshot of a monitor")
    }
    let format: UInt32 = try reader.take()
    guard format <= Self.format else {
      throw Damage(
        "the snapshot has format \(format), from a newer version; this one reads formats up to \(Self.format)")
    }
    guard format == Self.format || format == firstFormat else {
      throw Damage("the snapshot is damaged: it has the unknown format \(format)")
    }
    guard snapshot.count >= 20 else { throw Damage("the snapshot is cut off after \(snapshot.count) bytes") }
    var sum = Checksum()
    sum.add(UnsafeRawBufferPointer(rebasing: snapshot[..<(snapshot.count - 8)]))
    var tail = ByteReader(UnsafeRawBufferPointer(rebasing: snapshot[(snapshot.count - 8)...]))
    guard try tail.take() == sum.value else {
      throw Damage("the snapshot is damaged or cut off: the checksum of its \(snapshot.count) bytes is wrong")
    }
    let length = Int(clamping: try reader.take(UInt32.self))
    let bytes = try reader.takeBytes(length)
    let name = String(decoding: bytes, as: UTF8.self)
    guard length == 0 || isValidName(name) else { throw Damage("the snapshot holds an invalid name of a monitor") }
    var restorer = EngineRestorer(name: length == 0 ? nil : name)
    if format == firstFormat {
      var rows = reader
      while let row = try takeRow(&rows, format) { if row.table == .head { try restorer.receive(row) } }
    }
    while let row = try takeRow(&reader, format) {
      if format != firstFormat || row.table != .head { try restorer.receive(row) }
    }
    guard reader.remaining == 8 else {
      throw Damage("the snapshot has \(reader.remaining - 8) unexpected bytes at its end")
    }
    do throws(RestoreFailure) {
      return try restorer.restored().engine
    } catch {
      switch error {
      case .damaged(let damage): throw Damage("the snapshot is not that of a valid monitor: \(damage.reason)")
      case .otherOptions: throw Damage("the options do not match the contents")
      }
    }
  }
}

/// The snapshot of a shared table, which is that of a monitor without inputs.
extension ConditionTable {
  package func withSnapshot<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    MonitorEngine.withSnapshot("", conditions: count, body) { forEachRow($0) }
  }

  package var snapshotSize: Int { MonitorEngine.snapshotSize("") { forEachRow($0) } }
}
