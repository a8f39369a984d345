import FencepostKernel
import Testing

@testable import Fencepost
@testable import FencepostCore

/// A condition table, and the parts of an engine that deliver the table's events. The conditions are the circles `a`
/// and `b`, which report all changes, the circle `entries`, which reports no exits, and a beacon condition.
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

  /// Adds a condition with an unknown assumed state, or replaces the condition with the same name.
  mutating func enter(
    _ name: String, _ subject: Definition.Subject = .circle(circle(100)), notify: TransitionPolicy.Notify = .all
  ) {
    ContiguousArray(name.utf8).withUnsafeBufferPointer { bytes in
      table.enter(
        Definition(subject: subject, policy: TransitionPolicy(notify: notify), tag: 0), identifier: bytes)
    }
  }

  /// Makes a change of state as a detector would report it.
  func change(_ slot: UInt32, _ state: Event.State, _ number: UInt64) -> EventEntry {
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: state, cause: .crossing,
      date: Timestamp(microseconds: Int64(number)))
    entry.notify = state == .satisfied ? .entry : .exit
    entry.change = number
    return entry
  }

  /// The change numbers of the events waiting in the queue, including void ones.
  var queued: [UInt64] {
    var queue = post.queue
    var found: [UInt64] = []
    while let entry = queue.first {
      found.append(entry.change)
      queue.removeFirst()
    }
    return found
  }

  /// The recorded state of a condition; `nil` while this state is still the initial state.
  func record(_ slot: UInt32) -> Event.State? { post.told.record(of: slot)?.state }

  func told(_ slot: UInt32) -> Event.State { post.told.state(of: slot, table) }
}
