import FencepostKernel

/// A snapshot: the whole fleet (the table, the devices and the pending events) as one blob of bytes, which is the same
/// on every platform.
///
/// The layout, with the least significant byte of numbers first: the eight bytes `FNCFLET` and 0x1A; the format (4
/// bytes, 1); the rows; the table number 255; and a checksum (8 bytes) of all bytes before it. The rows have the form
/// of those of a monitor's snapshot.
extension FleetEngine {
  private static let magic: UInt64 = 0x1A54_454C_4643_4E46
  private static let format: UInt32 = 1

  /// The whole state as bytes. Equal states give equal bytes.
  ///
  /// - Complexity: O(conditions + devices + pending events)
  public func snapshot() -> [UInt8] { withSnapshot { Array($0) } }

  /// Calls `body` with the bytes that ``snapshot()`` returns, in place.
  package func withSnapshot<Result: Sendable>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    gate.readLong { table in
      var writer = ByteWriter(reserving: 512 + table.count * 160 + devices.count * 128)
      writer.put(Self.magic)
      writer.put(Self.format)
      forEachRow(table) { row in
        MonitorEngine.putHeading(of: row, &writer)
        writer.put(row.bytes)
      }
      writer.put(MonitorEngine.endOfRows)
      var sum = Checksum()
      sum.add(writer.bytes)
      writer.put(sum.value)
      return body(writer.bytes)
    }
  }

  /// Restores the fleet at the moment of a snapshot. Events that were in flight are redelivered.
  ///
  /// The devices keep their numbers, unless most of the numbers belonged to devices without a row.
  ///
  /// - Parameter conditions: The table to continue with; `nil` for a table of the fleet's own. A new and empty table
  ///   becomes equal to the table of the snapshot; any other table must be another version of that table.
  /// - Throws: ``MonitorError/snapshotInvalid(_:)`` if the bytes are not a snapshot, are damaged, or come from a newer
  ///   version of the library; ``MonitorError/tableMismatch(_:)`` if the devices cannot continue with `conditions`.
  public init(restoring snapshot: [UInt8], conditions: Conditions? = nil) throws(MonitorError) {
    self = try snapshot.withRawBytes { bytes throws(MonitorError) in
      try FleetEngine(restoring: bytes, conditions: conditions)
    }
  }

  /// Restores the fleet at the moment of a snapshot. See ``init(restoring:conditions:)``.
  package init(restoring snapshot: UnsafeRawBufferPointer, conditions: Conditions?) throws(MonitorError) {
    do throws(Damage) {
      self = try Self.restored(snapshot)
    } catch {
      throw .snapshotInvalid(error.reason)
    }
    if let conditions { _ = try move(onto: conditions) }
  }

  /// The number of device rows in the rest of the snapshot.
  private static func deviceRows(in reader: ByteReader) throws(Damage) -> UInt64 {
    var reader = reader
    var count: UInt64 = 0
    while let row = try MonitorEngine.takeRow(&reader, MonitorEngine.rowFormat) {
      if row.table == .fleetDevices { count += 1 }
    }
    return count
  }

  @_optimize(size)
  private static func restored(_ snapshot: UnsafeRawBufferPointer) throws(Damage) -> FleetEngine {
    var reader = ByteReader(snapshot)
    guard reader.remaining >= 12, try reader.take() == magic else {
      throw Damage("these \(snapshot.count) bytes are not a snapshot of a fleet")
    }
    let format: UInt32 = try reader.take()
    guard format <= Self.format else {
      throw Damage(
        "the snapshot has format \(format), from a newer version; this one reads formats up to \(Self.format)")
    }
    guard format == Self.format else { throw Damage("the snapshot is damaged: it has the unknown format \(format)") }
    guard snapshot.count >= 20 else { throw Damage("the snapshot is cut off after \(snapshot.count) bytes") }
    var sum = Checksum()
    sum.add(UnsafeRawBufferPointer(rebasing: snapshot[..<(snapshot.count - 8)]))
    var tail = ByteReader(UnsafeRawBufferPointer(rebasing: snapshot[(snapshot.count - 8)...]))
    guard try tail.take() == sum.value else {
      throw Damage("the snapshot is damaged or cut off: the checksum of its \(snapshot.count) bytes is wrong")
    }
    var restorer = FleetRestorer(deviceRows: try deviceRows(in: reader))
    while let row = try MonitorEngine.takeRow(&reader, MonitorEngine.rowFormat) { try restorer.receive(row) }
    guard reader.remaining == 8 else {
      throw Damage("the snapshot has \(reader.remaining - 8) unexpected bytes at its end")
    }
    do throws(Damage) {
      return try restorer.restored()
    } catch {
      throw Damage("the snapshot is not that of a valid fleet: \(error.reason)")
    }
  }
}
