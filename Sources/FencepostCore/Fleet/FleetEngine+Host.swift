import FencepostKernel

/// The capabilities of the host of one device. A device whose conditions are suspended has the events that a monitor
/// would have.
extension FleetEngine {
  /// States what the host of a device can do from now on. See
  /// ``MonitorEngine/setHostCapabilities(_:unsupported:at:)``.
  ///
  /// If a condition is added while the device is suspended, the event that reports this comes with the next call of the
  /// fleet.
  ///
  /// - Parameters:
  ///   - flags: The flags of ``Diagnostics/hostFlags`` that apply now.
  ///   - unsupported: The kinds of conditions that cannot be monitored now.
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)``; ``MonitorError/invalidArgument(_:position:)`` if `flags`
  ///   contains another flag, the time is out of range, or the fleet's delivery is not `every`; ``MonitorError/lateInput(time:clock:)``;
  ///   ``MonitorError/aheadOfClock(time:clock:limit:)``; ``MonitorError/queueFull(limit:position:)``. If an error is
  ///   thrown, nothing has changed except the counters.
  /// - Complexity: O(conditions) if something changes.
  public mutating func setHostCapabilities(
    _ flags: Diagnostics, unsupported: Set<ConditionKind> = [], at time: Timestamp, for number: UInt64
  ) throws(MonitorError) {
    let stated = try HostState(flags, unsupported: unsupported)
    let device = try line(of: number)
    guard options.delivery == .every else { throw .invalidArgument(Self.needsEveryDelivery) }
    devices.own()
    try gate.read { table throws(MonitorError) in
      let limits = stated != HostState()
      if limits, table.policies.hasTimings { throw .invalidArgument(Self.needsNoTimings) }
      if limits, table.rules != nil { throw .invalidArgument(Self.needsNoRules) }
      try admit(time, device, table)
      if limits { gate.refuseTimingsAndRules() }
      evaluate(device, at: time.microseconds, row: 0, table) { tracker, observed, survey, state in
        state.counters.countOther()
        tracker.passTime(to: time, table, &observed, &survey)
        // The host has no limits then, so nothing else changes.
        if table.rules != nil {
          tracker.confirmDue(through: tracker.clock, table, &observed, &survey, ending: .input)
        }
        return nil
      }
      change(device, to: stated, table)
      confirmOverdue(device, table)
    }
    features.insert(.hosts)
  }

  static var needsEveryDelivery: String {
    "delivery: the host capabilities of a device are reported in order with its other events; must be every"
  }

  static var needsNoTimings: String {
    "capabilities: the table has a condition with a timing; the devices of its fleets must have no host capabilities"
  }

  static var needsNoRules: String {
    "capabilities: the table has a rule; the devices of its fleets must have no host capabilities"
  }

  private mutating func change(_ device: UInt32, to stated: HostState, _ table: ConditionTable) {
    devices.load(device, into: &state)
    let old = state.host.stated
    guard stated != old else { return }
    let seen = devices.lines[device].seen
    let clock = clock(of: device)
    let listed = state.listedReported(table)
    let beacons = state.beacons
    for slot in table.live {
      let kind = table.kind(of: slot)
      let (before, after) = (old.flags(of: kind), stated.flags(of: kind))
      guard after != before, after.isNews(to: before) else { continue }
      let reported = listed[slot] ?? state.commonReported(slot, seen: seen, table)
      var known = before
      if reported == .unmonitored, state.host.reportedKinds & kind.bit != 0 { known.insert(.conditionUnsupported) }
      guard after.isNews(to: known) else { continue }
      let refinement = table.isGeographic(slot) ? nil : beacons.first { $0.slot == slot }?.refinement
      delivery.append(news(after, of: slot, device, state: reported, refinement, at: clock, table))
    }
    state.change(to: stated, at: clock, seen: seen, options, table)
    devices.lines[device].region.remove()
    store(device)
    devices.hurry(device)
    if state.host.suspends { suspendedDevices.insert(device) } else { suspendedDevices.remove(device) }
  }

  /// Returns an event about the flags of a condition.
  @inline(never)
  private func news(
    _ flags: Diagnostics, of slot: UInt32, _ device: UInt32, state: Event.State, _ refinement: BeaconRefinement?,
    at time: Int64, _ table: ConditionTable
  ) -> FleetEntry {
    var entry = EventEntry(
      flags, slot: slot, generation: table.generation(of: slot), state: state, date: time)
    if entry.state != .unsatisfied { entry.setRefinement(refinement) }
    return FleetEntry(entry: entry, device: device, row: 0)
  }

  // MARK: - Conditions that are added while devices are suspended

  /// Reports the flags of the conditions that were added since the last call, for the devices for which they are
  /// suspended. Each call that changes the clock of a device, or hands out events, does this first. So the date of such
  /// an event is the clock of the device when the condition was added.
  @inline(__always)
  mutating func reportSuspended(_ table: ConditionTable) {
    if !suspendedDevices.isEmpty, table.order.lastGeneration > suspendedSeen { reportAllSuspended(table) }
  }

  /// Reports as ``reportSuspended(_:)`` does.
  mutating func reportSuspended() {
    guard !suspendedDevices.isEmpty else { return }
    devices.own()
    gate.readLong { table in reportSuspended(table) }
  }

  @inline(never) @_optimize(size)
  private mutating func reportAllSuspended(_ table: ConditionTable) {
    var found: ContiguousArray<FleetEntry> = []
    for device in suspendedDevices {
      devices.load(device, into: &state)
      for slot in unreported(state, table) {
        let kind = table.kind(of: slot)
        found.append(
          news(
            state.host.stated.flags(of: kind), of: slot, device,
            state: kind.isLine ? .unknown : table.assumed(of: slot),
            nil, at: clock(of: device), table))
      }
      state.host.reportedThrough = table.order.lastGeneration
      devices.store(device, state)
    }
    suspendedSeen = table.order.lastGeneration
    found.arrange { ($0.entry.generation, UInt64($0.device)) < ($1.entry.generation, UInt64($1.device)) }
    for entry in found {
      delivery.append(entry)
      devices.hurry(entry.device)
    }
  }

  /// Returns the conditions whose flags are still to be reported for a device, in add order.
  func unreported(_ state: borrowing DeviceState, _ table: ConditionTable) -> ContiguousArray<UInt32> {
    guard state.host.suspends, table.order.lastGeneration > state.host.reportedThrough else { return [] }
    let stated = state.host.stated
    return ContiguousArray(
      table.order.live(after: state.host.reportedThrough).filter { stated.flags(of: table.kind(of: $0)).suspends })
  }

  /// The number of events that the next call adds about conditions that were added while devices were suspended.
  func unreportedCount(_ table: ConditionTable) -> Int {
    guard !suspendedDevices.isEmpty, table.order.lastGeneration > suspendedSeen else { return 0 }
    var state = DeviceState()
    var count = 0
    for device in suspendedDevices {
      devices.load(device, into: &state)
      count += unreported(state, table).count
    }
    return count
  }
}
