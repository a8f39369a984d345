public import CFencepost
import FencepostCore

@_cdecl("fencepost_monitor_state") @implementation
public func fencepost_monitor_state(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ out_state: UnsafeMutablePointer<fencepost_state>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    let out = try Boundary.require(out_state, "out_state")
    let state = try handle.call { engine throws(MonitorError) in
      engine.state(of: try engine.table.slot(ofIdentifierBytes: bytes))
    }
    out.pointee = fencepost_state(state.rawValue)
  }
}

@_cdecl("fencepost_monitor_safe_distance") @implementation
public func fencepost_monitor_safe_distance(
  _ monitor: OpaquePointer?, _ latitude: Double, _ longitude: Double, _ out_distance_m: UnsafeMutablePointer<Double>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    let out = try Boundary.require(out_distance_m, "out_distance_m")
    out.pointee = try handle.call { engine throws(MonitorError) in
      try engine.safeDistance(at: Coordinate(latitude: latitude, longitude: longitude))
    }
  }
}

@_cdecl("fencepost_monitor_next_deadline") @implementation
public func fencepost_monitor_next_deadline(
  _ monitor: OpaquePointer?, _ out_time_us: UnsafeMutablePointer<Int64>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    let out = try Boundary.require(out_time_us, "out_time_us")
    out.pointee = try handle.call { engine in engine.nextDeadline?.microseconds ?? .min }
  }
}

@_cdecl("fencepost_fleet_safe_distance") @implementation
public func fencepost_fleet_safe_distance(
  _ fleet: OpaquePointer?, _ device: fencepost_device, _ latitude: Double, _ longitude: Double,
  _ out_distance_m: UnsafeMutablePointer<Double>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let out = try Boundary.require(out_distance_m, "out_distance_m")
    out.pointee = try handle.read { engine throws(MonitorError) in
      try engine.safeDistance(at: Coordinate(latitude: latitude, longitude: longitude), for: device)
    }
  }
}

@_cdecl("fencepost_monitor_plan") @implementation
public func fencepost_monitor_plan(
  _ monitor: OpaquePointer?, _ latitude: Double, _ longitude: Double, _ accuracy_m: Double,
  _ options: UnsafePointer<fencepost_plan_options>?, _ armed: UnsafePointer<UInt64>?, _ armed_count: Int,
  _ out_keep: UnsafeMutablePointer<UInt32>?, _ out_armed: UnsafeMutablePointer<fencepost_armed_condition>?,
  _ capacity: Int, _ out_count: UnsafeMutablePointer<Int>?, _ out_plan: UnsafeMutablePointer<fencepost_plan>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    let output = try PlanOutput(armed, armed_count, out_keep, out_armed, capacity, out_count, out_plan)
    let planner = try RotationPlanner(options)
    try output.take(
      try handle.call { engine throws(MonitorError) in
        try engine.plan(planner, at: Coordinate(latitude: latitude, longitude: longitude), accuracy: accuracy_m)
      })
  }
}

@_cdecl("fencepost_fleet_plan") @implementation
public func fencepost_fleet_plan(
  _ fleet: OpaquePointer?, _ device: fencepost_device, _ latitude: Double, _ longitude: Double, _ accuracy_m: Double,
  _ options: UnsafePointer<fencepost_plan_options>?, _ armed: UnsafePointer<UInt64>?, _ armed_count: Int,
  _ out_keep: UnsafeMutablePointer<UInt32>?, _ out_armed: UnsafeMutablePointer<fencepost_armed_condition>?,
  _ capacity: Int, _ out_count: UnsafeMutablePointer<Int>?, _ out_plan: UnsafeMutablePointer<fencepost_plan>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let output = try PlanOutput(armed, armed_count, out_keep, out_armed, capacity, out_count, out_plan)
    let planner = try RotationPlanner(options)
    try output.take(
      try handle.read { engine throws(MonitorError) in
        try engine.plan(
          planner, at: Coordinate(latitude: latitude, longitude: longitude), accuracy: accuracy_m, for: device)
      })
  }
}

