/// The time to which all devices were advanced. No input of a device may be earlier.
///
/// The epochs of the watermark determine the time from which the absence of a beacon condition counts for devices
/// without inputs of their own. An epoch begins with the first advance after beacon conditions were added. A rewind
/// replaces all epochs by a new one.
struct Watermark: Sendable {
  private struct Epoch {
    /// The epoch applies to beacon conditions whose generation is greater than this and at most the `after` of the next
    /// epoch.
    var after: UInt64
    /// The watermark at the end of the epoch, in microseconds.
    var time: Int64
  }

  /// The watermark in microseconds; `Int64.min` before the first advance.
  private(set) var time: Int64 = .min
  private var epochs: ContiguousArray<Epoch> = [Epoch(after: 0, time: .min)]
  /// The time of the first advance, or of the last rewind that set the watermark back.
  private var first: Int64?

  init() {}

  /// Returns the clock of a device: the latest time of its own inputs and of the advances of all devices.
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
      guard time <= self.time else { throw Damage("a floor is later than the clock") }
      epochs.append(Epoch(after: after, time: time))
    }
  }

  /// Raises the watermark.
  ///
  /// - Parameters:
  ///   - lastBeacon: The generation of the newest beacon condition in the table, or rule if there are any.
  ///   - generation: The last generation of the table.
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

  /// Replaces all epochs by one, for a table with other generations: the present watermark applies to all beacon
  /// conditions that exist now.
  mutating func startOver() { epochs = [Epoch(after: 0, time: time)] }

  /// Sets the watermark back to a time if the watermark is later. The absence of all existing beacon conditions then
  /// counts from that time.
  mutating func rewind(to time: Int64) {
    guard self.time > time else { return }
    self.time = time
    first = time
    startOver()
  }

  /// Returns the times from which absence counts, for the beacon conditions with generations after `seen` and up to
  /// `generation`.
  ///
  /// - Parameters:
  ///   - clock: The clock of the device.
  ///   - time: The time of the first input of the device. It is used only if there is no clock and there was no
  ///     advance.
  func marks(after seen: UInt64, through generation: UInt64, clock: Int64, time: Int64) -> [DeviceState.Mark] {
    var marks: [DeviceState.Mark] = []
    for (index, epoch) in epochs.enumerated() {
      let next = index + 1 < epochs.count ? epochs[index + 1] : nil
      let end = min(next?.after ?? .max, generation)
      guard end > max(epoch.after, seen) else { continue }
      var start = max(epoch.time, clock)
      // The conditions were added before any time was known, so their absence counts from the first time.
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
