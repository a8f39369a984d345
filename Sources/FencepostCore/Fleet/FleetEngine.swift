import FencepostKernel

/// A fleet: very many devices over one table of conditions, as one value. Its inputs and its events belong to devices.
///
/// *A fleet with devices d1 … dn gives exactly the events of n monitors with the same conditions, interleaved in the
/// order of input.* Each of these monitors is created before the first condition, gets every change of the table and
/// every advance of the fleet, and has the options ``FleetOptions/monitorOptions``. Events of different devices are in
/// the order of the rows or calls that caused them. The events of one advance are ordered by deadline, then by device
/// number, then in add order.
///
/// A device needs memory only for the conditions that it is inside or about to cross, and time only near a boundary.
/// Its first fix, or a million conditions that were added since its last fix, cost no more than a query of the index.
///
/// Like ``MonitorEngine``, it reads no clock and is not locked. Copying the value forks the fleet. The copies share the
/// table, which is not part of the value.
public struct FleetEngine: Sendable {
  /// The table of the conditions that are monitored. Other fleets may share the table.
  public internal(set) var conditions: Conditions
  public internal(set) var options: FleetOptions

  var gate: Conditions.Gate
  var devices = DeviceTable()
  var deadlines = FleetDeadlines()
  var delivery: FleetDelivery
  /// The time to which all devices were advanced.
  var watermark = Watermark()
  /// All devices know the beacon conditions up to this generation whose absence is an event.
  var announcedSeen: UInt64 = 0
  /// All devices with a clock have records of the conditions up to this generation whose absence may be an event.
  var trackedSeen: UInt64 = 0
  /// No schedule of the table up to a generation has an edge after a time and before another one.
  var calm: (start: Int64, end: Int64, generation: UInt64) = (.max, .min, 0)
  var counters = InputCounters()
  /// The devices for which conditions are suspended.
  var suspendedDevices = Set<UInt32>()
  /// The flags of the conditions up to this generation were reported for all these devices.
  var suspendedSeen: UInt64 = 0
  /// The format of rows that is needed to save this fleet; see ``FleetHeadRow``.
  var rowFormat = FleetHeadRow.firstFormat
  /// The features that the rows of this fleet have had, except those that are determined when the rows are written.
  var features: FleetHeadRow.Features = []
  /// The error ellipse and the height of the fix that is fed.
  var extras = FixExtras()
  /// If the table has timings: the fix that is fed, and the time of a change that is due.
  var timed: (fix: Fix?, due: Int64?)

  // The working memory of an evaluation. It has no meaning between two calls.
  var tracker: Tracker
  var observed: Delivery
  var survey = Survey()
  var state = DeviceState()
  var patches = CapPatches()
  var edges = EdgeCells()
  var insideIndex = InsideIndex()

  /// Creates a fleet without devices.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when an option is out of range.
  public init(_ conditions: Conditions, options: FleetOptions = FleetOptions()) throws(MonitorError) {
    if let defect = options.defect { throw .invalidArgument(defect) }
    self.conditions = conditions
    self.options = options
    gate = try conditions.newGate(for: options)
    tracker = Tracker(options.monitorOptions)
    delivery = FleetDelivery(options.delivery)
    observed = Delivery(collecting: options.order)
    if options.path.isGeodesic { needRowFormat(FleetHeadRow.pathFormat) }
    if options.delivery != .every { needRowFormat(FleetHeadRow.deliveryFormat) }
    if options.plausibility != nil { features.insert(.doubts) }
  }

  /// Notes that the rows of the fleet need at least a format.
  mutating func needRowFormat(_ format: UInt32) { rowFormat = max(rowFormat, format) }

  /// The time to which all devices were advanced; `nil` before the first advance. No input of a device may be earlier.
  public var currentTime: Timestamp? {
    watermark.time == .min ? nil : Timestamp(microseconds: watermark.time)
  }

  /// The arrival time of the next inputs, as stated by the host; `nil` if the host has not stated it.
  public var arrivalTime: Timestamp? {
    devices.arrivals.isSet ? Timestamp(microseconds: devices.arrivals.present) : nil
  }

