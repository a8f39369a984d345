import FencepostKernel
import Testing

@testable import Fencepost
@testable import FencepostCore

/// A table of conditions, and what the parts of a delivery work on: two circles that are told of all changes, `a` and `b`, one
/// that is silent about exits, `entries`, and a beacon condition.
struct DeliveryWorld {
  private(set) var table = ConditionTable(limit: nil)
  var post = Post()
  var host = HostState()

  static let a: UInt32 = 0
  static let b: UInt32 = 1
  static let entries: UInt32 = 2
  static let beacon: UInt32 = 3

  init() {
    enter("a")
    enter("b")
    enter("entries", notify: [.initial, .entry])
    enter("beacon", .beacon(BeaconIdentityCondition(uuid: someUUID)))
    for slot in table.live { post.adopt(slot, clock: 10) }
  }

  /// Enters a condition that is assumed to be unknown; one of that name is replaced.
  mutating func enter(
    _ name: String, _ subject: Definition.Subject = .circle(circle(100)), notify: TransitionPolicy.Notify = .all
  ) {
    ContiguousArray(name.utf8).withUnsafeBufferPointer { bytes in
      table.enter(
        Definition(subject: subject, policy: TransitionPolicy(notify: notify), tag: 0), identifier: bytes)
    }
  }

  /// A change that a detector tells.
  func change(_ slot: UInt32, _ state: Event.State, _ number: UInt64) -> EventEntry {
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: state, cause: .crossing,
      date: Timestamp(microseconds: Int64(number)))
    entry.notify = state == .satisfied ? .entry : .exit
    entry.change = number
    return entry
  }

  /// The change numbers of what waits in the queue, void or not.
  var queued: [UInt64] {
    var queue = post.queue
    var found: [UInt64] = []
    while let entry = queue.first {
      found.append(entry.change)
      queue.removeFirst()
    }
    return found
  }

  /// What the record of a condition says; `nil` while the first one stands.
  func record(_ slot: UInt32) -> Event.State? { post.told.record(of: slot)?.state }

  func told(_ slot: UInt32) -> Event.State { post.told.state(of: slot, table) }
}
