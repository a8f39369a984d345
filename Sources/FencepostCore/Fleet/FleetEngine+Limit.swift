import FencepostKernel

/// The condition limit of the table. A condition above the limit waits for a place, and each device gets an event about
/// it. These methods report the conditions that wait, and handle the conditions that get a place.
extension FleetEngine {
  /// Follows the changes of the table that concern its condition limit. This must be done before the table is used for
  /// anything else.
  @inline(__always)
  mutating func followLimit(_ table: ConditionTable) {
    if limits.isBehind(table) { followLimitSlowly(table) }
  }

  @inline(never)
  private mutating func followLimitSlowly(_ table: ConditionTable) {
    devices.own()
    let fresh = limits.fresh(table)
    let promoted = limits.promoted(fresh, table)
    let known = devices.numbers.filter { !limits.newcomers.contains($0) }
    for slot in fresh {
      for device in known {
        tellWaiting(slot, device, date: clock(of: device), row: 0, table)
        store(untouched: device)
      }
    }
    if !promoted.isEmpty {
      for device in devices.numbers {
        devices.load(device, into: &state)
        promote(promoted, &state, device, table)
        store(device)
        devices.lines[device].region.remove()
        devices.hurry(device)
      }
      rowFormat = max(rowFormat, FleetHeadRow.secondFormat)
    }
    limits.follow(fresh, at: watermark.time, table)
  }

  /// For the conditions that got a place: makes the shapes undetermined for a device, and counts the absence of the
  /// beacons.
  func promote(
    _ slots: ContiguousArray<UInt32>, _ state: inout DeviceState, _ device: UInt32, _ table: ConditionTable
  ) {
    let line = devices.lines[device]
    state.dropGone(seen: line.seen, table)
    for slot in slots {
      if table.isGeographic(slot) {
        if table.generation(of: slot) <= line.seen { state.promote(slot, seen: line.seen, table) }
      } else {
        state.listPromoted(slot, from: watermark.clock(line), options, table)
      }
    }
  }

  /// Brings a copy of a device's state up to date with the condition limit, if the fleet has not followed the table
  /// yet.
  func promotePending(_ state: inout DeviceState, _ device: UInt32, _ table: ConditionTable) {
    guard limits.isBehind(table) else { return }
    promote(limits.promoted(limits.fresh(table), table), &state, device, table)
  }

  /// Whether the next call will queue an event about the condition limit.
  func hasPendingLimitEvents(_ table: ConditionTable) -> Bool {
    limits.isBehind(table) && !limits.fresh(table).isEmpty
      && devices.numbers.contains { !limits.newcomers.contains($0) }
  }