  /// Returns the clock of a device: the latest time of its inputs and of the advances of the fleet; `Int64.min` before
  /// the first of them.
  @inline(__always)
  func clock(of device: UInt32) -> Int64 { watermark.clock(devices.lines[device]) }

  // MARK: - What is common to the inputs

  /// Returns the line of the device with a number. Throws an error if no device has the number, or if the device was
  /// removed.
  @inline(__always)
  func line(of number: UInt64) throws(MonitorError) -> UInt32 {
    guard let device = devices.line(of: number) else { throw Self.noSuchDevice(number) }
    return device
  }

  static func noSuchDevice(_ number: UInt64) -> MonitorError {
    .noSuchDevice("no device has the number \(number); it may have been removed")
  }

  /// Whether inputs are refused because too many events are waiting.
  @inline(__always)
  mutating func isFull(_ table: ConditionTable) -> Bool {
    delivery.count >= options.maxPendingEvents && isFullOfLive(table)
  }

  @inline(never)
  private mutating func isFullOfLive(_ table: ConditionTable) -> Bool {
    dropVoid(table)
    return delivery.count >= options.maxPendingEvents
  }

  /// Drops the waiting events of conditions that were removed or replaced.
  mutating func dropVoid(_ table: ConditionTable) {
    guard delivery.count > 0 else { return }
    for device in delivery.dropVoid({ table.holds($0.entry.slot, $0.entry.generation) }) { devices.release(device) }
  }

  /// Checks an input of a device by the rules of ``Admission``. If the input is refused, counts it and throws the
  /// error. If it is accepted, the caller applies and counts it.
  ///
  /// - Parameter maxStep: The longest time that the input may be ahead, in microseconds; `nil` for the limit in the
  ///   options.
  mutating func admit(
    _ time: Timestamp, _ device: UInt32, maxStep: Int64? = nil, _ table: ConditionTable
  ) throws(MonitorError) {
    let clock = try checkTime(time, device, maxStep: maxStep, table)
    devices.take(device, at: time.microseconds, after: clock == .min ? time.microseconds : clock)
  }

  /// Checks the time of an input as ``admit(_:_:maxStep:_:)`` does, without noting that the input was accepted.
  ///
  /// - Returns: The clock of the device.
  @inline(__always)
  mutating func checkTime(
    _ time: Timestamp, _ device: UInt32, maxStep: Int64? = nil, _ table: ConditionTable
  ) throws(MonitorError) -> Int64 {
    reportSuspended(table)
    let clock = clock(of: device)
    // The next input of a device that was silent for long may have the arrival time.
    let reference = max(clock, devices.arrivals.present)
    do throws(MonitorError) {
      try Admission.check(
        time, isFull: isFull(table), limit: options.maxPendingEvents, clock: clock, reference: reference,
        longestStep: maxStep ?? maxTimeStep)
    } catch {
      if case .queueFull = error { throw error }
      countRefused(error)
      count(device) { $0.count(refused: error) }
      throw error
    }
    return clock
  }

  /// Counts a refused input in the fleet's own counters, which have no number of other inputs.
  mutating func countRefused(_ error: MonitorError) {
    if case .invalidArgument = error { return }
    counters.count(refused: error)
  }

  /// The longest time that an input may be ahead of the clock of its device, or of the arrival time if that is later,
  /// in microseconds.
  @inline(__always)
  var maxTimeStep: Int64 { options.maxTimeStepMicroseconds ?? .max }

  /// Counts an input in the stored state of a device.
  mutating func count(_ device: UInt32, _ body: (inout InputCounters) -> Void) {
    devices.load(device, into: &state)
    body(&state.counters)
    devices.store(device, state)
  }

  // MARK: - One device at a time

  /// Unpacks a device, applies an input, and packs the device again.
  ///
  /// - Parameters:
  ///   - time: The time of the input. The input confirms everything that becomes due before this time.
  ///   - isFix: Whether the input is a fix, which may determine shapes.
  ///   - body: Changes the tracker; returns how far the device may move after that, or `nil` if the device did not
  ///     move.
  mutating func evaluate(
    _ device: UInt32, at time: Int64, row: Int, isFix: Bool = false, _ table: ConditionTable,
    _ body: (inout Tracker, inout Delivery, inout Survey, inout DeviceState) -> Clearance?
  ) {
    if table.policies.hasTimings { catchUp(device, before: time, row: row, table) }
    unpack(device, at: time, isFix: isFix, table)
    let isNoted = devices.notes.isOn
    let before = isNoted ? state.signature : 0
    let clearance = body(&tracker, &observed, &survey, &state)
    devices.lines[device].clock = tracker.clock
    defer { if isNoted, state.signature != before { devices.hurry(device) } }
    pack(device, row: row, clearance, table)
  }

