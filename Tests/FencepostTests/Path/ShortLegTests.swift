import FencepostKernel
import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests difficult cases of the closed form for short legs: the accumulation of its angles, the limits of its range,
/// and legs without movement. The events must equal, bit for bit, the events from separate fixes at every microsecond,
/// and the positions of the events must lie on the geodesic.
@Suite struct ShortLegTests {
  enum Attack: UInt64, CaseIterable, Sendable {
    case northPole, southPole, antimeridian, standingStill, tangents, longestLegs, oneInstant, beforeAllTimes, borders
  }

  @Test(arguments: Attack.allCases)
  func eventsAreThoseOfLaidFixes(_ attack: Attack) throws {
    var random = SeededGenerator("ShortLegTests", salt: attack.rawValue)
    var (events, onPath, gaps) = (0, 0, 0)
    for round in 0..<60 {
      var run = try Run(attack, &random)
      for step in 0..<4 { try run.leg(&random, "\(attack), round \(round), leg \(step)") }
      events += run.events
      onPath += run.onPath
      gaps += run.gaps
    }
    #expect(events > 60, "\(attack)")
    if attack == .standingStill {
      #expect(onPath == 0)
    } else {
      #expect(onPath > 40, "\(attack): \(onPath) on the path")
    }
    #expect(attack != .borders || gaps > 10, "\(gaps) after a gap")
  }

  private struct Run {
    let attack: Attack
    let places: [Coordinate]
    let durations: [Int64]
    let maxGap: Int64
    let maxSpeed: Double?
    var engine: MonitorEngine
    var dense = MonitorEngine(trusted: nil, MonitorOptions())
    var next = 0
    var time: Int64
    var last: Fix?
    var (events, onPath, gaps) = (0, 0, 0)

    init(_ attack: Attack, _ random: inout SeededGenerator) throws {
      self.attack = attack
      var place = Run.begin(attack, &random)
      var places = [place]
      for _ in 0..<4 {
        place = Run.end(attack, from: place, &random)
        places.append(place)
      }
      self.places = places
      durations = places.map { _ in
        Int64([1, 2, random.integer(3...40), random.integer(100...900)][random.integer(0...3)])
      }
      time =
        attack == .beforeAllTimes ? [Timestamp.earliest.microseconds, -5_000_000, -300][random.integer(0...2)] : 1_000
      let first = places[0].distance(to: places[1])
      if attack == .borders {
        maxGap = durations[1] + Int64(random.integer(-1...1))
        let speed = first / (Double(durations[1]) / 1e6)
        maxSpeed = speed > 0 && random.chance(0.7) ? [speed, speed.nextUp, speed.nextDown][random.integer(0...2)] : nil
      } else {
        (maxGap, maxSpeed) = (1_000, nil)
      }
      engine = try MonitorEngine(
        options: MonitorOptions(path: .geodesic(maxGapMicroseconds: max(1, maxGap), maxSpeed: maxSpeed)))
      for index in 0..<random.integer(2...12) {
        let (circle, isTouching) = Run.circle(attack, places, &random)
        try add(circle, isTouching ? "t\(index)" : "c\(index)", &random)
      }
    }

    private mutating func add(
      _ circle: CircularGeographicCondition, _ name: String, _ random: inout SeededGenerator
    ) throws {
      var policy = TransitionPolicy.exact
      if !name.isTouching, random.chance(0.3) {
        policy.entryDwellMicroseconds = Int64(random.integer(0...300))
        policy.exitDwellMicroseconds = Int64(random.integer(0...300))
        if random.chance(0.5) { policy.dwellPolicy = .evidence }
      }
      let assuming: Event.State = random.chance(0.5) ? .unsatisfied : .unknown
      try engine.add(circle, identifier: name, assuming: assuming, policy: policy)
      try dense.add(circle, identifier: name, assuming: assuming, policy: policy)
    }

    mutating func leg(_ random: inout SeededGenerator, _ place: String) throws {
      if next == 0 { try feed(place) }
      time += durations[next]
      try feed(place)
    }

