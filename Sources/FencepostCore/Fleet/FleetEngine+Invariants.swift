#if FENCEPOST_INVARIANTS
  package import FencepostKernel

  extension FleetEngine {
    package func checkInvariants() throws(Invariant.Broken) {
      var events = [UInt32: Int]()
      delivery.forEach { events[$0.device, default: 0] += 1 }
      try devices.checkInvariants(events: events)
      try deadlines.checkInvariants(devices.lines)
      try delivery.checkInvariants()
      try gate.read { table throws(Invariant.Broken) in
        try table.checkInvariants()
        for device in devices.numbers { try check(device, table) }
      }
    }

    private func check(_ device: UInt32, _ table: ConditionTable) throws(Invariant.Broken) {
      let line = devices.lines[device]
      var state = DeviceState()
      devices.load(device, into: &state)
      try Invariant.hold(state.earliest == line.earliest, "a device's line has its next deadline")
      try Invariant.hold(line.seen <= table.order.lastGeneration, "no device knows conditions newer than the table")
      try Invariant.hold(
        state.lastFix.map { $0.time.microseconds <= line.clock } ?? true, "no fix is later than the device's clock")
      state.dropGone(seen: line.seen, table)
      let insides = Set(state.insides.map { $0.slot })
      let undecided = Set(state.undecided)
      try Invariant.hold(
        !insideIndex.isOn || insides.allSatisfy { insideIndex.names(device, in: $0) },
        "the index contains each device that is inside")
      try Invariant.hold(
        insides.count == state.insides.count && undecided.count == state.undecided.count
          && Set(state.crossings.map { $0.slot }).count == state.crossings.count
          && Set(state.beacons.map { $0.slot }).count == state.beacons.count,
        "each condition of a device is listed once"
      )
      try Invariant.hold(
        state.told.allSatisfy { undecided.contains($0.slot) }
          && Set(state.told.map { $0.slot }).count == state.told.count,
        "the reported state of an undetermined shape is listed once")
      try Invariant.hold(
        state.rewoundThrough <= line.seen
          && (!state.isRewound
            || state.rewoundThrough > 0 && insides.isEmpty && state.crossings.isEmpty
              && line.region.isEmpty),
        "a rewound device has no states of shapes")
      try Invariant.hold(
        undecided.isDisjoint(with: insides) && undecided.isDisjoint(with: state.crossings.map { $0.slot }),
        "an undetermined shape is neither inside nor about to be crossed")
      do { try state.checkHost(table) } catch { try Invariant.hold(false, error.reason) }
      try Invariant.hold(
        Set(state.host.unmonitored).count == state.host.unmonitored.count,
        "an undetermined shape is listed once as unmonitored")
      try Invariant.hold(
        state.host.suspends == suspendedDevices.contains(device)
          && (!state.host.suspends || state.host.reportedThrough >= suspendedSeen),
        "a suspended device is noted")
      try Invariant.hold(
        state.marks.allSatisfy { $0.through <= state.beaconsSeen } && state.beaconsAbsent <= state.beaconsSeen,
        "a device counts absences only of conditions it has seen")
      try Invariant.hold(
        undecided.isEmpty || line.seen < table.order.lastGeneration || line.region.isEmpty,
        "there is no safe region while a shape is undetermined")
      guard !line.region.isEmpty, line.seen == table.order.lastGeneration else { return }
      let anchor = EarthVector(latitude: line.region.centre.latitude, longitude: line.region.centre.longitude)
      let room = line.region.radius
      let surroundings = devices.lines.surroundings[Int(device)]
      let known = insides.union(state.crossings.map { $0.slot }).union([surroundings.slot])
      for slot in table.live where table.isGeographic(slot) && !state.host.limits(slot, table) {
        // An inactive shape limits no region. An edge after the last input ends the region.
        if let timing = table.timing(of: slot) {
          let next = timing.schedule?.nextEdge(after: line.clock) ?? .max
          let passed = max(state.timings.passed, clock(of: device))
          let isActive = timing.schedule?.isActive(at: line.clock) ?? true && next > passed
          let isExhausted = state.timings.index(of: slot).map { state.timings.records[$0].state.isExhausted } ?? false
          if !isActive || isExhausted { continue }
        }
        let candidate = state.crossings.first { $0.slot == slot }?.candidate
        // Polygons and corridors are watched from the position at which they were measured.
        guard !table.shape(of: slot).isStoodForByCircles else { continue }
        let isInside = insides.contains(slot)
        let watch =
          isInside || candidate != nil
          ? table.activeWatch(slot, isInside ? .inside : .outside, candidate, from: nil) : table.entryWatch(slot)
        try Invariant.hold(watch.slack(at: anchor) >= room, "no threshold is within the safe region")
        try Invariant.hold(
          known.contains(slot) || table.entrySlack(slot, at: anchor) >= surroundings.room - 0.02,
          "no circle but the nearest one is within the room around a device")
      }
    }
  }

  extension FleetDelivery {
    func checkInvariants() throws(Invariant.Broken) {
      try checkWaiting()
      let inFlight = inFlight.entries
      for (one, next) in zip(inFlight, inFlight.dropFirst()) {
        try Invariant.hold(one.position < next.position, "events are in flight in the order of their positions")
      }
      try Invariant.hold(
        inFlight.allSatisfy { $0.position >= 1 && $0.position <= lastPosition && $0.entry.sequence > 0 },
        "an event gets its position at its first delivery")
    }
  }
#endif
