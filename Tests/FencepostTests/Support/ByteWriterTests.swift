import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct ByteWriterTests {
  private func bytes(_ body: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter(reserving: 0)
    body(&writer)
    return Array(writer.bytes)
  }

  @Test func theLeastSignificantByteIsFirst() {
    #expect(bytes { $0.put(0x0102_0304 as UInt32) } == [4, 3, 2, 1])
    #expect(bytes { $0.put(-2 as Int16) } == [0xFE, 0xFF])
    #expect(bytes { $0.put(1.0) } == [0, 0, 0, 0, 0, 0, 0xF0, 0x3F])
    #expect(bytes { $0.put(true) } == [1])
  }

  @Test func compactNumbersAreShort() {
    #expect(bytes { $0.putCompact(0 as UInt64) } == [0])
    #expect(bytes { $0.putCompact(127 as UInt64) } == [127])
    #expect(bytes { $0.putCompact(128 as UInt64) } == [0x80, 1])
    #expect(bytes { $0.putCompact(-1 as Int64) } == [1])
    #expect(bytes { $0.putCompact(1 as Int64) } == [2])
    #expect(bytes { $0.putCompact(Int64.min) }.count == 10)
    #expect(bytes { $0.putCompact(0.0) } == [0])
    #expect(bytes { $0.putCompact(2.0) } == [1, 0x40])
    #expect(bytes { $0.putCompact(50.0) }.count == 3)
    #expect(bytes { $0.putCompact(0.1) }.count == 9)
  }

  /// Written values are read back bit for bit, also while the writer's buffer grows.
  @Test func whatIsWrittenIsRead() throws {
    var random = SeededGenerator("ByteWriterTests")
    var numbers: [UInt64] = [0, 1, .max, 127, 128, 1 << 63]
    for _ in 0..<200 { numbers.append(random.next() >> UInt64(random.integer(0...63))) }
    let doubles = numbers.map { Double(bitPattern: $0) } + [.nan, -.infinity, -0.0, 200, 1e-300]
    let all = bytes { writer in
      for number in numbers {
        writer.putCompact(number)
        writer.putCompact(Int64(bitPattern: number))
        writer.put(number)
      }
      for double in doubles {
        writer.putCompact(double)
        writer.put(double)
      }
    }
    try all.withRawBytes { raw throws(Damage) in
      var reader = ByteReader(raw)
      for number in numbers {
        #expect(try reader.takeCompact() == number)
        #expect(try reader.takeSigned() == Int64(bitPattern: number))
        #expect(try reader.take(UInt64.self) == number)
      }
      for double in doubles {
        #expect(try reader.takeCompactDouble().bitPattern == double.bitPattern)
        #expect(try reader.takeDouble().bitPattern == double.bitPattern)
      }
      try reader.end()
    }
  }

  @Test func beginsAnew() {
    var writer = ByteWriter(reserving: 1)
    for _ in 0..<1_000 { writer.put(1 as UInt64) }
    #expect(writer.count == 8_000)
    writer.removeAll()
    writer.put(7 as UInt8)
    #expect(Array(writer.bytes) == [7])
    writer.put(UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(writer.count == 1)
  }
}
