/// The rules of a delivery mode, which decide how observed changes become events. No other code distinguishes the
/// delivery modes.
enum Outbox: Sendable {
  case every(EveryOutbox)
  case turns(TurnOutbox)

  init(_ mode: MonitorOptions.Delivery) {
    self =
      switch mode {
      case .every: .every(EveryOutbox())
      case .first: .turns(TurnOutbox(replaces: false))
      case .latest: .turns(TurnOutbox(replaces: true))
      }
  }

  /// Changes the state of the mode and the shared post in place.
  @inline(__always)
  mutating func change<Result, Failure>(
    _ post: inout Post, every: (inout EveryOutbox, inout Post) throws(Failure) -> Result,
    turns: (inout TurnOutbox, inout Post) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch consume self {
    case .every(var outbox):
      defer { self = .every(outbox) }
      return try every(&outbox, &post)
    case .turns(var outbox):
      defer { self = .turns(outbox) }
      return try turns(&outbox, &post)
    }
  }

  /// Whether each change becomes an event.
  @inline(__always)
  var isEvery: Bool {
    switch self {
    case .every: true
    case .turns: false
    }
  }

  /// Whether events are delivered and committed in the order of the queue, because the mode stores nothing else.
  @inline(__always)
  var isPlain: Bool {
    switch self {
    case .every(let outbox): outbox.silent.isEmpty
    case .turns: false
    }
  }

  /// Reads the state of the mode.
  @inline(__always)
  func read<Result>(every: (EveryOutbox) -> Result, turns: (TurnOutbox) -> Result) -> Result {
    switch self {
    case .every(let outbox): every(outbox)
    case .turns(let outbox): turns(outbox)
    }
  }
}
