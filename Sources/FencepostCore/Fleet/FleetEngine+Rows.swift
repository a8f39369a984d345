import FencepostKernel

/// A fleet's state as rows, which ``FleetRestorer`` reads back: the table once, and a row for each device that has had
/// an input.
extension FleetEngine {
  /// Calls `body` with every row: the head first, the others by table and key.
  func forEachRow<Failure>(
    _ table: borrowing ConditionTable, _ body: (MonitorRow) throws(Failure) -> Void
  ) throws(Failure) {
    var writer = ByteWriter(reserving: 512)
    let entries = savedEntries(table)
    let told = devicesToTell(entries)
    try withHeadRow(table, deviceCount: told.count, moment: FleetMoment(self), &writer, body)
    for entry in entries { try withEventRow(entry, &writer, body) }
    for slot in table.live { try table.withDefinitionRow(slot, &writer, body) }
    for device in told { try withDeviceRow(device, table, &writer, body) }
  }

  /// The devices to write in a full save: the devices that have a row, except removed devices without valid events.
  func devicesToTell(_ entries: ContiguousArray<FleetEntry>) -> ContiguousArray<UInt32> {
    let leaving = Set(entries.lazy.map { $0.device }.filter { devices.isLeaving($0) })
    return ContiguousArray(
      devices.all.filter { devices.isTold($0) && (!devices.isLeaving($0) || leaving.contains($0)) })
  }

  /// The valid events that wait or are in flight, in the order of their rows.
  func savedEntries(_ table: ConditionTable) -> ContiguousArray<FleetEntry> {
    var entries: ContiguousArray<FleetEntry> = []
    delivery.forEach { if table.holds($0.entry.slot, $0.entry.generation) { entries.append($0) } }
    entries.arrange { ($0.entry.generation, $0.entry.change) < ($1.entry.generation, $1.entry.change) }
    return entries
  }

  func withHeadRow<Failure>(
    _ table: borrowing ConditionTable, deviceCount: Int, moment: FleetMoment, _ writer: inout ByteWriter,
    _ body: (MonitorRow) throws(Failure) -> Void
  ) throws(Failure) {
    writer.removeAll()
    FleetHeadRow(self, table, deviceCount: deviceCount, moment: moment).encode(to: &writer)
    try body(MonitorRow(table: .head, key: 0, generation: 0, bytes: writer.bytes))
  }

  func withEventRow<Failure>(
    _ entry: FleetEntry, _ writer: inout ByteWriter, _ body: (MonitorRow) throws(Failure) -> Void
  ) throws(Failure) {
    writer.removeAll()
    FleetEventRow(entry).encode(to: &writer, options.delivery)
    try body(
      MonitorRow(table: .events, key: entry.entry.change, generation: entry.entry.generation, bytes: writer.bytes))
  }

  func withDeviceRow<Failure>(
    _ device: UInt32, _ table: ConditionTable, _ writer: inout ByteWriter,
    _ body: (MonitorRow) throws(Failure) -> Void
  ) throws(Failure) {
    writer.removeAll()
    FleetDeviceRow.encode(device, of: self, table, to: &writer)
    try body(MonitorRow(table: .fleetDevices, key: UInt64(device), generation: 0, bytes: writer.bytes))
  }
}
