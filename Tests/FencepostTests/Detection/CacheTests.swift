import FencepostKernel
import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Caches may be dropped at any time: dropping all of them before each input does not change any event.
@Suite struct CacheTests {
  /// Drops a monitor's caches: the index of slots, the deadlines, the watches, and the cache of near conditions with
  /// its safe region. A snapshot contains none of the caches.
  @Test(arguments: 1...(isSoak ? 400 : 16)) func aMonitorWithoutCaches(_ number: Int) throws {
    var life = RandomLife("a monitor without caches", number)
    var engine = try MonitorEngine(options: life.options())
    var bare = engine
    for step in 0..<250 {
      let next = life.step()
      let expected = next.play(&engine)
      let handedOut = bare.delivery.lastSequence
      bare = try MonitorEngine(restoring: bare.snapshot())
      #expect(bare.delivery.lastSequence == handedOut)
      let events = next.play(&bare)
      engine.acknowledge()
      bare.acknowledge()
      #expect(events == expected, "FENCEPOST_SEED=\(SeededGenerator.seed), life \(number), step \(step): \(next)")
      #expect(bare.snapshot() == engine.snapshot(), "life \(number), step \(step): \(next)")
      if events != expected { return }
    }
  }

  /// Drops a fleet's caches: the safe regions, the index patches, the edge cells, and the index of the devices that are
  /// inside.
  @Test(arguments: 1...(isSoak ? 400 : 16)) func aFleetWithoutCaches(_ number: Int) throws {
    var random = SeededGenerator("a fleet without caches", salt: UInt64(number))
    let conditions = Conditions()
    func add(_ index: Int) throws {
      let centre = Coordinate(latitude: random.uniform(0...0.02), longitude: random.uniform(0...0.02))
      var policy = [TransitionPolicy.exact, .standard, .coreLocation][random.integer(0...2)]
      if random.chance(0.2) { policy.dwellPolicy = .evidence }
      let assumed = [Event.State.unsatisfied, .unknown, .satisfied][random.integer(0...2)]
      // In every third case, all shapes are circles. In the other cases, most shapes are polygons and corridors.
      let isCircle = number % 3 == 0 || index % 4 == 0
      let shape: any Condition =
        isCircle
        ? CircularGeographicCondition(center: centre, radius: random.uniform(20...300))
        : random.shape(around: centre, radius: random.uniform(50...500))
      do {
        try conditions.add(shape, identifier: "c\(index)", assuming: assumed, policy: policy)
      } catch {
        // A random polygon or corridor may be invalid, but a circle is always valid.
        #expect(!isCircle, "\(error)")
      }
    }
    for index in 0..<40 { try add(index) }
    var fleet = try FleetEngine(conditions)
    var bare = try FleetEngine(conditions)
    var places: [Coordinate] = []
    for index in 0..<4 {
      _ = try fleet.device("d\(index)")
      _ = try bare.device("d\(index)")
      places.append(Coordinate(latitude: random.uniform(0...0.02), longitude: random.uniform(0...0.02)))
    }
    var time: Int64 = 1_000_000_000
    var told = 0
    for step in 0..<400 {
      bare.devices.own()
      for device in bare.devices.numbers { bare.devices.lines[device].region.remove() }
      bare.patches = CapPatches()
      bare.edges = EdgeCells()
      bare.insideIndex = InsideIndex()
      time += Int64(random.integer(0...4_000_000))
      let device = random.integer(0...3)
      let stride = random.chance(0.5) ? 1e-4 : 1e-3
      places[device].latitude += random.uniform(-stride...stride)
      places[device].longitude += random.uniform(-stride...stride)
      let fix = Fix(
        coordinate: places[device], accuracy: [0, 0, 5, 40][random.integer(0...3)],
        time: Timestamp(microseconds: time))
      if random.chance(0.02) {
        let index = random.integer(0...39)
        conditions.remove("c\(index)")
        if random.chance(0.8) { try add(index) }
      }
      if random.chance(0.05) {
        try fleet.advance(to: fix.time)
        try bare.advance(to: fix.time)
      }
      try fleet.feed(fix, for: UInt64(device + 1))
      try bare.feed(fix, for: UInt64(device + 1))
      let place = "FENCEPOST_SEED=\(SeededGenerator.seed), life \(number), step \(step)"
      while let event = fleet.nextEvent() {
        told += 1
        #expect(bare.nextEvent()?.json == event.json, "\(place)")
      }
      #expect(bare.nextEvent() == nil, "\(place)")
      if step % 20 == 0 {
        let identifier = "c\(random.integer(0...39))"
        #expect(bare.devices(insideOf: identifier) == fleet.devices(insideOf: identifier), "\(place)")
        #expect(bare.nextDeadline() == fleet.nextDeadline(), "\(place)")
      }
    }
    #expect(told > 0)
  }
}
