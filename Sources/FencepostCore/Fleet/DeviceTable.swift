import FencepostKernel

/// The lines without a device. A line is reused only if many other lines are free, so that the identifier of a removed
/// device stays known for a while; or if there can be no further lines.
struct FreeLines: Sendable {
  /// The number of lines that stay free. Tests use a smaller number.
  var fewest = 4_096
  private var lines: ContiguousArray<UInt32> = []
  private var head = 0

  var count: Int { lines.count - head }
  var all: ArraySlice<UInt32> { ArraySlice(lines[head...]) }

  mutating func append(_ line: UInt32) { lines.append(line) }

  /// - Parameter isLast: Whether there can be no further lines.
  mutating func take(isLast: Bool) -> UInt32? {
    guard count > 0, isLast || count > fewest else { return nil }
    defer {
      head += 1
      if head > lines.count / 2 {
        lines.removeFirst(head)
        head = 0
      }
    }
    return lines[head]
  }
}

/// The devices of a fleet: their identifiers, numbers and lines, and the other data of each device.
///
/// Within a fleet, a device is identified by the place of its line; a host identifies it by its ``DeviceNumber``.
struct DeviceTable: Sendable {
  private(set) var lines = DeviceLines()
  private(set) var cold = ColdStore()
  private var names = IdentifierTable()
  /// The free lines, ordered by how long they have been free, longest first.
  var free = FreeLines()
  /// Whether a line was ever given to another device.
  private var hasReused = false
  /// The number of times that the six bits of each line's generation wrapped around; empty while none did.
  private var laps: ContiguousArray<UInt32> = []
  /// The number of uncommitted events of each removed device that has such events.
  private var leaving = [UInt32: Int]()
  private(set) var count = 0
  /// The changes that have to be saved.
  private(set) var notes = DeviceNotes()
  /// The heights of the last fixes of the devices, by line; NaN and lines beyond the end are devices without. Empty while
  /// no fix had a height that may matter.
  private var heights: ContiguousArray<FixHeight> = []
  /// The arrival times of inputs.
  private(set) var arrivals = ArrivalTimes()

  /// The number of lines: one more than the place of the last line.
  var bound: Int { lines.count }

  /// Copies the storage if it is shared, so that changes do not affect other copies of the value.
  @inline(__always)
  mutating func own() {
    lines.own()
    cold.own()
  }

  /// Copies the storage of the lines if it is shared, so that changes of the lines do not affect other copies of the
  /// value.
  @inline(__always)
  mutating func ownLines() { lines.own() }

  /// Whether a line belongs to a device that accepts inputs.
  @inline(__always)
  func isLive(_ device: UInt32) -> Bool { Int(device) < lines.count && lines[device].isLive }

  /// Returns the line of the device with a number, if the device accepts inputs.
  @inline(__always)
  func line(of number: UInt64) -> UInt32? {
    let device = DeviceNumber.place(of: number)
    guard Int(device) < lines.count, lines[device].isLive(as: number), lap(of: device) == DeviceNumber.lap(of: number)
    else { return nil }
    return device
  }

  @inline(__always)
  private func lap(of device: UInt32) -> UInt32 { laps.isEmpty ? 0 : laps[Int(device)] }

  /// Returns the number of the device that has a line, or that had it last.
  @inline(__always)
  func number(_ device: UInt32) -> UInt64 {
    DeviceNumber.of(device, generation: lines[device].generation, lap: lap(of: device))
  }

  /// Whether each of the places below ``bound`` belongs to a device, and no place was reused.
  var isDense: Bool { count == lines.count && !hasReused }

  /// Whether a line belongs to a device, or belonged to a removed device and was not reused yet.
  func hasName(_ device: UInt32) -> Bool { Int(device) < lines.count && names.length(of: device) > 0 }

