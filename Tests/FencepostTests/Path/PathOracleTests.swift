import FencepostKernel
import Foundation
import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Compares the events of a path with the events of fixes placed along the path.
@Suite struct PathOracleTests {
  enum World: UInt64, CaseIterable, Sendable {
    case town, crowd, tiny, huge, northPole, southPole, antimeridian, globe
  }

  /// Compares the events on a path with the events of fixes at every microsecond; the rule defines the events on a path
  /// in this way. If the fixes are at positions computed by the engine, the events are the same, bit for bit. If the
  /// fixes are on the geodesic itself, the times of the events may differ by up to a microsecond, because the engine's
  /// positions on short legs are some nanometres away from the geodesic.
  @Test(arguments: World.allCases)
  func agreesToTheMicrosecond(_ world: World) throws {
    var (onPath, gaps, other) = (0, 0, 0)
    for round in 0..<7 {
      var run = Run(
        world, salt: world.rawValue * 100 + UInt64(round), shapes: round % 2 == 0 ? 0 : 0.5,
        places: round < 5 ? .ofLegs : .ofGeodesics)
      try run.go(legs: 60)
      onPath += run.onPath
      gaps += run.gaps
      other += run.otherInstants
    }
    #expect(onPath > 2 && gaps > 5, "\(world): \(onPath) on the path, \(gaps) after a gap")
    #expect(other * 20 <= onPath, "\(world): \(other) of \(onPath) a microsecond away")
  }

  /// Compares the events of a path with those of fixes every 10 ms, at the speeds of people and cars.
  @Test(arguments: [0, 1, 2, 3])
  func agreesWithFixesEachHundredthSecond(_ round: UInt64) throws {
    var random = SeededGenerator("PathOracleTests drive", salt: 5_000 + round)
    let path = MonitorOptions.Path.geodesic(maxGapMicroseconds: 60_000_000, maxSpeed: 200)
    var engine = try MonitorEngine(options: MonitorOptions(path: path))
    var dense = try MonitorEngine()
    var place = Coordinate(latitude: 48.1, longitude: 11.5)
    for index in 0..<150 {
      let centre = Coordinate(
        latitude: 48.1 + random.uniform(-0.05...0.05), longitude: 11.5 + random.uniform(-0.08...0.08))
      var condition: any Condition = CircularGeographicCondition(center: centre, radius: random.logarithmic(30, 1_500))
      if random.chance(0.4) { condition = random.shape(around: centre, radius: random.logarithmic(100, 2_000)) }
      let policy: TransitionPolicy = [.standard, .exact, .coreLocation][random.integer(0...2)]
      do {
        try engine.add(condition, identifier: "c\(index)", policy: policy)
      } catch { continue }
      try dense.add(condition, identifier: "c\(index)", policy: policy)
    }
    var time = 1_000.0
    var last: Fix?
    for _ in 0..<40 {
      time += random.uniform(5...40)
      place = moved(place, random.uniform(0...360), random.logarithmic(20, 800))
      let fix = Fix(coordinate: place, accuracy: random.uniform(0...40), time: at(time))
      try engine.feed(fix)
      if let last { try dense.feed(laid(from: last, to: fix, each: 10_000)) }
      try dense.feed(fix)
      last = fix
    }
    let events = engine.drain()
    let expected = dense.drain()
    #expect(events.count > 20)
    expectAlike(events, expected, within: 10_000)
  }

  /// Tests the events on the paths of real tracks, which are read from CSV files and thinned to one fix per minute.
  /// `bindings/python/tests/reference/test_paths_of_tracks.py` reads all formats.
  @Test(arguments: ["examples/data/tracks/csv", "../shared/data/tracks/csv"])
  func agreesOnTracks(_ place: String) throws {
    let folder = packageRoot.appending(path: place)
    // The folder `../shared` does not exist next to every clone; the folder in the repository always exists.
    guard !place.hasPrefix("..") || FileManager.default.fileExists(atPath: folder.path) else { return }
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    var random = SeededGenerator("PathOracleTests tracks", salt: 7_000)
    var tracks = 0
    for file in files.sorted(by: { $0.path < $1.path }) {
      guard let fixes = Self.track(file), fixes.count > 3 else { continue }
      try agrees(on: fixes, &random, file.lastPathComponent)
      tracks += 1
    }
    #expect(tracks >= 1)
  }

