import FencepostKernel

/// The conditions with a ``ConditionTiming``. A device passes the edges of schedules when it is next evaluated; no edge
/// causes an event. The changes that are due without an input are found like the other deadlines of a device. A device begins at the
/// fleet's time at which it was added, or else at its first input, as if all these conditions were added then.
extension FleetEngine {
  /// Whether no schedule has an edge after the last input of a device and up to a time.
  @inline(never)
  mutating func isCalm(_ device: UInt32, through time: Int64, _ table: ConditionTable) -> Bool {
    let clock = devices.lines[device].clock
    return clock != .min && time < edge(after: clock, table)
  }

  /// The first edge of all schedules after a time.
  private mutating func edge(after time: Int64, _ table: ConditionTable) -> Int64 {
    if calm.generation != table.order.lastGeneration || time < calm.start || time >= calm.end {
      calm = (time, table.policies.nextEdge(after: time), table.order.lastGeneration)
    }
    return calm.end
  }

  /// Applies a fix that was not refused, if the table has timings: the fleet has no path then.
  @inline(never)
  mutating func acceptTimed(_ fix: Fix, _ device: UInt32, row: Int, _ table: ConditionTable) {
    if extras.ellipse == nil, isCalm(device, through: fix.time.microseconds, table), staysInRegion(fix, device, table) {
      return
    }
    timed.fix = fix
    let position = EarthVector(latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude)
    let radius = devices.lines[device].lookRadius
    let patches = patches
    evaluate(device, at: fix.time.microseconds, row: row, isFix: true, table) { tracker, observed, survey, _ in
      tracker.evaluateAlone(fix, at: position, within: radius, nil, patches, table, &observed, &survey)
    }
  }

  /// Accepts a fix in the safe region of a device if nothing is due, as long as no edge has passed.
  @inline(never)
  mutating func staysInRegion(_ fix: Fix, _ device: UInt32, _ table: ConditionTable) -> Bool {
    if options.keepsEachFix { return stays(fix, device, table) }
    let line = devices.lines[device]
    guard line.seen == table.order.lastGeneration, line.region.isOpen, line.region.skips(fix.coordinate),
      line.earliest > fix.time.microseconds
    else { return false }
    devices.lines[device].clock = fix.time.microseconds
    devices.move(device)
    return true
  }

  /// Adds the records of new conditions to a device, and confirms all its changes that are due before the time of an
  /// input.
  ///
  /// - Parameter row: The row of the input.
  @inline(never)
  @_optimize(size)
  mutating func catchUp(_ device: UInt32, before time: Int64, row: Int, _ table: ConditionTable) {
    guard timed.due == nil else { return }
    // A deadline comes without a fix.
    let fix = timed.fix
    timed.fix = nil
    defer { timed.fix = fix }
    let clock = clock(of: device)
    if clock != .min {
      let seen = devices.lines[device].seen
      if max(table.lastTracked, table.lastTimedRule) > seen { track(device, at: clock, table) }
      // An absence may be due before an edge.
      if table.rules != nil, table.lastListing > seen { prepareForBeacons(device, table) }
    }
    while devices.lines[device].earliest < time {
      confirmDue(device, through: devices.lines[device].earliest, row: row, table)
    }
  }

  /// Adds the records of new conditions to all devices, because something may become due without an input of the device.
  ///
  /// - Parameter time: The time to which the fleet is about to be advanced; `nil` if there is no advance. Devices
  ///   without a clock then have no records yet.
  @inline(never)
  @_optimize(size)
  mutating func trackInAll(at time: Int64?, _ table: ConditionTable) {
    guard max(table.lastTracked, table.lastTimedRule) > trackedSeen else { return }
    for device in devices.numbers {
      let clock = clock(of: device)
      guard let start = clock == .min ? time : clock else { continue }
      track(device, at: start, table)
    }
    if time != nil || watermark.time != .min { trackedSeen = table.order.lastGeneration }
  }

  /// Adds the records of new conditions to a device.
  @inline(never)
  @_optimize(size)
  mutating func track(_ device: UInt32, at time: Int64, _ table: ConditionTable) {
    devices.load(device, into: &state)
    let line = devices.lines[device]
    let clock = clock(of: device)
    let isTracked = state.timings.seen < table.lastTracked
    let isOfRules = state.rules.seen(shapes: line.seen) < table.lastTimedRule
    guard isTracked || isOfRules else { return }
    state.dropGone(seen: line.seen, table)
    if isTracked {
      state.prepareTimings(own: line.clock, clock: clock, through: time, table)
      state.dropCommonRecords(own: line.clock, seen: line.seen, table)
      devices.hurry(device)
      features.insert(.timings)
      if state.hasRules { features.insert(.rules) }
    }
    // The first time of a device may change its rules, as an edge does.
    if isOfRules { state.timings.edge = min(state.timings.edge, clock == .min ? time : edge(after: clock, table)) }
    store(device)
  }

