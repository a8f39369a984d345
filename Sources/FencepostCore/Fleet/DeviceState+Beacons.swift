/// The states of beacon conditions that are not listed.
extension DeviceState {
  /// Returns the observed state of a beacon condition that is not listed.
  func commonObserved(_ generation: UInt64) -> Observed {
    isScanning && generation <= beaconsAbsent ? .outside : .undetermined
  }

  /// Returns the last reported state of a beacon condition that is not listed.
  func commonTold(_ slot: UInt32, _ table: ConditionTable) -> Event.State {
    if !host.stated.supports(.beaconIdentity), table.generation(of: slot) <= host.reportedThrough {
      return .unmonitored
    }
    return table.generation(of: slot) <= beaconsTold ? .unsatisfied : table.assumed(of: slot)
  }

  /// Returns the entry of a beacon condition; if the condition is not listed, an entry with the common state of
  /// unlisted conditions.
  func beacon(_ slot: UInt32, _ table: ConditionTable) -> Beacon {
    if let listed = beacons.first(where: { $0.slot == slot }) { return listed }
    let generation = table.generation(of: slot)
    return Beacon(
      slot: slot, generation: generation, track: BeaconTrack(observed: commonObserved(generation)),
      told: commonTold(slot, table))
  }

  /// Returns the time at which an unlisted beacon condition becomes absent if its beacon is not seen; `Int64.max` while
  /// the absence is not counted.
  func absenceDeadline(_ generation: UInt64, _ options: FleetOptions) -> Int64 {
    guard countsAbsence, generation > beaconsAbsent, let mark = marks.first(where: { $0.through >= generation }) else {
      return .max
    }
    return Timestamp(microseconds: mark.start).adding(microseconds: options.beaconInitialTimeoutMicroseconds)
      .microseconds
  }

  /// Settles beacon conditions as absent if their beacons were not seen for the initial timeout.
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

  /// Adds to the list the beacon conditions after a generation whose absence is an event.
  ///
  /// - Parameter start: Returns the time from which absence counts for a condition with a generation.
  mutating func announce(
    after generation: UInt64, _ options: FleetOptions, _ table: ConditionTable, start: (UInt64) -> Int64
  ) {
    guard table.lastAnnouncedBeacon > generation else { return }
    table.order.forEachAnnounced(after: generation) { slot in
      let own = table.generation(of: slot)
      guard own > generation, table.kind(of: slot).isBeacon, !beacons.contains(where: { $0.slot == slot }) else {
        return
      }
      var track = BeaconTrack()
      track.deadline =
        Timestamp(microseconds: start(own)).adding(microseconds: options.beaconInitialTimeoutMicroseconds).microseconds
      beacons.append(
        Beacon(slot: slot, generation: own, track: track, told: table.assumed(of: slot)))
    }
  }

  /// Adds the beacon conditions to the list whose absence may make a rule report something at that time: the parts of
  /// rules with a record, of listed rules, and of rules that were added after the last fix. A device without a fix lists
  /// the parts of all rules.
  ///
  /// - Parameters:
  ///   - seen: See ``DeviceLine/seen``.
  ///   - clock: The clock of the device, at which the absences up to it are established.
  ///   - end: Only absences before this time are added for a device without a fix.
  ///   - additions: The times at which conditions were added. A rule that was added before an absence was established must
  ///     still look at it.
  ///   - options: Those of the fleet; `nil` to add the conditions whatever their absence is.
  @inline(never) @_optimize(size)
  mutating func listParts(
    seen: UInt64, clock: Int64 = .min, before end: Int64 = .max, additions: [Mark] = [], _ options: FleetOptions?,
    _ table: ConditionTable
  ) {
    guard let book = table.rules, table.hasBeacons else { return }
    var names: ContiguousArray<UInt32> = []
    if seen == 0 {
      for name in 0..<UInt32(book.nameBound) { names.append(name) }
    } else {
      var roots = book.listed
      for record in rules.records { roots.append(book.name(of: record.slot)) }
      var last = rules.seen(shapes: seen)
      while last < book.lastGeneration, let slot = table.slot(after: last) {
        last = table.generation(of: slot)
        if table.kind(of: slot).isRule { roots.append(book.name(of: slot)) }
      }
      names = Tracker.concerned(roots, book)
    }
    var listed = Set<UInt32>()
    for beacon in beacons { listed.insert(beacon.slot) }
    for name in names where book.containerCount(of: name) > 0 {
      let slot = book.slot(of: name)
      guard slot != RuleBook.none, table.kind(of: slot).isBeacon, !listed.contains(slot) else { continue }
      let generation = table.generation(of: slot)
      var track = BeaconTrack(observed: commonObserved(generation))
      if let options {
        track.deadline = absenceDeadline(generation, options)
        guard track.deadline != .max, seen != 0 || track.deadline < end else { continue }
        if track.deadline <= clock {
          // A device that has been evaluated since would have listed the condition.
          guard seen == 0 else { continue }
          var isAfterRule = false
          for place in 0..<book.containerCount(of: name) {
            let rule = table.generation(of: book.slot(of: book.container(place, of: name)))
            // The rules up to this generation were added before the absence.
            for addition in additions where addition.start < track.deadline && addition.through >= rule {
              isAfterRule = true
            }
          }
          guard isAfterRule else { continue }
        }
      }
      beacons.append(Beacon(slot: slot, generation: generation, track: track, told: commonTold(slot, table)))
    }
  }