    private mutating func feed(_ place: String) throws {
      let fix = Fix(coordinate: places[next], accuracy: 0, time: Timestamp(microseconds: time))
      next += 1
      let before = last
      if let last, fix.time.microseconds - last.time.microseconds <= max(1, maxGap) {
        let seconds = Double(fix.time.microseconds - last.time.microseconds) / 1e6
        if maxSpeed.map({ last.coordinate.distance(to: fix.coordinate) <= $0 * seconds }) ?? true {
          try dense.feed(laid(from: last, to: fix, each: 1, .ofLegs))
        }
      }
      try engine.feed(fix)
      try dense.feed(fix)
      last = fix
      try checkInvariants(of: engine, place)
      let all = engine.drain()
      let laid = dense.drain().map(plain)
      var told = all
      events += told.count
      gaps += told.count { $0.followsGap }
      for index in told.indices {
        if let evidence = told[index].evidence, evidence.source == .path, let before {
          onPath += 1
          try check(evidence, at: told[index].evidenceDate ?? fix.time, from: before, to: fix, place)
        }
        told[index] = plain(told[index])
      }
      try #require(
        told.filter { !$0.identifier.isTouching } == laid.filter { !$0.identifier.isTouching }, "\(place)")
      // If a line is only nanometres from the path, rounding decides whether they touch, so check only that the events
      // are consistent.
      for (index, name) in engine.identifiers.enumerated() where name.isTouching {
        let states = all.filter { $0.identifier == name }.map(\.state)
        for (one, next) in zip(states, states.dropFirst()) { try #require(one != next, "\(place)") }
        let slot = UInt32(index)
        try #require(
          engine.tracker.observed(slot, engine.table) == dense.tracker.observed(slot, dense.table), "\(place)")
      }
    }

    /// Returns a copy of the event in which the fields that may differ between a path and separate fixes are reset. The
    /// sequence is also reset, because it depends on how often a line is touched.
    private func plain(_ event: Event) -> Event {
      var event = event
      event.evidence?.source = .fix
      event.followsGap = false
      event.sequence = 0
      return event
    }

    /// The position in an event's evidence must lie on the geodesic between two fixes.
    private func check(_ evidence: Event.Evidence, at time: Timestamp, from start: Fix, to end: Fix, _ place: String)
      throws
    {
      // The dwell time may have started on an earlier leg.
      guard time > start.time else { return }
      let way = GeodesicInverse.solve(
        latitude1: start.coordinate.latitude, longitude1: start.coordinate.longitude,
        latitude2: end.coordinate.latitude, longitude2: end.coordinate.longitude)
      let share =
        Double(time.microseconds - start.time.microseconds)
        / Double(end.time.microseconds - start.time.microseconds)
      let exact = moved(start.coordinate, way.azimuth1, way.distance * share)
      let apart = exact.position.squaredChord(to: evidence.coordinate.position).squareRoot()
      try #require(apart < 3e-8, "\(place): \(apart) m from the geodesic")
    }

    // MARK: - Ways

    private static func begin(_ attack: Attack, _ random: inout SeededGenerator) -> Coordinate {
      let east = random.uniform(-180...180)
      switch attack {
      case .northPole, .southPole: return Coordinate(latitude: pole(attack), longitude: east)
      case .antimeridian:
        return Coordinate(latitude: random.uniform(-80...80), longitude: [-180, 180, 179.999_9][random.integer(0...2)])
      case .standingStill:
        return Coordinate(
          latitude: [0, 90, -90, .leastNonzeroMagnitude, 1e-160, 51.5][random.integer(0...5)],
          longitude: [0, 180, -180, 1e-200, east][random.integer(0...4)])
      default: return Coordinate(latitude: random.uniform(-85...85), longitude: east)
      }
    }

    private static func pole(_ attack: Attack) -> Double { attack == .northPole ? 90 : -90 }

