import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct DeadlinesTests {
  @Test func remindsInTime() {
    var deadlines = Deadlines()
    #expect(deadlines.earliest == .max)
    deadlines.schedule(1, at: 30)
    deadlines.schedule(2, at: 10)
    deadlines.schedule(3, at: 20)
    #expect(deadlines.earliest == 10)
    var due: ContiguousArray<UInt32> = []
    deadlines.take(through: 20, into: &due)
    #expect(Set(due) == [2, 3])
    #expect(deadlines.earliest == 30)
  }

  @Test func anEarlierReminderStands() {
    var deadlines = Deadlines()
    deadlines.schedule(1, at: 10)
    deadlines.schedule(1, at: 20)
    var due: ContiguousArray<UInt32> = []
    deadlines.take(through: 10, into: &due)
    #expect(due == [1])
    deadlines.take(through: 100, into: &due)
    #expect(due == [1])
  }

  /// Compares `Deadlines` with a simple implementation that uses a dictionary. A reminder may come early, but never
  /// late, and never after it was cancelled.
  @Test func agreesWithADictionary() {
    var random = SeededGenerator("DeadlinesTests")
    var deadlines = Deadlines()
    var expected: [UInt32: Int64] = [:]
    var time: Int64 = 0
    for _ in 0..<20_000 {
      switch random.integer(0...9) {
      case 0..<5:
        let slot = UInt32(random.integer(0...300))
        let at = time + Int64(random.integer(1...1_000))
        deadlines.schedule(slot, at: at)
        expected[slot] = min(expected[slot] ?? .max, at)
      case 5..<8:
        let slot = UInt32(random.integer(0...300))
        deadlines.cancel(slot)
        expected[slot] = nil
      default:
        time += Int64(random.integer(0...100))
        #expect(deadlines.earliest <= expected.values.min() ?? .max)
        var due: ContiguousArray<UInt32> = []
        deadlines.take(through: time, into: &due)
        #expect(due.sorted() == expected.filter { $0.value <= time }.keys.sorted())
        expected = expected.filter { $0.value > time }
      }
    }
  }
}
