import Foundation

@testable import Fencepost
@testable import FencepostCore

/// Simulates a host on a platform that can monitor only a few regions. The host feeds only the fixes for which the
/// platform wakes it up, and makes a new plan at each of them.
struct RotatingHost {
  var engine: MonitorEngine
  var planner: RotationPlanner
  private(set) var plan: RotationPlan?
  private(set) var fed = 0
  /// The regions that the platform monitors after all calls so far.
  private(set) var slots: [RotationPlan.ArmedCondition] = []
  private(set) var faults: [String] = []
  private var last = Timestamp.earliest
  /// The latest fix, if it was left out.
  private var held: Fix?
  /// The latest fix that was fed.
  private var known: Fix?

  init(_ engine: MonitorEngine, _ planner: RotationPlanner) {
    self.engine = engine
    self.planner = planner
  }

  /// Receives a fix of the device, and feeds it to the engine only if the platform would wake the host for this fix.
  mutating func offer(_ fix: Fix) throws(MonitorError) {
    guard fix.isUsable, fix.time >= last else { return }  // platforms do not report unusable or late fixes
    last = fix.time
    guard wakes(fix) else {
      held = fix
      return
    }
    try prepare(for: fix.time)
    try feed(fix)
  }

  /// Feeds the latest fix before the next start, if the start is not later than a time.
  mutating func prepare(for time: Timestamp) throws(MonitorError) {
    if let start = plan?.nextStart, start <= time, let held { try feed(held) }
  }

  /// Passes time without a fix.
  mutating func advance(to time: Timestamp) throws(MonitorError) {
    let start = plan?.nextStart
    try prepare(for: time)
    try engine.advance(to: time)
    if let start, start <= time, let known { try replan(known) }
  }

  mutating func feed(_ fix: Fix) throws(MonitorError) {
    held = nil
    known = fix
    try engine.feed(fix)
    fed += 1
    try replan(fix)
  }

  mutating func replan(_ fix: Fix) throws(MonitorError) {
    let next = try planner.plan(engine, at: fix.coordinate, accuracy: fix.accuracy)
    apply(next)
    plan = next
  }

  private func wakes(_ fix: Fix) -> Bool {
    guard let plan else { return true }
    if plan.follow || fix.time >= plan.nextStart ?? .latest { return true }
    if plan.armed.contains(where: { $0.condition.contains(fix.coordinate) != $0.isInside }) { return true }
    guard let wakeUp = plan.wakeUp else { return false }
    if wakeUp.radius <= 0 { return true }
    return !CircularGeographicCondition(center: wakeUp.center, radius: wakeUp.radius).contains(fix.coordinate)
  }

  /// Applies the removals and additions of a plan in the plan's order, and records those that a platform would refuse.
  private mutating func apply(_ next: RotationPlan) {
    var wakeUpSlot = plan?.wakeUp == nil ? 0 : 1
    for old in next.removals {
      if slots.contains(where: { $0.generation == old.generation }) {
        slots.removeAll { $0.generation == old.generation }
      } else {
        faults.append("removes \(old.identifier), which is not armed")
      }
    }
    wakeUpSlot = next.wakeUp == nil ? 0 : 1
    if slots.count + wakeUpSlot > planner.slots { faults.append("no slot for the wake-up circle") }
    for new in next.additions {
      if slots.contains(where: { $0.identifier == new.identifier }) {
        faults.append("\(new.identifier) is armed already")
      }
      slots.append(new)
      if slots.count + wakeUpSlot > planner.slots { faults.append("more than \(planner.slots) slots") }
    }
    if Set(slots.map(\.generation)) != Set(next.armed.map(\.generation)) { faults.append("the sets differ") }
  }
}
