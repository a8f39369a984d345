import FencepostKernel

/// Lines without a device. One is given away when so many others are free that its last number comes again only after
/// 64 times as many devices have left, or when there can be no further lines.
struct FreeLines: Sendable {
  /// A test lets it be fewer.
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

/// The devices of a fleet: their identifiers and numbers, their lines, and what is kept beside.
///
/// Inside of a fleet a device is known by the place of its line. A host knows it by its ``DeviceNumber``.
struct DeviceTable: Sendable {
  private(set) var lines = DeviceLines()
  private(set) var cold = ColdStore()
  private var names = IdentifierTable()
  /// Lines that are free, the one first that has been for longest.
  var free = FreeLines()
  /// Whether a line was ever given to another device.
  private var hasReused = false
  /// Events that are not handled of devices that were removed.
  private var leaving: [UInt32: Int] = [:]
  private(set) var count = 0
  /// What is to be saved.
  private(set) var notes = DeviceNotes()
  /// When inputs arrived.
  private(set) var arrivals = ArrivalTimes()

  /// One more than the largest number that a device ever had.
  var bound: Int { lines.count }

  /// Makes sure that nobody else sees what is changed.
  @inline(__always)
  mutating func own() {
    lines.own()
    cold.own()
  }

  /// Makes sure that nobody else sees what is changed of the lines alone.
  @inline(__always)
  mutating func ownLines() { lines.own() }

  /// Whether a line is that of a device to which something can be fed.
  @inline(__always)
  func isLive(_ device: UInt32) -> Bool { Int(device) < lines.count && lines[device].isLive }

  /// The line of the device that a number names, if something can be fed to it.
  @inline(__always)
  func line(of number: UInt32) -> UInt32? {
    let device = DeviceNumber.place(of: number)
    return Int(device) < lines.count && lines[device].isLive(as: number) ? device : nil
  }

  /// The number of the device that has, or had last, a line.
  @inline(__always)
  func number(_ device: UInt32) -> UInt32 { DeviceNumber.of(device, generation: lines[device].generation) }

  /// Whether all numbers from 0 up to ``bound`` are those of devices.
  var isDense: Bool { count == lines.count && !hasReused }

  /// Whether a line is that of a device, or of one that was removed and not yet replaced.
  func hasName(_ device: UInt32) -> Bool { Int(device) < lines.count && names.length(of: device) > 0 }

  /// The line that a number names or named, if no other device has had it since.
  func knownLine(of number: UInt32) -> UInt32? {
    let device = DeviceNumber.place(of: number)
    return hasName(device) && lines[device].generation == DeviceNumber.generation(of: number) ? device : nil
  }

  func line(of identifier: UnsafeBufferPointer<UInt8>) -> UInt32? { names.slot(of: identifier) }

  func withName<Result>(of device: UInt32, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    names.withBytes(of: device, body)
  }

  func name(of device: UInt32) -> String { names.string(of: device) }

  /// The lines of the devices, ascending.
  var numbers: some Sequence<UInt32> { (0..<UInt32(lines.count)).lazy.filter { [lines] in lines[$0].isLive } }

  /// The lines that a device ever had, ascending.
  var all: Range<UInt32> { 0..<UInt32(lines.count) }

  /// Enters a device whose identifier no other one has.
  mutating func insert(_ identifier: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let device: UInt32
    var line = DeviceLine()
    line.flags = .isUsed
    if notes.isOn { line.notes = [] }
    if let place = free.take(isLast: lines.count == FleetOptions.mostDevices) {
      device = place
      names.clear(slot: place)
      // What is kept under the key is another device's, or nothing.
      if notes.isOn { line.notes = lines[place].notes }
      line.generation = lines[place].generation &+ 1
      hasReused = true
      lines[place] = line
    } else {
      device = UInt32(lines.count)
      lines.append(line)
      arrivals.append()
    }
    arrivals.hear(device)
    names.insert(identifier, slot: device)
    count += 1
    return device
  }

  /// Removes a device. Its line is free when the events of it that wait are handled, its identifier at once.
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

  /// Takes note that an event of a device is handled, or void.
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

  // MARK: - What is kept of a device

  /// Reads what is kept of a device.
  @inline(__always)
  func load(_ device: UInt32, into state: inout DeviceState) {
    let handle = lines[device].cold
    if handle == ColdStore.none { state.removeAll() } else { state.load(cold.words(handle)) }
  }

