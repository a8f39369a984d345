extension FleetEngine {
  /// Feeds one scan report of a device: the beacons observed at one instant. An empty report only moves the clock.
  ///
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)``, ``MonitorError/invalidArgument(_:position:)``,
  ///   ``MonitorError/lateInput(time:clock:)``, ``MonitorError/aheadOfClock(time:clock:limit:)``,
  ///   ``MonitorError/queueFull(limit:position:)``. If an error is thrown, nothing has changed except the counters.
  public mutating func feed(
    _ sightings: some Sequence<BeaconSighting>, at time: Timestamp, for number: UInt64
  ) throws(MonitorError) {
    let device = try line(of: number)
    devices.own()
    let sightings = ContiguousArray(sightings)
    try gate.read { table throws(MonitorError) in
      try admit(time, device, table)
      counters.acceptedSightings += 1
      evaluate(device, at: time.microseconds, row: 0, table) { tracker, observed, _, state in
        state.counters.acceptedSightings += 1
        if state.countsAbsence {
          for sighting in sightings {
            for identity in sighting.identities {
              for slot in table.slots(of: identity) where tracker.beacon(slot) == nil {
                let beacon = state.beacon(slot, table)
                state.beacons.append(beacon)
                tracker.load(slot, beacon.track)
              }
            }
          }
        }
        tracker.see(sightings, at: time, table, &observed)
        return nil
      }
    }
  }

  /// Declares whether a device scans for beacons from now on. Repeating a declaration has no effect. A new device is
  /// assumed to scan.
  ///
  /// - Throws: The same errors as ``feed(_:at:for:)``.
  @_optimize(size)
  public mutating func setScanning(_ isOn: Bool, at time: Timestamp, for number: UInt64) throws(MonitorError) {
    let device = try line(of: number)
    devices.own()
    try gate.read { table throws(MonitorError) in
      try admit(time, device, table)
      let options = options
      let seen = devices.lines[device].seen
      var isStopped = false
      evaluate(device, at: time.microseconds, row: 0, table) { tracker, observed, survey, state in
        state.counters.countOther()
        tracker.passTime(to: time, table, &observed, &survey)
        if isOn != state.isScanning {
          isStopped = !isOn
          if !isOn { state.listParts(seen: seen, nil, table) }
          state.isScanning = isOn
          state.marks.removeAll(keepingCapacity: true)
          state.beaconsAbsent = 0
          state.beaconsSeen = table.order.lastGeneration
          if state.countsAbsence { state.beginAbsence(at: time.microseconds, options, table) }
          for beacon in state.beacons {
            var track = tracker.beacon(beacon.slot) ?? beacon.track
            let before = track.observed
            track.observed = .undetermined
            track.deadline =
              state.countsAbsence
              ? time.adding(microseconds: options.beaconInitialTimeoutMicroseconds).microseconds : .max
            tracker.load(beacon.slot, track)
            tracker.markStopped(beacon.slot, before, table)
          }
        }
        tracker.confirmDue(through: tracker.clock, table, &observed, &survey, ending: .input)
        return nil
      }
      if isStopped, let turns = delivery.turns {
        var pending = turns.pendingEvents(of: device)
        pending.removeAll { table.isGeographic($0.entry.slot) }
        forgetBehind(pending, table)
        store(device)
      }
    }
  }
}

extension BeaconSighting {
  /// The identities that match the sighting, from the least to the most precise.
  var identities: [BeaconIdentityCondition] {
    [
      BeaconIdentityCondition(uuid: uuid), BeaconIdentityCondition(uuid: uuid, major: major),
      BeaconIdentityCondition(uuid: uuid, major: major, minor: minor),
    ]
  }
}
