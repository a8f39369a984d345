import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct WatermarkTests {
  /// The absence of a beacon condition counts from the watermark at the time when the condition was added, or from the
  /// clock of the device if that is later. The test makes random advances, rewinds and additions, and compares the
  /// results with a list of these times.
  @Test func absenceCountsFromTheWatermarkAtTheAdd() throws {
    var random = SeededGenerator("WatermarkTests")
    for life in 0..<300 {
      var watermark = Watermark()
      var generation: UInt64 = 0
      var lastBeacon: UInt64 = 0
      var first: Int64?
      var starts: [UInt64: Int64] = [:]  // by beacon condition
      for _ in 0..<random.integer(1...40) {
        switch random.integer(0...9) {
        case 0...3:
          generation += UInt64(random.integer(1...3))
          if random.chance(0.6) {
            lastBeacon = generation
            starts[generation] = watermark.time
          }
        case 4 where watermark.time != .min:
          let time = watermark.time - Int64(random.integer(0...20))
          if time < watermark.time {
            first = time
            for beacon in starts.keys { starts[beacon] = time }
          }
          watermark.rewind(to: time)
          watermark.rewind(to: time + 5)
          #expect(watermark.time == time)
        default:
          let time = max(watermark.time, 0) + Int64(random.integer(0...9))
          watermark.raise(to: time, lastBeacon: lastBeacon, generation: generation)
          if first == nil { first = time }
          #expect(watermark.time == time)
        }
      }
      var writer = ByteWriter(reserving: 64)
      watermark.encode(to: &writer)
      let restored = try Array(writer.bytes).withRawBytes { bytes throws(Damage) in
        var reader = ByteReader(bytes)
        let restored = try Watermark(reading: &reader)
        try reader.end()
        return restored
      }
      #expect(restored.time == watermark.time)
      let clock = random.chance(0.5) ? Int64.min : Int64(random.integer(0...200))
      for seen in [0, generation / 2] {
        let marks = restored.marks(after: seen, through: generation, clock: clock, time: 777)
        #expect(zip(marks, marks.dropFirst()).allSatisfy { $0.through < $1.through && $0.start != $1.start })
        for (beacon, start) in starts where beacon > seen {
          let expected = max(start, clock) == .min ? first ?? 777 : max(start, clock)
          #expect(
            marks.first { $0.through >= beacon }?.start == expected, "life \(life), condition \(beacon), seen \(seen)")
        }
      }
    }
  }

  /// The next snapshot would contain the epochs out of order, so it could not be restored.
  @Test func anEpochAfterTheWatermarkIsRefused() {
    for (epoch, refused) in [(499, false), (500, false), (501, true)] {
      var writer = ByteWriter(reserving: 64)
      writer.putCompact(Int64(500))
      writer.put(false)
      writer.putCompact(UInt64(1))
      writer.putCompact(UInt64(0))
      writer.putCompact(Int64(epoch))
      let damage = Array(writer.bytes).withRawBytes { bytes in
        do throws(Damage) {
          var reader = ByteReader(bytes)
          _ = try Watermark(reading: &reader)
          return false
        } catch {
          return true
        }
      }
      #expect(damage == refused, "an epoch at \(epoch)")
    }
  }

  @Test func theClockOfADeviceIsAtLeastTheWatermark() {
    var watermark = Watermark()
    var line = DeviceLine()
    #expect(watermark.clock(line) == .min)
    line.clock = 5
    #expect(watermark.clock(line) == 5)
    watermark.raise(to: 9, lastBeacon: 0, generation: 0)
    #expect(watermark.clock(line) == 9)
  }
}