  /// Stores the state of an event of a beacon condition as reported.
  ///
  /// - Returns: The state that was reported before.
  mutating func tell(_ entry: EventEntry) -> Event.State {
    guard let index = beacons.firstIndex(where: { $0.slot == entry.slot }) else { return entry.state }
    let told = beacons[index].told
    beacons[index].told = entry.state
    if told != entry.state { beacons[index].refinement = entry.beaconRefinement }
    return told
  }

  /// Stores the tracker's states of beacon conditions, except those that equal the common state of unlisted conditions.
  ///
  /// - Parameter isBusy: Whether a later event of a condition must wait for an earlier one. The condition stays listed.
  mutating func takeBeacons(
    _ tracker: inout Tracker, _ options: FleetOptions, _ table: ConditionTable, isBusy: (Beacon) -> Bool
  ) {
    guard !beacons.isEmpty || !marks.isEmpty else { return }
    if tracker.clock != .min { settleBeacons(through: tracker.clock, options) }
    for index in beacons.indices {
      if let track = tracker.beacon(beacons[index].slot) { beacons[index].track = track }
    }
    var kept = beacons
    kept.removeAll { beacon in
      beacon.track.deadline == .max && beacon.track.observed == commonObserved(beacon.generation)
        && beacon.told == commonTold(beacon.slot, table) && beacon.refinement == nil
        && !isBusy(beacon)
        && (beacon.track.lastSighting == .min
          || (beacon.told == .unsatisfied && table.rules?.part(in: beacon.slot) == nil))
    }
    beacons = kept
  }
}

extension FleetEngine {
  /// For the beacon conditions that were added since the last evaluation of the device, notes the time from which their
  /// absence counts. This must be done before the clock of the device moves.
  ///
  /// - Parameters:
  ///   - time: The time of the input.
  ///   - isFix: Whether the input is a fix. After it, the beacons that the device must list are listed.
  @inline(never) @_optimize(size)
  func prepareBeacons(
    _ state: inout DeviceState, _ line: DeviceLine, at time: Int64, isFix: Bool = false, _ table: ConditionTable
  ) {
    guard table.lastBeaconOrRule > state.beaconsSeen else { return }
    let seen = state.beaconsSeen
    state.beaconsSeen = table.order.lastGeneration
    guard state.countsAbsence else { return }
    if table.lastBeacon > seen { countAbsence(&state, after: seen, clock: line.clock, at: time, table) }
    guard table.rules != nil, !state.marks.isEmpty else { return }
    let additions = watermark.marks(after: 0, through: table.order.lastGeneration, clock: line.clock, time: time)
    state.listParts(
      seen: line.seen, clock: watermark.clock(line), before: isFix ? time : .max, additions: additions, options, table)
  }

  /// Notes the time from which the absence counts of the beacon conditions that were added after a generation.
  @inline(never) @_optimize(size)
  private func countAbsence(
    _ state: inout DeviceState, after seen: UInt64, clock: Int64, at time: Int64, _ table: ConditionTable
  ) {
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

  /// Announces the beacon conditions whose absence is an event to each device, because the absence may become due
  /// without an input of the device.
  ///
  /// - Parameter time: The time to which the fleet is about to be advanced; `nil` if there is no advance. The
  ///   conditions are then not announced to devices without a clock.
  mutating func announceToAll(at time: Int64?, _ table: ConditionTable) {
    guard table.lastListing > announcedSeen else { return }
    for device in devices.numbers where time != nil || clock(of: device) != .min {
      devices.load(device, into: &state)
      guard state.beaconsSeen < table.lastListing else { continue }
      let line = devices.lines[device]
      state.dropGone(seen: line.seen, table)
      prepareBeacons(&state, line, at: time ?? line.clock, table)
      store(device)
    }
    if time != nil || watermark.time != .min { announcedSeen = table.order.lastGeneration }
  }
}
