import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct InFlightTests {
  /// Compares random calls with two lists: the entries, and those that the present consumer was given.
  @Test func agreesWithTwoLists() {
    var random = SeededGenerator("InFlightTests")
    for _ in 0..<300 {
      var inFlight = InFlight<Int>()
      var given: [Int] = []
      var left: [Int] = []
      var next = 0
      for _ in 0..<60 {
        switch random.integer(0...9) {
        case 0...4:
          // New entries are handed out only after all entries that a previous consumer left.
          if let entry = inFlight.takeLeft() {
            #expect(entry == left.first)
            given.append(left.removeFirst())
          } else {
            #expect(left.isEmpty)
            inFlight.append(next)
            given.append(next)
            next += 1
          }
        case 5:
          inFlight.commit()
          given = []
        case 6:
          inFlight.abandon()
          left = given + left
          given = []
        case 7:
          let divisor = random.integer(2...4)
          inFlight.filter { $0 % divisor != 0 }
          given.removeAll { $0 % divisor == 0 }
          left.removeAll { $0 % divisor == 0 }
        case 8:
          inFlight = InFlight(left: inFlight.entries)
          left = given + left
          given = []
        default: break
        }
        #expect(Array(inFlight.entries) == given + left)
        #expect(inFlight.handedOut == given.count && Array(inFlight.left) == left && inFlight.hasLeft == !left.isEmpty)
      }
    }
  }
}