  /// Loads a device into the tracker.
  private mutating func unpack(_ device: UInt32, at time: Int64, isFix: Bool, _ table: ConditionTable) {
    let line = devices.lines[device]
    let clock = watermark.clock(line)
    devices.load(device, into: &state)
    state.dropGone(seen: line.seen, table)
    if table.policies.hasTimings { prepareTimings(device, at: time, isFix: isFix, table) }
    if table.lastBeacon > 0 {
      prepareBeacons(&state, line, at: time, isFix: isFix, table)
      // What becomes due exactly at the time of the input is processed after the input.
      state.settleBeacons(
        through: max(clock, Timestamp(microseconds: time).adding(microseconds: -1).microseconds), options)
    }
    if isFix, state.host.isUsed, !state.host.stated.suspendsAllShapes { state.listResumed(table) }
    state.load(into: &tracker, clock: clock, seen: line.seen, table)
    if features.contains(.heights) {
      let known = state.lastFix == nil ? nil : devices.height(of: device)
      tracker.load(known: known, isFix ? extras.height : known)
    }
    // A fix replaces the error ellipse of the last fix.
    if isFix {
      if extras.ellipse != nil { tracker.load(extras.ellipse) }
    } else if state.ellipse != nil {
      tracker.load(state.ellipse)
    }
    observed.forgetCollected()
    if options.path.isGeodesic { observed.supposeUnsatisfied(through: state.rewoundThrough) }
    for each in state.told { observed.suppose(each.slot, each.state) }
    for slot in state.host.unmonitored { observed.suppose(slot, .unmonitored) }
    if table.policies.hasTimings { loadTimings(device, at: time, table) }
    if table.rules != nil { beginRules(device, clock: clock, at: time, table) }
    if delivery.turns != nil {
      // Even a state that was reported before is news behind an event: no observed state equals `unmonitored`.
      for slot in state.undecided where delivery.isBusy(device, slot, table.generation(of: slot)) {
        observed.suppose(slot, .unmonitored)
      }
    }
  }

  /// Stores the new state of the device, which the tracker contains, and queues the events of the device.
  private mutating func pack(_ device: UInt32, row: Int, _ clearance: Clearance?, _ table: ConditionTable) {
    let isCrossed = collectEvents(device, row: row, table)
    state.takeShapes(&tracker, observed.collected, table)
    if isCrossed, insideIndex.isOn { indexInsides(device, table) }
    if clearance != nil { state.endRewind() }
    state.takeBeacons(&tracker, options, table) { delivery.isBusy(device, $0.slot, $0.generation) }
    if state.host.isUsed { state.endUnmonitored(observed.collected) }
    state.lastFix = tracker.lastFix
    state.ellipse = tracker.lastEllipse
    if features.contains(.heights) { devices.setHeight(tracker.lastHeight, of: device) }
    if state.hasTimings { packTimings(device, isSeen: clearance != nil, table) }
    state.gap = tracker.gapToKeep
    if let clearance, let fix = tracker.lastFix {
      devices.lines[device].seen = table.order.lastGeneration
      devices.drawSafeRegion(
        device, at: fix.coordinate, slack: clearance.slack, nearest: clearance.nearest.id, room: clearance.nearest.next,
        isHidden: options.keepsEachFix)
      if !clearance.isOfSurroundings { devices.lines[device].adjustLook(hits: survey.gathered.count) }
    } else if isCrossed {
      devices.lines[device].region.remove()
    }
    if table.rules != nil { packRules(device, table) }
    store(device)
  }

  /// Adds a device to the index of conditions and the devices inside them, for each shape that the device has entered.
  @inline(never)
  private mutating func indexInsides(_ device: UInt32, _ table: ConditionTable) {
    for entry in observed.collected where table.isGeographic(entry.slot) && entry.state == .satisfied {
      insideIndex.add(device, to: entry.slot)
    }
  }