  private static func track(_ file: URL) -> [Fix]? {
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
    let lines = text.split(whereSeparator: \.isNewline).map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    guard let head = lines.first?.map({ $0.lowercased() }) else { return nil }
    guard let latitude = head.firstIndex(where: { $0.hasPrefix("lat") }),
      let longitude = head.firstIndex(where: { $0.hasPrefix("lon") || $0.hasPrefix("lng") })
    else { return nil }
    // The times in the files have many formats, so they are replaced with times one minute apart.
    var fixes: [Fix] = []
    for (index, line) in lines.dropFirst().enumerated() where index % 20 == 0 && line.count == head.count {
      guard let y = Double(line[latitude]), let x = Double(line[longitude]), y.magnitude <= 90, x.magnitude <= 180
      else { continue }
      fixes.append(Fix(latitude: y, longitude: x, accuracy: 10, time: at(60 * Double(fixes.count))))
      if fixes.count == 30 { break }
    }
    return fixes
  }

  private func agrees(on fixes: [Fix], _ random: inout SeededGenerator, _ name: String) throws {
    let path = MonitorOptions.Path.geodesic(maxGapMicroseconds: 3_600_000_000)
    var engine = try MonitorEngine(options: MonitorOptions(path: path))
    var dense = try MonitorEngine()
    for (index, fix) in fixes.enumerated() where index % 2 == 0 {
      let condition = CircularGeographicCondition(
        center: moved(fix.coordinate, random.uniform(0...360), random.uniform(0...300)),
        radius: random.logarithmic(50, 600))
      let policy: TransitionPolicy = random.chance(0.5) ? .standard : .exact
      try engine.add(condition, identifier: "c\(index)", policy: policy)
      try dense.add(condition, identifier: "c\(index)", policy: policy)
    }
    var last: Fix?
    for fix in fixes {
      try engine.feed(fix)
      if let last { try dense.feed(laid(from: last, to: fix, each: 10_000)) }
      try dense.feed(fix)
      last = fix
    }
    expectAlike(engine.drain(), dense.drain(), within: 10_000, name)
  }

  private struct Run {
    let world: World
    let places: LaidPlaces
    var random: SeededGenerator
    var engine: MonitorEngine
    var dense: MonitorEngine
    let maxGap: Int64 = 4_000
    let maxSpeed: Double?
    let shapes: Double
    /// Microseconds.
    var time: Int64 = 1_000_000
    var position: Coordinate
    var last: Fix?
    var names = 0
    var onPath = 0
    var gaps = 0
    /// The number of events whose time differs by a microsecond between the two monitors.
    var otherInstants = 0

    init(_ world: World, salt: UInt64, shapes: Double, places: LaidPlaces) {
      self.world = world
      self.places = places
      self.shapes = shapes
      random = SeededGenerator("PathOracleTests \(world)", salt: salt)
      maxSpeed = random.chance(0.5) ? nil : world == .huge || world == .globe ? 1e10 : 1e7
      let path = MonitorOptions.Path.geodesic(maxGapMicroseconds: maxGap, maxSpeed: maxSpeed)
      let timeout = Int64(random.integer(500...3_000))
      let delivery: MonitorOptions.Delivery = [.every, .every, .first, .latest][random.integer(0...3)]
      engine = MonitorEngine(
        trusted: nil,
        MonitorOptions(
          delivery: delivery, conditionLimit: random.chance(0.2) ? 15 : nil, beaconExitTimeoutMicroseconds: timeout,
          path: path, order: random.chance(0.3) ? .exitsFirst : .add))
      var options = engine.options
      options.path = .fixes
      dense = MonitorEngine(trusted: nil, options)
      position = Coordinate(latitude: 0, longitude: 0)
      position = somewhere()
    }

    mutating func both(_ body: (inout MonitorEngine) throws -> Void) throws {
      try body(&engine)
      try body(&dense)
    }