  /// Returns the line of the device that has or had a number, if no other device has had the line since.
  func knownLine(of number: UInt64) -> UInt32? {
    let device = DeviceNumber.place(of: number)
    return hasName(device) && self.number(device) == number ? device : nil
  }

  func line(of identifier: UnsafeBufferPointer<UInt8>) -> UInt32? { names.slot(of: identifier) }

  func withName<Result>(of device: UInt32, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    names.withBytes(of: device, body)
  }

  func name(of device: UInt32) -> String { names.string(of: device) }

  /// The places of the lines of all devices, in ascending order.
  var numbers: some Sequence<UInt32> { (0..<UInt32(lines.count)).lazy.filter { [lines] in lines[$0].isLive } }

  /// The places of all lines that a device has or had, in ascending order.
  var all: Range<UInt32> { 0..<UInt32(lines.count) }

  /// Adds a device with an identifier that no other device has.
  mutating func insert(_ identifier: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let device: UInt32
    var line = DeviceLine()
    line.flags = .isUsed
    if notes.isOn { line.notes = [] }
    if let place = free.take(isLast: lines.count == FleetOptions.mostDevices) {
      device = place
      names.clear(slot: place)
      // The saved row with this key belongs to another device, or does not exist.
      if notes.isOn { line.notes = lines[place].notes }
      line.generation = lines[place].generation &+ 1
      if line.generation == 0 { beginLap(of: place) }
      hasReused = true
      lines[place] = line
    } else {
      device = UInt32(lines.count)
      lines.append(line)
      if !laps.isEmpty { laps.append(0) }
      arrivals.append()
    }
    arrivals.hear(device)
    names.insert(identifier, slot: device)
    count += 1
    return device
  }

  private mutating func beginLap(of device: UInt32) {
    if laps.isEmpty { laps = ContiguousArray(repeating: 0, count: lines.count) }
    laps[Int(device)] &+= 1
  }

  /// Removes a device. Its identifier becomes free at once; its line becomes free when all its events are committed or
  /// void.
  mutating func remove(_ device: UInt32, events: Int) {
    cold.free(lines[device].cold)
    names.retire(slot: device)
    count -= 1
    lines[device].cold = ColdStore.none
    lines[device].region.remove()
    if events > 0 {
      lines[device].flags.insert(.isLeaving)
      leaving[device] = events
    } else {
      lines[device].flags = []
      free.append(device)
    }
    hurry(device)
  }

  /// Counts an event of a removed device that was committed or became void.
  mutating func release(_ device: UInt32) {
    guard !leaving.isEmpty, let events = leaving[device] else { return }
    if events > 1 {
      leaving[device] = events - 1
    } else {
      leaving[device] = nil
      lines[device].flags = []
      free.append(device)
      hurry(device, mustSync: false)
    }
  }

  // MARK: - The state of a device

  /// Reads the stored state of a device.
  @inline(__always)
  func load(_ device: UInt32, into state: inout DeviceState) {
    let handle = lines[device].cold
    if handle == ColdStore.none { state.removeAll() } else { state.load(cold.words(handle)) }
  }

  /// Returns the counters of a device that are not in its line; see ``DeviceState/counters`` and
  /// ``DeviceState/sequence``.
  func counters(of device: UInt32) -> (inputs: InputCounters, sequence: UInt64) {
    let handle = lines[device].cold
    return handle == ColdStore.none ? (InputCounters(), 0) : DeviceState.counters(in: cold.words(handle))
  }

  /// Returns the last evaluated fix of a device.
  func lastFix(of device: UInt32) -> Fix? {
    var state = DeviceState()
    load(device, into: &state)
    return state.lastFix
  }

  mutating func store(_ device: UInt32, _ state: borrowing DeviceState) {
    let (handle, words) = cold.room(for: state.wordCount, insteadOf: lines[device].cold)
    state.store(to: words)
    lines[device].cold = handle
    move(device)
  }

