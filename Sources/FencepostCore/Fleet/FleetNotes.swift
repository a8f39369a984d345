import FencepostKernel

/// Which devices changed since a fleet was last saved, so that saving writes their rows and no others.
///
/// Kept only for a fleet with a storage. What was noted of a device stands in its line too (see ``DeviceLine/Notes``), so
/// that a fix which changes nothing but clock and counters notes once and then no more.
struct DeviceNotes: Sendable {
  let isOn: Bool
  /// Of event time, since all was saved.
  private(set) var pace = Pace()
  /// After which all is to be saved, microseconds; `nil` = whenever that is.
  private let interval: Int64?
  /// Devices that changed in any way, each once; some may be saved since.
  private(set) var listed: ContiguousArray<UInt32> = []
  /// Devices of which something changed that is to last before the call returns, each once.
  private(set) var urgent: ContiguousArray<UInt32> = []
  /// Whether what is urgent is to outlive the machine, not only the process: all but a commit, which may come again.
  private(set) var mustSync = false
  /// How many devices have changes that are not saved.
  private(set) var unsavedCount = 0
  /// Inputs that were accepted since the notes began, advances of all devices too.
  private(set) var inputs: UInt64 = 0

  init(isOn: Bool = false, interval: Int64? = nil) {
    self.isOn = isOn
    self.interval = interval
  }

  /// Notes that an input of a device was accepted.
  ///
  /// - Parameter clock: The device's before it.
  mutating func take(_ device: UInt32, at time: Int64, after clock: Int64, _ lines: DeviceLines) {
    inputs &+= 1
    pace.reach(time)
    guard let interval else { return }
    if lines[device].notes.contains(.paced) {
      pace.pass(from: clock, to: time, interval: interval, &lines[device].intervals)
    } else {
      lines[device].notes.insert(.paced)
      lines[device].intervals = 0
      pace.begin()
    }
  }

  /// Notes that time has passed for all devices.
  mutating func reach(_ time: Int64) {
    inputs &+= 1
    pace.reach(time)
  }

  /// Notes that the largest time of all was set back.
  mutating func rewind(to time: Int64) { pace.rewind(to: time) }

  /// Notes that a save of all devices begins, which takes them part by part.
  mutating func beginParts() { pace.restart() }

  /// Notes that a device changed.
  @inline(never)
  mutating func move(_ device: UInt32, _ lines: DeviceLines) {
    let notes = lines[device].notes
    if !notes.contains(.moved) { unsavedCount += 1 }
    if !notes.contains(.listed) { listed.append(device) }
    lines[device].notes = notes.union([.listed, .moved])
  }

  /// Notes that what a device is inside of, is about to cross or was told has changed, or that its row goes.
  mutating func hurry(_ device: UInt32, _ lines: DeviceLines, mustSync: Bool) {
    if mustSync { self.mustSync = true }
    move(device, lines)
    guard !lines[device].notes.contains(.urgent) else { return }
    lines[device].notes.insert(.urgent)
    urgent.append(device)
  }

  /// The devices whose rows are to be written, ascending: those that are urgent, or all that changed.
  func changed(all: Bool, _ lines: DeviceLines) -> ContiguousArray<UInt32> {
    var devices = urgent
    if all {
      devices = listed
      devices.removeAll { !lines[$0].notes.contains(.moved) }
    }
    devices.arrange()
    return devices
  }

  /// The next devices whose rows are to be written when all that changed are saved in parts, and where to go on in the list.
  func part(of most: Int, from place: Int, to end: Int, _ lines: DeviceLines) -> (
    devices: ContiguousArray<UInt32>, next: Int
  ) {
    var devices: ContiguousArray<UInt32> = []
    var next = place
    while next < end, devices.count < most {
      if lines[listed[next]].notes.contains(.moved) { devices.append(listed[next]) }
      next += 1
    }
    devices.arrange()
    return (devices, next)
  }

  /// Forgets what was saved of some devices.
  mutating func clear(_ devices: ContiguousArray<UInt32>, _ lines: DeviceLines) {
    forget(devices, lines)
    urgent.removeAll { !lines[$0].notes.contains(.urgent) }
  }

