/// The time to which all devices were advanced: no input of a device may be earlier.
///
/// Its epochs tell since when the absence of a beacon condition is counted for devices that were not heard. An epoch begins
/// with the first advance after beacon conditions were added, and a rewind begins them anew.
struct Watermark: Sendable {
  private struct Epoch {
    /// Beacon conditions after this generation, and up to that of the next epoch, came under the watermark in this epoch.
    var after: UInt64
    /// The watermark at the end of the epoch.
    var time: Int64
  }

  /// Microseconds; `Int64.min` = there was no advance.
  private(set) var time: Int64 = .min
  private var epochs: ContiguousArray<Epoch> = [Epoch(after: 0, time: .min)]
  /// The first time to which all devices were advanced.
  private var first: Int64?

  init() {}

  /// The clock of a device: the largest time that it was given, by an input of its own or an advance of all.
  @inline(__always)
  func clock(_ line: DeviceLine) -> Int64 { max(line.clock, time) }

  func encode(to writer: inout ByteWriter) {
    writer.putCompact(time)
    writer.put(first != nil)
    if let first { writer.putCompact(first) }
    writer.putCompact(UInt64(epochs.count))
    for epoch in epochs {
      writer.putCompact(epoch.after)
      writer.putCompact(epoch.time)
    }
  }

  init(reading reader: inout ByteReader) throws(Damage) {
    time = try reader.takeSignedTime("clock")
    first = try reader.takeBool("first floor") ? reader.takeSignedTime("first floor") : nil
    epochs = []
    for _ in 0..<(try reader.takeCompact("floors", in: 1...max(reader.remaining, 1))) {
      let after: UInt64 = try reader.takeCompact("generation of a floor", in: 0...EngineRestorer.largest)
      let time = try reader.takeSignedTime("floor")
      if let last = epochs.last {
        guard after > last.after, time >= last.time else { throw Damage("the floors are out of order") }
      } else if after != 0 {
        throw Damage("the first floor is that of the generation \(after)")
      }
      epochs.append(Epoch(after: after, time: time))
    }
  }

  /// Raises the watermark while the table is at a generation.
  mutating func raise(to time: Int64, lastBeacon: UInt64, generation: UInt64) {
    self.time = time
    if first == nil { first = time }
    let last = epochs[epochs.count - 1]
    if lastBeacon <= last.after {
      epochs[epochs.count - 1].time = time
    } else {
      epochs.append(Epoch(after: generation, time: time))
    }
  }

  /// Forgets the generations of another table: all beacon conditions so far count as those that came under the watermark.
  mutating func startOver() { epochs = [Epoch(after: 0, time: time)] }

  /// Sets the watermark back to a time if it is later: of all beacon conditions that came so far, absence is counted from then.
  mutating func rewind(to time: Int64) {
    guard self.time > time else { return }
    self.time = time
    first = time
    startOver()
  }

  /// Since when absence is counted of what came after one generation, and up to another.
  ///
  /// - Parameters:
  ///   - clock: of the device.
  ///   - time: The first one that it is given, if it was given none.
  func marks(after seen: UInt64, through generation: UInt64, clock: Int64, time: Int64) -> [DeviceState.Mark] {
    var marks: [DeviceState.Mark] = []
    for (index, epoch) in epochs.enumerated() {
      let next = index + 1 < epochs.count ? epochs[index + 1] : nil
      let end = min(next?.after ?? .max, generation)
      guard end > max(epoch.after, seen) else { continue }
      var start = max(epoch.time, clock)
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