    mutating func go(legs: Int) throws {
      for _ in 0..<(world == .crowd ? 80 : 20) { try addOne() }
      for step in 0..<legs {
        switch random.integer(0...29) {
        case 0...2: try addOne()
        case 3:
          if let name = engine.identifiers.randomElement(using: &random) { try both { _ = $0.remove(name) } }
        case 4...6:
          time += Int64(random.integer(0...1_500))
          let time = time
          try both { try $0.advance(to: Timestamp(microseconds: time)) }
        case 7, 8:
          time += Int64(random.integer(0...1_000))
          let time = time
          try both {
            let beacon = BeaconSighting(uuid: someUUID, major: 1, minor: 1, rssi: -50)
            try $0.feed([beacon], at: Timestamp(microseconds: time))
          }
        case 9:
          time += Int64(random.integer(0...300))
          let time = time
          let flags: Diagnostics = random.chance(0.85) ? [] : [.authorizationDenied]
          try both { try $0.setHostCapabilities(flags, at: Timestamp(microseconds: time)) }
        case 10, 11: engine = try MonitorEngine(restoring: engine.snapshot())
        default: break
        }
        try leg()
        try checkInvariants(of: engine, "\(world), step \(step)")
        let events = engine.drain()
        let expected = dense.drain()
        onPath += events.count { $0.evidence?.source == .path }
        gaps += events.count { $0.followsGap }
        if places == .ofLegs {
          try #require(events.map(plain) == expected.map(plain), "\(world), step \(step)")
        } else {
          try #require(events.map(\.identifier) == expected.map(\.identifier), "\(world), step \(step)")
          for (event, other) in zip(events, expected) { try check(event, other, "\(world), step \(step)") }
        }
      }
      #expect(engine.statistics.acceptedFixes == UInt64(legs))
    }

    /// Returns the event as if a fix had decided it and no gap came before it, so that events on paths can be compared
    /// with events of fixes.
    private func plain(_ event: Event) -> Event {
      var event = event
      event.evidence?.source = .fix
      event.followsGap = false
      return event
    }

    private mutating func check(_ event: Event, _ other: Event, _ place: String) throws {
      try #require(
        event.sequence == other.sequence && event.state == other.state && event.cause == other.cause
          && event.diagnostics == other.diagnostics, "\(place)")
      let late = (event.date?.microseconds ?? 0) - (other.date?.microseconds ?? 0)
      try #require(late.magnitude <= 1, "\(place): \(event.brief), \(other.brief)")
      guard event.evidenceDate == other.evidenceDate else { return otherInstants += 1 }
      guard let mine = event.evidence, let theirs = other.evidence else {
        return try #require(event.evidence == nil && other.evidence == nil, "\(place)")
      }
      let apart = mine.coordinate.position.squaredChord(to: theirs.coordinate.position).squareRoot()
      try #require(apart < 3e-8, "\(place): \(apart) m apart")
      try #require((mine.boundaryDistance - theirs.boundaryDistance).magnitude < 3e-8, "\(place)")
    }

    private mutating func leg() throws {
      time += Int64([0, 1, 2, 300, 1_000, 2_000, 2_500, maxGap, maxGap + 1][random.integer(0...8)])
      let accuracy: Double = [0, 5, 5, 20, 60, 150, 1_000][random.integer(0...6)]
      switch random.integer(0...9) {
      case 0, 1: position = somewhere()
      case 2: break
      default: position = moved(position, random.uniform(0...360), random.logarithmic(0.01, stride))
      }
      let fix = Fix(coordinate: position, accuracy: accuracy, time: Timestamp(microseconds: time))
      if let last, fix.time > last.time, fix.time.microseconds - last.time.microseconds <= maxGap {
        let way = GeodesicInverse.distance(
          latitude1: last.coordinate.latitude, longitude1: last.coordinate.longitude,
          latitude2: fix.coordinate.latitude, longitude2: fix.coordinate.longitude)
        let seconds = Double(fix.time.microseconds - last.time.microseconds) / 1e6
        if maxSpeed.map({ way <= $0 * seconds }) ?? true {
          try dense.feed(laid(from: last, to: fix, each: 1, places))
        }
      }
      try engine.feed(fix)
      try dense.feed(fix)
      last = fix
    }

    private var stride: Double {
      switch world {
      case .town, .crowd, .antimeridian, .northPole, .southPole: 3_000
      case .tiny: 100
      case .huge, .globe: 5e6
      }
    }

    private mutating func addOne() throws {
      let replaces = random.chance(0.15)
      names += 1
      let name = replaces ? engine.identifiers.randomElement(using: &random) ?? "c\(names)" : "c\(names)"
      var condition: any Condition = CircularGeographicCondition(center: somewhere(), radius: radius())
      if random.chance(0.1) {
        condition = BeaconIdentityCondition(uuid: someUUID)
      } else if random.chance(shapes) {
        condition = random.shape(around: somewhere(), radius: min(radius(), 2e6))
      }
      let policy = policy()
      let assuming: Event.State = [.unknown, .unknown, .satisfied, .unsatisfied][random.integer(0...3)]
      do {
        try engine.add(condition, identifier: name, assuming: assuming, policy: policy)
      } catch { return }
      try dense.add(condition, identifier: name, assuming: assuming, policy: policy)
    }

