import FencepostKernel

/// The engine's state as rows, which ``EngineRestorer`` reads back.
///
/// A row contains only results of the inputs. Derived data, such as the index, the deadlines and the lists of the
/// detectors, is rebuilt.
extension MonitorEngine {
  /// Passes every row to `body`: first the head, then the others by table and key.
  ///
  /// - Parameter swept: See ``DeviceRow/swept``; any value describes the same state.
  func forEachRow<Failure>(
    swept: UInt64, _ body: (MonitorRow) throws(Failure) -> Void
  ) throws(Failure) {
    var writer = ByteWriter(reserving: 512)
    try withHeadRow(&writer, body)
    try withDeviceRow(swept: swept, &writer, body)
    for slot in table.live { try withDefinitionRow(slot, &writer, body) }
    for slot in table.live {
      _ = try withStateRow(slot, swept: swept, &writer, body)
    }
    var events: ContiguousArray<EventRow> = []
    delivery.forEachEvent(table) { events.append(EventRow(follows: $1, entry: $0)) }
    events.arrange { $0.entry.change < $1.entry.change }
    for event in events { try withEventRow(event, &writer, body) }
  }

  /// A value of ``DeviceRow/swept`` with which few rows of states are needed. It is the same for the same state.
  var sweptInFull: UInt64 {
    var settled = 0
    for slot in table.live where table.isGeographic(slot) {
      settled += tracker.observed(slot, table) == .undetermined ? -1 : 1
    }
    return settled > 0 ? table.order.lastGeneration : 0
  }

  func withHeadRow<Failure>(
    _ writer: inout ByteWriter, _ body: (MonitorRow) throws(Failure) -> Void
  ) throws(Failure) {
    writer.removeAll()
    HeadRow(self).encode(to: &writer)
    try body(MonitorRow(table: .head, key: 0, generation: 0, bytes: writer.bytes))
  }

  func withDeviceRow<Failure>(
    swept: UInt64, _ writer: inout ByteWriter, _ body: (MonitorRow) throws(Failure) -> Void
  ) throws(Failure) {
    writer.removeAll()
    DeviceRow(tracker, swept: swept).encode(to: &writer)
    try body(MonitorRow(table: .devices, key: 0, generation: 0, bytes: writer.bytes))
  }

  func withDefinitionRow<Failure>(
    _ slot: UInt32, _ writer: inout ByteWriter, _ body: (MonitorRow) throws(Failure) -> Void
  ) throws(Failure) {
    try table.withDefinitionRow(slot, added: delivery.told.added(slot), &writer, body)
  }

  /// - Returns: Whether the condition has such a row.
  func withStateRow<Failure>(
    _ slot: UInt32, swept: UInt64, _ writer: inout ByteWriter, _ body: (MonitorRow) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    guard putStateRow(slot, swept: swept, &writer) else { return false }
    let generation = table.generation(of: slot)
    try body(MonitorRow(table: .states, key: generation, generation: generation, bytes: writer.bytes))
    return true
  }

  /// Whether a condition has a state row.
  @inline(never)
  func hasStateRow(_ slot: UInt32, swept: UInt64) -> Bool { StateRow(slot, of: self, swept: swept) != nil }

  /// Writes the bytes of the state row of a condition. The function is not inlined, because a row is large, and the stack
  /// of a caller that stores the bytes may be small.
  ///
  /// - Returns: Whether the condition has such a row.
  @inline(never)
  private func putStateRow(_ slot: UInt32, swept: UInt64, _ writer: inout ByteWriter) -> Bool {
    guard let row = StateRow(slot, of: self, swept: swept) else { return false }
    writer.removeAll()
    row.encode(to: &writer)
    return true
  }

  func withEventRow<Failure>(
    _ row: EventRow, _ writer: inout ByteWriter, _ body: (MonitorRow) throws(Failure) -> Void
  ) throws(Failure) {
    writer.removeAll()
    row.encode(to: &writer)
    try body(
      MonitorRow(table: .events, key: row.entry.change, generation: row.entry.generation, bytes: writer.bytes))
  }
}

/// The rows of a shared table. They equal the rows of a monitor without inputs.
extension ConditionTable {
  func forEachRow<Failure>(_ body: (MonitorRow) throws(Failure) -> Void) throws(Failure) {
    var writer = ByteWriter(reserving: 512)
    HeadRow(self, MonitorOptions.ofTable).encode(to: &writer)
    try body(MonitorRow(table: .head, key: 0, generation: 0, bytes: writer.bytes))
    writer.removeAll()
    DeviceRow.withoutInputs.encode(to: &writer)
    try body(MonitorRow(table: .devices, key: 0, generation: 0, bytes: writer.bytes))
    for slot in live { try withDefinitionRow(slot, &writer, body) }
  }

  /// - Parameter added: See ``DefinitionRow/added``.
  func withDefinitionRow<Failure>(
    _ slot: UInt32, added: Int64 = .min, _ writer: inout ByteWriter, _ body: (MonitorRow) throws(Failure) -> Void
  ) throws(Failure) {
    writer.removeAll()
    DefinitionRow.encode(slot, of: self, added: added, to: &writer)
    let generation = generation(of: slot)
    try body(MonitorRow(table: .conditions, key: generation, generation: generation, bytes: writer.bytes))
  }
}
