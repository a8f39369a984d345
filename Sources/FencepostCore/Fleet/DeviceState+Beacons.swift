/// What is believed of beacon conditions of which nothing is listed.
extension DeviceState {
  /// What is believed of a beacon condition that is not listed.
  func commonObserved(_ generation: UInt64) -> Observed {
    isScanning && generation <= beaconsAbsent ? .outside : .undetermined
  }

  /// What was told of a beacon condition that is not listed.
  func commonTold(_ slot: UInt32, _ table: ConditionTable) -> Event.State {
    table.generation(of: slot) <= beaconsTold ? .unsatisfied : table.assumed(of: slot)
  }

  /// Of a beacon condition: what is listed of it, or what is common to those that are not.
  func beacon(_ slot: UInt32, _ table: ConditionTable) -> Beacon {
    if let listed = beacons.first(where: { $0.slot == slot }) { return listed }
    let generation = table.generation(of: slot)
    return Beacon(
      slot: slot, generation: generation, track: BeaconTrack(observed: commonObserved(generation)),
      told: commonTold(slot, table))
  }

  /// When a beacon condition that is not listed is absent unless it is seen; `Int64.max` while its absence is not counted.
  func absenceDeadline(_ generation: UInt64, _ options: FleetOptions) -> Int64 {
    guard isScanning, generation > beaconsAbsent, let mark = marks.first(where: { $0.through >= generation }) else {
      return .max
    }
    return Timestamp(microseconds: mark.start).adding(microseconds: options.beaconInitialTimeoutMicroseconds)
      .microseconds
  }

  /// Settles as absent what was not seen for the initial timeout.
  mutating func settleBeacons(through time: Int64, _ options: FleetOptions) {
    while let mark = marks.first,
      Timestamp(microseconds: mark.start).adding(microseconds: options.beaconInitialTimeoutMicroseconds).microseconds
        <= time
    {
      beaconsAbsent = max(beaconsAbsent, mark.through)
      beaconsTold = max(beaconsTold, mark.through)
      marks.removeFirst()
    }
  }

  /// Lists the beacon conditions later than a generation whose absence is an event.
  ///
  /// - Parameter start: Since when the absence of what came with a generation is counted.
  mutating func announce(
    after generation: UInt64, _ options: FleetOptions, _ table: ConditionTable, start: (UInt64) -> Int64
  ) {
    guard table.lastAnnouncedBeacon > generation else { return }
    table.order.forEachAnnounced(after: generation) { slot in
      let own = table.generation(of: slot)
      guard own > generation, !table.isGeographic(slot), !beacons.contains(where: { $0.slot == slot }) else {
        return
      }
      var track = BeaconTrack()
      track.deadline =
        Timestamp(microseconds: start(own)).adding(microseconds: options.beaconInitialTimeoutMicroseconds).microseconds
      beacons.append(
        Beacon(slot: slot, generation: own, track: track, told: table.assumed(of: slot)))
    }
  }

  /// Takes note of an event of a beacon.
  ///
  /// - Returns: Whether its state is news.
  mutating func tell(_ entry: EventEntry) -> Bool {
    guard let index = beacons.firstIndex(where: { $0.slot == entry.slot }) else { return false }
    defer { beacons[index].told = entry.state }
    return beacons[index].told != entry.state
  }

  /// Takes what the tracker believes of beacons, and forgets what is as it is for most.
  mutating func takeBeacons(_ tracker: inout Tracker, _ options: FleetOptions, _ table: ConditionTable) {
    guard !beacons.isEmpty || !marks.isEmpty else { return }
    if tracker.clock != .min { settleBeacons(through: tracker.clock, options) }
    for index in beacons.indices {
      if let track = tracker.beacon(beacons[index].slot) { beacons[index].track = track }
    }
    var kept = beacons
    kept.removeAll { beacon in
      beacon.track.deadline == .max && beacon.track.observed == commonObserved(beacon.generation)
        && beacon.told == commonTold(beacon.slot, table)
        && (beacon.track.lastSighting == .min || beacon.told == .unsatisfied)
    }
    beacons = kept
  }
}

extension FleetEngine {
  /// Notes since when the absence of those beacon conditions is counted that came since the device was looked at, before its
  /// clock moves.
  ///
  /// - Parameters:
  ///   - clock: The largest time of the device's own inputs.
  ///   - time: of the input.
  func prepareBeacons(_ state: inout DeviceState, clock: Int64, at time: Int64, _ table: ConditionTable) {
    guard table.lastBeacon > state.beaconsSeen else { return }
    let seen = state.beaconsSeen
    state.beaconsSeen = table.order.lastGeneration
    guard state.isScanning else { return }
    let marks = watermark.marks(after: seen, through: table.order.lastGeneration, clock: clock, time: time)
    for mark in marks {
      if let last = state.marks.last, last.start == mark.start {
        state.marks[state.marks.count - 1].through = mark.through
      } else {
        state.marks.append(mark)
      }
    }
    state.announce(after: seen, options, table) { generation in
      marks.first { $0.through >= generation }?.start ?? time
    }
  }

  /// Lets each device know of the beacon conditions whose absence is an event, since that may become due without an input
  /// of the device.
  ///
  /// - Parameter time: to which the fleet is about to be advanced; `nil`: devices that were given no time know none yet.
  mutating func announceToAll(at time: Int64?, _ table: ConditionTable) {
    guard table.lastAnnouncedBeacon > announcedSeen else { return }
    for device in devices.numbers where time != nil || clock(of: device) != .min {
      devices.load(device, into: &state)
      guard state.beaconsSeen < table.lastAnnouncedBeacon else { continue }
      let line = devices.lines[device]
      state.dropGone(seen: line.seen, table)
      prepareBeacons(&state, clock: line.clock, at: time ?? line.clock, table)
      store(device)
    }
    if time != nil || watermark.time != .min { announcedSeen = table.order.lastGeneration }
  }
}
