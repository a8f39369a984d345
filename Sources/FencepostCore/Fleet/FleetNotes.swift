import FencepostKernel

/// The dirty devices: those that have changed since the fleet was last saved, so that a save writes only their rows.
///
/// Only a fleet with a storage tracks them. The marks of a device are also in its line (see ``DeviceLine/Notes``), so a
/// device whose fixes change only clock and counters is marked only once.
struct DeviceNotes: Sendable {
  let isOn: Bool
  /// The event time that has passed since everything was saved.
  private(set) var pace = Pace()
  /// The interval after which everything has to be saved, in microseconds; `nil` if there is no such interval.
  private let interval: Int64?
  /// The devices that have changed in any way, without duplicates. Some of them may have been saved since.
  private(set) var listed: ContiguousArray<UInt32> = []
  /// The devices with a change that must be saved before the call returns, without duplicates.
  private(set) var urgent: ContiguousArray<UInt32> = []
  /// Whether an urgent change must survive a failure of the machine, not only of the process. This is true for all
  /// changes except commits, which can be repeated.
  private(set) var mustSync = false
  /// The number of devices with unsaved changes.
  private(set) var unsavedCount = 0
  /// The number of inputs that were accepted since tracking began, including advances of all devices.
  private(set) var inputs: UInt64 = 0

  init(isOn: Bool = false, interval: Int64? = nil) {
    self.isOn = isOn
    self.interval = interval
  }

  /// Records that an input of a device was accepted.
  ///
  /// - Parameter clock: The clock of the device before the input.
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

  /// Records that all devices were advanced to a time.
  mutating func reach(_ time: Int64) {
    inputs &+= 1
    pace.reach(time)
  }

  /// Records that the latest time of all devices was set back.
  mutating func rewind(to time: Int64) { pace.rewind(to: time) }

  /// Records that a save of all devices in parts begins.
  mutating func beginParts() { pace.restart() }

  /// Marks a device as changed.
  @inline(never)
  mutating func move(_ device: UInt32, _ lines: DeviceLines) {
    let notes = lines[device].notes
    if !notes.contains(.moved) { unsavedCount += 1 }
    if !notes.contains(.listed) { listed.append(device) }
    lines[device].notes = notes.union([.listed, .moved])
  }

  /// Marks an urgent change: of the conditions that a device is inside or about to cross, of a reported state, or the
  /// deletion of the device's row.
  mutating func hurry(_ device: UInt32, _ lines: DeviceLines, mustSync: Bool) {
    if mustSync { self.mustSync = true }
    move(device, lines)
    guard !lines[device].notes.contains(.urgent) else { return }
    lines[device].notes.insert(.urgent)
    urgent.append(device)
  }

  /// Returns the devices whose rows have to be written, in ascending order: the urgent ones, or all changed ones.
  func changed(all: Bool, _ lines: DeviceLines) -> ContiguousArray<UInt32> {
    var devices = urgent
    if all {
      devices = listed
      devices.removeAll { !lines[$0].notes.contains(.moved) }
    }
    devices.arrange()
    return devices
  }

  /// For a save in parts: returns the next devices whose rows have to be written, and the index in the list at which
  /// the next part begins.
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

  /// Removes the marks of some devices that were saved.
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

  /// Removes the marks of devices that were saved in parts, except devices that have changed since.
  mutating func endParts(_ lines: DeviceLines) {
    for device in listed where !lines[device].notes.contains(.moved) { lines[device].notes.remove(.listed) }
    listed.removeAll { !lines[$0].notes.contains(.listed) }
    mustSync = !urgent.isEmpty
  }

  /// Removes all marks: those of urgent devices, or of all devices, after they were saved.
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

/// The events of a fleet that were added, delivered or removed since the fleet was last saved.
struct EventNotes: Sendable {
  let isOn: Bool
  /// The changes, by the number of the event in the order in which events were caused.
  private(set) var changes = [UInt64: FleetEntry]()
  /// See ``DeviceNotes/mustSync``.
  var mustSync = false
  /// Only events up to this number may have a saved row.
  private var saved: UInt64

  /// - Parameter saved: The number of the last event.
  init(isOn: Bool = false, saved: UInt64 = 0) {
    self.isOn = isOn
    self.saved = saved
  }

  var isEmpty: Bool { changes.isEmpty }

  var count: Int { changes.count }

  @inline(__always)
  mutating func put(_ entry: FleetEntry) {
    if isOn { note(entry) }
  }

  /// Records that an event was committed or became void.
  mutating func delete(_ entry: FleetEntry) {
    guard isOn else { return }
    if entry.entry.change > saved {
      changes[entry.entry.change] = nil
    } else {
      var gone = entry
      gone.role = .gone
      changes[entry.entry.change] = gone
    }
  }

  @inline(never)
  private mutating func note(_ entry: FleetEntry) {
    mustSync = true
    changes[entry.entry.change] = entry
  }

  /// Removes the records of some events that were saved.
  mutating func clear(_ places: ContiguousArray<UInt64>, saved: UInt64) {
    self.saved = saved
    for place in places { changes[place] = nil }
  }

  /// Removes all records after a save.
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
