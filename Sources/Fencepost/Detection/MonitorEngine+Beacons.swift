/// The beacon detector.
extension MonitorEngine {
  /// Feeds one scan report: the beacons observed at one instant. An empty report only moves the clock.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, ``MonitorError/lateInput(time:clock:)``,
  ///   ``MonitorError/queueFull(limit:position:)``; nothing has changed then.
  public mutating func see(_ sightings: some Sequence<BeaconSighting>, at time: Timestamp) throws(MonitorError) {
    try admit(time)
    counters.acceptedSightings += 1
    var survey = Survey()
    passTime(to: time, &survey)
    if isScanning { apply(sightings) }
    confirmDue(through: clock, &survey)
  }

  /// Declares whether the host scans for beacons from now on; the same again does nothing.
  ///
  /// Off: beacon conditions become undetermined without an event, and absence is not counted.
  public mutating func setScanning(_ isOn: Bool, at time: Timestamp) throws(MonitorError) {
    try admit(time)
    var survey = Survey()
    passTime(to: time, &survey)
    if isOn != isScanning {
      isScanning = isOn
      journal.markUrgent()
      for slot in table.live where table.kind(of: slot) == .beaconIdentity {
        if isOn {
          if !currentFlags(of: slot).suspends { startAbsence(slot, at: clock) }
        } else {
          stopTracking(slot)
        }
      }
    }
    confirmDue(through: clock, &survey)
  }

  /// Finds for each condition the strongest sighting of the report and applies it, in add order.
  private mutating func apply(_ sightings: some Sequence<BeaconSighting>) {
    var strongest: [UInt32: BeaconSighting] = [:]
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
    matched.sort { table.generation(of: $0) < table.generation(of: $1) }
    for slot in matched {
      if let sighting = strongest[slot] { apply(sighting, to: slot) }
    }
  }

  private mutating func apply(_ sighting: BeaconSighting, to slot: UInt32) {
    guard !currentFlags(of: slot).suspends, let beacon = table.beacon(of: slot) else { return }
    let deadline = Timestamp(microseconds: clock).adding(microseconds: options.beaconExitTimeoutMicroseconds)
    beaconTracks[slot]?.lastSighting = clock
    beaconTracks[slot]?.deadline = deadline.microseconds
    deadlines.schedule(slot, at: deadline.microseconds)
    let before = states[Int(slot)].observed
    journal.touch(slot, isUrgent: before != .inside)
    guard before != .inside else { return }
    states[Int(slot)].observed = .inside
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: .satisfied,
      cause: before == .undetermined ? .determination : .crossing, date: currentTime)
    entry.notify = before == .undetermined ? .initial : .entry
    entry.evidenceDate = clock
    if beacon.minor == nil {
      entry.setRefinement(.init(uuid: sighting.uuid, major: sighting.major, minor: sighting.minor))
    }
    observe(entry)
  }

  /// Starts to count absence.
  mutating func startAbsence(_ slot: UInt32, at time: Int64) {
    guard isScanning else { return }
    guard time != .min else {
      beaconsAwaitingClock.append(slot)
      return
    }
    let deadline = Timestamp(microseconds: time).adding(microseconds: options.beaconInitialTimeoutMicroseconds)
    beaconTracks[slot]?.deadline = deadline.microseconds
    journal.touch(slot)
    deadlines.schedule(slot, at: deadline.microseconds)
  }

  /// Starts to count the absence of beacons that were added before any time was known.
  mutating func startAwaitingBeacons(at time: Int64) {
    for slot in beaconsAwaitingClock
    where table.isLive(slot) && beaconTracks[slot]?.deadline == .max && !currentFlags(of: slot).suspends {
      startAbsence(slot, at: time)
    }
    beaconsAwaitingClock = []
  }

  /// Settles that no matching beacon is near.
  mutating func confirmAbsence(_ slot: UInt32, date: Int64) {
    guard let track = beaconTracks[slot] else { return }
    let before = states[Int(slot)].observed
    states[Int(slot)].observed = .outside
    journal.touch(slot)
    beaconTracks[slot]?.deadline = .max
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: .unsatisfied, cause: .timeout,
      date: Timestamp(microseconds: date))
    entry.notify = before == .undetermined ? .initial : .exit
    entry.evidenceDate = track.lastSighting
    observe(entry)
  }
}

extension BeaconSighting {
  /// Whether this sighting stands for its report rather than the other: stronger, else lower major, else lower
  /// minor.
  func precedes(_ other: BeaconSighting) -> Bool {
    if rssi != other.rssi { return rssi > other.rssi }
    return (major, minor) < (other.major, other.minor)
  }
}
