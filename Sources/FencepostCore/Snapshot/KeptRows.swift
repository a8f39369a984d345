/// What is known of the rows that a storage keeps.
struct KeptRows: Sendable {
  /// See ``DeviceRow/swept``.
  private(set) var swept: UInt64 = 0
  /// The conditions whose state is in a row.
  private(set) var states = SlotSet()
  /// Definitions up to this generation are kept.
  private(set) var generation: UInt64 = 0

  init() {}

  init(swept: UInt64, states: SlotSet, generation: UInt64) {
    self.swept = swept
    self.states = states
    self.generation = generation
  }

  /// Takes note of what was written.
  mutating func update(_ changes: borrowing MonitorChanges, generation: UInt64) {
    swept = changes.swept
    for state in changes.states {
      if state.isTold { states.insert(state.slot) } else { states.remove(state.slot) }
    }
    self.generation = generation
  }
}
