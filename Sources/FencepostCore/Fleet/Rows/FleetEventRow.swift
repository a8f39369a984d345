/// An event of a device that waits or is in flight. The key is the generation of the condition and the change number.
struct FleetEventRow {
  var entry: FleetEntry

  /// The bits of ``FleetEntry/role``; the other bits are those of ``FleetEntry/reported``.
  private static let role: UInt8 = 4

  func encode(to writer: inout ByteWriter, _ delivery: MonitorOptions.Delivery) {
    writer.putCompact(UInt64(entry.device))
    writer.putCompact(UInt64(clamping: entry.row))
    writer.putCompact(entry.position)
    if delivery != .every { writer.put(entry.role.rawValue * Self.role | entry.reported.rawValue) }
    entry.entry.encode(to: &writer)
  }

  init(_ entry: FleetEntry) {
    self.entry = entry
  }

  init(
    slot: UInt32, generation: UInt64, _ delivery: MonitorOptions.Delivery, reading reader: inout ByteReader
  ) throws(Damage) {
    let largest = EngineRestorer.largest
    let device: UInt32 = try reader.takeCompact("number of a device", in: 0...UInt32(FleetOptions.mostDevices))
    let row: Int64 = try reader.takeCompact("row", in: 0...Int64.max)
    let position: UInt64 = try reader.takeCompact("position", in: 0...largest)
    let bits: UInt8 = delivery == .every ? 0 : try reader.take("role of an event", in: 0...2 * Self.role - 1)
    let event = try EventEntry(slot: slot, generation: generation, reading: &reader)
    try reader.end()
    guard (position == 0) == (event.sequence == 0) else {
      throw Damage("an event has the position \(position) and the sequence \(event.sequence)")
    }
    entry = FleetEntry(entry: event, device: device, row: Int(clamping: row), position: position)
    guard delivery != .every else { return }
    entry.reported = Event.State(rawValue: bits % Self.role) ?? .unknown
    entry.role = bits < Self.role ? .pending : .behind
    guard entry.role == .behind ? position == 0 : entry.reported != event.state else {
      throw Damage("an event with the state \(event.state.rawValue) has the role \(bits)")
    }
  }
}
