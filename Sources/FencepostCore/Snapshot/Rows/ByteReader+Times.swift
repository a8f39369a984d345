extension ByteReader {
  /// Reads a time that an input may have, or `Int64.min` for no time.
  mutating func takeTime(_ name: StaticString) throws(Damage) -> Int64 {
    let time = try take(Int64.self)
    guard time == .min || Timestamp(microseconds: time).isValid else { throw Damage("\(name) is \(time)") }
    return time
  }

  /// Reads a time that an input may have, or `Int64.min` for no time, which was written as a signed number.
  mutating func takeSignedTime(_ name: StaticString) throws(Damage) -> Int64 {
    let time = try takeSigned()
    guard time == .min || Timestamp(microseconds: time).isValid else { throw Damage("\(name) is \(time)") }
    return time
  }

  /// Reads a deadline, which was written as a signed number. It is not earlier than the earliest time of an input;
  /// `Int64.max` means no deadline.
  mutating func takeDeadline() throws(Damage) -> Int64 {
    let time = try takeSigned()
    guard time >= Timestamp.earliest.microseconds else { throw Damage("a deadline has the invalid time \(time)") }
    return time
  }
}
