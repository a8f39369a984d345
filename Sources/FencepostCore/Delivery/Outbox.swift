/// What becomes of observed changes, by the delivery mode: the only place that asks which one a monitor has.
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

  /// Changes what the mode keeps, and what both work with, in place.
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

  /// Whether events are handed out and committed as they lie in the queue: the mode keeps nothing beside them.
  @inline(__always)
  var isPlain: Bool {
    switch self {
    case .every(let outbox): outbox.silent.isEmpty
    case .turns: false
    }
  }

  /// Reads what the mode keeps.
  @inline(__always)
  func read<Result>(every: (EveryOutbox) -> Result, turns: (TurnOutbox) -> Result) -> Result {
    switch self {
    case .every(let outbox): every(outbox)
    case .turns(let outbox): turns(outbox)
    }
  }
}
