extension Monitor {
  /// The events of a monitor, for one consumer at a time. The sequence never ends.
  ///
  /// Requesting the next event commits the previous one. A condition's record contains an event only after the event is
  /// committed. If the iterator is dropped or its task is cancelled, the last delivered event is not committed; the
  /// next consumer receives it again, with the same sequence number.
  public struct Events: AsyncSequence, Sendable {
    public typealias Element = Event
    public typealias Failure = MonitorError

    let monitor: Monitor

    /// Makes this iterator the consumer until it is dropped, or until the task in which it waits is cancelled.
    public func makeAsyncIterator() -> Iterator {
      Iterator(monitor: monitor, seat: ConsumerSeat(monitor.consumer))
    }

    public struct Iterator: AsyncIteratorProtocol {
      public typealias Element = Event
      public typealias Failure = MonitorError

      let monitor: Monitor
      let seat: ConsumerSeat

      /// Commits the previous event and waits for the next one; `nil` when the task is cancelled.
      ///
      /// - Throws: ``MonitorError/consumerAlreadyActive`` while another iterator exists; the other iterator is not
      ///   affected.
      public mutating func next() async throws(MonitorError) -> Event? {
        try await next(isolation: nil)
      }

      /// Commits the previous event and waits for the next one. See ``next()``.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(MonitorError) -> Event? {
        if seat.isOver { return nil }
        if Task.isCancelled {
          seat.leave()
          return nil
        }
        guard let number = seat.claim() else { throw .consumerAlreadyActive }
        guard let event = try await monitor.next(for: number) else {
          seat.leave()
          return nil
        }
        return event
      }
    }
  }

  /// The events as an asynchronous sequence. See ``Events``.
  public var events: Events { Events(monitor: self) }

  /// Calls a function with each pending event, and commits the event after the function has returned. If the
  /// function throws, its event is not committed: the next request delivers it again, with the same sequence number.
  ///
  /// - Returns: How many events were handled.
  /// - Throws: ``MonitorError/consumerAlreadyActive`` while an iterator over ``events`` exists, or the error that the
  ///   function throws.
  @discardableResult
  public func handleEvents(_ handle: (Event) async throws -> Void) async throws -> Int {
    let seat = ConsumerSeat(consumer)
    guard let number = seat.claim() else { throw MonitorError.consumerAlreadyActive }
    defer { seat.leave() }
    var count = 0
    while let event = try handOut(to: number) {
      try await handle(event)
      count += 1
    }
    return count
  }

  /// Returns the delivered but uncommitted events to the queue: they are redelivered with the same sequence number.
  /// Call this method if a consumer stops before it has handled its events.
  public func abandon() {
    call { engine in engine.abandon() }
  }

  /// Returns the next event and commits the previous one; `nil` if none is pending. If handling an event fails, call
  /// ``abandon()`` before you request the next event, or use ``handleEvents(_:)``, which calls it.
  ///
  /// - Throws: ``MonitorError/consumerAlreadyActive`` while an iterator over ``events`` exists.
  public func nextEvent() throws(MonitorError) -> Event? {
    try handOut(to: nil)
  }

  /// Returns the next event for the consumer whose claim on the queue has the number `seat`. A caller outside an
  /// iteration passes `nil`.
  private func handOut(to seat: UInt64?) throws(MonitorError) -> Event? {
    guard let isNew = consumer.enter(seat) else { throw .consumerAlreadyActive }
    return stored.call { engine in
      if isNew { engine.abandon() }
      return engine.nextEvent()
    }
  }

  /// Commits the delivered events without delivering more. An event is not committed if its iterator was dropped.
  public func acknowledge() {
    let hasChanged = consumer.takeChange()
    call { engine in
      if hasChanged { engine.abandon() }
      engine.acknowledge()
    }
  }

  /// The next event for an iterator; `nil` when the task is cancelled. If the task is cancelled, nothing is committed.
  func next(for seat: UInt64) async throws(MonitorError) -> Event? {
    while true {
      if Task.isCancelled { return nil }
      guard waiter == nil else { throw .consumerAlreadyActive }
      if let event = try handOut(to: seat) { return event }
      await waitForEvent()
    }
  }

  /// Waits until an event may be pending or the task is cancelled. The function does not suspend between checking the
  /// engine and installing the waiter, so no event can be missed.
  private func waitForEvent() async {
    let waiter = Waiter()
    self.waiter = waiter
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter.park($0) }
    } onCancel: {
      waiter.wake()
    }
    if self.waiter === waiter { self.waiter = nil }
  }
}
