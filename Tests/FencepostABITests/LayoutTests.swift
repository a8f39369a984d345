import CFencepost
import Fencepost
import Testing

/// Batches of fixes are read in place: the Swift type must have the memory layout of the C structure.
@Suite("Layout")
struct LayoutTests {
  @Test func fixHasTheLayoutOfTheHeader() throws {
    #expect(MemoryLayout<Fix>.size == MemoryLayout<fencepost_fix>.size)
    #expect(MemoryLayout<Fix>.stride == MemoryLayout<fencepost_fix>.stride)
    #expect(MemoryLayout<Fix>.alignment == MemoryLayout<fencepost_fix>.alignment)
    #expect(MemoryLayout<Fix>.offset(of: \.coordinate.latitude) == MemoryLayout<fencepost_fix>.offset(of: \.latitude))
    #expect(MemoryLayout<Fix>.offset(of: \.coordinate.longitude) == MemoryLayout<fencepost_fix>.offset(of: \.longitude))
    #expect(MemoryLayout<Fix>.offset(of: \.accuracy) == MemoryLayout<fencepost_fix>.offset(of: \.accuracy_m))
    #expect(MemoryLayout<Fix>.offset(of: \.time) == MemoryLayout<fencepost_fix>.offset(of: \.time_us))
    #expect(MemoryLayout<Timestamp>.size == MemoryLayout<Int64>.size)
  }

  @Test func fixReadsTheBytesOfTheHeader() {
    let rows = [
      fencepost_fix(latitude: 1.5, longitude: -2.25, accuracy_m: 3.125, time_us: .min + 1),
      fencepost_fix(latitude: -90, longitude: 180, accuracy_m: .nan, time_us: 7),
    ]
    rows.withUnsafeBytes { bytes in
      let fixes = bytes.bindMemory(to: Fix.self)
      #expect(fixes.count == 2)
      #expect(
        fixes[0] == Fix(latitude: 1.5, longitude: -2.25, accuracy: 3.125, time: Timestamp(microseconds: .min + 1)))
      #expect(fixes[1].coordinate == Coordinate(latitude: -90, longitude: 180))
      #expect(fixes[1].accuracy.isNaN && fixes[1].time.microseconds == 7)
    }
  }

  /// In a record, the event directly follows the condition, because the two are written one after the other.
  @Test func theEventFollowsTheConditionInARecord() {
    #expect(
      MemoryLayout<fencepost_record>.offset(of: \.last_event) == MemoryLayout<fencepost_condition>.stride)
  }
}
