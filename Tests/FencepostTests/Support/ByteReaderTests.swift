import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests the reader of rows, which trusts no input. ``ByteWriterTests`` tests that the reader reads what the writer
/// writes.
@Suite struct ByteReaderTests {
  private func read<Value>(
    _ bytes: [UInt8], _ body: (inout ByteReader) throws(Damage) -> Value
  ) throws(Damage) -> Value {
    try bytes.withRawBytes { raw throws(Damage) in
      var reader = ByteReader(raw)
      let value = try body(&reader)
      try reader.end()
      return value
    }
  }

  private func reason<Value>(_ bytes: [UInt8], _ body: (inout ByteReader) throws(Damage) -> Value) -> String? {
    do throws(Damage) {
      _ = try read(bytes, body)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test func whatEndsWithinAValueIsDamaged() {
    for count in 0..<8 {
      let bytes = [UInt8](repeating: 1, count: count)
      #expect(reason(bytes) { reader throws(Damage) in try reader.take(UInt64.self) } != nil)
      #expect(reason(bytes) { reader throws(Damage) in try reader.takeDouble() } != nil)
      #expect(reason(bytes) { reader throws(Damage) in try reader.takeBytes(count + 1) } != nil)
    }
    #expect(reason([]) { reader throws(Damage) in try reader.takeCompact() } != nil)
    #expect(reason([0x80]) { reader throws(Damage) in try reader.takeCompact() } != nil)
    #expect(reason([3, 1, 2]) { reader throws(Damage) in try reader.takeCompactDouble() } != nil)
    #expect(reason([1]) { reader throws(Damage) in try reader.takeBytes(-1) } != nil)
  }

  @Test func whatFollowsIsDamaged() {
    #expect(reason([1, 2]) { reader throws(Damage) in try reader.take(UInt8.self) } == "1 unexpected bytes follow")
  }

  /// A number has only one encoding: no trailing zero bytes, and no bit above the 64th.
  @Test func aNumberIsWrittenInOneWay() throws {
    let largest = [UInt8](repeating: 0xFF, count: 9) + [1]
    #expect(try read(largest) { reader throws(Damage) in try reader.takeCompact() } == .max)
    #expect(try read([0]) { reader throws(Damage) in try reader.takeCompact() } == 0)
    for bytes in [
      [0x80, 0], [0xFF, 0x80, 0], [UInt8](repeating: 0xFF, count: 9) + [2],
      [UInt8](repeating: 0xFF, count: 10) + [1], [UInt8](repeating: 0x80, count: 20) + [1],
    ] {
      #expect(reason(bytes) { reader throws(Damage) in try reader.takeCompact() } != nil, "\(bytes)")
    }
  }

  @Test func rangesAndCasesAreHeld() {
    #expect(reason([2]) { reader throws(Damage) in try reader.takeBool("flag") } == "flag is 2")
    #expect(reason([9]) { reader throws(Damage) in try reader.take("parts", in: 0...8 as ClosedRange<UInt8>) } != nil)
    #expect(reason([9]) { reader throws(Damage) in try reader.takeCompactDouble() } != nil)
    #expect(reason([200]) { reader throws(Damage) in try reader.take(Event.State.self, "state") } == "state is 200")
    #expect(
      reason([0x80, 2]) { reader throws(Damage) in try reader.takeCompact("n", in: 0...255 as ClosedRange<UInt8>) }
        == "n is 256")
    let beyond = withUnsafeBytes(of: Timestamp.latest.microseconds.littleEndian + 1) { Array($0) }
    #expect(reason(beyond) { reader throws(Damage) in try reader.takeTime("time") } != nil)
    let none = withUnsafeBytes(of: Int64.min.littleEndian) { Array($0) }
    #expect(reason(none) { reader throws(Damage) in try reader.takeTime("time") } == nil)
  }
}
