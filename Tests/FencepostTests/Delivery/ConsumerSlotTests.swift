import Synchronization
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct ConsumerSlotTests {
  @Test func oneIteratorAtATime() {
    let slot = ConsumerSlot()
    let first = ConsumerSeat(slot)
    let second = ConsumerSeat(slot)
    #expect(first.number == 1 && second.number == nil)
    #expect(second.claim() == nil)
    first.leave()
    #expect(first.isOver && first.number == nil)
    #expect(second.claim() == 2, "the slot is free")
    #expect(first.claim() == nil && !second.isOver)
  }

  /// When the last copy of an iterator is released, on any thread, another iterator can take the consumer slot.
  @Test func aSeatThatIsDroppedIsFree() async {
    let slot = ConsumerSlot()
    do {
      let seat = ConsumerSeat(slot)
      #expect(seat.number != nil)
    }
    await Task.detached {
      let seat = ConsumerSeat(slot)
      #expect(seat.number == 2)
    }.value
    #expect(slot.claim() == 3)
  }

  /// While a consumer owns the slot, only that consumer may ask for events. After the owner has changed, only the first
  /// call by the new owner reports the change.
  @Test func whoEntersIsNewOnce() {
    let slot = ConsumerSlot()
    #expect(slot.enter(nil) == false, "nobody has it: who has no iterator may ask")
    let seat = slot.claim()
    #expect(slot.enter(nil) == nil && slot.enter(7) == nil)
    #expect(slot.enter(seat) == true)
    #expect(slot.enter(seat) == false)
    slot.release(99)
    #expect(slot.enter(seat) == false, "a seat that is none releases nothing")
    if let seat { slot.release(seat) }
    #expect(slot.enter(seat) == nil)
    #expect(slot.enter(nil) == true)
    #expect(slot.enter(nil) == false)
  }

  @Test func aChangeIsTakenOnce() {
    let slot = ConsumerSlot()
    #expect(!slot.takeChange())
    let seat = slot.claim()
    #expect(slot.takeChange())
    #expect(!slot.takeChange())
    #expect(slot.enter(seat) == false, "it was said")
  }

  // MARK: - Waiter

  @Test(.timeLimit(.minutes(10))) func wakingBeforeParkingIsNotLost() async {
    let waiter = Waiter()
    waiter.wake()
    waiter.wake()
    await withCheckedContinuation { waiter.park($0) }
  }

  @Test(.timeLimit(.minutes(10))) func manyWakeOneOnce() async {
    for _ in 0..<200 {
      let waiter = Waiter()
      await withTaskGroup { group in
        group.addTask { await withCheckedContinuation { waiter.park($0) } }
        for _ in 0..<4 { group.addTask { waiter.wake() } }
      }
    }
  }
}
