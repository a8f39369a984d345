/// From what is observed to events that wait: the build rules of the three delivery modes.
extension MonitorEngine {
  /// Whether an observed state would change nothing that the consumer was or will be told.
  @inline(__always)
  func agrees(_ slot: UInt32, _ state: Event.State) -> Bool {
    states[Int(slot)].noted == state && (options.delivery == .every || !turn.isBusy(slot))
  }

  /// Takes note of a new observed state.
  mutating func observe(_ observed: EventEntry) {
    var entry = observed
    lastChange += 1
    entry.change = lastChange
    let slot = entry.slot
    switch options.delivery {
    case .every:
      if entry.state != states[Int(slot)].noted { build(entry) }
    case .first:
      if turn.isBusy(slot) {
        turn.present[slot] = entry
      } else if entry.state != states[Int(slot)].noted {
        build(entry)
      }
    case .latest:
      if turn.flying.contains(slot) {
        turn.present[slot] = entry
      } else if let waiting = turn.waiting[slot] {
        replace(waiting, by: entry)
      } else if entry.state != states[Int(slot)].noted {
        build(entry)
      }
    }
  }

  /// Takes note of a change of the flags of a condition.
  mutating func flagsChanged(_ slot: UInt32, date: Int64) {
    lastChange += 1
    if options.delivery == .every {
      buildDiagnostic(slot, date: date, change: lastChange)
      return
    }
    turn.flags[slot] = (date, lastChange)
    if turn.flying.contains(slot) { return }
    if let waiting = turn.waiting[slot] {
      if options.delivery == .latest { replaceByDiagnostic(waiting, date: date, change: lastChange) }
    } else {
      buildFlags(slot)
    }
  }

  /// After a commit in `first` and `latest`: builds the next event of the condition, if there is something to tell.
  mutating func rebuild(_ slot: UInt32) {
    if let present = turn.present.removeValue(forKey: slot), present.state != states[Int(slot)].noted {
      build(present)
      if turn.isBusy(slot) { return }
    }
    buildFlags(slot)
  }

  /// In `first` and `latest` with nothing pending: tells what the flags have to tell, dated with what caused it.
  private mutating func buildFlags(_ slot: UInt32) {
    guard let flags = turn.flags[slot] else { return }
    buildDiagnostic(slot, date: flags.date, change: flags.change)
    if !turn.isBusy(slot) { turn.flags[slot] = nil }
  }

  /// Queues an event, or updates the record silently when the policy does not notify of such a change.
  private mutating func build(_ observed: EventEntry) {
    var entry = observed
    let slot = entry.slot
    let flags = currentFlags(of: slot)
    let isNotified = entry.notify.isSubset(of: table.notify(of: slot))
    // A diagnostic event ignores `notify`: a silent change does not swallow what the flags still have to tell.
    let told = Diagnostics(rawValue: UInt32(states[Int(slot)].notedFlags))
    entry.diagnostics = isNotified ? flags : told.subtracting(.unmonitored.subtracting(flags))
    if options.delivery == .every {
      note(entry)
      if isNotified {
        enqueueInOrder(entry)
      } else if !silent.wait(entry) {
        write(entry)
      }
    } else if isNotified {
      enqueue(entry)
    } else {
      note(entry)
      write(entry)
    }
  }

  /// Queues an event whose only news are the flags, unless they are what the consumer was told.
  ///
  /// That a condition ceases to be unmonitored is no news: its next event carries the new flags.
  private mutating func buildDiagnostic(_ slot: UInt32, date: Int64, change: UInt64) {
    let noted = Diagnostics(rawValue: UInt32(states[Int(slot)].notedFlags))
    let flags = currentFlags(of: slot)
    guard flags.isNews(to: noted) else { return }
    var entry = diagnostic(slot, flags, state: states[Int(slot)].noted, date: date, change: change)
    entry.setRefinement(beaconTracks[slot]?.noted)
    if options.delivery == .every {
      note(entry)
      enqueueInOrder(entry)
    } else {
      enqueue(entry)
    }
  }

  /// In `every`: lets an event wait behind those before it.
  private mutating func enqueueInOrder(_ entry: EventEntry) {
    queue.append(entry)
    if table.notify(of: entry.slot) != .all { silent.queued(entry) }
    states[Int(entry.slot)].waiting += 1
    pendingEvents += 1
  }

  /// In `latest`: a change replaces the waiting event; it is dropped when it is equal to the record. One that agrees
  /// with the record leaves a waiting event alone whose only news are the flags.
  private mutating func replace(_ waiting: EventEntry, by entry: EventEntry) {
    let slot = waiting.slot
    let noted = states[Int(slot)].noted
    guard entry.state != noted || waiting.state != noted else { return }
    dropWaiting(slot)
    if entry.state != noted {
      build(entry)
      if !turn.isBusy(slot) { buildFlags(slot) }
    } else if entry.notify.isSubset(of: table.notify(of: slot)) {
      if currentFlags(of: slot).rawValue != UInt32(states[Int(slot)].notedFlags) { build(entry) }
    } else {
      buildFlags(slot)
    }
  }

  /// In `latest`: a change of flags replaces the waiting event, keeping its state.
  private mutating func replaceByDiagnostic(_ waiting: EventEntry, date: Int64, change: UInt64) {
    let slot = waiting.slot
    let flags = currentFlags(of: slot)
    guard flags.isNews(to: waiting.diagnostics) else { return }
    dropWaiting(slot)
    var entry = diagnostic(slot, flags, state: waiting.state, date: date, change: change)
    entry.setRefinement(beaconTracks[slot]?.noted)
    if entry.state != states[Int(slot)].noted || flags.rawValue != UInt32(states[Int(slot)].notedFlags) { enqueue(entry) }
  }

  private func diagnostic(
    _ slot: UInt32, _ flags: Diagnostics, state: Event.State, date: Int64, change: UInt64
  ) -> EventEntry {
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot),
      state: flags.isDisjoint(with: .unmonitored) ? state : .unmonitored, cause: .diagnostic, date: nil)
    entry.date = date
    entry.change = change
    entry.diagnostics = flags
    return entry
  }

  /// Remembers what the consumer was told last, or will have been when the queue is empty.
  mutating func note(_ entry: EventEntry) {
    states[Int(entry.slot)].noted = entry.state
    states[Int(entry.slot)].notedFlags = UInt16(truncatingIfNeeded: entry.diagnostics.rawValue)
    if table.kind(of: entry.slot) == .beaconIdentity {
      let refinement = refinement(of: entry)
      beaconTracks[entry.slot]?.noted = refinement
    }
  }

  private mutating func enqueue(_ entry: EventEntry) {
    turn.waiting[entry.slot] = entry
    states[Int(entry.slot)].waiting = 1
    pendingEvents += 1
    queue.append(entry)
  }

  private mutating func dropWaiting(_ slot: UInt32) {
    turn.waiting[slot] = nil
    states[Int(slot)].waiting = 0
    pendingEvents -= 1
    dropVoidEntries()
  }
}

extension Diagnostics {
  /// Whether the consumer, who knows `told`, must be told these flags.
  func isNews(to told: Diagnostics) -> Bool {
    let difference = symmetricDifference(told)
    return !(isDisjoint(with: .unmonitored) ? difference.subtracting(.unmonitored) : difference).isEmpty
  }
}
