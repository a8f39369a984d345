import FencepostKernel
import Foundation
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests which circles a plan arms, and pitfalls that are known from other implementations.
@Suite struct RotationPlannerTests {
  private let here = Coordinate(latitude: 0, longitude: 0)

  private func away(_ distance: Double, bearing: Double = 90) -> Coordinate {
    fix(0, distance, bearing: bearing).coordinate
  }

  private func engine(_ circles: [(String, Coordinate, Double)]) throws -> MonitorEngine {
    var engine = try MonitorEngine()
    for (identifier, center, radius) in circles {
      try engine.add(CircularGeographicCondition(center: center, radius: radius), identifier: identifier)
    }
    return engine
  }

  @Test func ranksAsASearchThroughAll() throws {
    var random = SeededGenerator("rotation ranks")
    for _ in 0..<60 {
      let count = random.integer(1...300)
      let circles = (0..<count).map { index in
        (
          "c\(index)", away(random.logarithmic(1, 100_000), bearing: random.uniform(0...360)),
          random.logarithmic(1, 50_000)
        )
      }
      let engine = try engine(circles)
      let slots = random.integer(1...40)
      var planner = try RotationPlanner(slots: slots)
      let plan = try planner.plan(engine, at: here)
      let ranked = circles.map { circle in
        (
          circle.0,
          abs(
            GeodesicInverse.distance(
              latitude1: circle.1.latitude, longitude1: circle.1.longitude, latitude2: 0, longitude2: 0) - circle.2)
        )
      }.sorted { $0.1 < $1.1 }
      let expected = count <= slots ? count : slots - 1
      #expect(plan.armed.map(\.identifier) == ranked.prefix(expected).map(\.0))
      if count <= slots {
        #expect(plan.wakeUp == nil)
      } else {
        #expect(abs((plan.wakeUp?.radius ?? -1) - min(100_000, ranked[expected].1)) < 1e-5)
        #expect(plan.wakeUp?.center == here)
      }
      #expect(plan.additions == plan.armed)
      #expect(plan.removals.isEmpty)
    }
  }

  @Test func tiesGoToTheSmallerRadiusThenTheIdentifier() throws {
    // Three equal circles.
    let engine = try engine([("b", here, 100), ("a", here, 100), ("c", here, 100)])
    func armed(_ slots: Int) throws -> [String] {
      var planner = try RotationPlanner(slots: slots)
      return try planner.plan(engine, at: here).armed.map(\.identifier)
    }
    #expect(try armed(3) == ["a", "b", "c"])
    #expect(try armed(2) == ["a"])
  }

  /// Pitfall 1: a circle is near if its boundary is near, even if its centre is far away, as in a large circle around
  /// the device.
  @Test func aLargeCircleAroundTheDeviceKeepsItsSlot() throws {
    var circles = (0..<30).map { ("small\($0)", away(3_000 + 10 * Double($0)), 100.0) }
    circles.append(("large", away(20_000, bearing: 270), 20_500))
    let engine = try engine(circles)
    var planner = try RotationPlanner(slots: 3)
    let plan = try planner.plan(engine, at: here)
    #expect(plan.armed.map(\.identifier).first == "large")
  }

  /// Pitfalls 2 and 8: a plan lists the changes since the previous plan, so a circle that stays armed is not removed
  /// and added again.
  @Test func whatStaysIsNotTouched() throws {
    let engine = try engine((0..<40).map { ("c\($0)", away(200 * Double($0)), 50.0) })
    var planner = try RotationPlanner(slots: 10)
    let first = try planner.plan(engine, at: away(1_000))
    let again = try planner.plan(engine, at: away(1_000))
    #expect(again.removals.isEmpty && again.additions.isEmpty)
    #expect(again.armed == first.armed)
    let moved = try planner.plan(engine, at: away(1_230))
    #expect(!moved.removals.isEmpty)
    let kept = Set(first.armed.map(\.identifier)).intersection(moved.armed.map(\.identifier))
    #expect(!kept.isEmpty)
    #expect(kept.isDisjoint(with: moved.removals.map(\.identifier)))
    #expect(kept.isDisjoint(with: moved.additions.map(\.identifier)))
  }

