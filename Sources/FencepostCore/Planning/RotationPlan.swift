/// Which circles a back end with few slots has to watch, and when to plan again.
///
/// The plan says which fixes the monitor must be given: those that change the side of an armed circle, those outside
/// the wake-up circle, and every fix while ``follow`` is true. Then it hands out the same events as with all fixes.
///
/// A back end knows circles only. Of a polygon or corridor it is given one around all of it while the device is outside
/// that, one within it while the device is deep inside, and nothing in between, where the wake-up circle ends at the line.
/// So plan again at each fix that is fed.
public struct RotationPlan: Sendable, Hashable {
  /// A circle in a slot of the back end.
  public struct ArmedCondition: Sendable, Hashable {
    public var identifier: String
    /// Tells a condition from one that replaced it.
    public var generation: UInt64
    public var tag: UInt64
    public var center: Coordinate
    /// Metres.
    public var radius: Double
    /// |distance to the centre − radius| where the plan was made, metres.
    public var slack: Double
    /// Which side of the line the position was on: what a back end has to assume that tells of changes only.
    public var isInside: Bool
    /// Whether the circle stands for a polygon or corridor: another one may at the next plan, for the same condition.
    public var isStandIn: Bool

    /// What makes it the same to a back end.
    struct Place: Hashable {
      var generation: UInt64
      var center: Coordinate
      var radius: Double
    }
    var place: Place { Place(generation: generation, center: center, radius: radius) }

    public var condition: CircularGeographicCondition { CircularGeographicCondition(center: center, radius: radius) }
  }

  /// The circle around the position that takes the last slot: leaving it is the only thing that can make the plan wrong.
  public struct WakeUpCircle: Sendable, Hashable {
    public var center: Coordinate
    /// Metres; 0 where lines are so close that every fix has to be fed.
    public var radius: Double
  }

  /// All circles to be armed, the nearest line first.
  public var armed: [ArmedCondition]
  /// Of the set before: to be disarmed first.
  public var removals: [ArmedCondition]
  /// Of ``armed``: to be armed after the removals. What is in neither list stays untouched.
  public var additions: [ArmedCondition]
  /// `nil` when every circle is armed. Replaces the wake-up circle of the plan before, after the removals.
  public var wakeUp: WakeUpCircle?
  /// Every fix is to be fed until a plan says otherwise: a circle is undetermined, or a crossing is in the making.
  public var follow: Bool
}

/// Plans which circles to arm, and remembers what it asked for.
///
/// ```swift
/// var planner = try RotationPlanner(slots: 20)
/// let plan = try await planner.plan(monitor, at: fix.coordinate, accuracy: fix.accuracy)
/// for old in plan.removals { backEnd.disarm(old.identifier) }
/// backEnd.wakeUp = plan.wakeUp
/// for new in plan.additions { backEnd.arm(new.identifier, new.center, new.radius, isInside: new.isInside) }
/// ```
///
/// It names only what it asked for itself: slots that other code fills are not counted in `slots`, and their contents
/// are never removed. Beacon conditions take no part; leave their slots out of `slots` too.
public struct RotationPlanner: Sendable {
  /// Slots of the back end, 1 … 1 000 000; one of them is for the wake-up circle when there are more circles.
  public let slots: Int
  /// How much smaller than necessary the wake-up circle is, metres: what the device moves before the back end notices.
  public let margin: Double
  /// The largest circle that the back end takes as wake-up circle, metres.
  public let maximumRadius: Double
  /// What the last plan asked for.
  public package(set) var armed: [RotationPlan.ArmedCondition] = []

  /// - Throws: ``MonitorError/invalidArgument(_:position:)``
  public init(slots: Int, margin: Double = 0, maximumRadius: Double = 100_000) throws(MonitorError) {
    guard (1...1_000_000).contains(slots) else {
      throw .invalidArgument("slots is \(slots); must be from 1 to 1000000")
    }
    guard margin.isFinite, margin >= 0 else {
      throw .invalidArgument("margin is \(margin); must be finite and at least 0 metres")
    }
    guard maximumRadius >= 0 else {
      throw .invalidArgument("maximum radius is \(maximumRadius); must be at least 0 metres")
    }
    self.slots = slots
    self.margin = margin
    self.maximumRadius = maximumRadius
  }

  /// Plans for the position of the fix that was fed last, and takes what it plans for armed from then on.
  ///
  /// - Parameters:
  ///   - coordinate: Where the device is.
  ///   - accuracy: Of that position, metres, finite, ≥ 0; the wake-up circle is smaller by it.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``; nothing has changed then.
  public mutating func plan(
    _ engine: MonitorEngine, at coordinate: Coordinate, accuracy: Double = 0
  ) throws(MonitorError) -> RotationPlan {
    let plan = try engine.plan(self, at: coordinate, accuracy: accuracy)
    armed = plan.armed
    return plan
  }
}