  private mutating func tellWaiting(_ slot: UInt32, _ device: UInt32, date: Int64, row: Int, _ table: ConditionTable) {
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: .unmonitored, cause: .diagnostic, date: nil)
    entry.date = date
    entry.diagnostics = .conditionLimitExceeded
    delivery.append(FleetEntry(entry: entry, device: device, row: row))
    devices.hurry(device)
  }

  /// Stores the state of a device that has an event and no stored state yet.
  private mutating func store(untouched device: UInt32) {
    guard devices.lines[device].cold == ColdStore.none else { return }
    devices.load(device, into: &state)
    store(device)
  }

  // MARK: - Devices that are entered later

  /// Prepares a new device for the events about conditions that already wait. The device gets these events with its
  /// first input, or with the next advance.
  mutating func enterUnderLimit(_ device: UInt32, _ table: ConditionTable) {
    guard table.limit.capacity != nil else { return }
    limits.newcomers.insert(device)
    devices.load(device, into: &state)
    state.isNewcomer = true
    for entry in limits.entries where !table.isGeographic(entry.slot) {
      guard let promoted = entry.promoted else { continue }
      state.listPromoted(
        entry.slot, from: watermark.time == .min || promoted != .min ? promoted : watermark.start, options, table)
    }
    store(device)
  }

  /// At the first input of a device, queues the events that a monitor for this device alone would have given before:
  /// the events about conditions that wait or have waited for a place, and everything that became due between them.
  @inline(__always)
  mutating func greet(_ device: UInt32, row: Int, _ table: ConditionTable) {
    if !limits.newcomers.isEmpty, limits.newcomers.contains(device) { greet([device], row: row, table) }
  }

  /// Queues these events for a device that was loaded from another fleet, if it had no input there or has no clock.
  mutating func greetLoaded(_ device: UInt32) {
    gate.read { table in
      if devices.lines[device].clock == .min { enterUnderLimit(device, table) }
      if watermark.time != .min { greet(device, row: 0, table) }
    }
  }

  /// For devices without a clock: starts to count the absence of the beacons whose conditions got a place before any
  /// time was known.
  mutating func startAbsences(at time: Int64, _ table: ConditionTable) {
    guard limits.entries.contains(where: { $0.promoted != nil && !table.isGeographic($0.slot) }) else { return }
    for device in devices.numbers where devices.lines[device].clock == .min {
      devices.load(device, into: &state)
      state.startAbsences(at: time, options)
      store(device)
    }
  }

  /// Queues these events for all devices that have had no input yet.
  mutating func greetAll(_ table: ConditionTable) {
    if !limits.newcomers.isEmpty { greet(limits.newcomers.arranged(), row: 0, table) }
  }

  @inline(never)
  private mutating func greet(_ newcomers: [UInt32], row: Int, _ table: ConditionTable) {
    for device in newcomers {
      limits.newcomers.remove(device)
      devices.load(device, into: &state)
      state.isNewcomer = false
      store(device)
    }
    var index = 0
    while index < limits.entries.count {
      let date = limits.entries[index].added
      let start = index
      while index < limits.entries.count, limits.entries[index].added == date { index += 1 }
      if newcomers.count == 1 {
        while devices.lines[newcomers[0]].earliest <= date {
          confirmDue(newcomers[0], through: devices.lines[newcomers[0]].earliest, row: row, table)
        }
      } else {
        while let first = deadlines.first(devices.lines), first.time <= date {
          confirmDue(first.device, through: first.time, table)
        }
      }
      for device in newcomers {
        for entry in limits.entries[start..<index] where table.holds(entry.slot, entry.generation) {
          tellWaiting(entry.slot, device, date: date, row: row, table)
        }
      }
    }
  }
}

extension DeviceState {
  /// Makes a shape that got a place undetermined; its last reported state is `unmonitored`.
  fileprivate mutating func promote(_ slot: UInt32, seen: UInt64, _ table: ConditionTable) {
    guard !undecided.contains(slot) else { return }
    if rewoundThrough == 0 {
      for slot in undecided where toldState(of: slot, table) != .unsatisfied {
        told.append(Told(slot: slot, state: toldState(of: slot, table)))
      }
    }
    rewoundThrough = seen
    undecided.append(slot)
    undecided.arrange()
    told.append(Told(slot: slot, state: .unmonitored, since: Told.noFix))
  }

  /// Adds a beacon condition that got a place to the list. Its absence counts from a time or, if there is none, from
  /// the first time of the device.
  fileprivate mutating func listPromoted(
    _ slot: UInt32, from time: Int64, _ options: FleetOptions, _ table: ConditionTable
  ) {
    guard !beacons.contains(where: { $0.slot == slot }) else { return }
    var track = BeaconTrack()
    if isScanning, time != .min { track.deadline = options.absence(from: time) }
    beacons.append(
      Beacon(slot: slot, generation: table.generation(of: slot), track: track, told: .unmonitored))
  }

  /// Starts to count the absence of the beacons whose conditions got a place before any time was known.
  mutating func startAbsences(at time: Int64, _ options: FleetOptions) {
    guard isScanning else { return }
    for index in beacons.indices
    where beacons[index].track.observed == .undetermined && beacons[index].track.deadline == .max {
      beacons[index].track.deadline = options.absence(from: time)
    }
  }
}

extension FleetOptions {
  /// Returns the time at which a beacon becomes absent if it is not seen after `time`.
  fileprivate func absence(from time: Int64) -> Int64 {
    Timestamp(microseconds: time).adding(microseconds: beaconInitialTimeoutMicroseconds).microseconds
  }
}
