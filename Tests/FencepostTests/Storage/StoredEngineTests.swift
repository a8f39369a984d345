import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite(.timeLimit(.minutes(10))) struct StoredEngineTests {
  /// After each step of many random sequences of calls, the rows that were written from the journal contain the whole
  /// state of the engine. An engine that is opened with the rows of any step continues like the original engine.
  @Test func journalAndRestart() throws {
    for life in 0..<300 {
      let name = "journal and restart \(life)"
      var steps = RandomLife(name, life)
      let options = steps.options()
      var uninterrupted = try MonitorEngine(name: "m", options: options)
      var storage = MemoryStorage()
      var stored = try StoredEngine(name: "m", options: options, storage: storage, durability: .everyInput)
      for number in 0..<120 {
        let step = steps.step()
        let expected = step.play(&uninterrupted)
        if case .restart = step {
          let copy = MemoryStorage()
          copy.rows = storage.rows
          storage = copy
          stored = try StoredEngine(name: "m", options: options, storage: copy, durability: .everyInput)
        } else {
          #expect(stored.call { step.play(&$0) } == expected, "\(name), step \(number): \(step)")
        }
        try checkInvariants(of: uninterrupted, "\(name), step \(number): \(step)")
        try checkInvariants(of: stored.engine, "\(name), step \(number): \(step), stored")
        guard try storage.state == uninterrupted.snapshot() else {
          Issue.record("\(name), step \(number): \(step): what is kept is not the whole state")
          return
        }
      }
    }
  }

  /// With the default durability, the state in the storage is always the state after the first N inputs, where N is the
  /// input count in the storage. If the storage lacks later inputs, none of them changed a state, a candidate or an
  /// event.
  @Test func changesArePrefixes() throws {
    for life in 0..<100 {
      let name = "prefixes \(life)"
      var steps = RandomLife(name, life)
      let options = steps.options()
      let storage = MemoryStorage()
      var stored = try StoredEngine(name: "m", options: options, storage: storage)
      for number in 0..<120 {
        let step = steps.step()
        if case .restart = step { continue }
        let writes = storage.writes
        _ = stored.call { step.play(&$0) }
        if storage.writes > writes {
          #expect(try storage.state == stored.engine.snapshot(), "\(name), step \(number): \(step)")
        }
        let copy = MemoryStorage()
        copy.rows = storage.rows
        let opened = try StoredEngine(name: "m", options: options, storage: copy)
        #expect(
          opened.engine.delivery.inFlight.entries.count
            == stored.engine.delivery.inFlight.entries.count { stored.engine.isLive($0) })
        #expect(opened.engine.pendingEvents == stored.engine.pendingEvents)
        #expect(opened.engine.identifiers == stored.engine.identifiers)
        #expect(opened.engine.host == stored.engine.host)
        #expect(opened.engine.tracker.isScanning == stored.engine.tracker.isScanning)
        for identifier in opened.engine.identifiers {
          #expect(opened.engine.record(for: identifier)?.lastEvent == stored.engine.record(for: identifier)?.lastEvent)
        }
      }
    }
  }

  @Test func fixesThatChangeNothingWriteNothing() throws {
    let storage = MemoryStorage()
    var stored = try StoredEngine(name: "m", options: MonitorOptions(), storage: storage)
    try stored.call { engine throws(MonitorError) in
      try engine.add(circle(100), identifier: "c", policy: .exact)
      try engine.feed(fix(1, 0))
    }
    let writes = storage.writes
    for second in 2..<50 { try stored.call { engine throws(MonitorError) in try engine.feed(fix(Double(second), 1)) } }
    #expect(storage.writes == writes)
    try stored.call { engine throws(MonitorError) in try engine.feed(fix(60, 500)) }
    #expect(storage.writes == writes + 1)
    try stored.close()
    #expect(storage.isClosed)
    #expect(storage.writes == writes + 1)
  }

  @Test func closingSavesWhatIsLeft() throws {
    let storage = MemoryStorage()
    var stored = try StoredEngine(
      name: "m", options: MonitorOptions(), storage: storage, durability: .relaxed(interval: 10_000_000))
    try stored.call { engine throws(MonitorError) in try engine.add(circle(100), identifier: "c", policy: .exact) }
    try stored.call { engine throws(MonitorError) in try engine.feed(fix(1, 0)) }
    let writes = storage.writes
    try stored.call { engine throws(MonitorError) in try engine.feed(fix(9, 500)) }
    #expect(storage.writes == writes)
    try stored.call { engine throws(MonitorError) in try engine.feed(fix(11, 500)) }
    #expect(storage.writes == writes + 1)
    try stored.call { engine throws(MonitorError) in try engine.feed(fix(12, 0)) }
    try stored.checkpoint()
    #expect(storage.writes == writes + 2)
    try stored.call { engine throws(MonitorError) in try engine.feed(fix(13, 0)) }
    try stored.close()
    #expect(storage.writes == writes + 3)
    #expect(try storage.state == stored.engine.snapshot())
  }

  // MARK: - Saves in parts

  /// The stored state is always the state after some call, and is never replaced by an earlier state. This is true
  /// however a save is split into parts, and whatever calls come between the parts. If writing one part of a save
  /// fails, no change is lost.
  @Test func imagesArePrefixes() throws {
    var images = 0
    for life in 0..<150 {
      let name = "images \(life)"
      var steps = RandomLife(name, life)
      let options = steps.options()
      let storage = MemoryStorage()
      storage.takesImages = true
      var stored = try StoredEngine(
        name: "m", options: options, storage: storage,
        durability: life % 3 == 0 ? .changes : .relaxed(interval: 20_000_000))
      stored.limits = SaveLimits(least: life % 5, part: 1 + life % 7)
      var states = [stored.engine.snapshot()]
      var found = 0
      for number in 0..<120 {
        let step = steps.step()
        if case .restart = step { continue }
        if life % 4 == 1, number % 17 == 0 { storage.failing = 1 + number % 3 }
        _ = stored.call { step.play(&$0) }
        if number % 50 == 49 {
          storage.failing = 0
          try stored.checkpoint()
          #expect(try storage.state == stored.engine.snapshot(), "\(name), step \(number): \(step), checkpoint")
        }
        states.append(stored.engine.snapshot())
        let kept = try storage.state
        guard let index = states[found...].firstIndex(of: kept) else {
          Issue.record("\(name), step \(number): \(step): what is kept never was")
          return
        }
        found = index
        try checkInvariants(of: stored.engine, "\(name), step \(number): \(step)")
      }
      storage.failing = 0
      try stored.close()
      #expect(try storage.state == stored.engine.snapshot(), "\(name), closed")
      images += storage.images
    }
    #expect(images > 500)
  }

  // MARK: - A failing storage

  @Test func oneEventTellsThatTheStorageFails() throws {
    let storage = MemoryStorage()
    var stored = try StoredEngine(name: "m", options: MonitorOptions(), storage: storage)
    try stored.call { engine throws(MonitorError) in
      try engine.add(circle(100), identifier: "one", policy: .exact)
      try engine.add(circle(200), identifier: "two", policy: .exact)
      try engine.feed(fix(1, 0))
    }
    func events() -> [Event] {
      stored.call { engine in
        var events: [Event] = []
        while let event = engine.nextEvent() { events.append(event) }
        return events
      }
    }
    #expect(events().map(\.identifier) == ["one", "two"])
    storage.failing = 2
    try stored.call { engine throws(MonitorError) in try engine.feed(fix(10, 150)) }
    let told = events()
    #expect(told.map(\.identifier) == ["one", "one"])
    #expect(told.map(\.cause) == [.crossing, .diagnostic])
    #expect(told.map(\.state) == [.unsatisfied, .unsatisfied])
    #expect(told.map(\.persistenceUnavailable) == [false, true])
    try stored.call { engine throws(MonitorError) in try engine.feed(fix(20, 500)) }
    var after: [Event] = []
    for second in 21..<40 {
      try stored.call { engine throws(MonitorError) in try engine.feed(fix(Double(second), second % 2 == 0 ? 500 : 150))
      }
      after += events()
    }
    #expect(after.first?.identifier == "two")
    #expect(after.first?.persistenceUnavailable == true)
    // The storage works again: each condition that had an event about the failure gets an event about the recovery.
    #expect(after.filter { $0.cause == .diagnostic }.map(\.identifier).sorted() == ["one", "two"])
    #expect(after.filter { $0.cause == .diagnostic }.allSatisfy { !$0.persistenceUnavailable })
    #expect(after.last?.persistenceUnavailable == false)
    try stored.checkpoint()
    #expect(try storage.state == stored.engine.snapshot())
  }

  /// A fork has no storage that could fail, and equals an engine that is restored from a snapshot of the original.
  @Test func forkHasNoStorageThatFails() throws {
    let storage = MemoryStorage()
    var stored = try StoredEngine(name: "m", options: MonitorOptions(), storage: storage)
    try stored.call { engine throws(MonitorError) in
      try engine.add(circle(100), identifier: "one", policy: .exact)
      try engine.feed(fix(1, 0))
    }
    storage.failing = 1_000
    try stored.call { engine throws(MonitorError) in try engine.feed(fix(10, 150)) }
    #expect(stored.engine.isStoreFailing)
    var fork = stored.engine.fork()
    var restored = try MonitorEngine(restoring: stored.engine.snapshot())
    try fork.feed(fix(20, 0))
    try restored.feed(fix(20, 0))
    let events = fork.drain()
    #expect(events == restored.drain())
    #expect(events.last?.cause == .crossing)
    #expect(events.last?.persistenceUnavailable == false)
    #expect(fork.explain("one") == restored.explain("one"))
  }

  /// If some writes to the storage fail, no change is lost.
  @Test func failingNowAndThenLosesNothing() throws {
    for life in 0..<100 {
      let name = "failing \(life)"
      var steps = RandomLife(name, life)
      var random = SeededGenerator(name, salt: UInt64(life) + 1_000)
      let options = steps.options()
      let storage = MemoryStorage()
      var stored = try StoredEngine(name: "m", options: options, storage: storage, durability: .everyInput)
      for _ in 0..<120 {
        if Int.random(in: 0..<10, using: &random) == 0 { storage.failing = Int.random(in: 1...4, using: &random) }
        let step = steps.step()
        _ = stored.call { step.play(&$0) }
        try checkInvariants(of: stored.engine, "\(name): \(step)")
      }
      storage.failing = 0
      try stored.checkpoint()
      #expect(try storage.state == stored.engine.snapshot(), "\(name)")
      #expect(!stored.engine.isStoreFailing)
    }
  }

  @Test func checkpointTellsWhy() throws {
    let storage = MemoryStorage()
    var stored = try StoredEngine(name: "m", options: MonitorOptions(), storage: storage)
    storage.failing = 1
    #expect(throws: MonitorError.storeUnavailable("the test says so")) { try stored.checkpoint() }
    try stored.checkpoint()
  }

  // MARK: - Options

  @Test func deliveryAndLimitAreTheStoredOnes() throws {
    let storage = MemoryStorage()
    var stored = try StoredEngine(name: "m", options: MonitorOptions(delivery: .first), storage: storage)
    try stored.close()
    storage.isClosed = false
    #expect(
      throws: MonitorError.invalidArgument(
        "the options are delivery every and condition_limit none; must be those that the stored monitor was created "
          + "with, delivery first and condition_limit none")
    ) {
      try StoredEngine(name: "m", options: MonitorOptions(), storage: storage)
    }
    #expect(storage.isClosed)
    let other = MonitorOptions(delivery: .first, maxPendingEvents: 5, beaconExitTimeoutMicroseconds: 7)
    let opened = try StoredEngine(name: "m", options: other, storage: storage)
    #expect(opened.engine.options == other)
  }

  @Test func intervalIsChecked() {
    #expect(throws: MonitorError.self) {
      try StoredEngine(
        name: "m", options: MonitorOptions(), storage: MemoryStorage(), durability: .relaxed(interval: 0))
    }
  }
}