  /// Stores `state` as the state of a device.
  mutating func store(_ device: UInt32) {
    let old = devices.lines[device].earliest
    let new = state.earliest
    devices.lines[device].earliest = new
    deadlines.change(device, from: old, to: new, devices.lines)
    devices.store(device, state)
  }

  /// Queues the observed changes that are news to the consumer, if the policy asks for an event and the delivery does
  /// not make them wait.
  ///
  /// - Returns: Whether the state of a shape has changed.
  private mutating func collectEvents(_ device: UInt32, row: Int, _ table: ConditionTable) -> Bool {
    var isCrossed = false
    let hasTimings = state.hasTimings
    for entry in observed.collected {
      if hasTimings, collectTimed(entry, device, row: row, table) {
        isCrossed = true
        continue
      }
      let told: Event.State
      if table.isGeographic(entry.slot) {
        isCrossed = true
        told =
          state.isUnmonitored(entry.slot, table)
          ? .unmonitored
          : entry.cause == .determination
            ? state.toldState(of: entry.slot, table) : entry.state == .satisfied ? .unsatisfied : .satisfied
      } else if table.kind(of: entry.slot).isRule {
        collectRule(entry, device, row: row, table)
        continue
      } else {
        told = state.tell(entry)
      }
      let isNotified = entry.notify.isSubset(of: table.notify(of: entry.slot))
      if delivery.turns != nil {
        delivery.observe(FleetEntry(entry: entry, device: device, reported: told, row: row), isNotified: isNotified)
      } else if told != entry.state, isNotified {
        delivery.append(FleetEntry(entry: entry, device: device, row: row))
      } else {
        continue
      }
      devices.hurry(device)
    }
    return isCrossed
  }
}

extension DeviceState {
  /// Loads the device into a tracker.
  ///
  /// - Parameter seen: See ``DeviceLine/seen``.
  /// The rules are loaded apart; see ``beginRules(_:clock:at:_:)``.
  borrowing func load(into tracker: inout Tracker, clock: Int64, seen: UInt64, _ table: ConditionTable) {
    tracker.begin(
      clock: clock, lastFix: lastFix, gap: gap, host: host.stated, isScanning: isScanning,
      seen: isRewound ? 0 : seen, beaconsAbsent: beaconsAbsent, table)
    for crossing in crossings { tracker.load(crossing.slot, crossing.candidate) }
    for inside in insides { tracker.load(inside.slot, .inside, table) }
    for crossing in crossings where !tracker.isException(crossing.slot) {
      tracker.load(crossing.slot, .outside, table)
    }
    for slot in undecided { tracker.loadUndecided(slot, table) }
    for beacon in beacons { tracker.load(beacon.slot, beacon.track) }
  }

  /// Stores the tracker's states of shapes. The tracker is `inout` only to avoid a copy; it is not changed.
  fileprivate mutating func takeShapes(
    _ tracker: inout Tracker, _ observed: ContiguousArray<EventEntry>, _ table: ConditionTable
  ) {
    let hasTimings = hasTimings
    for entry in observed where table.isGeographic(entry.slot) {
      if hasTimings, entry.cause == .repeat { continue }
      insides.removeAll { $0.slot == entry.slot }
      if entry.state == .satisfied {
        var inside = Inside(slot: entry.slot, since: entry.date, evidence: entry.evidenceDate)
        if entry.cause == .determination { resume(&inside) }
        if hasTimings, let index = timings.index(of: entry.slot), timings.records[index].since != .min {
          (inside.since, inside.evidence) = (timings.records[index].since, timings.records[index].evidence)
        }
        insides.append(inside)
      }
    }
    crossings.clear()
    tracker.candidates.forEach { crossings.append(Crossing(slot: $0, candidate: $1)) }
    if crossings.count > 1 { crossings.arrange { $0.slot < $1.slot } }
    undecided.clear()
    tracker.forEachUndecided(table) { undecided.append($0) }
    if hasTimings {
      let timings = timings
      undecided.removeAll { timings.index(of: $0) != nil }
    }
    if undecided.count > 1 { undecided.arrange() }
  }
}
