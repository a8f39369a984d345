/// The bytes of timings and of their states. All numbers have the same encoding, so one function writes them.
extension ByteWriter {
  @inline(never)
  mutating func putNumber(_ value: Int64) { putCompact(value) }
}

extension ByteReader {
  fileprivate mutating func takeNumber(_ name: StaticString, from least: Int64 = 0) throws(Damage) -> UInt32 {
    let value = try takeSigned()
    guard value >= least, let number = UInt32(exactly: value) else { throw Damage("\(name) is \(value)") }
    return number
  }
}

extension ConditionTiming {
  @inline(never)
  func encode(to writer: inout ByteWriter) {
    writer.putNumber(absentAfterMicroseconds)
    writer.putNumber(repeatEveryMicroseconds)
    writer.putNumber(Int64(repeatLimit))
    writer.putNumber(Int64(maxEvents))
    guard let schedule else { return writer.putNumber(0) }
    schedule.encode(to: &writer)
  }

  @inline(never)
  init(reading reader: inout ByteReader) throws(Damage) {
    let absentAfter = try reader.takeSigned()
    let repeatEvery = try reader.takeSigned()
    let repeatLimit = try reader.takeNumber("repeat_limit")
    let maxEvents = try reader.takeNumber("max_events")
    let schedule = try Schedule.read(from: &reader)
    self.init(
      schedule: schedule, absentAfterMicroseconds: absentAfter, repeatEveryMicroseconds: repeatEvery,
      repeatLimit: repeatLimit, maxEvents: maxEvents)
    guard !isNone else { throw Damage("a condition has an empty timing") }
  }
}

/// The state of the timing of a condition, and the number of its events.
struct TimedRow {
  var state: TimedState
  var events: UInt32

  private static let hasStarted: UInt8 = 1
  private static let isExhausted: UInt8 = 2
  private static let hasAbsence: UInt8 = 4
  private static let hasRepeat: UInt8 = 8
  private static let isAbsent: UInt8 = 16

  /// - Returns: `nil` if the state follows from the clock alone.
  init?(_ state: TimedState, events: UInt32) {
    self.state = state
    self.events = events
    if bits == 0, events == 0 { return nil }
  }

  private var bits: UInt8 {
    (state.hasStarted ? Self.hasStarted : 0) | (state.isExhausted ? Self.isExhausted : 0)
      | (state.absence != .max ? Self.hasAbsence : 0) | (state.nextRepeat != .max ? Self.hasRepeat : 0)
      | (state.absentSince != .min ? Self.isAbsent : 0)
  }

  @inline(never)
  func encode(to writer: inout ByteWriter) {
    writer.put(bits)
    writer.putNumber(Int64(events))
    if state.absence != .max { writer.putNumber(state.absence) }
    if state.evidenceDate != .min { writer.putNumber(state.evidenceDate) }
    guard state.nextRepeat != .max else { return }
    writer.putNumber(state.nextRepeat)
    writer.putNumber(Int64(state.repeatsLeft))
  }

  @inline(never)
  init(reading reader: inout ByteReader) throws(Damage) {
    let bits: UInt8 = try reader.take("bits of a timing", in: 0...31)
    state = TimedState()
    state.hasStarted = bits & Self.hasStarted != 0
    state.isExhausted = bits & Self.isExhausted != 0
    events = try reader.takeNumber("events")
    if bits & Self.hasAbsence != 0 { state.absence = try reader.takeDeadline() }
    if bits & (Self.hasRepeat | Self.isAbsent) != 0 {
      state.evidenceDate = try reader.takeSignedTime("evidence_date")
      // The repeats count from it.
      guard state.evidenceDate != .min else { throw Damage("evidence_date is unset") }
    }
    guard bits & Self.hasRepeat != 0 else { return }
    state.nextRepeat = try reader.takeDeadline()
    state.repeatsLeft = try reader.takeNumber("repeats_left", from: 1)
  }
}
