import FencepostKernel
import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// A fleet remembers the surroundings of each device, so most fixes that leave the safe region cause no search.
@Suite struct SurroundingsTests {
  struct World: Sendable, CustomTestStringConvertible {
    var latitude: Double
    var longitude: Double
    var radii: ClosedRange<Double>
    var testDescription: String { "\(latitude), \(longitude), radii \(radii)" }
  }

  static let worlds = [
    World(latitude: 0, longitude: 0, radii: 20...200), World(latitude: 47, longitude: 8, radii: 20...200),
    World(latitude: -47, longitude: 8, radii: 20...1_000), World(latitude: 72, longitude: 180, radii: 20...200),
    World(latitude: 89.97, longitude: -60, radii: 20...200),
  ]

  /// Devices walk and jump among crowded circles while the table changes. After each fix, the device must be inside
  /// exactly those circles whose radius is at least the distance to their centre.
  @Test(arguments: worlds) func aDeviceIsInsideOfTheCirclesAroundIt(_ world: World) throws {
    var random = SeededGenerator("surroundings", salt: UInt64(world.radii.upperBound + world.latitude + 90))
    let north = 0.02
    let east = min(60, 0.02 / max(0.001, Trigonometry.sincosDegrees(world.latitude).cosine))
    func place() -> Coordinate {
      var longitude = world.longitude + random.uniform(-east...east)
      if longitude > 180 { longitude -= 360 }
      return Coordinate(latitude: world.latitude + random.uniform(-north...north), longitude: longitude)
    }
    let conditions = Conditions()
    var circles: [String: CircularGeographicCondition] = [:]
    func put(_ index: Int) throws {
      let circle = CircularGeographicCondition(center: place(), radius: random.uniform(world.radii))
      circles["c\(index)"] = circle
      conditions.remove("c\(index)")
      try conditions.add(circle, identifier: "c\(index)", assuming: .unsatisfied, policy: .exact)
    }
    for index in 0..<250 { try put(index) }
    var fleet = try FleetEngine(conditions)
    let devices = try (0..<3).map { try fleet.device("d\($0)") }
    var places = devices.map { _ in place() }
    var headings = devices.map { _ in random.uniform(0...360) }
    var crossings = 0
    for step in 1...900 {
      let device = step % devices.count
      if random.chance(0.01) {
        places[device] = place()
      } else {
        headings[device] += random.uniform(-20...20)
        let direction = Trigonometry.sincosDegrees(headings[device])
        let stride = random.chance(0.1) ? 200.0 : 13
        places[device].latitude += stride / 111_320 * direction.cosine
        places[device].longitude += stride / 111_320 * east / north * direction.sine
        if places[device].longitude > 180 { places[device].longitude -= 360 }
        if places[device].longitude < -180 { places[device].longitude += 360 }
        if places[device].latitude > 90 { places[device] = place() }
      }
      if random.chance(0.005) { try put(random.integer(0...249)) }
      if random.chance(0.005) {
        let identifier = "c\(random.integer(0...249))"
        conditions.remove(identifier)
        circles[identifier] = nil
      }
      try fleet.feed([
        (devices[device], Fix(coordinate: places[device], time: Timestamp(microseconds: Int64(step) * 1_000_000)))
      ])
      var expected: Set<String> = []
      for (identifier, circle) in circles
      // A degree of latitude is longer than 110 km.
      where (circle.center.latitude - places[device].latitude).magnitude * 110_000 <= circle.radius {
        let distance = GeodesicInverse.distance(
          latitude1: circle.center.latitude, longitude1: circle.center.longitude,
          latitude2: places[device].latitude, longitude2: places[device].longitude)
        if distance <= circle.radius { expected.insert(identifier) }
      }
      let inside = Set(try fleet.inside(devices[device]).map(\.identifier))
      #expect(inside == expected, "FENCEPOST_SEED=\(SeededGenerator.seed), step \(step), \(places[device])")
      if inside != expected { return }
      crossings += fleet.poll(limit: 100) { _, _, _ in }
      fleet.acknowledge()
      if step % 20 == 0 { try fleet.checkInvariants() }
    }
    #expect(crossings > 20)
  }

  /// When a device moves on among circles, only a minority of the fixes that leave its safe region cause a search.
  @Test func mostFixesCauseNoSearch() throws {
    var random = SeededGenerator("surroundings, searches")
    let conditions = Conditions()
    for index in 0..<800 {
      let centre = Coordinate(latitude: random.uniform(-0.04...0.04), longitude: random.uniform(-0.04...0.04))
      try conditions.add(
        CircularGeographicCondition(center: centre, radius: random.uniform(50...200)), identifier: "c\(index)",
        assuming: .unsatisfied, policy: .exact)
    }
    var fleet = try FleetEngine(conditions)
    let device = try fleet.device("d")
    let line = DeviceNumber.place(of: device)
    var (left, kept) = (0, 0)
    for step in 1...500 {
      let before = fleet.devices.lines[line]
      let room = fleet.devices.lines.surroundings[Int(line)].room
      let coordinate = Coordinate(latitude: -0.035 + 1e-4 * Double(step), longitude: -0.03 + 5e-5 * Double(step))
      try fleet.feed(Fix(coordinate: coordinate, time: Timestamp(microseconds: Int64(step) * 1_000_000)), for: device)
      guard step > 1, before.region.isOpen, !before.region.skips(coordinate) else { continue }
      left += 1
      // A search sets a new `room`; without a search, the distance moved is subtracted from the old one.
      let rest = room - before.region.moved(to: coordinate)
      if (fleet.devices.lines.surroundings[Int(line)].room - rest).magnitude < 0.01 { kept += 1 }
    }
    #expect(left > 100 && kept * 2 > left)
  }
}
