import FencepostKernel
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Compares the engine, which evaluates only nearby conditions, with an oracle that evaluates all conditions.
@Suite struct NeighbourhoodTests {
  enum World: UInt64, CaseIterable, Sendable {
    case town, sparse, concentric, identical, tiny, huge, northPole, southPole, antimeridian, globe, crowd
  }

  @Test(arguments: World.allCases)
  func agreesWithTheOracle(_ world: World) throws {
    for round in 0..<4 {
      var run = Run(world, salt: world.rawValue * 100 + UInt64(round))
      try run.go(steps: 260)
    }
  }

  /// Compares the engine and the oracle for polygons and corridors among circles.
  @Test(arguments: World.allCases)
  func agreesWithTheOracleOnShapes(_ world: World) throws {
    for round in 0..<3 {
      var run = Run(world, salt: world.rawValue * 100 + 50 + UInt64(round), shapes: 0.6)
      try run.go(steps: 200)
      #expect(run.shapesAdded > 10)
    }
  }

  /// On a quiet drive most fixes must be inside safe regions, and still no boundary may be missed.
  @Test func longDriveThroughAGrid() throws {
    var random = SeededGenerator("NeighbourhoodTests drive", salt: 900)
    var engine = try MonitorEngine()
    var oracle = GeographicOracle()
    for row in 0..<12 {
      for column in 0..<12 {
        let circle = circle(
          random.uniform(200...1_400), latitude: 52 + Double(row) * 0.02, longitude: 13 + Double(column) * 0.03)
        try engine.add(circle, identifier: "\(row)-\(column)")
        oracle.add(.circle(circle), "\(row)-\(column)", .unknown, .standard)
      }
    }
    var latitude = 52.1
    var longitude = 13.1
    var fixes: [Fix] = []
    for second in 0..<3_000 {
      latitude += 0.000_25 * (second / 500 % 2 == 0 ? 1 : -0.7)
      longitude += 0.000_3 * (second / 800 % 2 == 0 ? 1 : -1)
      fixes.append(
        Fix(
          latitude: latitude + random.uniform(-1e-5...1e-5), longitude: longitude + random.uniform(-1e-5...1e-5),
          accuracy: random.uniform(3...15), time: at(Double(second))))
    }
    let result = try engine.feed(fixes)
    #expect(result.accepted == fixes.count)
    try engine.checkInvariants()
    for fix in fixes { oracle.feed(fix) }
    let events = engine.drain().map(GeographicOracle.Told.init)
    #expect(events == oracle.takeTold())
    #expect(events.count > 160)
  }

  private struct Run {
    let world: World
    var random: SeededGenerator
    var engine: MonitorEngine
    var oracle = GeographicOracle()
    var time = 1_000.0
    var position: Coordinate
    var places: [String: (GeographicOracle.Place, TransitionPolicy)] = [:]
    /// The fraction of conditions that are polygons or corridors.
    let shapes: Double
    var shapesAdded = 0
    var names = 0

    init(_ world: World, salt: UInt64, shapes: Double = 0) {
      self.world = world
      self.shapes = shapes
      random = SeededGenerator("NeighbourhoodTests \(world)", salt: salt)
      engine = MonitorEngine.unnamed
      position = Coordinate(latitude: 0, longitude: 0)
      position = somewhere()
    }

