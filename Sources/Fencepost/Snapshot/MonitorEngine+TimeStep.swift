/// The limit of time steps, at the end of a head: only of a monitor that has the option, or ever refused an input for
/// it. The head of any other is, byte for byte, what it was before there was such an option.
extension MonitorEngine {
  func putTimeStep(_ writer: inout ByteWriter) {
    guard options.maxTimeStepMicroseconds != nil || tracker.counters.aheadInputs != 0 else { return }
    writer.put(options.maxTimeStepMicroseconds ?? 0)
    writer.put(tracker.counters.aheadInputs)
  }

  mutating func takeTimeStep(_ reader: inout ByteReader) throws(Damage) {
    let step: Int64 = try reader.take("max_time_step", in: 0...TransitionPolicy.longestDuration)
    tracker.counters.aheadInputs = try reader.take("ahead_inputs", in: 0...EngineRestorer.largest)
    guard step != 0 || tracker.counters.aheadInputs != 0 else { throw Damage("a limit of time steps says nothing") }
    var options = options
    options.maxTimeStepMicroseconds = step == 0 ? nil : step
    adopt(options)
  }
}