  /// The first edge after the fleet's time; without an advance, after the earliest clock of the devices.
  @inline(never)
  @_optimize(size)
  func nextEdge(_ table: ConditionTable) -> Int64 {
    guard table.policies.hasTimings, devices.count > 0 else { return .max }
    var clock = watermark.time
    if clock == .min {
      clock = .max
      for device in devices.numbers where devices.lines[device].clock != .min {
        clock = min(clock, devices.lines[device].clock)
      }
    }
    return clock == .max ? .max : table.policies.nextEdge(after: clock)
  }

  /// Brings the records of the device in `state` up to date.
  @inline(never)
  @_optimize(size)
  mutating func prepareTimings(_ device: UInt32, at time: Int64, isFix: Bool, _ table: ConditionTable) {
    let line = devices.lines[device]
    if isFix {
      if state.hasTimings { state.timings.isStale = false }
    } else if timed.due == nil, line.clock != .min, table.policies.nextEdge(after: line.clock) <= time {
      state.timings.isStale = true
      devices.lines[device].region.remove()
    }
    let clock = watermark.clock(line)
    let edges = edges(of: clock, at: time)
    if table.rules != nil, edges.before != .min {
      state.prepareTimings(own: line.clock, clock: clock, through: edges.before, table)
      // A rule that is unknown because of a change of the table has no repeats.
      if state.hasRules, state.timings.reminder <= edges.now {
        state.settleRules(seen: line.seen, at: edges.before, table)
      }
      state.noteCounted(at: edges.before, seen: line.seen, table)
    }
    state.prepareTimings(own: line.clock, clock: clock, through: edges.now, table)
    if table.rules != nil, edges.before == .min { state.noteCounted(at: .min, seen: 0, table) }
  }

  /// The edges up to these times have passed before an evaluation, and are passed by it.
  func edges(of clock: Int64, at time: Int64) -> (before: Int64, now: Int64) {
    let now = timed.due ?? time
    if clock == .min { return (.min, now) }
    return (timed.due == nil ? max(clock, now - 1) : now - 1, now)
  }

  /// Sets the next edge at which the rules of the device in `state` may change without an input.
  @inline(never)
  @_optimize(size)
  mutating func remindOfEdge(_ device: UInt32, after time: Int64, _ table: ConditionTable) {
    let isConcerned = table.lastTimedRule > 0 && state.concerns(seen: devices.lines[device].seen, table)
    if isConcerned || state.hasTimings { state.timings.edge = isConcerned ? edge(after: time, table) : .max }
  }

  /// Stores what the tracker has of the conditions with a timing in `state`.
  ///
  /// - Parameter isSeen: Whether the device has seen all conditions.
  @inline(never)
  @_optimize(size)
  mutating func packTimings(_ device: UInt32, isSeen: Bool, _ table: ConditionTable) {
    state.takeTimings(&tracker, observed, table)
    let line = devices.lines[device]
    state.dropCommonRecords(own: line.clock, seen: isSeen ? table.order.lastGeneration : line.seen, table)
    if table.rules == nil { state.timings.edge = .max }
  }

  /// Queues an observed change of a condition with a record.
  ///
  /// - Returns: Whether the condition has a record.
  @inline(never)
  @_optimize(size)
  mutating func collectTimed(_ observed: EventEntry, _ device: UInt32, row: Int, _ table: ConditionTable) -> Bool {
    guard let index = state.timings.index(of: observed.slot), !table.kind(of: observed.slot).isRule else {
      return false
    }
    var entry = observed
    let told = state.timings.records[index].tell(entry)
    guard told != entry.state || entry.marks.contains(.news),
      entry.notify.isSubset(of: table.notify(of: entry.slot))
    else { return true }
    entry.marks.remove(.news)
    delivery.append(FleetEntry(entry: entry, device: device, row: row))
    devices.hurry(device)
    return true
  }

