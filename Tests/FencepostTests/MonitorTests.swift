import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite(.timeLimit(.minutes(10))) struct MonitorTests {
  /// A monitor whose condition "c" has three events: satisfied@1, unsatisfied@30, satisfied@60.
  private func monitorWithThreeEvents() async throws -> Monitor {
    let monitor = Monitor()
    try await monitor.add(circle(100), identifier: "c", policy: .exact)
    try await monitor.feed([fix(1, 0), fix(30, 400), fix(60, 0)])
    return monitor
  }

  // MARK: - Creating

  @Test func namesAreChecked() async throws {
    #expect(try await Monitor("my_custom_monitor").name == "my_custom_monitor")
    #expect(Monitor().name == nil)
    #expect(try Monitor(options: .coreLocation).options == .coreLocation)
    for name in ["", "a.b", "a b", "é", String(repeating: "x", count: 65)] {
      await #expect(throws: MonitorError.invalidName(name)) { try await Monitor(name) }
    }
    await #expect(throws: MonitorError.self) { try await Monitor("m", options: MonitorOptions(conditionLimit: 0)) }
  }

  @Test func sameNameTwiceInMemory() async throws {
    let one = try await Monitor("same")
    let two = try await Monitor("same")
    try await one.add(circle(100), identifier: "c")
    #expect(await one.identifiers == ["c"])
    #expect(await two.identifiers.isEmpty)
  }

  // MARK: - Delivery

  private struct NetworkIsGone: Error {}

  /// Every way of reading events delivers each event at least once: if a handler fails, its event is redelivered.
  @Test func whatAHandlerThrewOverComesAgain() async throws {
    let monitor = try await monitorWithThreeEvents()
    await #expect(throws: NetworkIsGone.self) {
      try await monitor.handleEvents { event in if event.sequence == 2 { throw NetworkIsGone() } }
    }
    #expect(await monitor.record(for: "c")?.lastEvent.sequence == 1)
    await #expect(throws: NetworkIsGone.self) {
      for try await event in await monitor.events where event.sequence == 2 { throw NetworkIsGone() }
    }
    var seen: [UInt64] = []
    #expect(try await monitor.nextEvent()?.sequence == 2)
    await monitor.abandon()
    #expect(try await monitor.nextEvent()?.sequence == 2)
    await monitor.abandon()
    let count = try await monitor.handleEvents { event in
      seen.append(event.sequence)
      // No other consumer can read events, and thus commit them, while an event is being handled.
      await #expect(throws: MonitorError.consumerAlreadyActive) { try await monitor.nextEvent() }
    }
    #expect(count == 2 && seen == [2, 3])
    #expect(await monitor.record(for: "c")?.lastEvent.sequence == 3)
    #expect(try await monitor.handleEvents { _ in } == 0)
  }

  @Test func setsAreMadeExactlyThis() async throws {
    let monitor = try await monitorWithThreeEvents()
    let result = try await monitor.sync([
      NamedCondition(circle(200), identifier: "d"), NamedCondition(circle(100), identifier: "c", policy: .exact),
    ])
    #expect((result.added, result.replaced, result.kept, result.removed) == (1, 0, 1, 0) && result.changed == 1)
    #expect(await monitor.identifiers == ["c", "d"])
    #expect(await monitor.identifiers(in: .satisfied) == ["c", "d"])
    await #expect(throws: MonitorError.self) { try await monitor.ensure([NamedCondition(circle(0), identifier: "e")]) }
    #expect(try await monitor.ensure([NamedCondition(circle(300), identifier: "d")]).replaced == 1)
    #expect(await monitor.remove(["c", "nobody", "c"]) == 1)
    try await monitor.rewind(to: at(30))
    #expect(await monitor.currentTime == at(30))
    #expect(await monitor.identifiers(in: .unknown) == ["d"])
    await #expect(throws: MonitorError.self) { try await monitor.rewind(to: at(31)) }
    #expect(try await monitor.sync([NamedCondition]()).removed == 1)
  }

  @Test func askingCommitsThePreviousEvent() async throws {
    let monitor = try await monitorWithThreeEvents()
    var iterator = await monitor.events.makeAsyncIterator()
    let first = try await iterator.next()
    #expect(first?.state == .satisfied && first?.sequence == 1)
    #expect(await monitor.record(for: "c")?.lastEvent.state == .unknown)
    let second = try await iterator.next()
    #expect(second?.state == .unsatisfied)
    #expect(await monitor.record(for: "c")?.lastEvent == first)
    await monitor.acknowledge()
    #expect(await monitor.record(for: "c")?.lastEvent == second)
  }

  @Test func pollingCommitsThePreviousEvent() async throws {
    let monitor = try await monitorWithThreeEvents()
    let states = [try await monitor.nextEvent(), try await monitor.nextEvent(), try await monitor.nextEvent()]
    #expect(states.map { $0?.state } == [.satisfied, .unsatisfied, .satisfied])
    #expect(await monitor.record(for: "c")?.lastEvent.sequence == 2)
    #expect(try await monitor.nextEvent() == nil)
    #expect(await monitor.record(for: "c")?.lastEvent.sequence == 3)
  }

  @Test func droppingTheIteratorCommitsNothing() async throws {
    let monitor = try await monitorWithThreeEvents()
    var dropped: Event?
    for try await event in await monitor.events {
      dropped = event
      if event.sequence == 2 { break }
    }
    #expect(await monitor.record(for: "c")?.lastEvent.sequence == 1)
    var seen: [Event] = []
    for try await event in await monitor.events {
      seen.append(event)
      if seen.count == 2 { break }
    }
    #expect(seen.first == dropped)
    #expect(seen.map(\.sequence) == [2, 3])
  }

  @Test func acknowledgingAfterDroppingCommitsNothing() async throws {
    let monitor = try await monitorWithThreeEvents()
    for try await _ in await monitor.events { break }
    await monitor.acknowledge()
    #expect(await monitor.record(for: "c")?.lastEvent.sequence == 0)
    #expect(try await monitor.nextEvent()?.sequence == 1)
  }

  @Test func anIteratorReceivesAgainWhatWasPolled() async throws {
    let monitor = try await monitorWithThreeEvents()
    #expect(try await monitor.nextEvent()?.sequence == 1)
    var iterator = await monitor.events.makeAsyncIterator()
    #expect(try await iterator.next()?.sequence == 1)
    #expect(try await iterator.next()?.sequence == 2)
  }

  // MARK: - One consumer

  @Test func aSecondIteratorIsRefused() async throws {
    let monitor = try await monitorWithThreeEvents()
    var first = await monitor.events.makeAsyncIterator()
    #expect(try await first.next()?.sequence == 1)
    var second = await monitor.events.makeAsyncIterator()
    for _ in 0..<3 {
      do {
        _ = try await second.next()
        Issue.record("the second iterator was served")
      } catch {
        #expect(error == .consumerAlreadyActive)
      }
    }
    await #expect(throws: MonitorError.consumerAlreadyActive) { try await monitor.nextEvent() }
    // The refused consumer has neither taken an event from the first consumer nor committed one.
    #expect(await monitor.record(for: "c")?.lastEvent.sequence == 0)
    #expect(try await first.next()?.sequence == 2)
  }

  @Test func aSecondIteratorIsRefusedWhileTheFirstWaits() async throws {
    let monitor = Monitor()
    let waiting = Task { () -> Event? in
      var iterator = await monitor.events.makeAsyncIterator()
      return try await iterator.next()
    }
    while await monitor.waiter == nil { await Task.yield() }
    var second = await monitor.events.makeAsyncIterator()
    await #expect(throws: MonitorError.consumerAlreadyActive) { try await second.next() }
    try await monitor.add(circle(100), identifier: "c")
    try await monitor.feed(fix(1, 0))
    #expect(try await waiting.value?.identifier == "c")
    // The first iterator ended with its task, so the consumer that was refused before may read now.
    #expect(try await second.next()?.sequence == 1)
  }

  @Test func aNewIteratorWorksRightAfterDroppingTheOld() async throws {
    let monitor = try await monitorWithThreeEvents()
    for _ in 0..<500 {
      var iterator = await monitor.events.makeAsyncIterator()
      #expect(try await iterator.next()?.sequence == 1)
    }
    #expect(await monitor.statistics.handedOutEvents == 1)
  }

  @Test func copiesOfAnIteratorAreOneConsumer() async throws {
    let monitor = try await monitorWithThreeEvents()
    var iterator: Monitor.Events.Iterator? = await monitor.events.makeAsyncIterator()
    var copy = iterator
    #expect(try await copy?.next()?.sequence == 1)
    iterator = nil
    #expect(try await copy?.next()?.sequence == 2)
    await #expect(throws: MonitorError.consumerAlreadyActive) { try await monitor.nextEvent() }
    copy = nil
    #expect(try await monitor.nextEvent()?.sequence == 2)
  }

  // MARK: - Waiting and cancelling

  @Test func anInputWakesTheConsumer() async throws {
    let monitor = Monitor()
    let consumer = Task { () -> [String] in
      var seen: [String] = []
      for try await event in await monitor.events {
        seen.append(event.brief)
        if seen.count == 5 { break }
      }
      return seen
    }
    let pause = { while await monitor.waiter == nil { await Task.yield() } }
    await pause()
    try await monitor.add(circle(100), identifier: "c", policy: .exact)
    try await monitor.feed(fix(1, 0))
    await pause()
    try await monitor.feed([fix(2, 10), fix(3, 400)])
    await pause()
    try await monitor.add(BeaconIdentityCondition(uuid: someUUID), identifier: "b")
    try await monitor.feed(BeaconSighting(uuid: someUUID, major: 1, minor: 2), at: at(4))
    await pause()
    try await monitor.advance(to: at(60))
    await pause()
    try await monitor.setHostCapabilities([.authorizationDenied], at: at(61))
    #expect(
      try await consumer.value == [
        "c satisfied@1.0 determination", "c unsatisfied@3.0 crossing", "b satisfied@4.0 determination",
        "b unsatisfied@34.0 timeout", "c unsatisfied@61.0 diagnostic",
      ])
  }

  @Test func addingWithAKnownFixWakesTheConsumer() async throws {
    let monitor = Monitor()
    let consumer = Task { () -> Event? in
      var iterator = await monitor.events.makeAsyncIterator()
      return try await iterator.next()
    }
    while await monitor.waiter == nil { await Task.yield() }
    try await monitor.feed(fix(1, 0))
    try await monitor.ensure(circle(100), identifier: "c")
    #expect(try await consumer.value?.identifier == "c")
  }

  @Test func aFullQueueWakesTheConsumer() async throws {
    let monitor = try Monitor(options: MonitorOptions(maxPendingEvents: 1))
    try await monitor.add(circle(100), identifier: "c", policy: .exact)
    let consumer = Task { () -> Event? in
      var iterator = await monitor.events.makeAsyncIterator()
      return try await iterator.next()
    }
    while await monitor.waiter == nil { await Task.yield() }
    await #expect(throws: MonitorError.queueFull(limit: 1, position: 1)) {
      try await monitor.feed([fix(1, 0), fix(2, 400), fix(3, 0)])
    }
    #expect(try await consumer.value?.date == at(1))
  }

  @Test func cancellingAWaitEndsTheIteratorAndLosesNothing() async throws {
    let monitor = Monitor()
    try await monitor.add(circle(100), identifier: "c", policy: .exact)
    let consumer = Task { () -> Int in
      var iterator = await monitor.events.makeAsyncIterator()
      let event = try await iterator.next()
      let again = try await iterator.next()
      return (event == nil ? 0 : 1) + (again == nil ? 0 : 1)
    }
    while await monitor.waiter == nil { await Task.yield() }
    consumer.cancel()
    #expect(try await consumer.value == 0)
    try await monitor.feed(fix(1, 0))
    #expect(try await monitor.nextEvent()?.sequence == 1)
  }

  @Test func cancellingWhileHandlingCommitsNothing() async throws {
    let monitor = try await monitorWithThreeEvents()
    let consumer = Task { () -> [UInt64] in
      var seen: [UInt64] = []
      for try await event in await monitor.events {
        seen.append(event.sequence)
        if event.sequence == 2 { withUnsafeCurrentTask { $0?.cancel() } }
      }
      return seen
    }
    #expect(try await consumer.value == [1, 2])
    #expect(await monitor.record(for: "c")?.lastEvent.sequence == 1)
    #expect(try await monitor.nextEvent()?.sequence == 2)
  }

  @Test func aTaskThatWasCancelledBeforeItAskedReceivesNothing() async throws {
    let monitor = try await monitorWithThreeEvents()
    let consumer = Task { () -> Event? in
      withUnsafeCurrentTask { $0?.cancel() }
      var iterator = await monitor.events.makeAsyncIterator()
      return try await iterator.next()
    }
    #expect(try await consumer.value == nil)
    #expect(await monitor.statistics.handedOutEvents == 0)
  }

  /// At whatever moment the task is cancelled, each event is delivered at least once, in order, and committed at most
  /// once.
  @Test func cancellationRacesWithEvents() async throws {
    let monitor = Monitor()
    try await monitor.add(circle(100), identifier: "c", policy: .exact)
    let rounds = 2_000
    let feeder = Task {
      for second in 0..<rounds {
        try await monitor.feed(fix(Double(second), second % 2 == 0 ? 0 : 400))
        if second % 7 == 0 { await Task.yield() }
      }
    }
    var seen: [Event] = []
    var random = SeededGenerator("MonitorTests cancellation")
    while seen.last?.sequence != UInt64(rounds) {
      let consumer = Task { () -> [Event] in
        var events: [Event] = []
        for try await event in await monitor.events {
          events.append(event)
          if event.sequence == UInt64(rounds) { break }
        }
        return events
      }
      for _ in 0..<random.integer(0...20) { await Task.yield() }
      consumer.cancel()
      let events = try await consumer.value
      if let last = seen.last, let first = events.first {
        // The first event is the uncommitted event, or the next event if none was in flight.
        #expect(first == last || first.sequence == last.sequence + 1)
        if first == last { seen.removeLast() }
      }
      seen += events
    }
    try await feeder.value
    #expect(seen.map(\.sequence) == Array(1...UInt64(rounds)))
    #expect(seen.map { $0.date } == (0..<rounds).map { at(Double($0)) })
  }

  @Test func manyTasksFeedAndRead() async throws {
    let monitor = Monitor()
    let tasks = 8
    let each = 200
    let consumer = Task { () -> [Event] in
      var events: [Event] = []
      for try await event in await monitor.events {
        events.append(event)
        if events.count == tasks * each { break }
      }
      return events
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          for index in 0..<each {
            // All times are equal, so whatever the order, no input is late.
            try await monitor.add(circle(100), identifier: "\(task)-\(index)")
            try await monitor.feed(fix(5, 0))
            _ = await monitor.statistics
            _ = await monitor.record(for: "\(task)-0")
          }
        }
      }
      try await group.waitForAll()
    }
    let events = try await consumer.value
    #expect(events.map(\.sequence) == Array(1...UInt64(tasks * each)))
    #expect(Set(events.map(\.identifier)).count == tasks * each)
    #expect(await monitor.statistics.acceptedFixes == UInt64(tasks * each))
  }

  // MARK: - The rest of the face

  @Test func errorsComeThrough() async throws {
    let monitor = Monitor()
    await #expect(throws: MonitorError.self) { try await monitor.add(circle(0), identifier: "c") }
    await #expect(throws: MonitorError.self) { try await monitor.add(circle(1), identifier: "") }
    await #expect(throws: MonitorError.self) {
      try await monitor.add(circle(1), identifier: "c", assuming: .unmonitored)
    }
    try await monitor.advance(to: at(10))
    await #expect(throws: MonitorError.lateInput(time: at(5), clock: at(10))) { try await monitor.feed(fix(5, 0)) }
    await #expect(throws: MonitorError.lateInput(time: at(5), clock: at(10))) {
      try await monitor.setScanning(false, at: at(5))
    }
    await #expect(throws: MonitorError.self) {
      try await monitor.setHostCapabilities(.conditionUnsupported, at: at(11))
    }
    #expect(await monitor.identifiers.isEmpty)
    #expect(await monitor.statistics.lateInputs == 2)
  }

  @Test func explainsOnTheActor() async throws {
    let monitor = try await monitorWithThreeEvents()
    #expect(await monitor.explain("c")?.reason == .inside)
    #expect(await monitor.explain("nope") == nil)
  }

  @Test func aSnapshotGoesOnByItself() async throws {
    let monitor = try await monitorWithThreeEvents()
    let first = try await monitor.nextEvent()
    let copy = Monitor(engine: await monitor.state)
    #expect(try await copy.nextEvent() == first)
    #expect(try await copy.nextEvent()?.sequence == 2)
    #expect(await monitor.record(for: "c")?.lastEvent.sequence == 0)
    #expect(await monitor.remove("c"))
    #expect(await copy.identifiers == ["c"])
  }

  @Test func monitorsGoAway() async throws {
    weak var gone: Monitor?
    do {
      let monitor = try await monitorWithThreeEvents()
      gone = monitor
      var iterator = await monitor.events.makeAsyncIterator()
      _ = try await iterator.next()
    }
    #expect(gone == nil)
  }
}