    private mutating func radius() -> Double {
      switch world {
      case .town, .crowd, .antimeridian: random.logarithmic(20, 3_000)
      case .tiny: random.logarithmic(1e-3, 5)
      case .huge, .globe: random.logarithmic(1e3, 1.9e7)
      case .northPole, .southPole: random.logarithmic(20, 50_000)
      }
    }

    private mutating func somewhere() -> Coordinate {
      switch world {
      case .town, .crowd: around(52.5, 13.4, 0.05)
      case .tiny: around(0, 0, 0.000_05)
      case .huge, .globe: Coordinate(latitude: random.uniform(-90...90), longitude: random.uniform(-180...180))
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
      var policy: TransitionPolicy = [.standard, .exact, .coreLocation][random.integer(0...2)]
      if random.chance(0.7) {
        policy.entryDwellMicroseconds = Int64(random.integer(0...2) * random.integer(0...1_000))
        policy.exitDwellMicroseconds = Int64(random.integer(0...2) * random.integer(0...1_000))
      }
      if random.chance(0.3) {
        policy.entryMargin = random.uniform(0...80)
        policy.exitMarginLimit = 0
        policy.exitMargin = random.uniform(0...80)
        policy.accuracyFactor = [0, 0.5, 1, 2][random.integer(0...3)]
      }
      if random.chance(0.25) { policy.dwellPolicy = .evidence }
      if random.chance(0.2) { policy.notify = TransitionPolicy.Notify(rawValue: UInt8(random.integer(0...7))) }
      return policy
    }
  }
}

func moved(_ place: Coordinate, _ azimuth: Double, _ distance: Double) -> Coordinate {
  let end = GeodesicDirect.solve(
    latitude: place.latitude, longitude: place.longitude, azimuth: azimuth, distance: distance)
  return Coordinate(latitude: end.latitude, longitude: end.longitude)
}

/// The kinds of positions at which fixes are placed for the monitor without a path.
enum LaidPlaces: Sendable {
  /// Positions computed by solving the direct geodesic problem.
  case ofGeodesics
  /// Positions computed by the engine, which on short legs are some nanometres away from the geodesic.
  case ofLegs
}

/// Returns fixes on the geodesic between two given fixes, at intervals of `step` microseconds. Each new fix has the
/// larger of the accuracy values of the given fixes.
func laid(from start: Fix, to end: Fix, each step: Int64, _ places: LaidPlaces = .ofGeodesics) -> [Fix] {
  let way = GeodesicInverse.solve(
    latitude1: start.coordinate.latitude, longitude1: start.coordinate.longitude,
    latitude2: end.coordinate.latitude, longitude2: end.coordinate.longitude)
  let (first, last) = (start.time.microseconds, end.time.microseconds)
  var leg = Leg(from: start, to: end)
  return Swift.stride(from: first + step, to: last, by: Int(step)).map { time in
    let distance = way.distance * (Double(time - first) / Double(last - first))
    let coordinate =
      places == .ofLegs ? leg.place(at: time).coordinate : moved(start.coordinate, way.azimuth1, distance)
    return Fix(
      coordinate: coordinate, accuracy: max(start.accuracy, end.accuracy), time: Timestamp(microseconds: time))
  }
}

extension Coordinate {
  var position: EarthVector { EarthVector(latitude: latitude, longitude: longitude) }
}

/// Checks that each condition has the same events in the same order, with times that differ by at most the tolerance,
/// and that all events are sorted by time.
func expectAlike(
  _ events: [Event], _ dense: [Event], within tolerance: Int64, _ place: String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) {
  for (one, next) in zip(events, events.dropFirst()) {
    #expect((one.date?.microseconds ?? 0) <= (next.date?.microseconds ?? 0), "\(place)", sourceLocation: sourceLocation)
  }
  let grouped = Dictionary(grouping: events, by: \.identifier)
  let expected = Dictionary(grouping: dense, by: \.identifier)
  for name in Set(grouped.keys).union(expected.keys).sorted() {
    let (mine, theirs) = (grouped[name] ?? [], expected[name] ?? [])
    #expect(mine.map(\.state) == theirs.map(\.state), "\(place) \(name)", sourceLocation: sourceLocation)
    for (one, other) in zip(mine, theirs) {
      #expect(one.cause == other.cause, sourceLocation: sourceLocation)
      let late = (other.date?.microseconds ?? 0) - (one.date?.microseconds ?? 0)
      #expect((0...tolerance).contains(late), "\(place) \(one.brief), \(other.brief)", sourceLocation: sourceLocation)
    }
  }
}