    private static func end(_ attack: Attack, from start: Coordinate, _ random: inout SeededGenerator) -> Coordinate {
      switch attack {
      case .northPole, .southPole:
        let pole = pole(attack)
        let middle = Coordinate(latitude: pole, longitude: start.longitude)
        let far = start.distance(to: middle)
        switch random.integer(0...3) {
        // The leg crosses the pole, ends at the pole, or passes beside it.
        case 0:
          let over = start.longitude > 0 ? start.longitude - 180 : start.longitude + 180
          return Coordinate(latitude: start.latitude == pole ? pole * 0.999_99 : start.latitude, longitude: over)
        case 1: return Coordinate(latitude: pole, longitude: random.uniform(-180...180))
        default:
          let there = Coordinate(latitude: pole, longitude: random.uniform(-180...180))
          return moved(there, pole > 0 ? 180 : 0, max(0, min(150, 299 - far)) * random.uniform(0...1))
        }
      case .antimeridian:
        let end = moved(start, random.chance(0.5) ? 90 : random.uniform(0...360), random.uniform(1...299))
        // The end is on the same meridian, but its longitude has the other sign: 180° or −180°.
        return random.chance(0.2) && start.longitude.magnitude == 180
          ? Coordinate(latitude: start.latitude + 0.001, longitude: -start.longitude) : end
      case .standingStill:
        if start.latitude.magnitude == 90 {
          return Coordinate(latitude: start.latitude, longitude: random.uniform(-180...180))
        }
        if start.longitude.magnitude == 180 { return Coordinate(latitude: start.latitude, longitude: -start.longitude) }
        if start.longitude == 1e-200 { return Coordinate(latitude: start.latitude, longitude: -1e-300) }
        return start
      case .longestLegs:
        let length = [300, 300.000_000_01, 300.000_000_03, 300.000_000_1, 299.999_999_99][random.integer(0...4)]
        return moved(start, random.uniform(0...360), length)
      default: return moved(start, random.uniform(0...360), random.logarithmic(0.01, 299))
      }
    }

    /// A circle whose boundary passes through a point between two consecutive fixes, or almost through this point.
    private static func circle(
      _ attack: Attack, _ places: [Coordinate], _ random: inout SeededGenerator
    ) -> (CircularGeographicCondition, isTouching: Bool) {
      let leg = random.integer(1...4)
      let (start, end) = (places[leg - 1], places[leg])
      let way = GeodesicInverse.solve(
        latitude1: start.latitude, longitude1: start.longitude, latitude2: end.latitude, longitude2: end.longitude)
      let share = attack == .oneInstant ? 0.5 : [0, 0.25, 0.5, 1, random.uniform(0...1)][random.integer(0...4)]
      let at = GeodesicDirect.solve(
        latitude: start.latitude, longitude: start.longitude, azimuth: way.azimuth1, distance: way.distance * share)
      let radius = [random.logarithmic(0.01, 20), random.logarithmic(20, 18_000), random.logarithmic(18_000, 8e6)][
        random.integer(0...2)]
      let turn = attack == .tangents || random.chance(0.2) ? 90.0 : random.uniform(0...360)
      var centre = moved(Coordinate(latitude: at.latitude, longitude: at.longitude), at.azimuth + turn, radius)
      var aside = [0, 1e-9, -1e-9, 1e-7, -1e-7, 1e-6, -1e-6, 1e-3, -1e-3][random.integer(0...8)]
      if attack == .northPole || attack == .southPole, random.chance(0.4) {
        centre = Coordinate(latitude: pole(attack), longitude: random.uniform(-180...180))
        aside = random.uniform(-50...50)
        return (CircularGeographicCondition(center: centre, radius: max(0.001, min(radius, 100) + aside)), false)
      }
      let circle = CircularGeographicCondition(center: centre, radius: max(0.001, radius + aside))
      return (circle, turn == 90 && aside.magnitude < 5e-8)
    }
  }
}

extension String {
  fileprivate var isTouching: Bool { hasPrefix("t") }
}

extension Coordinate {
  fileprivate func distance(to other: Coordinate) -> Double {
    GeodesicInverse.distance(
      latitude1: latitude, longitude1: longitude, latitude2: other.latitude, longitude2: other.longitude)
  }
}