/// The caller's memory for a plan.
private struct PlanOutput {
  private let before: UnsafeBufferPointer<UInt64>
  private let keep: UnsafeMutablePointer<UInt32>?
  private let rows: UnsafeMutablePointer<fencepost_armed_condition>?
  private let capacity: Int
  private let count: UnsafeMutablePointer<Int>
  private let out: UnsafeMutablePointer<fencepost_plan>

  init(
    _ armed: UnsafePointer<UInt64>?, _ armed_count: Int, _ out_keep: UnsafeMutablePointer<UInt32>?,
    _ out_armed: UnsafeMutablePointer<fencepost_armed_condition>?, _ capacity: Int,
    _ out_count: UnsafeMutablePointer<Int>?, _ out_plan: UnsafeMutablePointer<fencepost_plan>?
  ) throws(BoundaryError) {
    before = UnsafeBufferPointer(
      start: try Boundary.require(armed, count: armed_count, "armed"), count: armed_count)
    keep = try Boundary.require(out_keep, count: armed_count, "out_keep")
    rows = try Boundary.require(out_armed, count: capacity, "out_armed")
    self.capacity = capacity
    count = try Boundary.require(out_count, "out_count")
    out = try Boundary.require(out_plan, "out_plan")
    try SizedStruct.check(out, "out_plan")
  }

  func take(_ plan: RotationPlan) throws(BoundaryError) {
    count.pointee = plan.armed.count
    guard capacity == 0 || capacity >= plan.armed.count else {
      throw .bufferTooSmall(needed: plan.armed.count, of: "armed conditions")
    }
    let known = Set(before)
    // A platform monitors a circle in place of a polygon or corridor. This circle may have changed, so such a condition
    // counts as new.
    let now = Set(plan.armed.lazy.filter { !$0.isStandIn }.map { $0.generation })
    for index in 0..<before.count { keep?[index] = now.contains(before[index]) ? 1 : 0 }
    if let rows, capacity > 0 {
      for (index, condition) in plan.armed.enumerated() {
        condition.store(to: rows + index, isNew: condition.isStandIn || !known.contains(condition.generation))
      }
    }
    try SizedStruct.write(
      fencepost_plan(
        struct_size: 0, follow: plan.follow ? 1 : 0, has_wake_up: plan.wakeUp == nil ? 0 : 1, reserved: 0,
        wake_up_latitude: plan.wakeUp?.center.latitude ?? .nan,
        wake_up_longitude: plan.wakeUp?.center.longitude ?? .nan, wake_up_radius_m: plan.wakeUp?.radius ?? .nan,
        next_start_us: plan.nextStart?.microseconds ?? .min),
      to: out, "out_plan")
  }
}

extension RotationPlanner {
  fileprivate init(_ options: UnsafePointer<fencepost_plan_options>?) throws(BoundaryError) {
    let defaults = fencepost_plan_options(struct_size: 0, slots: 20, margin_m: 0, maximum_radius_m: 100_000)
    let value = if let options { try SizedStruct.read(options, defaults: defaults, "options") } else { defaults }
    self = try refusedByEngine { () throws(MonitorError) in
      try RotationPlanner(
        slots: Int(clamping: value.slots), margin: value.margin_m, maximumRadius: value.maximum_radius_m)
    }
  }
}

extension RotationPlan.ArmedCondition {
  fileprivate func store(to row: UnsafeMutablePointer<fencepost_armed_condition>, isNew: Bool) {
    row.pointee.generation = generation
    row.pointee.tag = tag
    row.pointee.latitude = center.latitude
    row.pointee.longitude = center.longitude
    row.pointee.radius_m = radius
    row.pointee.slack_m = slack
    row.pointee.is_inside = isInside ? 1 : 0
    row.pointee.is_new = isNew ? 1 : 0
    row.pointee.reserved = 0
    var text = identifier
    row.pointee.identifier_length = text.withUTF8 { copy($0, into: &row.pointee.identifier) }
  }
}