  /// Replaces only the last fix in the stored state of a device. The device must already have a last fix.
  @inline(__always)
  mutating func replaceLastFix(_ device: UInt32, _ fix: Fix) {
    DeviceState.replaceLastFix(fix, in: cold.words(lines[device].cold))
    move(device)
  }

  /// Returns the height of the last fix of a device that has a last fix; `nil` if it has none.
  @inline(never)
  func height(of device: UInt32) -> FixHeight? {
    guard Int(device) < heights.count, !heights[Int(device)].altitude.isNaN else { return nil }
    return heights[Int(device)]
  }

  /// Sets the height of the last fix of a device, or of none.
  @inline(never)
  mutating func setHeight(_ height: FixHeight?, of device: UInt32) {
    let none = FixHeight(altitude: .nan)
    if Int(device) >= heights.count {
      guard height != nil else { return }
      heights.append(contentsOf: repeatElement(none, count: lines.count - heights.count))
    }
    heights[Int(device)] = height ?? none
  }

  // MARK: - Unsaved changes

  /// Marks a device as changed.
  @inline(__always)
  mutating func move(_ device: UInt32) {
    if !lines[device].notes.contains(.moved) { notes.move(device, lines) }
  }

  /// Draws the safe region of a device, and stores the surroundings of the device.
  ///
  /// - Parameters:
  ///   - slack: The distance that the device can move before anything has to be examined, in metres.
  ///   - slot: The slot of the nearest shape that the device is settled outside of; `UInt32.max` without such a shape.
  ///   - room: The distance that the device can move before it can enter another of these shapes, in metres.
  ///   - isHidden: See ``DeviceRegion/isHidden``.
  @inline(__always)
  mutating func drawSafeRegion(
    _ device: UInt32, at coordinate: Coordinate, slack: Double, nearest slot: UInt32, room: Double,
    isHidden: Bool
  ) {
    lines.surroundings[Int(device)] = DeviceSurroundings(slot, room: room)
    lines[device].region.draw(
      at: coordinate, slack: slack, room: max(slack, min(room, DeviceSurroundings.farthest)), isHidden: isHidden)
  }

  /// Records that an input of a device was accepted.
  ///
  /// - Parameter clock: The clock of the device before the input.
  @inline(__always)
  mutating func take(_ device: UInt32, at time: Int64, after clock: Int64) {
    arrivals.hear(device)
    if notes.isOn { notes.take(device, at: time, after: clock, lines) }
  }

  /// Sets the arrival time of the next inputs.
  mutating func setArrivalTime(_ time: Int64) { arrivals.set(time, bound: lines.count) }

  /// Restores the arrival time of a device's last input.
  mutating func restoreArrival(of device: UInt32, _ time: Int64) {
    arrivals.restore(device, time, bound: lines.count)
  }

  /// Records that all devices were advanced to a time.
  mutating func reach(_ time: Int64) { notes.reach(time) }

  /// Records that time was set back, for all devices or for one.
  mutating func rewindNotes(watermark: Int64) {
    var latest = watermark
    for device in 0..<UInt32(lines.count) { latest = max(latest, lines[device].clock) }
    notes.rewind(to: latest)
  }

  mutating func beginParts() { notes.beginParts() }

  /// Marks a change of a device that must be saved before the call returns.
  @inline(__always)
  mutating func hurry(_ device: UInt32, mustSync: Bool = true) {
    if notes.isOn { notes.hurry(device, lines, mustSync: mustSync) }
  }

  /// Starts tracking changes (the current state counts as saved), or stops tracking them.
  ///
  /// - Parameter interval: The interval after which everything has to be saved, in microseconds; `nil` if there is no
  ///   such interval.
  mutating func setNotes(isOn: Bool, interval: Int64? = nil) {
    own()
    notes = DeviceNotes(isOn: isOn, interval: interval)
    for device in 0..<UInt32(lines.count) {
      notes.reach(lines[device].clock)
      lines[device].notes = isOn ? [] : .all
    }
  }