    mutating func go(steps: Int) throws {
      for _ in 0..<(world == .crowd ? 120 : 25) { try addOne() }
      for step in 0..<steps {
        switch random.integer(0...99) {
        case 0..<6: try addOne()
        case 6..<10:
          if let name = oracle.identifiers.randomElement(using: &random) {
            let isRemoved = engine.remove(name)
            #expect(isRemoved)
            oracle.remove(name)
            places[name] = nil
          }
        case 10..<14:
          time += random.uniform(0...60)
          try engine.advance(to: at(time))
          oracle.advance(to: at(time).microseconds)
        case 14:
          let flags: Diagnostics = random.chance(0.6) ? [] : [.authorizationDenied]
          time += random.uniform(0...5)
          try engine.setHostCapabilities(flags, at: at(time))
          oracle.setFlags(flags, at: at(time).microseconds)
        case 15..<40:
          let fixes = (0..<random.integer(2...12)).map { _ in nextFix() }
          let result = try engine.feed(fixes)
          #expect(result.accepted == fixes.count)
          for fix in fixes { oracle.feed(fix) }
        default:
          let fix = nextFix()
          try engine.feed(fix)
          oracle.feed(fix)
        }
        try checkInvariants(of: engine, "\(world), step \(step)")
        let events = engine.drain()
        let told = oracle.takeTold()
        try #require(events.map(GeographicOracle.Told.init) == told, "\(world), step \(step)")
        for event in events { check(event) }
      }
      #expect(engine.identifiers == oracle.identifiers)
    }

    /// The event must contain the evidence of the deciding fix.
    private func check(_ event: Event) {
      guard let evidence = event.evidence, let place = places[event.identifier]?.0 else {
        #expect(event.cause == .diagnostic)
        return
      }
      let distance = place.distance(evidence.coordinate) - place.line
      #expect((evidence.boundaryDistance - distance).magnitude < 1e-7)
      #expect((evidence.boundaryDistance <= 0) == (event.state == .satisfied))
    }

    private mutating func addOne() throws {
      let replaces = random.chance(0.15)
      names += 1
      let name = replaces ? oracle.identifiers.randomElement(using: &random) ?? "c\(names)" : "c\(names)"
      var condition: any Condition = CircularGeographicCondition(center: somewhere(), radius: radius())
      if random.chance(shapes), let shape = shape() {
        condition = shape
        shapesAdded += 1
      }
      let place = try GeographicOracle.Place(condition)
      let policy = policy()
      let assuming: Event.State = [.unknown, .unknown, .satisfied, .unsatisfied][random.integer(0...3)]
      try engine.add(condition, identifier: name, assuming: assuming, policy: policy)
      oracle.add(place, name, assuming, policy)
      places[name] = (place, policy)
    }

    /// A polygon or corridor whose size suits the test world; `nil` if the random shape is invalid.
    private mutating func shape() -> (any Condition)? {
      let condition = random.shape(around: somewhere(), radius: min(radius(), 5e6))
      return (try? GeographicOracle.Place(condition)) == nil ? nil : condition
    }

    private mutating func radius() -> Double {
      switch world {
      case .town, .crowd, .antimeridian: random.logarithmic(20, 3_000)
      case .sparse: random.logarithmic(50, 20_000)
      case .concentric: random.uniform(50...500)
      case .identical: 200
      case .tiny: random.logarithmic(1e-3, 5)
      case .huge, .globe: random.logarithmic(1e3, 1.9e7)
      case .northPole, .southPole: random.logarithmic(20, 50_000)
      }
    }

    private mutating func somewhere() -> Coordinate {
      switch world {
      case .town, .crowd: around(52.5, 13.4, 0.05)
      case .sparse: around(-33, 151, 2)
      case .concentric, .identical: random.chance(0.7) ? Coordinate(latitude: 47, longitude: 8) : around(47, 8, 0.005)
      case .tiny: around(0, 0, 0.000_05)
      case .huge, .globe:
        Coordinate(latitude: random.uniform(-90...90), longitude: random.uniform(-180...180))
      case .northPole: Coordinate(latitude: random.uniform(89.9...90), longitude: random.uniform(-180...180))
      case .southPole: Coordinate(latitude: random.uniform(-90 ... -89.9), longitude: random.uniform(-180...180))
      case .antimeridian: around(10, 180, 0.03)
      }
    }

    private mutating func around(_ latitude: Double, _ longitude: Double, _ spread: Double) -> Coordinate {
      let east = longitude + random.uniform(-spread...spread)
      return Coordinate(
        latitude: latitude + random.uniform(-spread...spread), longitude: east > 180 ? east - 360 : east)
    }

