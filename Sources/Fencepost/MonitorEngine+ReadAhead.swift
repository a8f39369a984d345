/// Reading ahead. Of a million conditions hardly any is in a cache, and each read is a trip to memory; reads of which
/// none waits for another overlap, while one crossing or event after the other would wait for each.
enum ReadAhead {
  /// Events that are read ahead at a time: enough for their reads to overlap, few enough to stay in the first cache.
  static let block = 32
}

extension MonitorEngine {
  /// Reads what deciding some circles, their events and records will need.
  func readAheadToCross(_ survey: inout Survey) {
    var trace: UInt64 = 0
    let slots = survey.reached
    for slot in slots { trace &+= UInt64(states[Int(slot)].record) &+ table.generation(of: slot) }
    for slot in slots { trace &+= UInt64(table.identifiers.length(of: slot)) &+ recordTrace(slot) }
    survey.trace = trace
  }

  /// Reads what handing out some events will need.
  mutating func readAheadToHandOut(_ entries: ArraySlice<EventEntry>) {
    guard entries.count > 1 else { return }
    var trace: UInt64 = 0
    for index in entries.indices {
      let slot = entries[index].slot
      trace &+= table.generation(of: slot) &+ UInt64(states[Int(slot)].waiting)
      trace &+= UInt64(table.identifiers.length(of: slot))
    }
    readAheadTrace = trace
  }

  /// Reads what committing some events will need.
  mutating func readAheadToCommit(_ entries: ArraySlice<EventEntry>) {
    guard entries.count > 1 else { return }
    var trace: UInt64 = 0
    for index in entries.indices {
      let slot = entries[index].slot
      trace &+= table.generation(of: slot) &+ recordTrace(slot)
    }
    readAheadTrace = trace
  }

  @inline(__always)
  private func recordTrace(_ slot: UInt32) -> UInt64 {
    let record = states[Int(slot)].record
    return record == SlotState.none ? 0 : records[record].change
  }
}