  mutating func clearNotes(all: Bool) {
    own()
    notes.clear(all: all, lines)
  }

  mutating func clearNotes(_ devices: ContiguousArray<UInt32>) {
    own()
    notes.clear(devices, lines)
  }

  mutating func endParts() {
    own()
    notes.endParts(lines)
  }

  /// Whether a device has a saved row: it has had an input, or it was removed and still has waiting events.
  func isTold(_ device: UInt32) -> Bool {
    let line = lines[device]
    guard line.flags != [] else { return false }
    return line.flags.contains(.isLeaving) || line.clock != .min || line.acceptedFixes != 0 || line.sequence != 0
      || line.cold != ColdStore.none
  }

  func isLeaving(_ device: UInt32) -> Bool { lines[device].flags.contains(.isLeaving) }

  // MARK: - Restoring

  /// Creates `bound` lines, all of them free.
  mutating func restore(bound: Int) {
    for _ in lines.count..<max(bound, lines.count) {
      var line = DeviceLine()
      line.flags = []
      lines.append(line)
      arrivals.append()
    }
    names.makeSlots(bound)
  }

  /// Restores a device under a free number.
  ///
  /// - Parameter isLeaving: Whether the device was removed and has waiting events. Another device may have its
  ///   identifier by now.
  mutating func restore(_ identifier: UnsafeBufferPointer<UInt8>, as number: UInt32, isLeaving: Bool) {
    names.insert(identifier, slot: number)
    if isLeaving {
      names.retire(slot: number)
      lines[number].flags = [.isUsed, .isLeaving]
    } else {
      lines[number].flags = .isUsed
      count += 1
    }
  }

  /// Determines the free lines after all devices are restored.
  ///
  /// - Parameter events: The number of events of each removed device.
  mutating func endRestoring(events: [UInt32: Int]) {
    for device in 0..<UInt32(lines.count) {
      if lines[device].flags.contains(.isLeaving) {
        if let count = events[device] { leaving[device] = count } else { lines[device].flags = [] }
      }
      if lines[device].flags == [] { free.append(device) }
    }
  }

  /// The number of bytes in which the devices are stored, without their identifiers.
  var byteCount: Int {
    lines.count * (MemoryLayout<DeviceLine>.stride + MemoryLayout<DeviceSurroundings>.stride) + cold.byteCount
      + laps.count * MemoryLayout<UInt32>.stride + heights.count * MemoryLayout<FixHeight>.stride
  }
}

#if FENCEPOST_INVARIANTS
  extension DeviceTable {
    func checkInvariants(events: [UInt32: Int]) throws(Invariant.Broken) {
      let live = (0..<UInt32(lines.count)).filter { lines[$0].isLive }
      try Invariant.hold(MemoryLayout<DeviceLine>.size == 64, "a device's line has the size of a cache line")
      try Invariant.hold(live.count == count, "\(count) devices are counted, but \(live.count) exist")
      try names.checkInvariants(live)
      try notes.checkInvariants(lines)
      let gone = (0..<UInt32(lines.count)).filter { lines[$0].flags.contains(.isLeaving) }
      try Invariant.hold(Set(gone) == Set(leaving.keys), "a leaving device is marked")
      try Invariant.hold(
        Set(free.all).count == free.count && free.count + live.count + gone.count == lines.count
          && free.all.allSatisfy { lines[$0].flags == [] }, "a line is free, or belongs to a present or removed device")
      for device in gone {
        try Invariant.hold(
          leaving[device] == events[device], "a removed device stays while it has pending events")
      }
      let kept = live.count { lines[$0].cold != ColdStore.none }
      try Invariant.hold(
        kept == cold.count && Set(live.map { lines[$0].cold }.filter { $0 != ColdStore.none }).count == kept,
        "each stored state belongs to one device")
    }
  }
#endif