    private mutating func policy() -> TransitionPolicy {
      var policy: TransitionPolicy = [.standard, .standard, .exact, .coreLocation][random.integer(0...3)]
      if random.chance(0.3) {
        policy.entryDwellMicroseconds = Int64(random.integer(0...40)) * 1_000_000
        policy.exitDwellMicroseconds = Int64(random.integer(0...40)) * 1_000_000
        policy.entryMargin = random.uniform(0...80)
        policy.exitMarginLimit = 0
        policy.exitMargin = random.uniform(0...80)
        policy.accuracyFactor = [0, 0.5, 1, 2][random.integer(0...3)]
      }
      if random.chance(0.25) { policy.dwellPolicy = .evidence }
      if random.chance(0.2) { policy.notify = TransitionPolicy.Notify(rawValue: UInt8(random.integer(0...7))) }
      return policy
    }

    private mutating func nextFix() -> Fix {
      time += [0, 1, 1, 5, 10, 20, 40][random.integer(0...6)]
      var accuracy: Double = [0, 5, 5, 20, 60, 150, 1_000][random.integer(0...6)]
      switch random.integer(0...9) {
      case 0: position = somewhere()
      case 1..<5:
        // The position is on a line where a state changes, or next to it.
        guard let name = oracle.identifiers.randomElement(using: &random), let (place, policy) = places[name]
        else { break }
        if random.chance(0.5) { accuracy = 5 }
        let r = place.size
        let lines = [
          0, -policy.marginInwards(size: r, accuracy: accuracy), policy.marginOutwards(size: r, accuracy: accuracy),
          accuracy, -r,
        ]
        let offset = [0, 1e-9, -1e-9, 1e-7, -1e-7, 1e-5, -1e-5, 1e-3, -1e-3, 0.1, -0.1][random.integer(0...10)]
        let level = lines[random.integer(0...4)] + offset
        switch place {
        case .circle(let circle):
          let end = GeodesicDirect.solve(
            latitude: circle.center.latitude, longitude: circle.center.longitude, azimuth: random.uniform(0...360),
            distance: max(0, circle.radius + level))
          position = Coordinate(latitude: end.latitude, longitude: end.longitude)
        case .shape(let shape):
          // Returns a place at the distance |level| from a boundary point: outside the shape, or inside if `level` is
          // negative.
          let start = GeodesicDirect.solve(
            latitude: shape.deepest.latitude, longitude: shape.deepest.longitude, azimuth: random.uniform(0...360),
            distance: random.uniform(0...3) * min(r, 1e6))
          let from = SurfacePoint(latitude: start.latitude, longitude: start.longitude)
          let line = shape.nearestBoundaryPoint(of: from) ?? shape.deepest
          let way = GeodesicInverse.solve(
            latitude1: line.latitude, longitude1: line.longitude, latitude2: from.latitude, longitude2: from.longitude)
          let end = GeodesicDirect.solve(
            latitude: line.latitude, longitude: line.longitude, azimuth: way.azimuth1,
            distance: shape.contains(from) ? -level : level)
          position = Coordinate(latitude: end.latitude, longitude: end.longitude)
        }
      default:
        let end = GeodesicDirect.solve(
          latitude: position.latitude, longitude: position.longitude, azimuth: random.uniform(0...360),
          distance: random.logarithmic(0.01, 300))
        position = Coordinate(latitude: end.latitude, longitude: end.longitude)
      }
      return Fix(coordinate: position, accuracy: accuracy, time: at(time))
    }
  }
}

extension GeographicOracle.Told {
  init(_ event: Event) {
    self.init(
      identifier: event.identifier, generation: event.generation, state: event.state, cause: event.cause,
      date: event.date?.microseconds ?? .min, evidenceDate: event.evidenceDate?.microseconds,
      flags: event.diagnostics)
  }
}
