public import CFencepost
import FencepostCore

@_cdecl("fencepost_monitor_record") @implementation
public func fencepost_monitor_record(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?,
  _ out_record: UnsafeMutablePointer<fencepost_record>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    let out = try Boundary.require(out_record, "out_record")
    try handle.call { engine throws(MonitorError) in
      engine.store(recordOf: try engine.table.slot(ofIdentifierBytes: bytes), to: out)
    }
  }
}

@_cdecl("fencepost_monitor_list_conditions") @implementation
public func fencepost_monitor_list_conditions(
  _ monitor: OpaquePointer?, _ state: fencepost_state, _ after: UInt64,
  _ out_conditions: UnsafeMutablePointer<fencepost_condition_state>?, _ capacity: Int,
  _ out_count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    let output = try ConditionStates(state, out_conditions, capacity, out_count)
    output.count.pointee = try handle.call { engine in
      var count = 0
      var last = after
      while output.isOpen(count), let slot = engine.table.slot(after: last) {
        last = engine.table.generation(of: slot)
        let state = engine.state(of: slot)
        if output.takes(state) { output.write(slot, state, engine.table, &count) }
      }
      return count
    }
  }
}

/// The caller's memory for the conditions in a state.
struct ConditionStates {
  /// `nil` = the conditions in every state.
  let wanted: Event.State?
  let count: UnsafeMutablePointer<Int>
  private let out: UnsafeMutablePointer<fencepost_condition_state>?
  private let capacity: Int

  init(
    _ state: fencepost_state, _ out_conditions: UnsafeMutablePointer<fencepost_condition_state>?, _ capacity: Int,
    _ out_count: UnsafeMutablePointer<Int>?
  ) throws(BoundaryError) {
    wanted = UInt8(exactly: state).flatMap(Event.State.init(rawValue:))
    guard wanted != .unmonitored, wanted != nil || Int(state) == FENCEPOST_STATE_ANY else {
      throw .invalidArgument("state is \(state); must be -2 (any), 0 (unknown), 1 (satisfied) or 2 (unsatisfied)")
    }
    out = try Boundary.require(out_conditions, count: capacity, "out_conditions")
    self.capacity = capacity
    count = try Boundary.require(out_count, "out_count")
  }

  /// Whether a further condition has room, or is counted only.
  func isOpen(_ count: Int) -> Bool { capacity == 0 || count < capacity }

  func takes(_ state: Event.State) -> Bool { wanted == nil || state == wanted }

  /// Writes a condition, if there is memory, and counts it.
  func write(
    _ slot: UInt32, _ state: Event.State, since: Int64 = .min, evidence: Int64 = .min,
    _ table: borrowing ConditionTable, _ count: inout Int
  ) {
    if capacity > 0, let out {
      let condition = out + count
      condition.pointee.generation = table.generation(of: slot)
      condition.pointee.tag = table.tag(of: slot)
      condition.pointee.since_us = since
      condition.pointee.evidence_date_us = evidence
      condition.pointee.state = fencepost_state(state.rawValue)
      condition.pointee.identifier_length = table.withIdentifierBytes(of: slot) {
        FencepostABI.copy($0, into: &condition.pointee.identifier)
      }
    }
    count += 1
  }
}