  /// Pitfall 3: a condition that loses its slot keeps its record, so it reports its next arrival once it has a slot
  /// again.
  @Test func anEvictedConditionReportsItsNextArrival() throws {
    let near = (0..<4).map { ("far\($0)", away(50_000 + 300 * Double($0)), 100.0) }
    var host = RotatingHost(try engine([("home", here, 200)] + near), try RotationPlanner(slots: 3))
    var events: [String] = []
    for (index, distance) in [0, 0, 400, 900, 50_000, 50_400, 60_000, 900, 100, 0].enumerated() {
      try host.offer(
        Fix(coordinate: away(Double(distance)), accuracy: 5, time: at(Double(index) * 100)))
      events += host.engine.drain().filter { $0.identifier == "home" }.map(\.state.name.description)
      if index == 5 { #expect(host.plan?.armed.contains { $0.identifier == "home" } == false) }
    }
    try host.engine.advance(to: at(5_000))
    events += host.engine.drain().filter { $0.identifier == "home" }.map(\.state.name.description)
    #expect(events == ["satisfied", "unsatisfied", "satisfied"])
  }

  /// Pitfall 4: the circles that a plan arms depend only on the position of the plan, not on earlier plans.
  @Test func thePlanDependsOnThePositionOnly() throws {
    let engine = try engine((0..<40).map { ("c\($0)", away(700 * Double($0)), 50.0) })
    var worn = try RotationPlanner(slots: 6)
    for step in 0..<30 { _ = try worn.plan(engine, at: away(1_000 * Double(step))) }
    var fresh = try RotationPlanner(slots: 6)
    let (old, new) = (try worn.plan(engine, at: here), try fresh.plan(engine, at: here))
    #expect(old.armed == new.armed)
  }

  /// Pitfalls 5 and 10: if not all circles fit, one slot is for the wake-up circle, even if there is only a single
  /// slot.
  @Test(arguments: [1, 2, 5])
  func theWakeUpCircleKeepsItsSlot(_ slots: Int) throws {
    let engine = try engine((0..<20).map { ("c\($0)", away(10 * Double($0)), 50.0) })
    var planner = try RotationPlanner(slots: slots)
    let plan = try planner.plan(engine, at: here)
    #expect(plan.armed.count == slots - 1)
    #expect(plan.wakeUp != nil)
  }

  /// Pitfall 6: a plan removes only circles that an earlier plan armed.
  @Test func foreignSlotsAreNotNamed() throws {
    var engine = try engine([("mine", here, 100)])
    var planner = try RotationPlanner(slots: 5)
    _ = try planner.plan(engine, at: here)
    engine.remove("mine")
    let plan = try planner.plan(engine, at: here)
    #expect(plan.removals.map(\.identifier) == ["mine"])
    let next = try planner.plan(engine, at: here)
    #expect(next.removals.isEmpty)
  }

  /// Pitfall 7: for each armed circle, a plan says whether the device is inside.
  @Test func sidesAreGiven() throws {
    let engine = try engine([("in", here, 500), ("out", away(5_000), 500)])
    var planner = try RotationPlanner(slots: 5)
    let plan = try planner.plan(engine, at: here)
    #expect(plan.armed.map(\.isInside) == [true, false])
  }

  /// Pitfalls 8 and 11: a replaced circle is disarmed and armed again; an invalid circle is never armed.
  @Test func aReplacedConditionIsArmedAnew() throws {
    var engine = try engine([("c", here, 500)])
    var planner = try RotationPlanner(slots: 5)
    _ = try planner.plan(engine, at: here)
    try engine.add(circle(600), identifier: "c")
    let plan = try planner.plan(engine, at: here)
    #expect(plan.removals.map(\.radius) == [500])
    #expect(plan.additions.map(\.radius) == [600])
    #expect(throws: MonitorError.self) { try engine.add(circle(0), identifier: "c") }
    let next = try planner.plan(engine, at: here)
    #expect(next.armed.map(\.radius) == [600])
  }

  /// Margin and accuracy shrink the wake-up circle. `RegionManagerTests` tests pitfall 9: each manager needs its own
  /// filter for significant changes.
  @Test func marginAndAccuracyMakeTheWakeUpCircleSmaller() throws {
    let engine = try engine((0..<5).map { ("c\($0)", away(1_000 + 100 * Double($0)), 100.0) })
    func radius(_ margin: Double, _ accuracy: Double, _ maximum: Double = 100_000) throws -> Double? {
      var planner = try RotationPlanner(slots: 1, margin: margin, maximumRadius: maximum)
      return try planner.plan(engine, at: here, accuracy: accuracy).wakeUp?.radius
    }
    #expect(abs(try #require(try radius(0, 0)) - 900) < 1e-3)
    #expect(abs(try #require(try radius(50, 30)) - 820) < 1e-3)
    #expect(try radius(2_000, 0) == 0)
    #expect(try radius(0, 0, 100) == 100)
  }

  @Test func followsWhileAnyFixMayMatter() throws {
    var engine = try engine([("c", here, 200)])
    var planner = try RotationPlanner(slots: 5)
    func follows(_ coordinate: Coordinate) throws -> Bool { try planner.plan(engine, at: coordinate).follow }
    #expect(try follows(here), "undetermined")
    try engine.feed(Fix(coordinate: here, accuracy: 5, time: at(0)))
    #expect(try !follows(here))
    try engine.feed(Fix(coordinate: away(210), accuracy: 5, time: at(1)))
    #expect(try follows(away(210)), "outside, but not decisively")
    #expect(try !follows(here), "as if it had gone back")
    try engine.feed(Fix(coordinate: away(300), accuracy: 5, time: at(2)))
    #expect(try follows(away(300)), "a candidate is open")
    try engine.advance(to: at(30))
    #expect(try !follows(away(300)))
    try engine.feed(Fix(coordinate: away(190), accuracy: 5, time: at(31)))
    #expect(try follows(away(190)), "inside, but not decisively")
    try engine.setHostCapabilities(.authorizationDenied, at: at(32))
    #expect(try follows(here), "suspended circles are undetermined")
    engine.remove("c")
    #expect(try !follows(here), "nothing to monitor")
  }

  @Test func refusesWhatIsOutOfRange() throws {
    for (slots, margin, maximum) in [
      (0, 0.0, 1.0), (-1, 0, 1), (1_000_001, 0, 1), (5, -1, 1), (5, .nan, 1), (5, .infinity, 1), (5, 0, -1),
      (5, 0, .nan),
    ] {
      #expect(throws: MonitorError.self) {
        try RotationPlanner(slots: slots, margin: margin, maximumRadius: maximum)
      }
    }
    var planner = try RotationPlanner(slots: 5)
    let engine = try engine([("c", here, 500)])
    _ = try planner.plan(engine, at: here)
    let before = planner.armed
    for accuracy in [-1, .nan, .infinity] {
      #expect(throws: MonitorError.self) { try planner.plan(engine, at: here, accuracy: accuracy) }
    }
    #expect(throws: MonitorError.self) { try planner.plan(engine, at: Coordinate(latitude: 91, longitude: 0)) }
    #expect(planner.armed == before)
  }

  @Test func worksThroughTheActor() async throws {
    let monitor = Monitor()
    try await monitor.add(circle(500), identifier: "c")
    var planner = try RotationPlanner(slots: 4)
    let plan = try await planner.plan(monitor, at: here)
    #expect(plan.armed.map(\.identifier) == ["c"])
    #expect(planner.armed == plan.armed)
    #expect(abs(try await monitor.safeDistance(at: here) - 500) < 1e-5)
    #expect(await monitor.nextDeadline == nil)
    #expect(await monitor.state(of: "c") == .unknown)
  }
}
