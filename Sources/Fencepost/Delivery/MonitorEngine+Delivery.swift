/// From events that wait to events that are handled: handing out, committing, abandoning.
extension MonitorEngine {
  /// Hands out the next event and commits what was handed out before; `nil` when none waits.
  public mutating func nextEvent() -> Event? {
    var event: Event?
    _ = poll(limit: 1) { entry, engine in event = engine.event(from: entry) }
    return event
  }

  /// Hands out up to `limit` events and commits what was handed out before.
  ///
  /// - Parameter body: Receives each event in order.
  /// - Returns: How many were handed out.
  public mutating func poll(limit: Int, _ body: (borrowing EventEntry, borrowing MonitorEngine) -> Void) -> Int {
    acknowledge()
    guard hasEntries else { return 0 }
    var count = 0
    while count < limit, handedOut < inFlight.count {  // left by a consumer that went away
      let entry = inFlight[handedOut]
      handedOut += 1
      if isLive(entry) {
        body(entry, self)
        count += 1
      }
    }
    while count < limit {
      if count % ReadAhead.block == 0 { readAheadToHandOut(queue.ahead(min(ReadAhead.block, limit - count))) }
      guard var entry = takeNext() else { break }
      lastSequence += 1
      entry.sequence = lastSequence
      pendingEvents -= 1
      states[Int(entry.slot)].waiting -= 1
      if options.delivery != .every {
        turn.waiting[entry.slot] = nil
        turn.flying.insert(entry.slot)
      }
      journal.put(entry)
      body(entry, self)
      count += 1
      inFlight.append(entry)
      handedOut += 1
    }
    return count
  }

  /// Whether there is anything to hand out; what waits may have become void.
  @inline(__always)
  private var hasEntries: Bool { queue.count > 0 || handedOut < inFlight.count }

  /// Commits what was handed out, without asking for more.
  public mutating func acknowledge() {
    guard handedOut > 0 else { return }
    let committed = handedOut
    handedOut = 0
    for index in 0..<committed {
      if index % ReadAhead.block == 0 {
        readAheadToCommit(inFlight[index..<min(index + ReadAhead.block, committed)])
      }
      let entry = inFlight[index]
      guard isLive(entry) else {
        silent.dropped(entry)
        continue
      }
      journal.delete(entry.change)
      if options.delivery == .every {
        write(entry)
        if let change = silent.handled(entry) {
          journal.delete(change.change)
          write(change)
        }
      } else {
        turn.flying.remove(entry.slot)
        note(entry)
        write(entry)
        rebuild(entry.slot)
      }
    }
    if committed == inFlight.count {
      inFlight.removeAll(keepingCapacity: inFlight.capacity <= 65_536)
    } else {
      inFlight.removeFirst(committed)
    }
  }

  /// The consumer went away: what was handed out and not committed is handed out again, with the same sequence.
  public mutating func abandon() {
    handedOut = 0
  }

  /// A copy as it would be after a crash: what was handed out and not committed is handed out again. The two go on
  /// independently.
  ///
  /// - Complexity: O(1), and later O(what happens to the copy) in time and memory: it shares the conditions, and their
  ///   states as long as they are the same. Its first fix reads each condition once.
  public func fork() -> MonitorEngine {
    var copy = self
    copy.journal = Journal()
    copy.isStoreFailing = false
    copy.isStoreFailureTold = false
    copy.states.share()
    copy.abandon()
    return copy
  }

  /// Whether an event waits, or was handed out to a consumer that went away.
  public var hasEvents: Bool {
    pendingEvents > 0 || inFlight[handedOut...].contains { isLive($0) }
  }

  /// Whether the condition of an entry is still the one that the entry is about.
  @inline(__always)
  func isLive(_ entry: EventEntry) -> Bool {
    table.isLive(entry.slot) && table.generation(of: entry.slot) == entry.generation
  }

  /// Whether an entry of the queue is not void.
  func isWaiting(_ entry: EventEntry) -> Bool {
    isLive(entry) && (options.delivery == .every || turn.waiting[entry.slot]?.change == entry.change)
  }

  private mutating func takeNext() -> EventEntry? {
    while let entry = queue.first {
      queue.removeFirst()
      // In `first` and `latest` the queue keeps the place, and `turn` what waits there: it may have been replaced.
      if isWaiting(entry) { return options.delivery == .every ? entry : turn.waiting[entry.slot] }
      silent.dropped(entry)
    }
    return nil
  }

  /// Drops void entries when they are the larger part of the queue.
  mutating func dropVoidEntries() {
    guard queue.count > 1_024, queue.count > 2 * pendingEvents else { return }
    var kept = EventQueue()
    swap(&kept, &queue)
    kept.filter { entry in
      let isKept = isWaiting(entry)
      if !isKept { silent.dropped(entry) }
      return isKept
    }
    swap(&kept, &queue)
  }

  /// Makes an event the condition's record.
  mutating func write(_ entry: EventEntry) {
    touch(entry.slot)
    let index = states[Int(entry.slot)].record
    if index == SlotState.none {
      states[Int(entry.slot)].record = records.insert(entry)
    } else {
      records.update(index, entry)
    }
  }
}
