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
        touch(slot)
      } else if entry.state != states[Int(slot)].noted {
        build(entry)
      }
    case .latest:
      if turn.flying.contains(slot) {
        turn.present[slot] = entry
        touch(slot)
      } else if let waiting = turn.waiting[slot] {
        replace(waiting, by: entry)
      } else if entry.state != states[Int(slot)].noted {
        build(entry)
      }
    }
  }

  /// Takes note of a change of the flags of a condition that is news.
  mutating func flagsChanged(_ slot: UInt32, date: Int64) {
    lastChange += 1
    switch options.delivery {
    case .every:
      buildDiagnostic(slot, date: date, change: lastChange)
    case .first:
      if turn.isBusy(slot) {
        turn.flags[slot] = (date, lastChange)
        touch(slot)
      } else {
        buildDiagnostic(slot, date: date, change: lastChange)
      }
    case .latest:
      if !turn.flying.contains(slot) {
        if let waiting = turn.waiting[slot] {
          replaceByDiagnostic(waiting, date: date, change: lastChange)
        } else {
          buildDiagnostic(slot, date: date, change: lastChange)
        }
      }
      // Also when an event tells them: a silent change may replace it.
      turn.flags[slot] = turn.isBusy(slot) ? (date, lastChange) : nil
      touch(slot)
    }
  }

  /// After a commit in `first` and `latest`: builds the next event of the condition, if there is something to tell.
  mutating func rebuild(_ slot: UInt32) {
    if let present = turn.present.removeValue(forKey: slot) {
      touch(slot)
      if present.state != states[Int(slot)].noted { build(present) }
    }
    buildLeftDiagnostic(slot)
  }

  /// In `first` and `latest`: tells the flags, where no event that waits does.
  private mutating func buildLeftDiagnostic(_ slot: UInt32) {
    guard !turn.isBusy(slot), let flags = turn.flags[slot] else { return }
    buildDiagnostic(slot, date: flags.date, change: flags.change)
    if !turn.isBusy(slot) {
      turn.flags[slot] = nil
      touch(slot)
    }
  }

  /// Queues an event, or updates the record silently when the policy does not notify of such a change.
  private mutating func build(_ observed: EventEntry) {
    var entry = observed
    let slot = entry.slot
    let isNotified = entry.notify.isSubset(of: table.notify(of: slot))
    entry.diagnostics = currentFlags(of: slot)
    if !isNotified {
      // A silent change does not swallow what the flags have to tell.
      let noted = Diagnostics(rawValue: UInt32(states[Int(slot)].notedFlags))
      entry.diagnostics = noted.subtracting(Diagnostics.unmonitored.subtracting(entry.diagnostics))
    }
    if options.delivery == .every {
      note(entry)
      if isNotified {
        enqueueInOrder(entry)
      } else {
        keepSilent(entry)
      }
    } else if isNotified {
      enqueue(entry)
    } else {
      note(entry)
      write(entry)
    }
  }

  /// In `every`: lets a change without an event wait for its turn.
  private mutating func keepSilent(_ entry: EventEntry) {
    guard let place = silent.wait(entry) else { return write(entry) }
    if let replaced = place.replaced { journal.delete(replaced.change) }
    journal.put(entry, follows: place.event)
  }

  /// Queues an event whose only news are the flags, unless they are what the consumer was told.
  ///
  /// That a condition ceases to be unmonitored is no news: its next event carries the new flags.
  private mutating func buildDiagnostic(_ slot: UInt32, date: Int64, change: UInt64) {
    let noted = Diagnostics(rawValue: UInt32(states[Int(slot)].notedFlags))
    let flags = currentFlags(of: slot)
    guard flags.isNews(to: noted) else { return }
    let entry = diagnostic(slot, flags, state: states[Int(slot)].noted, date: date, change: change)
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
    journal.put(entry)
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
    let isTold = entry.notify.isSubset(of: table.notify(of: slot))
    let hasNewFlags = currentFlags(of: slot).rawValue != UInt32(states[Int(slot)].notedFlags)
    if entry.state != noted || (isTold && hasNewFlags) { build(entry) }
    buildLeftDiagnostic(slot)
  }

  /// In `latest`: a change of flags replaces the waiting event, keeping its state.
  private mutating func replaceByDiagnostic(_ waiting: EventEntry, date: Int64, change: UInt64) {
    let slot = waiting.slot
    let flags = currentFlags(of: slot)
    guard flags.isNews(to: waiting.diagnostics) else { return }
    dropWaiting(slot)
    let entry = diagnostic(slot, flags, state: waiting.state, date: date, change: change)
    let isNew = entry.state != states[Int(slot)].noted || flags.rawValue != UInt32(states[Int(slot)].notedFlags)
    if isNew { enqueue(entry) }
  }

  /// An event about flags: with the refinement of the record, and no evidence.
  private func diagnostic(
    _ slot: UInt32, _ flags: Diagnostics, state: Event.State, date: Int64, change: UInt64
  ) -> EventEntry {
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot),
      state: flags.isDisjoint(with: .unmonitored) ? state : .unmonitored, cause: .diagnostic, date: nil)
    entry.date = date
    entry.change = change
    entry.diagnostics = flags
    entry.setRefinement(beaconTracks[slot]?.noted)
    return entry
  }

  /// Remembers what the consumer was told last, or will have been when the queue is empty.
  mutating func note(_ entry: EventEntry) {
    states[Int(entry.slot)].noted = entry.state
    states[Int(entry.slot)].notedFlags = UInt16(truncatingIfNeeded: entry.diagnostics.rawValue)
    touch(entry.slot)
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
    journal.put(entry)
  }

  private mutating func dropWaiting(_ slot: UInt32) {
    if let dropped = turn.waiting.removeValue(forKey: slot) { journal.delete(dropped.change) }
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
