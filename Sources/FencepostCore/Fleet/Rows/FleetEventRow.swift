/// An event of a device that waits or is not committed. Its key is the generation of its condition and its place in the
/// order of all events.
struct FleetEventRow {
  var entry: FleetEntry

  func encode(to writer: inout ByteWriter) {
    writer.putCompact(UInt64(entry.device))
    writer.putCompact(UInt64(clamping: entry.row))
    writer.putCompact(entry.position)
    entry.entry.encode(to: &writer)
  }

  init(_ entry: FleetEntry) {
    self.entry = entry
  }

  init(slot: UInt32, generation: UInt64, reading reader: inout ByteReader) throws(Damage) {
    let largest = EngineRestorer.largest
    let device: UInt32 = try reader.takeCompact("number of a device", in: 0...UInt32(FleetOptions.mostDevices))
    let row: Int64 = try reader.takeCompact("row", in: 0...Int64.max)
    let position: UInt64 = try reader.takeCompact("position", in: 0...largest)
    let event = try EventEntry(slot: slot, generation: generation, reading: &reader)
    try reader.end()
    guard (position == 0) == (event.sequence == 0) else {
      throw Damage("an event has the position \(position) and the sequence \(event.sequence)")
    }
    entry = FleetEntry(entry: event, device: device, row: Int(clamping: row), position: position)
  }
}