  /// Loads the records of the device in `state` into the tracker, and the states of the shapes with a timing near a fix.
  @inline(never)
  @_optimize(size)
  mutating func loadTimings(_ device: UInt32, at time: Int64, _ table: ConditionTable) {
    features.insert(.timings)
    let time = timed.due ?? time
    let line = devices.lines[device]
    let edges = edges(of: watermark.clock(line), at: time)
    let isFix = timed.fix != nil
    var near: ContiguousArray<CapHit> = []
    if let fix = timed.fix {
      timed.fix = nil
      let position = EarthVector(latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude)
      table.index.collect(
        near: position,
        within: max(devices.lines[device].lookRadius, tracker.reachOfDetermination(fix, extras.ellipse, table)),
        into: &near)
      for hit in near where table.timing(of: hit.id) != nil && state.timings.index(of: hit.id) == nil {
        state.addCommonRecord(hit.id, at: time, before: edges.before, seen: line.seen, table)
      }
      // The edges have passed up to the fix, also for the shapes without a record.
      state.timings.passed = max(state.timings.passed, time)
    }
    if let book = table.rules {
      let isOpen = line.seen < table.order.lastGeneration || state.isRewound
      if isOpen || state.lastFix.map({ table.policies.nextEdge(after: $0.time.microseconds) <= time }) ?? true {
        var roots = book.listed
        for hit in near { if let name = book.part(in: hit.id) { roots.append(name) } }
        state.appendConcerned(to: &roots, isInput: isFix, seen: line.seen, table)
        state.addTimedParts(of: roots, at: time, before: edges.before, seen: line.seen, table)
      }
    }
    for record in state.timings.records {
      tracker.load(record, table)
      let rule = table.kind(of: record.slot).isRule ? state.rules.records.record(of: record.slot) : nil
      observed.suppose(record.slot, rule.map { state.rules.records[$0].told } ?? record.told)
      if record.events > 0 { observed.restore(record.slot, eventCount: record.events) }
    }
  }
}

extension DeviceTimings.Record {
  /// Notes an observed change.
  ///
  /// - Returns: The state that was reported before.
  mutating func tell(_ entry: EventEntry) -> Event.State {
    let before = told
    told = entry.state
    if entry.cause != .repeat, before != told || entry.marks.contains(.news) { (since, evidence) = (.min, .min) }
    return before
  }
}

extension DeviceState {
  /// Stores what the tracker has of the conditions with a record.
  @inline(never)
  @_optimize(size)
  mutating func takeTimings(_ tracker: inout Tracker, _ delivery: Delivery, _ table: ConditionTable) {
    // The records are taken out of the state, so that they are not copied.
    var timings = DeviceTimings()
    swap(&timings, &self.timings)
    for index in timings.records.indices {
      var record = timings.records[index]
      let slot = record.slot
      if let state = tracker.timed(slot) { record.state = state }
      record.events = delivery.eventCount(of: slot)
      if table.kind(of: slot).isRule {
        if let cell = tracker.loadedRule(slot, table) { record.hasMetCoarseFix = cell.isWithoutEvidence }
        timings.records[index] = record
        continue
      }
      record.observed = tracker.observed(slot, table)
      record.hasMetCoarseFix = tracker.hasMetCoarseFix(slot)
      if record.observed != .inside {
        insides.removeAll { $0.slot == slot }
      } else if let inside = insides.first(where: { $0.slot == slot }) {
        (record.since, record.evidence) = (inside.since, inside.evidence)
      }
      timings.records[index] = record
    }
    self.timings = timings
  }
}

extension MonitorEngine {
  /// Loads the state of a shape with a timing of a device.
  @inline(never)
  @_optimize(size)
  mutating func loadTiming(_ slot: UInt32, _ state: DeviceState, seen: UInt64) {
    guard table.timing(of: slot) != nil else { return }
    let record =
      state.timings.index(of: slot).map { state.timings.records[$0] }
      ?? state.commonRecord(slot, at: clock, seen: seen, table)
    tracker.load(record, table)
    tracker.adoptTiming(slot, table, &delivery)
  }
}

extension Tracker {
  /// Loads the state of a shape or rule with a timing. The states of rules are loaded apart. A shape that the device is inside or about to cross is loaded before.
  @inline(never)
  @_optimize(size)
  mutating func load(_ record: DeviceTimings.Record, _ table: ConditionTable) {
    let slot = record.slot
    known.setTimed(slot, record.state)
    if record.state.deadline != .max { deadlines.schedule(slot, at: record.state.deadline) }
    if table.kind(of: slot).isRule { return }
    switch record.observed {
    case .inside: break
    case .outside:
      if !isException(slot), table.generation(of: slot) > known.shapes.sweptThrough {
        known.load(slot, .outside, active: SlotState.none)
      }
    case .undetermined:
      known.keepUndetermined(slot, table)
      if record.hasMetCoarseFix { known.setTooCoarse(slot, table) }
      if !record.state.isSuspended { known.wait(slot, table) }
    }
  }

  /// Keeps the shapes undetermined that are outside their schedules, although all shapes were swept.
  @inline(never)
  @_optimize(size)
  mutating func keepSuspended(_ table: ConditionTable) {
    for slot in known.timedSlots where table.isGeographic(slot) && isInactive(slot) {
      known.keepUndetermined(slot, table)
    }
  }
}
