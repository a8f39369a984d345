/// The circles that a back end with few slots has to watch, and the conditions for the next plan.
///
/// A monitor that receives only the following fixes returns the same events as with all fixes: fixes that change the
/// side of an armed circle, fixes outside the wake-up circle, every fix while ``follow`` is true, and the last fix before
/// ``nextStart`` and the first fix at or after it.
///
/// A back end knows only circles. For a polygon, corridor or line, the plan uses the bounding circle while the device
/// is outside it, and an inscribed circle while the device is inside that circle. Anywhere else no circle stands in for
/// the shape, and the wake-up circle ends at the shape's line. So plan again at each fix that is fed.
public struct RotationPlan: Sendable, Hashable {
  /// A circle in a slot of the back end.
  public struct ArmedCondition: Sendable, Hashable {
    public var identifier: String
    /// Distinguishes a condition from one that replaces it.
    public var generation: UInt64
    public var tag: UInt64
    public var center: Coordinate
    /// Metres.
    public var radius: Double
    /// |distance to the centre − radius| at the position of the plan, in metres.
    public var slack: Double
    /// Whether the position was inside the circle. A back end that reports only changes has to start from this side.
    public var isInside: Bool
    /// Whether the circle stands in for a polygon, corridor or line. The next plan may use another circle for the same
    /// condition.
    public var isStandIn: Bool

    /// The values that identify an armed circle to a back end.
    struct Place: Hashable {
      var generation: UInt64
      var center: Coordinate
      var radius: Double
    }
    var place: Place { Place(generation: generation, center: center, radius: radius) }

    public var condition: CircularGeographicCondition { CircularGeographicCondition(center: center, radius: radius) }
  }

  /// The circle around the position that occupies the last slot. While the device stays inside it, the plan remains
  /// valid.
  public struct WakeUpCircle: Sendable, Hashable {
    public var center: Coordinate
    /// Metres; 0 if a line is so close that every fix must be fed.
    public var radius: Double
  }

  /// All circles to arm, the one with the nearest line first.
  public var armed: [ArmedCondition]
  /// The armed circles of the previous plan that must be disarmed, before the additions.
  public var removals: [ArmedCondition]
  /// The circles of ``armed`` that must be armed, after the removals. Circles in neither list stay as they are.
  public var additions: [ArmedCondition]
  /// The wake-up circle; `nil` if every condition has an armed circle. It replaces the wake-up circle of the previous
  /// plan, after the removals.
  public var wakeUp: WakeUpCircle?
  /// Whether every fix must be fed until a plan says otherwise, because a shape is undetermined or a crossing is not
  /// yet confirmed.
  public var follow: Bool
  /// The next start of any schedule. The plan leaves inactive conditions out, so it holds until this time. The host then
  /// feeds the latest fix before it, even if the plan left that fix out, and plans anew at the next fix, which it feeds
  /// too. A host that advances the time feeds the latest fix first, because it is late afterwards, and plans anew if the
  /// start has come. `nil` if no start follows.
  public var nextStart: Timestamp?
}

/// Plans the circles to arm, and stores the circles of the last plan.
///
/// ```swift
/// var planner = try RotationPlanner(slots: 20)
/// let plan = try await planner.plan(monitor, at: fix.coordinate, accuracy: fix.accuracy)
/// for old in plan.removals { backEnd.disarm(old.identifier) }
/// backEnd.wakeUp = plan.wakeUp
/// for new in plan.additions { backEnd.arm(new.identifier, new.center, new.radius, isInside: new.isInside) }
/// ```
///
/// The planner removes only circles from its own plans; slots that other code fills do not count in `slots`. Beacon
/// conditions are not planned, so exclude their slots from `slots` too.
public struct RotationPlanner: Sendable {
  /// The number of slots of the back end, 1 … 1 000 000. If there are more circles than slots, one slot holds the
  /// wake-up circle.
  public let slots: Int
  /// The reduction of the wake-up circle's radius in metres: how far the device may move before the back end notices.
  public let margin: Double
  /// The largest radius that the back end accepts for the wake-up circle, in metres.
  public let maximumRadius: Double
  /// The circles of the last plan.
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

  /// Plans for the position of the fix that was fed last. The circles of this plan then count as armed.
  ///
  /// - Parameters:
  ///   - coordinate: The position of the device.
  ///   - accuracy: The accuracy of the position in metres, finite, ≥ 0. The radius of the wake-up circle is reduced by
  ///     it.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``; the planner is then unchanged.
  public mutating func plan(
    _ engine: MonitorEngine, at coordinate: Coordinate, accuracy: Double = 0
  ) throws(MonitorError) -> RotationPlan {
    let plan = try engine.plan(self, at: coordinate, accuracy: accuracy)
    armed = plan.armed
    return plan
  }
}
