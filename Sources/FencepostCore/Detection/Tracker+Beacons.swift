/// The beacon detector.
extension Tracker {
  /// Applies a scan report, if the host scans.
  mutating func see(
    _ sightings: some Sequence<BeaconSighting>, at time: Timestamp, _ table: ConditionTable,
    _ delivery: inout Delivery
  ) {
    var survey = Survey()
    passTime(to: time, table, &delivery, &survey)
    if known.isScanning { apply(sightings, table, &delivery) }
    confirmDue(through: clock, table, &delivery, &survey, ending: .input)
  }

  mutating func setScanning(
    _ isOn: Bool, at time: Timestamp, _ table: ConditionTable, _ delivery: inout Delivery
  ) {
    var survey = Survey()
    passTime(to: time, table, &delivery, &survey)
    if isOn != known.isScanning {
      known.scan(isOn)
      for slot in table.live where table.kind(of: slot).isBeacon {
        if isOn {
          if !isSuspended(slot, table) { startAbsence(slot, at: clock) }
        } else {
          stop(slot, table, &delivery)
        }
      }
    }
    confirmDue(through: clock, table, &delivery, &survey, ending: .input)
  }

  /// Finds the strongest sighting of the report for each condition and applies it, in add order.
  private mutating func apply(
    _ sightings: some Sequence<BeaconSighting>, _ table: ConditionTable, _ delivery: inout Delivery
  ) {
    var strongest = [UInt32: BeaconSighting]()
    var matched: ContiguousArray<UInt32> = []
    for sighting in sightings {
      let identities = [
        BeaconIdentityCondition(uuid: sighting.uuid),
        BeaconIdentityCondition(uuid: sighting.uuid, major: sighting.major),
        BeaconIdentityCondition(uuid: sighting.uuid, major: sighting.major, minor: sighting.minor),
      ]
      for identity in identities {
        for slot in table.slots(of: identity) {
          if let known = strongest[slot] {
            if sighting.precedes(known) { strongest[slot] = sighting }
          } else {
            strongest[slot] = sighting
            matched.append(slot)
          }
        }
      }
    }
    table.putInOrder(&matched)
    for slot in matched {
      if let sighting = strongest[slot] { apply(sighting, to: slot, table, &delivery) }
    }
  }

  private mutating func apply(
    _ sighting: BeaconSighting, to slot: UInt32, _ table: ConditionTable, _ delivery: inout Delivery
  ) {
    guard !isSuspended(slot, table), let beacon = table.beacon(of: slot) else { return }
    let deadline = Timestamp(microseconds: clock).adding(microseconds: options.beaconExitTimeoutMicroseconds)
    let before = known.see(slot, at: clock, deadline: deadline.microseconds)
    deadlines.schedule(slot, at: deadline.microseconds)
    guard before != .inside else { return }
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: .satisfied,
      cause: before == .undetermined ? .determination : .crossing, date: Timestamp(microseconds: clock))
    entry.notify = before == .undetermined ? .initial : .entry
    entry.evidenceDate = clock
    if beacon.minor == nil {
      entry.setRefinement(.init(uuid: sighting.uuid, major: sighting.major, minor: sighting.minor))
    }
    observe(entry, isInitial: before == .undetermined, table, &delivery)
  }

  /// Starts the timer of a beacon's absence. Before the first time is known, ``startAbsences(at:_:)`` does this later.
  mutating func startAbsence(_ slot: UInt32, at time: Int64) {
    guard known.isScanning, time != .min else { return }
    let deadline = Timestamp(microseconds: time).adding(microseconds: options.beaconInitialTimeoutMicroseconds)
    known.countAbsence(slot, until: deadline.microseconds)
    deadlines.schedule(slot, at: deadline.microseconds)
  }

  /// Starts the timers of the absences of all beacons when the first time becomes known.
  mutating func startAbsences(at time: Int64, _ table: ConditionTable) {
    for slot in known.beaconSlots(table) where known.beacon(slot)?.deadline == .max && !isSuspended(slot, table) {
      startAbsence(slot, at: time)
    }
  }

  /// Confirms that no matching beacon is near.
  mutating func confirmAbsence(
    _ slot: UInt32, date: Int64, _ table: ConditionTable, _ delivery: inout Delivery
  ) {
    guard let track = known.settleAbsent(slot) else { return }
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: .unsatisfied, cause: .timeout,
      date: Timestamp(microseconds: date))
    entry.notify = track.observed == .undetermined ? .initial : .exit
    entry.evidenceDate = track.lastSighting
    observe(entry, isInitial: track.observed == .undetermined, table, &delivery)
  }
}

extension BeaconSighting {
  /// Whether this sighting represents its report instead of `other`: the stronger sighting does; of equally strong ones
  /// the one with the lower major, then with the lower minor.
  func precedes(_ other: BeaconSighting) -> Bool {
    if rssi != other.rssi { return rssi > other.rssi }
    return (major, minor) < (other.major, other.minor)
  }
}