  private mutating func forget(_ devices: ContiguousArray<UInt32>, _ lines: DeviceLines) {
    pace.end(devices.count { lines[$0].notes.contains(.paced) })
    for device in devices {
      if lines[device].notes.contains(.moved) { unsavedCount -= 1 }
      lines[device].notes.subtract([.moved, .urgent, .paced])
    }
  }

  /// Forgets which devices were saved in parts; those that changed since stay noted.
  mutating func endParts(_ lines: DeviceLines) {
    for device in listed where !lines[device].notes.contains(.moved) { lines[device].notes.remove(.listed) }
    listed.removeAll { !lines[$0].notes.contains(.listed) }
    mustSync = !urgent.isEmpty
  }

  /// Forgets what was saved.
  mutating func clear(all: Bool, _ lines: DeviceLines) {
    forget(urgent, lines)
    urgent.removeAll(keepingCapacity: urgent.capacity <= 65_536)
    mustSync = false
    guard all else { return }
    forget(listed, lines)
    pace.restart()
    for device in listed { lines[device].notes = [] }
    listed.removeAll(keepingCapacity: listed.capacity <= 65_536)
  }
}

/// Which events of a fleet came, were handed out or went since it was last saved.
struct EventNotes: Sendable {
  /// No enum: its shorter case would leave bytes uninitialised that a test for the case reads, as valgrind reports.
  struct Change: Sendable {
    let entry: FleetEntry
    /// Whether the event is handled or void, so that its row goes.
    let isDeletion: Bool
  }

  let isOn: Bool
  /// By the event's place in the order of all.
  private(set) var changes: [UInt64: Change] = [:]
  /// See ``DeviceNotes/mustSync``.
  private(set) var mustSync = false
  /// Events up to this place may be kept; later ones are not.
  private var saved: UInt64

  /// - Parameter saved: The last event's place.
  init(isOn: Bool = false, saved: UInt64 = 0) {
    self.isOn = isOn
    self.saved = saved
  }

  var isEmpty: Bool { changes.isEmpty }

  var count: Int { changes.count }

  @inline(__always)
  mutating func put(_ entry: FleetEntry) {
    if isOn { note(entry.entry.change, Change(entry: entry, isDeletion: false)) }
  }

  /// Notes that an event is handled, or void.
  mutating func delete(_ entry: FleetEntry) {
    guard isOn else { return }
    if entry.entry.change > saved {
      changes[entry.entry.change] = nil
    } else {
      changes[entry.entry.change] = Change(entry: entry, isDeletion: true)
    }
  }

  @inline(never)
  private mutating func note(_ place: UInt64, _ change: Change) {
    mustSync = true
    changes[place] = change
  }

  /// Forgets some that were saved.
  mutating func clear(_ places: ContiguousArray<UInt64>, saved: UInt64) {
    self.saved = saved
    for place in places { changes[place] = nil }
  }

  /// Forgets what was saved.
  mutating func clear(saved: UInt64) {
    self.saved = saved
    mustSync = false
    if !changes.isEmpty { changes.removeAll(keepingCapacity: changes.count <= 4_096) }
  }
}

#if FENCEPOST_INVARIANTS
  extension DeviceNotes {
    func checkInvariants(_ lines: DeviceLines) throws(Invariant.Broken) {
      guard isOn else {
        return try Invariant.hold(listed.isEmpty && urgent.isEmpty, "no changes are listed without a store")
      }
      let all = (0..<UInt32(lines.count))
      try Invariant.hold(
        Set(listed).count == listed.count && Set(listed) == Set(all.filter { lines[$0].notes.contains(.listed) }),
        "a device that changed is listed once")
      try Invariant.hold(
        Set(urgent).count == urgent.count && Set(urgent) == Set(all.filter { lines[$0].notes.contains(.urgent) }),
        "an urgent device is listed once")
      try Invariant.hold(
        all.allSatisfy { !lines[$0].notes.contains(.moved) || lines[$0].notes.contains(.listed) },
        "a device that moved is listed")
      try Invariant.hold(
        unsavedCount == all.count { lines[$0].notes.contains(.moved) }, "each device with unsaved changes counts once")
      try Invariant.hold(
        all.allSatisfy { !lines[$0].notes.contains(.paced) || lines[$0].notes.contains(.moved) },
        "a device with an accepted input is listed as moved")
      try Invariant.hold(
        pace.deviceCount == all.count { lines[$0].notes.contains(.paced) },
        "each device whose clock advanced counts once")
    }
  }
#endif
