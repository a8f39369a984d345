/// The rows of a whole monitor at one moment, which are read in parts while the monitor continues.
///
/// The image shares its memory with the monitor, which copies the parts that it changes meanwhile.
public struct MonitorImage: Sendable {
  private enum Part: UInt8 {
    case beginning, events, definitions, states, head, over
  }

  /// The engine is in an object, because an image on the stack would otherwise be as large as an engine.
  private final class Moment: Sendable {
    let engine: MonitorEngine

    init(_ engine: MonitorEngine) {
      self.engine = engine
    }
  }

  private let moment: Moment
  /// See ``DeviceRow/swept``.
  private var swept: UInt64 = 0
  private var part = Part.beginning
  /// The number of rows of the part that were passed to the storage.
  private var place = 0
  private var events: ContiguousArray<EventRow> = []
  /// The conditions that have a state row.
  private var told = SlotSet()

  init(_ engine: MonitorEngine) {
    moment = Moment(engine)
  }

  /// The monitor at the moment of the image.
  var engine: MonitorEngine { moment.engine }

  /// Whether some rows were passed to the storage.
  public var isBegun: Bool { part != .beginning }

  /// Whether all rows were passed to the storage.
  public var isOver: Bool { part == .over }

  /// The largest number of rows that the image can have.
  public var mostRows: Int { 2 + 2 * engine.conditionCount + engine.delivery.eventCount }

  /// The rows that a storage contains after it has received all rows of the image.
  var kept: KeptRows { KeptRows(swept: swept, states: told, generation: engine.table.order.lastGeneration) }

  /// Calls `body` with the next rows: the tables in the order of their places, with the head last. Rows of a table are
  /// sorted by key, except events, which have the order of the queue.
  ///
  /// - Parameter limit: The largest number of rows, at least 1. No call examines more conditions than this. The first
  ///   call counts the rows, and passes only one row.
  public mutating func forEachNextRow<Failure>(
    limit: Int, _ body: (MonitorRow) throws(Failure) -> Void
  ) throws(Failure) {
    let engine = moment.engine
    var writer = ByteWriter(reserving: 512)
    var left = limit
    while left > 0, part != .over {
      let end: Int
      let first = place
      switch part {
      case .beginning:
        begin(engine)
        try engine.withDeviceRow(swept: swept, &writer, body)
        end = 0
        left = 0
      case .events:
        end = events.count
        place = min(first + left, end)
        for index in first..<place { try engine.withEventRow(events[index], &writer, body) }
      case .definitions, .states:
        end = engine.table.order.placeCount
        place = min(first + left, end)
        for slot in engine.table.order.live(in: first..<place) {
          if part == .definitions {
            try engine.withDefinitionRow(slot, &writer, body)
          } else if try engine.withStateRow(slot, swept: swept, &writer, body) {
            told.insert(slot)
          }
        }
      case .head, .over:
        try engine.withHeadRow(&writer, body)
        end = 0
      }
      left -= place - first
      if place == end { goOn() }
    }
  }

  private mutating func begin(_ engine: borrowing MonitorEngine) {
    swept = engine.sweptInFull
    events.reserveCapacity(engine.delivery.eventCount)
    engine.delivery.forEachEvent(engine.table) { events.append(EventRow(follows: $1, entry: $0)) }
  }

  private mutating func goOn() {
    if part == .events { events = [] }
    part = Part(rawValue: part.rawValue + 1) ?? .over
    place = 0
  }
}

/// The rows that a storage contains, as far as later changes depend on them.
struct KeptRows: Sendable {
  /// See ``DeviceRow/swept``.
  private(set) var swept: UInt64 = 0
  /// The conditions that have a state row.
  private(set) var states = SlotSet()
  /// The storage contains the definitions of all conditions up to this generation.
  private(set) var generation: UInt64 = 0

  init() {}

  init(swept: UInt64, states: SlotSet, generation: UInt64) {
    self.swept = swept
    self.states = states
    self.generation = generation
  }

  /// Updates the record of the stored rows after changes were written.
  mutating func update(_ changes: borrowing MonitorChanges, generation: UInt64) {
    swept = changes.swept
    for state in changes.states {
      if state.isTold { states.insert(state.slot) } else { states.remove(state.slot) }
    }
    self.generation = generation
  }
}
