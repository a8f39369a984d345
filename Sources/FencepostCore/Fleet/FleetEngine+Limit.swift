import FencepostKernel

/// The condition limit of the table: what each device is told of the conditions that wait for a place, and of those that get
/// one.
extension FleetEngine {
  /// Follows the changes of the table that concern its condition limit, before anything else is done with it.
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

  /// Lets shapes of a device that got a place be undetermined, and counts the absence of beacons that did.
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

  /// Brings a copy of a device's state up to date with the limit, where the fleet has not followed the table yet.
  func promotePending(_ state: inout DeviceState, _ device: UInt32, _ table: ConditionTable) {
    guard limits.isBehind(table) else { return }
    promote(limits.promoted(limits.fresh(table), table), &state, device, table)
  }

  /// Whether an event of the limit waits to be queued by the next call.
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

  /// Makes sure that something is kept of a device that has an event.
  private mutating func store(untouched device: UInt32) {
    guard devices.lines[device].cold == ColdStore.none else { return }
    devices.load(device, into: &state)
    store(device)
  }

  // MARK: - Devices that are entered later

  /// Lets a device that was just entered know of the conditions that waited before; it is told of them with its first input,
  /// or with the next advance.
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

  /// Tells a device that is heard for the first time what its own monitor was told before: of the conditions that wait for a
  /// place, or did, and in between what has been due.
  @inline(__always)
  mutating func greet(_ device: UInt32, row: Int, _ table: ConditionTable) {
    if !limits.newcomers.isEmpty, limits.newcomers.contains(device) { greet([device], row: row, table) }
  }

  /// Tells a device that came from another fleet, where it was given nothing yet, or that has no clock.
  mutating func greetLoaded(_ device: UInt32) {
    gate.read { table in
      if devices.lines[device].clock == .min { enterUnderLimit(device, table) }
      if watermark.time != .min { greet(device, row: 0, table) }
    }
  }

  /// Counts the absence of the beacons that got a place before any time was known, for devices without a time.
  mutating func startAbsences(at time: Int64, _ table: ConditionTable) {
    guard limits.entries.contains(where: { $0.promoted != nil && !table.isGeographic($0.slot) }) else { return }
    for device in devices.numbers where devices.lines[device].clock == .min {
      devices.load(device, into: &state)
      state.startAbsences(at: time, options)
      store(device)
    }
  }

  /// Tells all devices that are given nothing yet.
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
  /// Lets a shape that got a place under the limit be undetermined, and told to be unmonitored.
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

  /// Lists a beacon condition that got a place under the limit: its absence is counted from a time, or from the first one that the
  /// device is given.
  fileprivate mutating func listPromoted(
    _ slot: UInt32, from time: Int64, _ options: FleetOptions, _ table: ConditionTable
  ) {
    guard !beacons.contains(where: { $0.slot == slot }) else { return }
    var track = BeaconTrack()
    if isScanning, time != .min { track.deadline = options.absence(from: time) }
    beacons.append(
      Beacon(slot: slot, generation: table.generation(of: slot), track: track, told: .unmonitored))
  }

  /// Counts the absence of the beacons that got a place before any time was known.
  mutating func startAbsences(at time: Int64, _ options: FleetOptions) {
    guard isScanning else { return }
    for index in beacons.indices
    where beacons[index].track.observed == .undetermined && beacons[index].track.deadline == .max {
      beacons[index].track.deadline = options.absence(from: time)
    }
  }
}

extension FleetOptions {
  /// When a beacon that is not seen since a time is absent.
  fileprivate func absence(from time: Int64) -> Int64 {
    Timestamp(microseconds: time).adding(microseconds: beaconInitialTimeoutMicroseconds).microseconds
  }
}