  /// What is counted of a device beside its line: see ``DeviceState/counters`` and ``DeviceState/sequence``.
  func counters(of device: UInt32) -> (inputs: InputCounters, sequence: UInt64) {
    let handle = lines[device].cold
    return handle == ColdStore.none ? (InputCounters(), 0) : DeviceState.counters(in: cold.words(handle))
  }

  /// The last fix of a device that was evaluated.
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

  /// Changes nothing of what is kept but the last fix; there was one.
  @inline(__always)
  mutating func replaceLastFix(_ device: UInt32, _ fix: Fix) {
    DeviceState.replaceLastFix(fix, in: cold.words(lines[device].cold))
    move(device)
  }

  // MARK: - What is to be saved

  /// Notes that a device changed.
  @inline(__always)
  mutating func move(_ device: UInt32) {
    if !lines[device].notes.contains(.moved) { notes.move(device, lines) }
  }

  /// Draws the safe region of a device, and notes what is near.
  ///
  /// - Parameters:
  ///   - slack: How far the device can move before anything has to be looked at, metres.
  ///   - slot: The nearest of the shapes that are settled outside; `UInt32.max` = none.
  ///   - room: How far the device can move before another one of them can be entered, metres.
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

  /// Notes that an input of a device was accepted.
  ///
  /// - Parameter clock: The device's before it.
  @inline(__always)
  mutating func take(_ device: UInt32, at time: Int64, after clock: Int64) {
    arrivals.hear(device)
    if notes.isOn { notes.take(device, at: time, after: clock, lines) }
  }

  /// Sets the arrival time of the next inputs.
  mutating func setArrivalTime(_ time: Int64) { arrivals.set(time, bound: lines.count) }

  /// Takes the arrival time of a device's last input that was saved.
  mutating func restoreArrival(of device: UInt32, _ time: Int64) {
    arrivals.restore(device, time, bound: lines.count)
  }

  /// Notes that time has passed for all devices.
  mutating func reach(_ time: Int64) { notes.reach(time) }

  /// Notes that time was set back, for all devices or for one.
  mutating func rewindNotes(watermark: Int64) {
    var latest = watermark
    for device in 0..<UInt32(lines.count) { latest = max(latest, lines[device].clock) }
    notes.rewind(to: latest)
  }

  mutating func beginParts() { notes.beginParts() }

  /// Notes that something of a device changed that is to last before the call returns.
  @inline(__always)
  mutating func hurry(_ device: UInt32, mustSync: Bool = true) {
    if notes.isOn { notes.hurry(device, lines, mustSync: mustSync) }
  }

  /// Starts to note changes: what is there now counts as saved. Or notes no more.
  ///
  /// - Parameter interval: After which all is to be saved, microseconds; `nil` = whenever that is.
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

  /// Whether a device is told of by a row: it was given something, or left and has events that wait.
  func isTold(_ device: UInt32) -> Bool {
    let line = lines[device]
    guard line.flags != [] else { return false }
    return line.flags.contains(.isLeaving) || line.clock != .min || line.acceptedFixes != 0 || line.sequence != 0
      || line.cold != ColdStore.none
  }

  func isLeaving(_ device: UInt32) -> Bool { lines[device].flags.contains(.isLeaving) }

  // MARK: - Restoring

  /// Makes numbers for so many devices, all of them free.
  mutating func restore(bound: Int) {
    for _ in lines.count..<max(bound, lines.count) {
      var line = DeviceLine()
      line.flags = []
      lines.append(line)
      arrivals.append()
    }
    names.makeSlots(bound)
  }

  /// Enters a device under a number that is free.
  ///
  /// - Parameter isLeaving: Whether it was removed, and events of it wait; its identifier may be another's by now.
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

  /// Puts in order which numbers are free, when all devices are there.
  ///
  /// - Parameter events: How many events there are of each device that left.
  mutating func endRestoring(events: [UInt32: Int]) {
    for device in 0..<UInt32(lines.count) {
      if lines[device].flags.contains(.isLeaving) {
        if let count = events[device] { leaving[device] = count } else { lines[device].flags = [] }
      }
      if lines[device].flags == [] { free.append(device) }
    }
  }

  /// Bytes that the devices take, without their identifiers.
  var byteCount: Int {
    lines.count * (MemoryLayout<DeviceLine>.stride + MemoryLayout<DeviceSurroundings>.stride) + cold.byteCount
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
