/// When which floor was raised: since when the absence of a beacon condition is counted for devices that were not heard.
struct FloorLog: Sendable {
  private struct Entry {
    /// Beacon conditions after this generation, and up to that of the next entry, came under the floor.
    var after: UInt64
    var floor: Int64
  }

  private var entries: ContiguousArray<Entry> = [Entry(after: 0, floor: .min)]
  /// The first time to which all devices were advanced.
  private var first: Int64?

  init() {}

  func encode(to writer: inout ByteWriter) {
    writer.put(first != nil)
    if let first { writer.putCompact(first) }
    writer.putCompact(UInt64(entries.count))
    for entry in entries {
      writer.putCompact(entry.after)
      writer.putCompact(entry.floor)
    }
  }

  init(reading reader: inout ByteReader) throws(Damage) {
    first = try reader.takeBool("first floor") ? reader.takeSignedTime("first floor") : nil
    entries = []
    for _ in 0..<(try reader.takeCompact("floors", in: 1...max(reader.remaining, 1))) {
      let after: UInt64 = try reader.takeCompact("generation of a floor", in: 0...EngineRestorer.largest)
      let floor = try reader.takeSignedTime("floor")
      if let last = entries.last {
        guard after > last.after, floor >= last.floor else { throw Damage("the floors are out of order") }
      } else if after != 0 {
        throw Damage("the first floor is that of the generation \(after)")
      }
      entries.append(Entry(after: after, floor: floor))
    }
  }

  /// Takes note that the floor was raised while the table was at a generation.
  mutating func raise(to floor: Int64, lastBeacon: UInt64, generation: UInt64) {
    if first == nil { first = floor }
    let last = entries[entries.count - 1]
    if lastBeacon <= last.after {
      entries[entries.count - 1].floor = floor
    } else {
      entries.append(Entry(after: generation, floor: floor))
    }
  }

  /// Forgets the generations of another table: all beacon conditions so far count as those that came under a floor.
  mutating func startOver(at floor: Int64) { entries = [Entry(after: 0, floor: floor)] }

  /// Begins anew at a time: of all beacon conditions that came so far absence is counted from it.
  mutating func rewind(to floor: Int64) {
    first = floor
    entries = [Entry(after: 0, floor: floor)]
  }

  /// Since when absence is counted of what came after one generation, and up to another.
  ///
  /// - Parameters:
  ///   - clock: of the device.
  ///   - time: The first one that it is given, if it was given none.
  func marks(after seen: UInt64, through generation: UInt64, clock: Int64, time: Int64) -> [DeviceState.Mark] {
    var marks: [DeviceState.Mark] = []
    for (index, entry) in entries.enumerated() {
      let next = index + 1 < entries.count ? entries[index + 1] : nil
      let end = min(next?.after ?? .max, generation)
      guard end > max(entry.after, seen) else { continue }
      var start = max(entry.floor, clock)
      // Added before any time was known: counted from the first one.
      if start == .min { start = first ?? time }
      if let last = marks.last, last.start == start {
        marks[marks.count - 1].through = end
      } else {
        marks.append(DeviceState.Mark(through: end, start: start))
      }
    }
    return marks
  }
}
