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
    for slot in slots { trace &+= UInt64(states[Int(slot)].active) &+ table.generation(of: slot) }
    for slot in slots { trace &+= UInt64(table.identifiers.length(of: slot)) &+ delivery.told.recordTrace(of: slot) }
    survey.trace = trace
  }
}
